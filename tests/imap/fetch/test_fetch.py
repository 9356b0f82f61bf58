"""FETCH of many messages."""

from __future__ import annotations

import gc
import re
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import Deferred, fail
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.mime.headers import header_end
from simmail.core.records.folder import Columns
from simmail.errors import Unavailable
from simmail.imap.fetch.sections import chosen
from simmail.imap.wire.fetch_items import parse_items
from simmail.imap.wire.parser import Arguments
from tests.core.hostile import seconds
from tests.imap.play import Connection, House

_ROW = re.compile(rb"\* (\d+) FETCH \(UID (\d+)")


class BinaryTests(SynchronousTestCase):
    """Octets of any kind."""

    def test_there_and_back(self) -> None:
        """What is appended as a literal8 with NUL is fetched as it was (RFC 3516)."""
        client = House().signed_in("INBOX")
        octets = b"Content-Type: image/png\r\nContent-Transfer-Encoding: binary\r\n\r\n\x89PNG\0\n\r\0"
        client.send(b"a APPEND INBOX ~{%d+}\r\n%b\r\n" % (len(octets), octets))
        self.assertIn(b"a OK [APPENDUID 1 1]", client.taken())
        client.send(b"b FETCH 1 BINARY.PEEK[1]\r\n")
        self.assertIn(b"* 1 FETCH (BINARY[1] ~{8}\r\n\x89PNG\0\n\r\0)\r\n", client.taken())


class ManyTests(SynchronousTestCase):
    """Large folders, in slices."""

    def setUp(self) -> None:
        """A folder of several slices, and a session on it."""
        self.house = House()
        for number in range(700):
            self.house.deliver("plain" if number % 3 else "other")
        self.client = self.house.signed_in("INBOX")

    def rows(self, client: Connection, command: str) -> list[tuple[int, int]]:
        """(number, UID) of each row of an answer."""
        client.send(command.encode() + b"\r\n")
        answer = client.taken()
        self.assertRegex(answer, rb"\r\na (OK|NO)[^\r\n]*\r\n\Z")
        return [(int(number), int(uid)) for number, uid in _ROW.findall(answer)]

    def test_whole(self) -> None:
        """Every message comes once, in order, under its own number, kept or read."""
        expected = [(number, number) for number in range(1, 701)]
        many = " ".join(f"BODY.PEEK[HEADER.FIELDS (Subject X-{one})]" for one in range(8))
        for items in (
            "(UID FLAGS)", "(UID ENVELOPE)", "(UID BODY.PEEK[TEXT]<0.1>)", "(UID BODY.PEEK[HEADER])", f"(UID {many})",
        ):
            self.assertEqual(self.rows(self.client, f"a FETCH 1:* {items}"), expected)

    def test_scattered(self) -> None:
        """Single messages and ranges side by side."""
        wanted = [*range(1, 100, 2), *range(120, 400), *range(450, 700, 5)]
        text = ",".join(map(str, wanted))
        for items in ("(UID FLAGS)", "(UID BODYSTRUCTURE)", "(UID RFC822.HEADER BODY.PEEK[])"):
            self.assertEqual(self.rows(self.client, f"a UID FETCH {text} {items}"), [(one, one) for one in wanted])

    def test_gone(self) -> None:
        """What vanished and was not told keeps its number free; the others keep theirs."""
        doomed = [3, *range(200, 260), 699]
        self.house.folder().expunge(doomed)
        expected = [(number, number) for number in range(1, 701) if number not in doomed]
        for items in ("(UID FLAGS)", "(UID ENVELOPE)", "(UID BODY.PEEK[TEXT]<0.1>)"):
            self.assertEqual(self.rows(self.client, f"a FETCH 1:* {items}"), expected)
        self.client.do("b NOOP")
        expected = [(at, uid) for at, (_, uid) in enumerate(expected, 1)]
        for items in ("(UID FLAGS)", "(UID ENVELOPE)", "(UID BODY.PEEK[TEXT]<0.1>)"):
            self.assertEqual(self.rows(self.client, f"a FETCH 1:* {items}"), expected)

    def test_seen(self) -> None:
        """Reading all of them marks all of them, and tells each once."""
        self.house.folder().flag(range(1, 351), ["\\Seen"], "+")
        self.client.do("b NOOP")
        self.client.send(b"a FETCH 1:* BODY[TEXT]<0.1>\r\n")
        self.assertEqual(self.client.taken().count(b"FLAGS (\\Recent \\Seen)"), 350)
        self.assertEqual(self.house.folder().unseen(), [])

    def test_index_away(self) -> None:
        """What is asked ahead and then not wanted leaves no trace when it fails too."""
        asked: list[int] = []

        def columns(uids: Sequence[int], names: Sequence[str]) -> Deferred[Columns]:
            asked.append(len(uids))
            return fail(Unavailable("the index is away"))

        self.patch(self.house.folder(), "columns", columns)
        self.assertEqual(
            self.client.do("a FETCH 1:* (UID ENVELOPE)"), [b"a NO [UNAVAILABLE] the index is away"])
        self.assertEqual(asked, [500, 200])
        gc.collect()
        self.assertEqual(self.flushLoggedErrors(), [])


class HeaderTests(SynchronousTestCase):
    """HEADER.FIELDS and HEADER.FIELDS.NOT."""

    @given(st.lists(st.sampled_from((
        b"From: a", b"from : b", b"FROM:c", b" fold", b"\tfold", b"X-A: 1", b"x-a:", b":none", b"none", b"To\t: x",
        b"Fromage: y", b"X From: z", b"", b"\xff8: 1", b"From", b"X%b: 1")), max_size=9),
        st.sampled_from((b"\r\n", b"\n")))
    def test_same(self, lines: list[bytes], end: bytes) -> None:
        """The quick way for few names finds what looking at each field finds."""
        octets = end.join(lines) + end + end
        header = octets[:header_end(octets)]
        for names in (b"HEADER.FIELDS (From X-A)", b"HEADER.FIELDS.NOT (From X-A)", b'HEADER.FIELDS ("X%b")'):
            item = parse_items(Arguments(b"BODY[" + names + b"]"))[0]
            self.assertIsNotNone(item.fields)
            self.assertEqual(chosen(header, item), chosen(header, item._replace(fields=None)))

    def test_not_named(self) -> None:
        """What is no field is among what is not named."""
        item = parse_items(Arguments(b"BODY[HEADER.FIELDS.NOT (From)]"))[0]
        for one in (item, item._replace(fields=None)):
            self.assertEqual(chosen(b"no colon\r\nFrom: a\r\n b\r\nX: c\r\n d\r\n\r\n", one),
                             b"no colon\r\nX: c\r\n d\r\n\r\n")

    def test_many_names(self) -> None:
        """More names than are tried at each line."""
        names = b" ".join(b"X-%d" % number for number in range(500))
        item = parse_items(Arguments(b"BODY[HEADER.FIELDS (" + names + b")]"))[0]
        self.assertEqual(chosen(b"A: 1\r\nX-499: 2\r\n 3\r\nX-500: 4\r\n\r\n", item), b"X-499: 2\r\n 3\r\n\r\n")

    def test_hostile(self) -> None:
        """A header of the largest size with nothing but short fields."""
        item = parse_items(Arguments(b"BODY[HEADER.FIELDS.NOT (From Subject)]"))[0]
        self.assertLess(seconds(chosen, b"a:\n" * (1 << 20), item), 3.0)
