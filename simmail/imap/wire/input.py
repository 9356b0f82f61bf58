"""
What a client sends: lines, and literals between them.

A command is gathered whole, literals included, before anything looks at it.
While one is being done no further octet is read, so what a client sends ahead
waits in its own socket.
Source: RFC 3501 sections 2.2 and 4.3, RFC 7888; promises, R9 to R12, S4.
"""

from __future__ import annotations

import re

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.mail.imap4 import IMAP4Server

from simmail.config import Config
from simmail.imap.command.upload import awaits_message
from simmail.imap.wire.replies import No

#: Octets a second below which a literal does not keep a connection alive (promises, R11).
SLOWEST = 500
#: A literal nobody asked to be sent is swallowed up to this many times the message limit.
SWALLOW = 4
#: Messages of one command, and their octets together in times the message limit.
MOST_MESSAGES, TOGETHER = 1000, 2

TAG = re.compile(rb'[^\x00-\x20\x7f-\xff(){%*"\\+]{1,200}+(?= |$)')
_LITERAL = re.compile(rb"\{(\d{1,12})(\+?)\}\Z")


class Framing(IMAP4Server):
    """
    One connection, as far as it concerns what the client sends.

    @ivar messages: the octets of those of an APPEND, in order.
    @ivar closing: nothing more is taken.
    """

    delimiter = b"\n"
    config: Config
    reactor: IReactorTime

    def __init__(self, tls_context: object) -> None:
        super().__init__(contextFactory=tls_context)
        self.messages: list[bytes] = []
        self.closing = False
        self._gathered = bytearray()
        self._text = self._literals = self._uploaded = self._left = self._size = 0
        self._since = 0.0
        self._chunks: list[bytes] | None = None
        self._uploads: list[list[bytes]] = []
        self._refused: No | None = None
        self._swallowing = False
        self._leftover: bytes | None = None
        self._asked: Deferred[bytes] | None = None

    # What a connection adds

    @property
    def utf8(self) -> bool:
        """Whether mailbox names go over the wire in UTF-8."""
        raise NotImplementedError

    def write(self, octets: bytes) -> None:
        """Send a short answer."""
        raise NotImplementedError

    def hang_up(self, why: str) -> None:
        """Say goodbye and close."""
        raise NotImplementedError

    def gathered(self, octets: bytes, refused: No | None) -> None:
        """A whole command; C{refused} when one of its literals was not taken."""
        raise NotImplementedError

    def announced(self, octets: bytes, size: int) -> None:
        """An APPEND asks to send its message: answer with L{take_message} or L{refuse_message}."""
        raise NotImplementedError

    def pace(self) -> None:
        """Read, or do not read, as things stand."""
        raise NotImplementedError

    # Lines

    def dataReceived(self, data: bytes) -> None:
        """Octets came in; what an overlong line left over comes in as well."""
        if self.closing:
            return
        super().dataReceived(data)
        while self._leftover is not None:
            data, self._leftover = self._leftover, None
            super().dataReceived(data)

    def lineReceived(self, line: bytes) -> None:
        """One line, or the piece of a command between two literals."""
        if self.closing:
            return
        if line.endswith(b"\r"):
            line = line[:-1]
        self.resetTimeout()
        if self._asked is not None:
            asked, self._asked = self._asked, None
            self.pace()
            asked.callback(line)
            return
        self._text += len(line)
        if self._text > self.MAX_LENGTH:
            self._overlong(line)
            return
        self._gathered += line
        match = _LITERAL.search(line) if line.endswith(b"}") else None
        if match is None:
            self._complete()
        else:
            self._literal(int(match[1]), bool(match[2]), len(match[0]))

    def lineLengthExceeded(self, line: bytes) -> None:
        """A line over the limit: refused before its end is seen, then swallowed up to there."""
        self._overlong(line)
        if self.closing:
            return
        _, found, rest = line.partition(b"\n")
        if found:
            self._leftover = rest
        else:
            self._swallowing = True
            self.setRawMode()

    def _overlong(self, line: bytes) -> None:
        tag = self._tag(line)
        self._forget()
        if self.state == "unauth":
            self.hang_up("Line too long")
            return
        self.write(b"%b BAD Command line too long\r\n" % tag)

    def _tag(self, line: bytes = b"") -> bytes:
        tag = TAG.match(bytes(self._gathered[:300]) + line[:300])
        return tag[0] if tag else b"*"

    def _complete(self) -> None:
        octets, refused = bytes(self._gathered), self._refused
        self.messages = list(map(b"".join, self._uploads))
        self._forget()
        self.gathered(octets, refused)

    def _forget(self) -> None:
        """The next line begins a command."""
        self._gathered = bytearray()
        self._text = self._literals = self._uploaded = 0
        self._chunks = self._refused = None
        self._uploads = []

    def forget_input(self) -> None:
        """Nothing more is taken, and of what came nothing is kept until the client has hung up too."""
        self._forget()
        self.clearLineBuffer()
        self._leftover = None

    def listen(self) -> Deferred[bytes]:
        """The next line the client sends, outside of any command."""
        asked: Deferred[bytes] = Deferred()
        self._asked = asked
        self.pace()
        return asked

    async def ask(self, prompt: bytes) -> bytes:
        """Send a continuation request and wait for one line.  @raise Gone: the client leaves instead."""
        self.write(b"+ %b\r\n" % prompt)
        return await self.listen()

    # Literals

    def rawDataReceived(self, data: bytes) -> None:
        """Octets of a literal, or of a line that is being swallowed."""
        if self._swallowing:
            _, found, rest = data.partition(b"\n")
            if found:
                self._swallowing = False
                self.setLineMode(rest)
            return
        piece = data[:self._left]
        self._left -= len(piece)
        if self._refused is None:
            if self._chunks is not None:
                self._chunks.append(piece)
            else:
                self._gathered += piece
        if self._size - self._left >= SLOWEST * (self.reactor.seconds() - self._since):
            self.resetTimeout()
        if not self._left:
            self._chunks = None
            self.setLineMode(data[len(piece):])

    def _literal(self, size: int, plus: bool, marker: int) -> None:
        """A literal is announced at the end of what is gathered."""
        limits = self.config.limits
        before = bytes(self._gathered[:-marker])
        is_message = self.state != "unauth" and awaits_message(before)
        if self.state == "unauth":
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
            self.announced(before, size)

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
        self._forget()
        self.write(b"%b %b\r\n" % (tag, line))

    def _take(self, size: int, plus: bool) -> None:
        self._gathered += b"\r\n"
        if not plus:
            self.write(b"+ OK\r\n")
        self._expect(size)

    def _too_large(self, size: int, plus: bool, most: int) -> None:
        error = No(f"Literal over {most} octets", "TOOBIG") if most >= 0 else No("Too many messages at once", "LIMIT")
        if not plus:
            self.refuse_message(error.line)
        elif self.state == "unauth" or size > SWALLOW * self.config.limits.message:
            self.hang_up("Literal too long")
        else:
            # It is on its way whatever we say (RFC 7888 section 4): let it pass, answer at the end.
            self._refused = self._refused or error
            self._uploads = []
            self._gathered += b"\r\n"
            self._expect(size)

    def _expect(self, size: int) -> None:
        self._left = self._size = size
        self._since = self.reactor.seconds()
        if size:
            self.setRawMode()
        else:
            self._chunks = None
