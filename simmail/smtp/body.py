"""
The octets of one message as they come in, by DATA or BDAT: kept once, looked at once.

Whole buffers are searched and counted in C; nothing here is done line by
line.  Up to 1 MiB is kept in memory, more in a temporary file.  Only
CRLF.CRLF ends DATA; a CR or LF that stands alone ends nothing and makes the
message one that is refused (RFC 5321 section 2.3.8, the "SMTP smuggling" of
CVE-2023-51764).  Sources: RFC 5321 sections 4.1.1.4, 4.5.2 and 4.5.3.1.6,
RFC 3030; decisions, section 21.
"""

from __future__ import annotations

import re
from io import IncrementalNewlineDecoder
from tempfile import TemporaryFile
from typing import IO

from simmail.config import Limits
from simmail.smtp import replies

#: Octets kept in memory; beyond that whole lines go to a temporary file.
MEMORY = 1 << 20

#: How a header field begins (RFC 5322 sections 2.2 and 4.5).
FIELD = re.compile(rb"[!-9;-~]+[ \t]*:")

#: The end of DATA, and any line with a dot in front: patterns, for those are found twice as fast as octets.
_END, _DOT = re.compile(rb"\r\n\.\r\n"), re.compile(rb"\r\n\.")

#: Dots that are looked at one by one: what is encoded has none, and one octet is found 25 times as fast as a pattern.
_FEW = 8


class IncomingMessage:
    """
    One message on its way in.

    @ivar problem: the reply for a message that is refused when it is complete, b"" while it is good.
    @ivar size: octets taken so far, those of the dots included.
    """

    __slots__ = (
        "problem", "size", "_limits", "_begun", "_seen", "_stuffed", "_kept", "_parts", "_memory", "_file", "_chunk")

    def __init__(self, limits: Limits) -> None:
        self.problem = b""
        self.size = 0
        self._limits = limits
        self._begun = False
        self._seen = 0
        self._stuffed = False
        self._kept = 0
        self._parts: list[bytes] = []
        self._memory = 0
        self._file: IO[bytes] | None = None
        self._chunk = bytearray()

    def dotted(self, buffer: bytearray) -> bool:
        """
        Look for the end of DATA in what has come; what was passed is taken out of the buffer.

        @return: whether the message is complete; what follows it is left in the buffer.
        """
        if not self._begun:
            if len(buffer) < 3 and b".\r\n".startswith(buffer):
                return False
            self._begun = True
            if buffer.startswith(b".\r\n"):
                del buffer[:3]
                return True
            self._stuffed = self._stuffed or buffer.startswith(b".")
        # One search for both: most messages have no line with a dot in front before the one that ends them.
        at = _dotted_line(buffer, self._seen)
        if at >= 0 and not buffer.startswith(b"\r\n", at + 3):
            if len(buffer) >= at + 5:
                self._stuffed = True
            found = _END.search(buffer, at)
            at = found.start() if found is not None else -1
        if at < 0:
            # An end may be cut in two, one octet of it still to come.
            self._seen = max(0, len(buffer) - 4)
            if len(buffer) > MEMORY:
                self._relieve(buffer, stuffed=True)
            return False
        end = at + 2
        with memoryview(buffer) as view:
            lines = bytes(view[:end])
        self._take(lines, stuffed=self._stuffed)
        del buffer[:end + 3]
        return True

    def counted(self, buffer: bytearray, octets: int) -> int:
        """Take up to C{octets} octets of a BDAT chunk out of the buffer; answers how many."""
        taken = min(octets, len(buffer))
        if not self.problem:
            self._chunk += buffer[:taken] if taken < len(buffer) else buffer
            if len(self._chunk) > MEMORY:
                self._relieve(self._chunk, stuffed=False)
        del buffer[:taken]
        return taken

    def octets(self) -> bytes:
        """
        The complete message, without the dots of the transfer, lines ended by CRLF.

        Look at C{problem} afterwards: with one the octets mean nothing.
        """
        if self._chunk:
            if not self._chunk.endswith(b"\r\n"):
                self._chunk += b"\r\n"
            self._take(bytes(self._chunk), stuffed=False)
            self._chunk = bytearray()
        if self._file is not None:
            self._file.seek(0)
            self._parts.insert(0, self._file.read())
        message = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        self.close()
        if not self.problem:
            self.problem = _header_problem(message, self._limits)
        return b"" if self.problem else message

    def close(self) -> None:
        """Forget everything."""
        self._parts = []
        if self._file is not None:
            self._file.close()
            self._file = None

    def _relieve(self, buffer: bytearray, stuffed: bool) -> None:
        """Take whole lines out of a buffer that has grown large; what is left of it begins a line."""
        end = buffer.rfind(b"\r\n") + 2
        if end >= 2:
            self._begun = False
        else:
            self.problem = self.problem or replies.BODY_LINE_TOO_LONG
            end = len(buffer) - 4
        chunk = bytes(buffer[:end])
        del buffer[:end]
        self._seen = 0
        self._take(chunk, stuffed)

    def _take(self, lines: bytes, stuffed: bool) -> None:
        """Keep whole lines."""
        self.size += len(lines)
        if self.problem:
            self.close()
            return
        if not _lines_end(lines):
            self.problem = replies.BARE_LINE_END
        elif not _lines_fit(lines, self._limits.line):
            self.problem = replies.BODY_LINE_TOO_LONG
        elif stuffed:
            # RFC 5321 section 4.5.2: the first dot of a line goes, whatever follows it.
            lines = lines.replace(b"\r\n.", b"\r\n")
            if lines[:1] == b".":
                lines = lines[1:]
        self._kept += len(lines)
        if self._kept > self._limits.message:
            self.problem = replies.TOO_LARGE
        if self.problem:
            self.close()
        elif self._file is None and self._memory + len(lines) > MEMORY and self._parts:
            self._file = TemporaryFile()
            self._file.writelines((*self._parts, lines))
            self._parts = []
        elif self._file is not None:
            self._file.write(lines)
        else:
            self._parts.append(lines)
            self._memory += len(lines)


