"""
The octets of a message on their way in.
"""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Limits
from simmail.smtp import replies
from simmail.smtp.body import IncomingMessage, MEMORY

LIMITS = Limits()


def dotted(octets: bytes, limits: Limits = LIMITS, step: int = 0) -> tuple[bytes, bytes, bytes]:
    """(message, problem, what was left behind it) of DATA that comes in steps."""
    body, buffer = IncomingMessage(limits), bytearray()
    done = False
    for at in range(0, len(octets), step or len(octets)):
        buffer += octets[at:at + (step or len(octets))]
        if not done:
            done = body.dotted(buffer)
    if not done:
        raise AssertionError("the data did not end")
    message = body.octets()
    return message, body.problem, bytes(buffer)


def counted(chunks: list[bytes], limits: Limits = LIMITS) -> tuple[bytes, bytes]:
    """(message, problem) of BDAT chunks."""
    body = IncomingMessage(limits)
    for chunk in chunks:
        buffer = bytearray(chunk)
        assert body.counted(buffer, len(chunk)) == len(chunk)
    return body.octets(), body.problem


#: Ends of data that are none (promises, S1).
FALSE_ENDS = tuple(dict.fromkeys(
    before + b"." + after
    for before in (b"\n", b"\r", b"\r\n", b"\n\r", b"\r\x00\n", b"\x85", b"\xe2\x80\xa8")
    for after in (b"\n", b"\r", b"\r\n", b"\n\r", b"\r\x00\n", b"\x85", b"\xe2\x80\xa8")
    if (before, after) != (b"\r\n", b"\r\n")
))


