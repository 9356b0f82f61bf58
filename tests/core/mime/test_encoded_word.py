"""Encoded words."""

from __future__ import annotations

from email.header import decode_header, make_header

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.mime import encoded_word
from tests.core.hostile import seconds

TEXT = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=120)


class DecodeTests(SynchronousTestCase):
    """RFC 2047, read as it is found."""

    def test_examples(self) -> None:
        """Section 8 and what mailers really send."""
        for raw, text in (
            ("(=?ISO-8859-1?Q?a?=)", "(a)"),
            ("(=?ISO-8859-1?Q?a?= b)", "(a b)"),
            ("(=?ISO-8859-1?Q?a?= =?ISO-8859-1?Q?b?=)", "(ab)"),
            ("(=?ISO-8859-1?Q?a?=\r\n    =?ISO-8859-1?Q?b?=)", "(ab)"),
            ("(=?ISO-8859-1?Q?a_b?=)", "(a b)"),
            ("(=?ISO-8859-1?Q?a?= =?ISO-8859-2?Q?_b?=)", "(a b)"),
            ("Re: =?utf-8?q?Gr=C3=BC=C3=9Fe?=", "Re: Grüße"),
            ("=?utf-8?q?Gr=C3?= =?utf-8?q?=BC=C3=9Fe?=", "Grüße"),
            ("=?UTF-8?B?R3LDvMOfZQ?=", "Grüße"),
            ("=?UTF-8*de?Q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
            ("=?utf-8?Q?has a blank?=", "has a blank"),
            ("x=?utf-8?q?y?=z", "xyz"),
            ("=?utf-8?b?!!!!?=", ""),
            ("=?utf-8?b?YWJjZ?= x", "abc x"),
            ("=?utf-8?b?YW-JjZGU?=", "abcde"),
            ("=?utf-8?x?abc?=", "=?utf-8?x?abc?="),
            ("=?broken", "=?broken"),
            ("plain", "plain"),
        ):
            self.assertEqual(encoded_word.decode(raw), text, raw)

    def test_no_line_breaks_come_out(self) -> None:
        """CR, LF, NUL and the like become blanks, encoded or raw."""
        for raw in ("=?utf-8?q?a=0D=0ABcc:_x?=", "=?utf-8?b?YQ0KQmNjOiB4?=", "a\r\nBcc: x", "a\0\n\x85Bcc: x",
                    "=?utf-8?q?a=E2=80=A8Bcc:_x?=", "=?utf-16?q?=00a=00=0D=00=0A?= Bcc: x"):
            text = encoded_word.decode(raw)
            self.assertFalse(any(c in text for c in "\r\n\0\x85\u2028\u2029"), raw)
        self.assertEqual(encoded_word.decode("=?utf-8?q?a=0D=0ABcc:_x?="), "a Bcc: x")

    @given(st.text(alphabet="=?utf-8qQbB_ AZ09\r\n\u00fc\0", max_size=200))
    @settings(max_examples=200)
    def test_any_text(self, text: str) -> None:
        """Any text decodes to one line."""
        self.assertFalse(set(encoded_word.decode(text)) & set("\r\n\0"))

    @given(st.text(alphabet="ABab12=+/ -_!\u00fc", max_size=30))
    @settings(max_examples=300)
    def test_any_base64(self, text: str) -> None:
        """Base64 is read as far as it goes, however it is cut off."""
        decoded = encoded_word.decode(f"=?iso-8859-1?b?{text}?=")
        self.assertFalse(set(decoded) & set("\r\n\0"))

    def test_linear(self) -> None:
        """A megabyte of beginnings of words costs no more than a megabyte of text."""
        for unit in ("=?", "=?x?q?", "=?utf-8?q?a?= ", "=?a", "?=", "=?utf-8?b?" + "A" * 90):
            self.assertLess(seconds(encoded_word.decode, unit * (1_000_000 // len(unit))), 1.0, unit)


class EncodeTests(SynchronousTestCase):
    """RFC 2047, written."""

    @given(TEXT)
    @settings(max_examples=200)
    def test_round_trip(self, text: str) -> None:
        """Words are short, ASCII, whole characters, and read back here and by the standard library."""
        words = encoded_word.encode(text)
        joined = " ".join(words)
        self.assertTrue(joined.isascii())
        self.assertTrue(all(len(word) <= 75 for word in words))
        self.assertEqual(encoded_word.decode(joined), text)
        self.assertEqual(str(make_header(decode_header(joined))), text)

    def test_choice(self) -> None:
        """Mostly ASCII is left readable."""
        self.assertEqual(encoded_word.encode("Grüße an alle"), ["=?utf-8?q?Gr=C3=BC=C3=9Fe_an_alle?="])
        self.assertEqual(encoded_word.encode("日本"), ["=?utf-8?b?5pel5pys?="])

    def test_plain(self) -> None:
        """What must be encoded: non-ASCII, controls, blanks that folding would lose, what looks encoded."""
        for text in ("Hello there", "a", "50% off!"):
            self.assertTrue(encoded_word.plain(text), text)
        for text in ("ü", "a\tb", "a  b", " a", "a ", "=?x", "a\0", "x" * 950):
            self.assertFalse(encoded_word.plain(text), text)
