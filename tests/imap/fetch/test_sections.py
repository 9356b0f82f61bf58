"""Sections of messages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.fetch.sections import binary, chosen, cut, Sections, within
from simmail.imap.wire.fetch_items import Item, parse_items
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import No
from tests.imap.play import MESSAGES


def item(text: str) -> Item:
    """One item."""
    (found,) = parse_items(Arguments(text.encode()))
    return found


def message(name: str) -> bytes:
    """A message with the line ends of mail."""
    return MESSAGES[name].replace(b"\n", b"\r\n")


class SectionTests(SynchronousTestCase):
    """Each a slice of the octets (RFC 3501 section 6.4.5)."""

    def found(self, section: str, name: str = "mixed") -> bytes | None:
        """A section of a message."""
        return Sections(message(name)).find(item(f"BODY[{section}]"))

    def test_whole(self) -> None:
        """All of it is its header and its text."""
        for name in MESSAGES:
            whole, header, text = (self.found(one, name) for one in ("", "HEADER", "TEXT"))
            assert header is not None and text is not None
            self.assertEqual((whole, header + text), (message(name),) * 2)

    def test_parts(self) -> None:
        """Parts, their MIME header, and messages in them."""
        for section, expected in (
            ("1", b"Sch=C3=B6n"), ("2", b"Subject: inner\r\nFrom: a@b\r\n\r\ninner text\r\n"),
            ("2.HEADER", b"Subject: inner\r\nFrom: a@b\r\n\r\n"), ("2.TEXT", b"inner text\r\n"),
            ("2.1", b"inner text\r\n"), ("3", b"AAEC"), ("2.MIME", b"Content-Type: message/rfc822\r\n\r\n"),
            ("2.HEADER.FIELDS (FROM)", b"From: a@b\r\n\r\n"),
        ):
            found = self.found(section)
            assert found is not None
            self.assertEqual(found.rstrip(b"\r\n"), expected.rstrip(b"\r\n"), section)

    def test_none(self) -> None:
        """What is not there: a part too many, a header of what is no message."""
        for section in ("4", "1.1.1", "1.HEADER", "3.TEXT", "2.2", "9.9"):
            self.assertIsNone(self.found(section), section)
        self.assertEqual(Sections(message("plain")).shown(item("BODY[7]")), b"BODY[7] NIL")

    def test_only_part(self) -> None:
        """A message without parts has one."""
        self.assertEqual(self.found("1", "plain"), b"Hello there,\r\nMaria\r\n")

    def test_fields(self) -> None:
        """With a pattern and without one the same fields are found."""
        header = message("folded").partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
        for text in ("BODY[HEADER.FIELDS (SUBJECT)]", "BODY[HEADER.FIELDS.NOT (SUBJECT)]",
                     "BODY[HEADER.FIELDS (none)]", "BODY[HEADER.FIELDS.NOT (Subject X-Note)]"):
            one = item(text)
            self.assertEqual(chosen(header, one).rstrip(), chosen(header, one._replace(fields=None)).rstrip(), text)

    def test_shown(self) -> None:
        """A label and a literal."""
        self.assertEqual(Sections(b"a: b\r\n\r\nxyz").shown(item("BODY[TEXT]<1.1>")), b"BODY[TEXT]<1> {1}\r\ny")

    @given(st.binary(max_size=30), st.integers(0, 40), st.integers(1, 40))
    def test_partial(self, octets: bytes, start: int, count: int) -> None:
        """A partial is cut in the same way from octets and from where they are."""
        one = item(f"BODY[]<{start}.{count}>")
        begin, end = within((0, len(octets)), one)
        self.assertEqual((cut(octets, one), octets[begin:end]), (octets[start:start + count],) * 2)


class BinaryTests(SynchronousTestCase):
    """Content without its transfer encoding (RFC 3516)."""

    def content(self, path: str) -> bytes | None:
        """Of a part."""
        return Sections(message("binary")).binary(item(f"BINARY[{path}]"))

    def test_decoded(self) -> None:
        """Base 64, quoted-printable, nothing at all."""
        self.assertEqual(self.content("1"), b"\0a\x01b")
        self.assertEqual(self.content("2"), b"a=b")
        self.assertEqual(self.content(""), message("binary"))
        self.assertIsNone(self.content("9"))

    def test_unknown(self) -> None:
        """An encoding that nobody knows, and one that is not what it says."""
        for path in ("3", "4"):
            with self.assertRaises(No) as caught:
                self.content(path)
            self.assertTrue(caught.exception.line.startswith(b"NO [UNKNOWN-CTE]"), path)

    def test_literal8(self) -> None:
        """Only what holds NUL."""
        self.assertEqual((binary(b"a\0"), binary(b"ab")), (b"~{2}\r\na\0", b"{2}\r\nab"))
