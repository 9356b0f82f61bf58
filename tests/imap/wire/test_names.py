"""Mailbox names on the wire."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Invalid
from simmail.imap.wire.names import decode_name, encode_name, quoted_name

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp", "Cs")), max_size=40)


class NameTests(SynchronousTestCase):
    """Modified UTF-7 and UTF-8."""

    def test_rfc(self) -> None:
        """The example of RFC 3501 section 5.1.3."""
        name = "~peter/mail/台北/日本語"
        self.assertEqual(encode_name(name), b"~peter/mail/&U,BTFw-/&ZeVnLIqe-")
        self.assertEqual(decode_name(b"~peter/mail/&U,BTFw-/&ZeVnLIqe-"), name)
        self.assertEqual(decode_name(name.encode()), name)

    def test_ampersand(self) -> None:
        """An ampersand is escaped, and is none of its own in UTF-8."""
        self.assertEqual(encode_name("a&b"), b"a&-b")
        self.assertEqual(decode_name(b"a&-b"), "a&b")
        self.assertEqual(encode_name("a&ü", utf8=True), "a&ü".encode())
        self.assertEqual(decode_name(b"a&-b", utf8=True), "a&-b")

    def test_bad(self) -> None:
        """What is neither is refused: open shifts, odd octets, lone surrogates, controls."""
        for octets in (b"&", b"&AOQ", b"&A-", b"&!-", b"&2D0-", b"\xff", b"a\x01", b"&AAA-", b"&AA0ACg-", b"x" * 2000):
            self.assertRaises(Invalid, decode_name, octets)

    def test_quotes(self) -> None:
        """Quoted where it must be."""
        self.assertEqual(quoted_name("INBOX"), b"INBOX")
        self.assertEqual(quoted_name('My "best" \\ mail'), b'"My \\"best\\" \\\\ mail"')
        self.assertEqual(quoted_name(""), b'""')

    @given(NAMES)
    def test_round_trip(self, name: str) -> None:
        """Every name comes back, in either form."""
        self.assertEqual(decode_name(encode_name(name)), name)
        self.assertEqual(decode_name(encode_name(name, utf8=True), utf8=True), name)
        self.assertTrue(encode_name(name).isascii())

    @given(st.binary(max_size=60))
    def test_any(self, octets: bytes) -> None:
        """Any octets are a name or Invalid."""
        try:
            name = decode_name(octets)
        except Invalid:
            return
        self.assertEqual(decode_name(encode_name(name)), name)
