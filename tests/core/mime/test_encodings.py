"""The encodings of a part undone: its transfer encoding, and its charset."""

from __future__ import annotations

from base64 import encodebytes
from quopri import encodestring

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.mime import encodings, structure
from simmail.core.mime.encodings import base64_octets, content_of, unquoted
from tests.core.hostile import seconds


class QuotedTests(SynchronousTestCase):
    """Quoted-printable."""

    def test_blanks(self) -> None:
        """Blanks at the end of a line are none of the text, also behind the "=" of a soft break (RFC 2045 6.7 (3))."""
        for encoded, octets in (
            (b"a =\r\nb", b"a b"), (b"a= \t\r\nb", b"ab"), (b"a \t\r\nb\t", b"a\r\nb"), (b"a=20 \r\n\r\n \r\n",
                                                                                         b"a \r\n\r\n\r\n"),
            (b"a=", b"a"), (b"a= ", b"a"), (b"=E9=\n=3d", b"\xe9="), (b"=XY=4", b"=XY=4"), (b"", b""), (b"  ", b""),
            (b"a \tb", b"a \tb"),
        ):
            self.assertEqual(unquoted(encoded), octets, encoded)

    def test_cost(self) -> None:
        """A megabyte of blanks takes no longer than other text."""
        self.assertLess(seconds(lambda: unquoted((b" " * 1000 + b"x") * 1000 + b" \n")), 1)


class Base64Tests(SynchronousTestCase):
    """Base64."""

    @given(st.text(alphabet="ABab12=+/ -_!\u00fc", max_size=30))
    @settings(max_examples=300)
    def test_any(self, text: str) -> None:
        """It is read as far as it goes, however it is cut off."""
        self.assertEqual(base64_octets(text.encode().replace(b"=", b"").rstrip()),
                         base64_octets(text.encode().replace(b"=", b"")))

    @given(st.binary(max_size=200))
    @settings(max_examples=100)
    def test_octets(self, octets: bytes) -> None:
        """It gives back what was put in, without its padding too."""
        encoded = encodebytes(octets)
        self.assertEqual(base64_octets(encoded), octets)
        self.assertEqual(base64_octets(encoded.replace(b"=", b"")), octets)


class ContentTests(SynchronousTestCase):
    """The content of a part."""

    def test_encodings(self) -> None:
        """What the header says was done is undone; what it does not know stays as it is."""
        for label, encoded, octets in (
            (b"base64", encodebytes(b"caf\xe9"), b"caf\xe9"), (b"BASE64", b"Y2Fm6", b"caf"),
            (b"quoted-printable", encodestring(b"caf\xe9"), b"caf\xe9"), (b"8bit", b"caf=E9", b"caf=E9"),
            (b"x-unknown", b"Y2Fm6Q==", b"Y2Fm6Q=="),
        ):
            message = b"Content-Transfer-Encoding: " + label + b"\r\n\r\n" + encoded
            self.assertEqual(content_of(message, structure.parse(message)), octets, label)


class CharsetTests(SynchronousTestCase):
    """Labels are claims."""

    def test_labels(self) -> None:
        """Common labels, whatever their case or quotes, find their codec."""
        for label, text in (
            ("UTF-8", "Grüße"), ("iso-8859-1", "Grüße"), ('"windows-1252"', "“Grüße”"), ("ISO-8859-2", "Łódź"),
            ("koi8-r", "Привет"), ("Shift_JIS", "日本語"), ("iso-2022-jp", "日本語"), ("gb2312", "中文"), ("big5", "中文"),
            ("ks_c_5601-1987", "한국어"), ("utf-16", "Grüße"), ("UTF-8*de", "Grüße"),
        ):
            octets = text.encode(encodings.codec(label))
            self.assertEqual(encodings.decode(octets, label), text, label)

    def test_never_other_codecs(self) -> None:
        """Python's compressors, escapes and name codecs are not charsets."""
        for label in ("zlib", "bz2", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "rot13",
                      "hex", "base64", "mbcs", "oem", "\0", "", "../utf-8", "x" * 10000):
            self.assertEqual(encodings.codec(label), "")
            self.assertEqual(encodings.decode(b"abc\\u0041 caf\xe9", label), "abc\\u0041 café")

    def test_utf8_under_a_western_label(self) -> None:
        """Mislabelled UTF-8 is believed to be UTF-8; the rest is Windows' Western set."""
        self.assertEqual(encodings.decode("Grüße".encode(), "us-ascii"), "Grüße")
        self.assertEqual(encodings.decode(b"\x93caf\xe9\x94 \x81", "iso-8859-1"), "“café” \ufffd")

    @given(st.binary(max_size=200), st.sampled_from(sorted(encodings._CODECS) + ["", "zlib"]))
    @settings(max_examples=300)
    def test_any_octets(self, octets: bytes, label: str) -> None:
        """Any octets under any label are text that can be encoded again."""
        encodings.decode(octets, label).encode("utf-8")

    def test_utf7_surrogates(self) -> None:
        """UTF-7 cannot smuggle in a lone surrogate."""
        self.assertEqual(encodings.decode(b"+2AA-x", "utf-7"), "\ufffdx")
