"""
From octets to commands and message bodies, and back to replies: the part of a session that knows no SMTP verbs.

One buffer, one place where it is looked at.  What a command starts (a login,
the filing of a message, a delay) is waited for before the next octet is
taken, so replies leave in the order of the commands, as PIPELINING (RFC 2920)
asks; those of one batch leave in one write.  A client that sends ahead
without end, or does not read what it is told, is not read from.

This replaces the reading side of C{twisted.mail.smtp}, which runs the rest of
a message as commands behind a long line, keeps lines without end, answers out
of order, and takes commands from before STARTTLS as if they came after.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from math import inf
from typing import TYPE_CHECKING, Any

from twisted.internet import interfaces, tcp
from twisted.internet.defer import Deferred
from twisted.internet.protocol import connectionDone
from twisted.logger import Logger
from twisted.mail.smtp import ESMTP
from twisted.python.failure import Failure
from zope.interface import implementer

from simmail.smtp import replies
from simmail.smtp.body import Body
from simmail.smtp.replies import Refused

if TYPE_CHECKING:
    from simmail.smtp.server import SmtpFactory

#: Octets a client may send ahead of what is being done before it is no longer read from.
AHEAD = 64 * 1024

#: Octets a second that earn a sender of data more time (Postfix's smtpd_min_data_rate).
SLOWEST = 500

#: Real seconds of work for one client before others have their turn, and commands between looks at the time.
SLICE, LOOK = 0.02, 16

#: Real seconds a closed connection has to take what it was told.
LINGER = 10.0

#: Verbs of another protocol: a web page may be made to post them here (promises, S1).
HTTP_VERBS = frozenset((b"GET", b"POST", b"PUT", b"HEAD", b"DELETE", b"PATCH", b"OPTIONS", b"CONNECT", b"TRACE"))


@implementer(interfaces.IPushProducer, interfaces.IHalfCloseableProtocol)
class Pump(ESMTP):  # type: ignore[misc] # Twisted's mail is untyped
    """
    One connection.

    @cvar verbs: what to call for a verb in upper case, with the session and the rest of the line.
    @ivar secure: TLS is on.
    """

    log = Logger()
    noisy = False
    transport: Any
    verbs: dict[bytes, Callable[[Any, bytes], None]] = {}

    def __init__(self, factory: SmtpFactory, remote: str) -> None:
        super().__init__(contextFactory=factory.tls_context)  # type: ignore[no-untyped-call]
        self.factory: SmtpFactory = factory
        self.remote = remote
        self.secure = factory.implicit_tls
        self.longest = factory.config.limits.command
        self.started = self.deadline = 0.0
        self._unread = bytearray()
        self._out: list[bytes] = []
        self._take: Callable[[Any], bool] = Pump._command
        self._body: Body | None = None
        self._through: Callable[[bytes], int] | None = None
        self._waiting = self._pumping = self._paused = self._choked = self._lost = self._ended = False
        self._closed = 0.0
        self._timer: Any = None
        self._idle = 0

    # What the transport calls

    def connectionMade(self) -> None:
        """Greet, or refuse."""
        transport, factory = self.transport, self.factory
        self.started = now = factory.reactor.seconds()
        self.deadline = now + factory.timeout
        if type(transport) is tcp.Server and not self.secure:
            # Written at once: a reply that waits for the reactor's next turn costs twice as much as all else.
            transport.setTcpNoDelay(True)
            self._through = transport.socket.send
        transport.registerProducer(self, True)
        if factory.enter(self):
            self.greet()
        else:
            self._say(replies.SHUTTING_DOWN if factory.draining else replies.TOO_MANY_CONNECTIONS)
            self._close()
        if self._out:
            self._flush()

    def greet(self) -> None:
        """Say the first words."""
        self._say(self.factory.greeting)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Forget what was begun; a message that is being filed is filed."""
        self._waiting = self._lost = True
        self._closed = self._closed or self.factory.reactor.seconds()
        self._unread = bytearray()
        self._take, self._through = _nothing, None
        if self._body is not None:
            self._body.close()
            self._body = None
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self.factory.leave(self)

    def readConnectionLost(self) -> None:
        """The client says no more, as C{nc -N} does behind its input: what it asked is answered before the end."""
        self._ended = True
        if not self._waiting and not self._choked and not self._closed:
            self._close()

    def writeConnectionLost(self) -> None:
        """Never: this side hangs up as a whole."""

    def dataReceived(self, data: bytes) -> None:
        """Take octets."""
        if self._closed:
            return
        free = not (self._waiting or self._choked)
        if (free and self._take is Pump._command and not self._unread and self._body is None
                and 0 <= data.find(b"\r\n") == len(data) - 2 <= self.longest):
            # One command and nothing else, as nearly all come.
            self._pump(data[:-2])
            return
        self._unread += data
        if self._body is not None:
            self.came(len(data))
        if free:
            self._pump()
        elif len(self._unread) > AHEAD and not self._paused:
            self._paused = True
            self.transport.pauseProducing()

    def came(self, octets: int) -> None:
        """So much of a message: it earns time."""
        self.deadline = min(
            self.deadline + octets / SLOWEST, self.factory.reactor.seconds() + self.factory.timeout)

    def pauseProducing(self) -> None:
        """The client does not read what it is told."""
        self._choked = True

    def resumeProducing(self) -> None:
        """It does again."""
        self._choked = False
        if not self._waiting and not self._pumping:
            self._pump()

    def stopProducing(self) -> None:
        """The connection is gone."""

    # The pump

    def _pump(self, line: bytes | None = None) -> None:
        """Take what has come; C{line}: it is all of that."""
        self._pumping = True
        try:
            if line is not None:
                self._obey(line)
            if self._unread or self._take is not Pump._command:
                self._take_all()
        except Exception:
            # Whatever was being read, its end is not known any more.
            self._say(self.defect("a session failed"))
            self._close()
        self._pumping = False
        if self._out:
            self._flush()
        if self._paused or self._ended or self.factory.draining:
            self._rested()

    def _take_all(self) -> None:
        seconds, done = self.factory.reactor.seconds, 0
        until = seconds() + SLICE
        while not self._waiting and not self._choked and self._take(self):
            if len(self._out) > 500:
                self._flush()
            done += 1
            if not done % LOOK and seconds() > until and not self._waiting:
                self._waiting = True
                self._timer = self.factory.reactor.callLater(0, self._done, b"")

    def _rested(self) -> None:
        """Nothing is being taken just now: see to what waited for that."""
        if self._paused and not self._waiting and not self._choked and not self._closed:
            self._paused = False
            self.transport.resumeProducing()
        if self._ended and not self._waiting and not self._choked and not self._closed:
            self._close()
        if self.factory.draining and self.at_rest():
            self.finish(replies.SHUTTING_DOWN)

    def _command(self) -> bool:
        """Take one command line."""
        line = self._line()
        if line is None:
            return False
        self._obey(line)
        return True

    def _obey(self, line: bytes) -> None:
        """Do what a line says."""
        try:
            check(line)
            verb, _, rest = line.partition(b" ")
            command = self.verbs.get(verb) or self.verbs.get(verb.upper())
            if command is not None:
                command(self, rest)
            elif verb.upper() in HTTP_VERBS:
                self._say(replies.NOT_SMTP)
                self._close()
            else:
                self._refuse(replies.UNKNOWN_COMMAND)
        except Refused as refused:
            self._refuse(refused.reply)
        self.deadline = self.factory.reactor.seconds() + self.factory.timeout

    def _line(self) -> bytes | None:
        """The next line without its end; None when there is none yet, or none ever."""
        buffer = self._unread
        end = buffer.find(b"\r\n")
        if end < 0 or end > self.longest:
            if len(buffer) > self.longest:
                self._say(replies.LINE_TOO_LONG)
                self._close()
            elif b"\n" in buffer:
                self._say(replies.BARE_LF)
                self._close()
            elif buffer and buffer[0] < 0x20 and buffer[0] != 0x0D:
                # A TLS client on a port without TLS, for one: it would wait for ever.
                self._say(replies.NOT_SMTP)
                self._close()
            return None
        line = bytes(buffer[:end])
        del buffer[:end + 2]
        return line

    # Replies

    def _say(self, reply: bytes) -> None:
        """Answer."""
        self._out.append(reply)

    def _refuse(self, reply: bytes) -> None:
        """Answer to a command without effect."""
        self._out.append(reply)
        self.useless()

    def useless(self) -> None:
        """A command had no effect; too many of them are enough."""
        self._idle += 1
        if self._idle > self.factory.config.smtp.idle_commands and not self._closed:
            self._say(replies.TOO_MANY_COMMANDS)
            self._close()

    def _flush(self) -> None:
        out = self._out
        data = out[0] if len(out) == 1 else b"".join(out)
        out.clear()
        if self._lost or not data:
            return
        if self._through is not None:
            try:
                sent = self._through(data)
            except OSError:
                # What is wrong the transport will find out.
                sent = 0
            if sent == len(data):
                return
            # From here on the transport keeps what the client has not taken.
            self._through, data = None, data[sent:]
        self.transport.write(data)

    def defect(self, what: str, failure: Failure | None = None) -> bytes:
        """Log an unknown error (the current one) under an id; answers the reply that tells the id."""
        log_id = self.factory.number()
        self.log.failure("{what} ({log_id})", failure, what=what, log_id=log_id)
        return replies.internal(log_id)

    # Waiting

    def _wait(self, work: Coroutine[Any, Any, bytes]) -> None:
        """Take nothing more until C{work} is done; it answers the reply, b"" for none."""
        self._waiting = True
        Deferred.fromCoroutine(work).addCallbacks(self._done, self._failed)

    def _done(self, reply: bytes) -> None:
        if self._closed:
            return
        self._waiting = False
        if reply:
            self._out.append(reply)
        self.deadline = self.factory.reactor.seconds() + self.factory.timeout
        if not self._pumping:
            self._pump()

    def _failed(self, failure: Failure) -> None:
        self._done(self.defect("a command failed", failure))

    def rest(self, seconds: float) -> Deferred[None]:
        """Deferred that fires after so many real seconds; never when the connection is lost meanwhile."""
        rested: Deferred[None] = Deferred()
        self._timer = self.factory.reactor.callLater(seconds, rested.callback, None)
        return rested

    # The end

    def at_rest(self) -> bool:
        """Whether nothing is under way that should be finished."""
        return not self._waiting and self._body is None and not self._closed

    def check(self, now: float) -> float:
        """Called now and then: hang up on a client that takes too long; answers when this one will have."""
        if self._closed:
            if now - self._closed > LINGER:
                self.transport.abortConnection()
            return self._closed + LINGER
        if self._waiting:
            return inf
        last = self.started + self.factory.total_time
        if now >= self.deadline:
            self.finish(replies.TOO_SLOW if self._body is not None else replies.TIMED_OUT)
        elif now >= last:
            self.finish(replies.TOO_LONG)
        return min(self.deadline, last)

    def finish(self, reply: bytes) -> None:
        """Hang up with a last word."""
        self._say(reply)
        self._close()
        self._flush()

    def drop(self) -> None:
        """Hang up without a word."""
        self._out.clear()
        self._close()
        self.transport.abortConnection()

    def _close(self) -> None:
        """Hang up when what was said is written; nothing more is taken."""
        self._closed = self._closed or self.factory.reactor.seconds()
        self._waiting = True
        self._unread = bytearray()
        self._flush()
        if self._lost:
            return
        if self._choked:
            self.transport.abortConnection()
        else:
            # TLS does not close while something is registered that may yet write.
            self.transport.unregisterProducer()
            self.transport.loseConnection()


def check(line: bytes) -> None:
    """@raise Refused: it is no line, for one of these is in it."""
    # Numbers: an octet string is looked for in five times the time.
    if 0x0D in line or 0x0A in line or 0 in line:
        raise Refused(replies.BAD_SYNTAX)


def _nothing(pump: Pump) -> bool:
    return False
