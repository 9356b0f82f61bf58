"""Octets to text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.mime import charsets


class CharsetTests(SynchronousTestCase):
    """Labels are claims."""

    def test_labels(self) -> None:
        """Common labels, whatever their case or quotes, find their codec."""
        for label, text in (
            ("UTF-8", "Grüße"), ("iso-8859-1", "Grüße"), ('"windows-1252"', "“Grüße”"), ("ISO-8859-2", "Łódź"),
            ("koi8-r", "Привет"), ("Shift_JIS", "日本語"), ("iso-2022-jp", "日本語"), ("gb2312", "中文"), ("big5", "中文"),
            ("ks_c_5601-1987", "한국어"), ("utf-16", "Grüße"), ("UTF-8*de", "Grüße"),
        ):
            octets = text.encode(charsets.codec(label))
            self.assertEqual(charsets.decode(octets, label), text, label)

    def test_never_other_codecs(self) -> None:
        """Python's compressors, escapes and name codecs are not charsets."""
        for label in ("zlib", "bz2", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "rot13",
                      "hex", "base64", "mbcs", "oem", "\0", "", "../utf-8", "x" * 10000):
            self.assertEqual(charsets.codec(label), "")
            self.assertEqual(charsets.decode(b"abc\\u0041 caf\xe9", label), "abc\\u0041 café")

    def test_utf8_under_a_western_label(self) -> None:
        """Mislabelled UTF-8 is believed to be UTF-8; the rest is Windows' Western set."""
        self.assertEqual(charsets.decode("Grüße".encode(), "us-ascii"), "Grüße")
        self.assertEqual(charsets.decode(b"\x93caf\xe9\x94 \x81", "iso-8859-1"), "“café” \ufffd")

    @given(st.binary(max_size=200), st.sampled_from(sorted(charsets._CODECS) + ["", "zlib"]))
    @settings(max_examples=300)
    def test_any_octets(self, octets: bytes, label: str) -> None:
        """Any octets under any label are text that can be encoded again."""
        charsets.decode(octets, label).encode("utf-8")

    def test_utf7_surrogates(self) -> None:
        """UTF-7 cannot smuggle in a lone surrogate."""
        self.assertEqual(charsets.decode(b"+2AA-x", "utf-7"), "\ufffdx")
