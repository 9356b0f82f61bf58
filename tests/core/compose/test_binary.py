"""Binary mail as it is kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.compose.binary import without_nul
from simmail.core.message.parse import read
from simmail.core.mime.structure import parse


class NulTests(SynchronousTestCase):
    """Parts are encoded, the rest stays."""

    def test_parts(self) -> None:
        """What holds NUL or says it is binary comes out of base64 as it was; its neighbours are as they were."""
        octets = (b"Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n"
                  b"Content-Transfer-Encoding: binary\r\n\r\n"
                  b"--b\r\nContent-Type: text/plain\r\n\r\nplain\r\n"
                  b"--b\r\nContent-Transfer-Encoding:\r\n binary\r\n"
                  b"Content-Type: image/png; name=a.png\r\n\r\n\x89\0\r\n\x1a\n\0\r\n"
                  b"--b\r\nContent-Type: application/x-one; name=b.bin\r\n"
                  b"content-transfer-encoding: BINARY\r\n\r\na\nb\r\n--b--\r\n")
        stored = without_nul(octets)
        assert stored is not None
        self.assertNotIn(b"\0", stored)
        self.assertEqual([one.octets for one in read(stored).attachments], [b"\x89\0\r\n\x1a\n\0", b"a\nb"])
        self.assertEqual([part.head.encoding for part in parse(stored).parts], [b"7bit", b"base64", b"base64"])
        self.assertEqual((read(stored).text, stored.count(b"--b")), ("plain", 4))

    def test_whole(self) -> None:
        """A message that is one part."""
        self.assertEqual(without_nul(b"Content-Type: image/png\r\n\r\n\0\1"),
                         b"Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\nAAE=\r\n")
        self.assertEqual(without_nul(b"\r\n\0"), b"Content-Transfer-Encoding: base64\r\n\r\nAA==\r\n")

    def test_nowhere(self) -> None:
        """NUL elsewhere cannot be kept."""
        for octets in (b"Subject: a\0b\r\n\r\nx", b"Content-Transfer-Encoding: base64\r\n\r\nAA\0=",
                       b"Content-Type: multipart/mixed; boundary=b\r\n\r\n\0\r\n--b\r\n\r\nx\r\n--b--\r\n"):
            self.assertIsNone(without_nul(octets))

    @given(st.lists(st.sampled_from([
        b"\0", b"\r\n", b"\n", b"--b", b"--", b"Content-Transfer-Encoding: binary\r\n", b"\r\n\r\n", b"x", b" ",
        b"Content-Type: multipart/mixed; boundary=b\r\n", b"Content-Type: message/rfc822\r\n"]),
        max_size=20).map(b"".join))
    def test_any(self, octets: bytes) -> None:
        """Whatever comes, there is no NUL in what is kept."""
        stored = without_nul(octets)
        self.assertTrue(stored is None or b"\0" not in stored)