class DataTests(SynchronousTestCase):
    """DATA: the end, the dots, the limits."""

    def test_false_ends(self) -> None:
        """None of 48 false ends of data ends it; those with a bare CR or LF make the message refused."""
        self.assertEqual(len(FALSE_ENDS), 48)
        for end in FALSE_ENDS:
            text = b"Subject: x\r\n\r\ntext" + end + b"MAIL FROM:<evil@sim.test>\r\n"
            message, problem, left = dotted(text + b".\r\nNOOP\r\n")
            self.assertEqual(left, b"NOOP\r\n", end)
            bare = text.replace(b"\r\n", b"")
            if b"\r" in bare or b"\n" in bare:
                self.assertEqual(problem, replies.BARE_LINE_END, end)
            else:
                self.assertEqual(problem, b"", end)

    def test_line_ends(self) -> None:
        """Of all texts of up to six such octets those are refused that hold a CR or LF of its own."""
        for length in range(7):
            for octets in product((b"\r", b"\n", b"a", b"\x85"), repeat=length):
                text = b"".join(octets) + b"\r\n"
                bare = text.replace(b"\r\n", b"")
                expected = replies.BARE_LINE_END if b"\r" in bare or b"\n" in bare else b""
                self.assertEqual(dotted(text + b".\r\n")[1], expected, text)

    def test_empty(self) -> None:
        """A dot right after DATA is an empty message, in one piece or three."""
        self.assertEqual(dotted(b".\r\n"), (b"", b"", b""))
        self.assertEqual(dotted(b".\r\n", step=1), (b"", b"", b""))

    def test_dots(self) -> None:
        """The first dot of a line goes, whatever follows it (RFC 5321 section 4.5.2); others stay."""
        message, problem, _ = dotted(b"..\r\n...\r\n.a\r\nb.\r\n\r\n.\r\n")
        self.assertEqual((message, problem), (b".\r\n..\r\na\r\nb.\r\n\r\n", b""))

    @settings(max_examples=300, deadline=None)
    @given(st.lists(st.sampled_from([b".", b"..", b"a", b"\r\n", b"\r\n.", b"..\r\n", b"x" * 50])), st.integers(1, 7))
    def test_any_split(self, pieces: list[bytes], step: int) -> None:
        """However the octets are cut, the message is the same as in one piece, and as line by line."""
        text = b"".join(pieces)
        if not text.endswith(b"\r\n"):
            text += b"\r\n"
        wire = text + b".\r\nRSET\r\n"
        lines = wire.split(b"\r\n")
        end = lines.index(b".")
        message = b"".join((line[1:] if line.startswith(b".") else line) + b"\r\n" for line in lines[:end])
        left = b"\r\n".join(lines[end + 1:])
        self.assertEqual(dotted(wire), (message, b"", left))
        self.assertEqual(dotted(wire, step=step), (message, b"", left))

    def test_large(self) -> None:
        """A message far over what is kept in memory comes out whole, dots at every seam."""
        lines = [b".%d %s" % (n, b"x" * (n % 97)) for n in range(60_000)]
        text = b"".join(line + b"\r\n" for line in lines)
        wire = b"".join(b"." + line + b"\r\n" for line in lines) + b".\r\nQUIT\r\n"
        self.assertGreater(len(wire), 3 * MEMORY)
        for step in (65_536, 9_973):
            message, problem, left = dotted(wire, step=step)
            self.assertEqual((problem, left), (b"", b"QUIT\r\n"))
            self.assertEqual(message, text)

    def test_end_at_a_seam(self) -> None:
        """The end is found when the last line was just put away."""
        for extra in range(6):
            body, buffer = IncomingMessage(LIMITS), bytearray(b"x" * 998 + b"\r\n")
            while len(buffer) <= MEMORY:
                buffer += b"y" * (990 + extra) + b"\r\n"
            self.assertFalse(body.dotted(buffer))
            buffer += b"."
            self.assertFalse(body.dotted(buffer))
            buffer += b"\r\nNOOP"
            self.assertTrue(body.dotted(buffer))
            self.assertEqual(bytes(buffer), b"NOOP")
            self.assertTrue(body.octets().endswith(b"y\r\n"))

    def test_too_large(self) -> None:
        """A message is measured without its dots; one over the limit costs no memory and is refused at its end."""
        limits = Limits(message=100_000)
        fits = b"..\r\n" * 33_333
        self.assertEqual(dotted(fits + b".\r\n", limits)[1], b"")
        self.assertEqual(dotted(fits + b"a\r\n.\r\n", limits)[1], replies.TOO_LARGE)
        body, buffer = IncomingMessage(limits), bytearray()
        for _ in range(400):
            buffer += b"z" * 62 + b"\r\n" + b"y" * 9_998 + b"\r\n"
            self.assertFalse(body.dotted(buffer))
            self.assertLessEqual(len(buffer), MEMORY + 10_064)
        buffer += b".\r\n"
        self.assertTrue(body.dotted(buffer))
        self.assertEqual((body.octets(), body.problem), (b"", replies.TOO_LARGE))

    def test_long_lines(self) -> None:
        """Lines are taken up to 64 KiB and no further, wherever they stand; one without end keeps nothing."""
        good, bad = b"x" * LIMITS.line + b"\r\n", b"x" * (LIMITS.line + 1) + b"\r\n"
        for before in (b"", b"\r\n", b"Subject: x\r\n\r\n" + b"y\r\n" * 30_000):
            self.assertEqual(dotted(before + good + good + b".\r\n")[1], b"")
            self.assertEqual(dotted(before + good + bad + good + b".\r\n")[1], replies.BODY_LINE_TOO_LONG)
        body, buffer = IncomingMessage(LIMITS), bytearray()
        for _ in range(100):
            buffer += b"x" * 65_536
            self.assertFalse(body.dotted(buffer))
        self.assertLessEqual(len(buffer), MEMORY + 65_536)
        buffer += b"\r\n.\r\n"
        self.assertTrue(body.dotted(buffer))
        self.assertEqual((body.octets(), body.problem), (b"", replies.BODY_LINE_TOO_LONG))

    def test_header_limits(self) -> None:
        """A header section over 1 MiB and a field over 100 KiB, folded or not, are refused."""
        for wire, problem in (
            (b"A: " + b"x\r\n " * 100 + b"\r\n\r\n", b""),
            (b"A: " + b"x" * 60_000 + b"\r\n\t" + b"x" * 60_000 + b"\r\n\r\ntext\r\n", replies.HEADER_TOO_LARGE),
            (b"A: b\r\n" * 20_000 + b"\r\ntext\r\n", b""),
            (b"A: b\r\n" * 180_000 + b"\r\ntext\r\n", replies.HEADER_TOO_LARGE),
            (b"\r\n" + b"A: b\r\n" * 180_000, b""),
        ):
            self.assertEqual(dotted(wire + b".\r\n")[1], problem, wire[:50])


class BdatTests(SynchronousTestCase):
    """BDAT: counted octets."""

    def test_chunks(self) -> None:
        """Chunks are put together as they are; dots and ends of data in them mean nothing."""
        self.assertEqual(counted([b"Subject: x\r", b"\n\r\n.\r\n", b"", b"..\r\n"]),
                         (b"Subject: x\r\n\r\n.\r\n..\r\n", b""))

    def test_last_line(self) -> None:
        """A last line without an end gets one."""
        self.assertEqual(counted([b"Subject: x"]), (b"Subject: x\r\n", b""))

    def test_bare(self) -> None:
        """A bare LF or CR is refused, also at the very end."""
        for chunks in ([b"a\nb\r\n"], [b"a\rb\r\n"], [b"a\r\n\r"]):
            self.assertEqual(counted(chunks)[1], replies.BARE_LINE_END)

    def test_large(self) -> None:
        """Chunks far over what is kept in memory come out whole, cut anywhere."""
        text = b"".join(b".%d\r\n" % n for n in range(400_000))
        self.assertGreater(len(text), 3 * MEMORY)
        chunks = [text[at:at + 70_001] for at in range(0, len(text), 70_001)]
        self.assertEqual(counted(chunks), (text, b""))
        self.assertEqual(counted(chunks, Limits(message=1000))[1], replies.TOO_LARGE)
