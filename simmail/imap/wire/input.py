"""
What a client sends: lines, and literals between them.

A command is gathered whole, literals included, before anything looks at it.
While one is being done no further octet is read, so what a client sends ahead
waits in its own socket.
Source: RFC 3501 sections 2.2 and 4.3, RFC 7888; promises, R9 to R12, S4.
"""

from __future__ import annotations

import re
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from simmail.config import Limits
from simmail.imap.wire.replies import ClientGone, No

#: Octets a second below which a literal does not keep a connection alive (promises, R11).
SLOWEST = 500
#: A literal nobody asked to be sent is swallowed up to this many times the message limit.
SWALLOW = 4
#: Messages of one command, and their octets together in times the message limit.
MOST_MESSAGES, TOGETHER = 1000, 2

TAG = re.compile(rb'[^\x00-\x20\x7f-\xff(){%*"\\+]{1,200}+(?= |$)')
_LITERAL = re.compile(rb"\{(\d{1,12})(\+?)\}\Z")
#: A command that brings messages, up to the name of the mailbox; what it replaces where it is REPLACE.
BRINGS_MESSAGE = re.compile(rb"[^ ]{1,200} (?:APPEND|(?:UID )?REPLACE ([0-9]{1,10}|\*)) ", re.IGNORECASE)
#: Behind these, within a CATENATE, a literal is a URL.
_URL_NEXT = (b" URL ", b"(URL ", b" URL ~", b"(URL ~")


def awaits_message(octets: bytes) -> bool:
    """Tell whether what is gathered of a command is past the name of the mailbox: a message comes next."""
    match = BRINGS_MESSAGE.match(octets)
    if match is None or match.end() >= len(octets):
        return False
    return not (octets[-6:].upper().endswith(_URL_NEXT) and b"CATENATE (" in octets.upper())


class CommandTaker(Protocol):
    """What a connection does with what is read."""

    MAX_LENGTH: int
    state: str
    closing: bool

    def write(self, octets: bytes) -> None:
        """Send a short answer."""

    def hang_up(self, why: str) -> None:
        """Say goodbye and close."""

    def take_command(self, octets: bytes, messages: list[bytes], refused: No | None) -> None:
        """A whole command with its messages in order; C{refused} when one of its literals was not taken."""

    def admit_message(self, octets: bytes, size: int) -> None:
        """An APPEND asks to send its message: answer with C{take_message} or C{refuse_message}."""

    def pace(self) -> None:
        """Read, or do not read, as things stand."""

    def resetTimeout(self) -> None:
        """The client is not idle."""

    def setRawMode(self) -> None:
        """What comes next is a literal."""

    def setLineMode(self, extra: bytes = b"") -> None:
        """What comes next is lines, from C{extra} on."""


