"""What messages are put in order by, from ENVELOPE."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.envelope_read import keys_of, subject_of
from simmail.core.message.summarize import digest
from simmail.core.mime.bodystructure import shown
from tests.core.hostile import seconds

_DATES = (b"", b"Date: Wed, 4 Mar 2026 00:30:00 +1400\r\n", b"Date: nonsense\r\n", b"Date: 3 Mar 26 09:00 EST (x)\r\n")
_SUBJECTS = st.lists(st.sampled_from((
    b"Re: ", b"[list] ", b" a ", b"\t", b"\r\n ", b'"', b"\\", b"=?utf-8?q?=C3=A4=C3=9F?=", b" =?x?q?b?=", b"(fwd)",
    b"[Fwd: ", b"]", b"NIL", b"{3}", b"\xc3\xa4", b"(", b") ")), max_size=6).map(b"".join)


class EnvelopeKeysTests(SynchronousTestCase):
    """Against digests."""

    @given(st.sampled_from(_DATES), st.none() | _SUBJECTS)
    def test_same(self, date: bytes, subject: bytes | None) -> None:
        """They are those of the digest wherever they are told, which is always unless the subject is no ASCII."""
        octets = b"From: a@b.test\r\n%b%b\r\ntext" % (date, b"" if subject is None else b"Subject: %b\r\n" % subject)
        told, taken = keys_of(shown(octets)[0]), digest(octets)
        if told is None:
            self.assertIn(b"\xc3", subject or b"")
        else:
            self.assertEqual(told, (taken.order_subject, taken.sent))
            self.assertEqual(keys_of(shown(octets)[0], False), (taken.order_subject, None))
        self.assertEqual(subject_of(shown(octets)[0]), taken.subject if told is not None else None)

    @given(st.binary(max_size=200))
    def test_any(self, octets: bytes) -> None:
        """Of any octets they are told or not."""
        self.assertEqual(keys_of(b"(" + octets) is None, subject_of(b"(" + octets) is None)

    def test_hostile(self) -> None:
        """Nothing takes long."""
        for piece in (b'"', b"\\", b'("', b"\\\\"):
            self.assertLess(seconds(keys_of, b'(NIL "' + piece * 500_000), 1.0)
