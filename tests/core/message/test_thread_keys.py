"""What messages are threaded by, read from their headers."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message import thread_keys as module
from simmail.core.message.summarize import digest
from simmail.core.message.thread_keys import ThreadKeys, thread_keys

_NAMES = st.sampled_from((
    b"Subject", b"SUBJECT", b"Message-ID", b"In-Reply-To", b"References", b"references ", b" Subject", b"X", b"From",
    b"Subject\t", b"X Subject"))
_VALUES = st.sampled_from((
    b" hi", b" Re: [x] hi", b"Fwd: (fwd)", b" <a@b>", b" <a@b> <c@d>", b"\t<a@b>\r\n <c@d>", b" a@b", b" <c d@e>",
    b" =?utf-8?q?=C3=84?=", b" \xc3\xa4", b" \xe4", b" hi\tthere", b" x\0y", b" \x0b", b" [Fwd: re: hi]", b"",
    b"\r\n two\r\n\tthree", b" a\rb", b" a\nb", b" <" + b"x" * 950 + b"@b>"))
_ENDS = st.sampled_from((b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r\n\r\n", b"", b"\r"))


def kept(octets: bytes) -> ThreadKeys:
    """The same of a digest."""
    one = digest(octets)
    return ThreadKeys(*[getattr(one, name) for name in ThreadKeys._fields])


class ThreadKeysTests(SynchronousTestCase):
    """C{thread_keys}."""

    @settings(max_examples=800, deadline=None)
    @given(st.lists(st.tuples(_NAMES, _VALUES | st.binary(max_size=12), _ENDS), max_size=7))
    @example([(b"References", b" <a@b>\r\n <c@d>", b"\r\n"), (b"In-Reply-To", b" <e@f>", b"\r\n")])
    @example([(b"In-Reply-To", b" <e@f>", b"\r\n"), (b"Subject", b" Re: x", b"\r\n"), (b"Subject", b" y", b"\r\n")])
    def test_same(self, rows: list[tuple[bytes, bytes, bytes]]) -> None:
        """Whatever the header, it is what a digest has."""
        octets = b"".join([name + b":" + value + end for name, value, end in rows])
        self.assertEqual(thread_keys(octets), kept(octets))

    def test_plain(self) -> None:
        """A plain header is not read whole; only the header counts."""
        def whole(octets: bytes) -> None:
            raise AssertionError(octets)

        self.patch(module, "read_headers", whole)
        octets = (b"From: a@b.test\r\nSUBJECT: Re: [list] pears\r\n and apples\r\nMessage-ID: <3@x>\r\n"
                  b"References: <1@x>\r\n\t<2@x>\r\nIn-Reply-To: <9@x>\r\n\r\nReferences: <4@x>\r\n")
        self.assertEqual(thread_keys(octets), ("PEARS AND APPLES", True, "<3@x>", ("<1@x>", "<2@x>")))
        self.assertEqual(thread_keys(octets.replace(b"References", b"X")), (
            "PEARS AND APPLES", True, "<3@x>", ("<9@x>",)))
        self.assertEqual(thread_keys(b""), ("", False, "", ()))

    def test_many_references(self) -> None:
        """The last ones are kept, as in a digest."""
        octets = b"References: " + b" ".join([b"<%d@x>" % number for number in range(300)]) + b"\r\n\r\n"
        self.assertEqual(thread_keys(octets), kept(octets))
        self.assertEqual(len(thread_keys(octets).chain), 200)
