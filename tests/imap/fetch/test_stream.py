"""FETCH from large messages."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred, fail, succeed
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.imap.fetch import fetch, stream
from tests.imap.play import MESSAGES, Connection, House

_PARTS = ("1", "2", "3", "4", "2.1", "2.TEXT", "2.HEADER", "2.MIME", "9")
ITEMS = (
    "BODY.PEEK[]", "BODY.PEEK[]<3.20>", "BODY.PEEK[]<99999.5>", "BODY.PEEK[TEXT]", "BODY.PEEK[TEXT]<2.3>", "RFC822",
    "RFC822.TEXT", "RFC822.HEADER", "BODY.PEEK[HEADER]<5.10>", "BODY[]", "BINARY.PEEK[]", "BINARY.SIZE[]",
    "BINARY.PEEK[]<1.30>",
    *(f"BODY.PEEK[{part}]" for part in _PARTS), *(f"BODY.PEEK[{part}]<1.2>" for part in _PARTS),
    "BODY.PEEK[2.HEADER.FIELDS (Subject)]", "BODY.PEEK[HEADER.FIELDS.NOT (Subject)]",
    *(f"{kind}[{part}]" for part in _PARTS if part.isdigit() or part == "2.1"
      for kind in ("BINARY.PEEK", "BINARY.SIZE", "BINARY")),
    "BINARY.PEEK[1]<1.2>", "(UID BODY.PEEK[1] FLAGS BODY.PEEK[TEXT] BINARY.SIZE[1] BODY.PEEK[])",
    "(BODY.PEEK[9] BINARY.PEEK[3])", "(" + " ".join(f"BODY.PEEK[HEADER.FIELDS (X{one})]" for one in range(6)) + ")",
)


def served() -> Connection:
    """A session on a folder with a message of each kind."""
    house = House()
    for octets in (*MESSAGES.values(), "Subject: nul\n\na\0b\n", "Subject: none\n", "\n\nx", ""):
        octets = octets.encode() if isinstance(octets, str) else octets
        house.file(octets.replace(b"\n", b"\r\n") or b"x")
    return house.signed_in("INBOX")


class SameTests(SynchronousTestCase):
    """What is streamed is what would have been sent at once."""

    def test_same(self) -> None:
        """Each item of each kind of message, in pieces of any size."""
        usual = served()
        expected = [self.answer(usual, item) for item in ITEMS]
        self.assertIn(b"UNKNOWN-CTE", b"".join(expected))
        self.assertIn(b"~{", b"".join(expected))
        for size in (1, 7, 1 << 20):
            self.patch(fetch, "STREAMED", 0)
            self.patch(stream, "WINDOW", size)
            streamed = served()
            for item, answer in zip(ITEMS, expected):
                self.assertEqual(self.answer(streamed, item), answer, item)

    def answer(self, client: Connection, item: str) -> bytes:
        client.send(f"a FETCH 1:* {item}\r\n".encode())
        return client.taken()


class Failing:
    """An open message that cannot be read from some octet on."""

    def __init__(self, opened: Any, last: int) -> None:
        self.opened, self.last, self.size, self.closed = opened, last, opened.size, 0

    def read(self, start: int, count: int) -> Deferred[bytes]:
        if start >= self.last:
            return fail(Unavailable("it has become shorter"))
        answer: Deferred[bytes] = self.opened.read(start, count)
        return answer

    def derive(self, name: Any, work: Any, in_thread: Any) -> Deferred[Any]:
        return fail(Unavailable("it has become shorter"))

    def close(self) -> None:
        self.closed += 1


class PaceTests(SynchronousTestCase):
    """Large messages and their readers."""

    def setUp(self) -> None:
        """A large message, and a session."""
        self.house = House()
        self.octets = b"Subject: large\r\n\r\n" + b"0123456789abcdef" * 100_000
        self.house.file(self.octets)
        self.client = self.house.signed_in("INBOX")
        self.opened: list[Any] = []

    def wrap(self, last: int) -> None:
        """The message cannot be read from an octet on."""
        folder = self.house.folder()
        usual = folder.open

        def opening(uid: int) -> Deferred[Any]:
            self.opened.append(Failing(usual(uid).result, last))
            return succeed(self.opened[-1])

        self.patch(folder, "open", opening)

    def begin(self) -> None:
        """The client asks for the message, and takes one piece of it."""
        transport, output = self.client.transport, self.client.protocol.output
        usual = transport.write

        def write(octets: bytes) -> None:
            usual(octets)
            if len(octets) > 60_000:
                output.pauseProducing()

        self.patch(transport, "write", write)
        self.client.send(b"a FETCH 1 BODY.PEEK[]\r\n")

    def test_not_read(self) -> None:
        """A client that does not read has one piece on its way, and all of it later; then the message is closed."""
        self.wrap(1 << 30)
        self.begin()
        taken = self.client.taken()
        while not taken.endswith(b"completed\r\n"):
            self.assertEqual(self.opened[0].closed, 0)
            self.client.protocol.output.resumeProducing()
            piece = self.client.taken()
            self.assertLess(len(piece), 200_000)
            taken += piece
        self.assertTrue(taken == b"* 1 FETCH (BODY[] {%d}\r\n%b)\r\na OK FETCH completed\r\n" % (
            len(self.octets), self.octets))
        self.assertEqual(self.opened[0].closed, 1)

    def test_leaves(self) -> None:
        """One that leaves meanwhile leaves nothing open, and nothing is logged as a defect."""
        self.wrap(1 << 30)
        self.begin()
        self.client.lose()
        self.assertEqual(self.opened[0].closed, 1)
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_expunged(self) -> None:
        """A message is sent to its end though it is expunged meanwhile."""
        self.begin()
        self.house.actions()["expunge"](1)
        taken = self.client.taken()
        while not taken.endswith(b"completed\r\n"):
            self.client.protocol.output.resumeProducing()
            taken += self.client.taken()
        self.assertTrue(self.octets in taken)

    def test_cut_short(self) -> None:
        """A promised literal that cannot be had ends the connection; what fails before a row begins is refused."""
        self.wrap(600_000)
        self.client.send(b"a FETCH 1 BODY.PEEK[]\r\n")
        self.assertTrue(self.client.closed())
        self.assertEqual(self.opened[0].closed, 1)
        self.client = self.house.signed_in("INBOX")
        self.wrap(9)
        self.assertEqual(self.client.do("a FETCH 1 BODY.PEEK[1]"), [b"a NO [UNAVAILABLE] it has become shorter"])
        self.assertEqual(self.client.do("a FETCH 1 FLAGS")[-1], b"a OK FETCH completed")
        self.client.send(b"a FETCH 1 (BODY.PEEK[]<0.5> BODY.PEEK[1])\r\n")
        self.assertTrue(self.client.closed())

    def test_not_to_be_opened(self) -> None:
        """Where there is no piece by piece it is read as usual."""
        self.patch(self.house.folder(), "open", lambda uid: succeed(None))
        self.client.send(b"a FETCH 1 (FLAGS BODY.PEEK[])\r\n")
        self.assertTrue(self.octets + b")\r\na OK" in self.client.taken())