class CommandReader:
    """
    What one client sends, gathered to commands.

    @ivar leftover: what followed an overlong line, to be received again; None for nothing.
    @ivar asked: fires with the next line, which is outside of any command; None while none is awaited.
    """

    def __init__(self, taker: CommandTaker, reactor: IReactorTime, limits: Limits) -> None:
        self._taker = taker
        self._reactor = reactor
        self._limits = limits
        self.leftover: bytes | None = None
        self.asked: Deferred[bytes] | None = None
        self._gathered = bytearray()
        self._text = self._literals = self._uploaded = self._left = self._size = 0
        self._since = 0.0
        self._chunks: list[bytes] | None = None
        self._uploads: list[list[bytes]] = []
        self._refused: No | None = None
        self._swallowing = False

    @property
    def gathering(self) -> bool:
        """Whether a command has come in part."""
        return bool(self._gathered) or self._chunks is not None or self._swallowing

    # Lines

    def line(self, line: bytes) -> None:
        """One line, or the piece of a command between two literals."""
        if self._taker.closing:
            return
        if line.endswith(b"\r"):
            line = line[:-1]
        self._taker.resetTimeout()
        if self.asked is not None:
            asked, self.asked = self.asked, None
            self._taker.pace()
            asked.callback(line)
            return
        self._text += len(line)
        if self._text > self._taker.MAX_LENGTH:
            self._overlong(line)
            return
        self._gathered += line
        match = _LITERAL.search(line) if line.endswith(b"}") else None
        if match is None:
            self._complete()
        else:
            self._literal(int(match[1]), bool(match[2]), len(match[0]))

    def long_line(self, line: bytes) -> None:
        """A line over the limit: refused before its end is seen, then swallowed up to there."""
        self._overlong(line)
        if self._taker.closing:
            return
        _, found, rest = line.partition(b"\n")
        if found:
            self.leftover = rest
        else:
            self._swallowing = True
            self._taker.setRawMode()

    def _overlong(self, line: bytes) -> None:
        tag = self._tag(line)
        self.forget()
        if self._taker.state == "unauth":
            self._taker.hang_up("Line too long")
            return
        self._taker.write(b"%b BAD Command line too long\r\n" % tag)

    def _tag(self, line: bytes = b"") -> bytes:
        tag = TAG.match(bytes(self._gathered[:300]) + line[:300])
        return tag[0] if tag else b"*"

    def _complete(self) -> None:
        octets, refused = bytes(self._gathered), self._refused
        messages = list(map(b"".join, self._uploads)) if self._uploads else []
        self.forget()
        self._taker.take_command(octets, messages, refused)

    def forget(self) -> None:
        """The next line begins a command."""
        self._gathered = bytearray()
        self._text = self._literals = self._uploaded = 0
        self._chunks = self._refused = None
        self._uploads = []

    def stop(self) -> None:
        """The client has left."""
        asked, self.asked = self.asked, None
        if asked is not None:
            asked.errback(ClientGone())

    def listen(self) -> Deferred[bytes]:
        """The next line the client sends, outside of any command."""
        asked: Deferred[bytes] = Deferred()
        self.asked = asked
        self._taker.pace()
        return asked

    # Literals

    def raw(self, data: bytes) -> None:
        """Octets of a literal, or of a line that is being swallowed."""
        if self._swallowing:
            _, found, rest = data.partition(b"\n")
            if found:
                self._swallowing = False
                self._taker.setLineMode(rest)
            return
        piece = data[:self._left]
        self._left -= len(piece)
        if self._refused is None:
            if self._chunks is not None:
                self._chunks.append(piece)
            else:
                self._gathered += piece
        if self._size - self._left >= SLOWEST * (self._reactor.seconds() - self._since):
            self._taker.resetTimeout()
        if not self._left:
            self._chunks = None
            self._taker.setLineMode(data[len(piece):])

    def _literal(self, size: int, plus: bool, marker: int) -> None:
        """A literal is announced at the end of what is gathered."""
        limits, unsigned = self._limits, self._taker.state == "unauth"
        before = bytes(self._gathered[:-marker])
        is_message = not unsigned and awaits_message(before)
        if unsigned:
            most = limits.command - self._literals
        elif is_message:
            most = min(limits.message, TOGETHER * limits.message - self._uploaded)
            if len(self._uploads) >= MOST_MESSAGES:
                most = -1
        else:
            most = min(limits.literal, limits.literals - self._literals)
        if size > most:
            self._too_large(size, plus, most)
        elif not is_message:
            self._literals += size
            self._take(size, plus)
        elif plus:
            # It is on its way: what is wrong with the command is told at its end.
            self._begin_message(size)
            self._take(size, plus)
        elif self._uploads:
            # Whether anything can be filed was looked at before the first.
            self.take_message(size)
        else:
            self._taker.admit_message(before, size)

    def take_message(self, size: int) -> None:
        """The message of an APPEND may come."""
        self._begin_message(size)
        self._take(size, False)

    def _begin_message(self, size: int) -> None:
        self._chunks = []
        self._uploads.append(self._chunks)
        self._uploaded += size

    def refuse_message(self, line: bytes) -> None:
        """The message of an APPEND need not come: the client is told why, and its next line is a command."""
        tag = self._tag()
        self.forget()
        self._taker.write(b"%b %b\r\n" % (tag, line))

    def _take(self, size: int, plus: bool) -> None:
        self._gathered += b"\r\n"
        if not plus:
            self._taker.write(b"+ OK\r\n")
        self._expect(size)

    def _too_large(self, size: int, plus: bool, most: int) -> None:
        error = No(f"Literal over {most} octets", "TOOBIG") if most >= 0 else No("Too many messages at once", "LIMIT")
        if not plus:
            self.refuse_message(error.line)
        elif self._taker.state == "unauth" or size > SWALLOW * self._limits.message:
            self._taker.hang_up("Literal too long")
        else:
            # It is on its way whatever we say (RFC 7888 section 4): let it pass, answer at the end.
            self._refused = self._refused or error
            self._uploads = []
            self._gathered += b"\r\n"
            self._expect(size)

    def _expect(self, size: int) -> None:
        self._left = self._size = size
        self._since = self._reactor.seconds()
        if size:
            self._taker.setRawMode()
        else:
            self._chunks = None