def _dotted_line(buffer: bytearray, begin: int) -> int:
    """Where the first line end with a dot behind it is, from an offset on; -1 for nowhere."""
    at = begin
    for _ in range(_FEW):
        dot = buffer.find(b".", at)
        if dot < 0:
            return -1
        if dot >= begin + 2 and buffer.startswith(b"\r\n", dot - 2):
            return dot - 2
        at = dot + 1
    found = _DOT.search(buffer, at)
    return found.start() if found is not None else -1


def _lines_end(lines: bytes) -> bool:
    """Whether every line end is CRLF: none, or no CR and no LF stands alone."""
    # One look at each octet; to count CR, LF and CRLF costs three times as much.
    decoder = IncrementalNewlineDecoder(None, translate=False)
    decoder.decode(str(lines, "latin-1"), final=True)
    return decoder.newlines in (None, "\r\n")


def _lines_fit(lines: bytes, longest: int) -> bool:
    """
    Whether no line has more octets than this, its line end not counted: one search for each so many octets.

    @param lines: whose line ends are all CRLF.
    """
    at = 0
    while len(lines) - at > longest + 2:
        end = lines.rfind(b"\n", at, at + longest + 2)
        if end < 0:
            return False
        at = end + 1
    return True


def _header_problem(message: bytes, limits: Limits) -> bytes:
    """The reply to a header section or field over its limit, b"" for none."""
    if len(message) <= limits.header_field:
        return b""
    if FIELD.match(message, 0, 1000) is None:
        # A blank line, or text that begins with no field: all of it is body.
        return b""
    end = message.find(b"\r\n\r\n", 0, limits.header + 4)
    if end < 0:
        if len(message) > limits.header:
            return replies.HEADER_TOO_LARGE
        end = len(message)
    if end > limits.header_field:
        # Folded lines are made one by overwriting their line ends, so the same search finds long fields.
        unfolded = message[:end].replace(b"\r\n ", b"   ").replace(b"\r\n\t", b"   ")
        if not _lines_fit(unfolded + b"\r\n", limits.header_field):
            return replies.HEADER_TOO_LARGE
    return b""
