"""FETCH of whole messages."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.fetch import fetch, whole
from simmail.imap.fetch.whole import is_whole
from simmail.imap.wire.fetch_items import parse_items
from simmail.imap.wire.parser import Arguments
from tests.imap.play import MESSAGES, Connection, House

_ITEMS = (
    "BODY.PEEK[]", "RFC822", "BODY[]", "(BODY.PEEK[] UID)", "(FLAGS RFC822 RFC822.SIZE)", "(UID ENVELOPE BODY.PEEK[])")


class WholeTests(SynchronousTestCase):
    """What is sent some at once is what would be sent one by one."""

    def client(self) -> Connection:
        """A session on a folder with a message of each kind, some of them gone without its knowledge."""
        self.house = House()
        for octets in (*MESSAGES.values(), b"Subject: nul\n\na\0b\n", b"Subject: %d%%\n", b"x") * 3:
            octets = octets.encode() if isinstance(octets, str) else octets
            self.house.file(octets.replace(b"\n", b"\r\n"))
        client = self.house.signed_in("INBOX")
        self.house.folder().expunge([2, 5, 6])
        return client

    def answer(self, client: Connection, item: str) -> bytes:
        client.send(f"a FETCH 1:* {item}\r\n".encode())
        return client.taken()

    def test_same(self) -> None:
        """Each item, in pieces of any size, with messages that are gone between."""
        self.patch(fetch, "is_whole", lambda item: False)
        client = self.client()
        expected = [self.answer(client, item) for item in _ITEMS]
        self.assertIn(b"a\x80b", expected[0])
        self.assertIn(b"a OK [EXPUNGEISSUED]", expected[0])
        self.patch(fetch, "is_whole", is_whole)
        for room in (1, 300, 1 << 20):
            self.patch(whole, "_ROOM", room)
            client = self.client()
            for item, answer in zip(_ITEMS, expected):
                self.assertEqual(self.answer(client, item), answer, (room, item))

    def test_one_step(self) -> None:
        """Many small messages are handed to the transport together."""
        house = House()
        for number in range(200):
            house.deliver("plain")
        client = house.signed_in("INBOX")
        written: list[int] = []
        real = client.transport.write
        self.patch(client.transport, "write", lambda octets: (written.append(len(octets)), real(octets)))
        self.assertEqual(self.answer(client, "BODY.PEEK[]").count(b"FETCH (BODY[] {"), 200)
        self.assertLess(len(written), 8)

    def test_which(self) -> None:
        """All octets of a message, under either name; nothing that is cut, decoded or a part."""
        asked = b"(BODY[] BODY.PEEK[] RFC822 BODY[]<0.9> BODY[1] BODY[TEXT] RFC822.HEADER BINARY[] FLAGS)"
        self.assertEqual([is_whole(item) for item in parse_items(Arguments(asked, False))], [True] * 3 + [False] * 6)
