"""
From octets to commands and message bodies, and back to replies: the part of a session that knows no SMTP verbs.

One buffer, one place where it is looked at.  What a command starts (a login,
the filing of a message, a delay) is waited for before the next octet is
taken, so replies leave in the order of the commands, as PIPELINING (RFC 2920)
asks; those of one batch leave in one write.  A client that sends ahead
without end, or does not read what it is told, is not read from.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from math import inf
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IPushProducer
from twisted.internet.tcp import Server
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from simmail.errors import of_disk
from simmail.smtp import replies
from simmail.smtp.body import IncomingMessage
from simmail.smtp.context import SmtpContext
from simmail.smtp.replies import CommandRefused

#: Octets a client may send ahead of what is being done before it is no longer read from.
AHEAD = 64 * 1024

#: Octets a second that earn a sender of data more time (Postfix's smtpd_min_data_rate).
SLOWEST = 500

#: Real seconds of work for one client before others have their turn, and commands between looks at the time.
SLICE, LOOK = 0.02, 16

#: Real seconds a closed connection has to take what it was told.
LINGER = 10.0


@implementer(IPushProducer)
class Pump:
    """
    What one client sends, taken piece by piece, and what it is told.

    @ivar unread: octets that have come and are not taken.
    @ivar take: takes what is no command line (a body, a line of AUTH) and answers whether there may be more to take;
        None while commands are expected.
    @ivar body: the message on its way in, None for none.
    @ivar waiting: something is being done that the next octet waits for.
    @ivar bytes_per_second: a message is taken no faster, 0: as fast as it comes.
    @ivar longest: octets of a command line, at most.
    @ivar closed: since when this side has hung up, 0.0 while it has not.
    @param obey: does what a command line says.  @raise CommandRefused: it is answered and has changed nothing.
    """

    log = Logger()

    def __init__(self, context: SmtpContext, obey: Callable[[bytes], None]) -> None:
        self.context = context
        self.longest = context.config.limits.command
        self.started = self.deadline = self.closed = 0.0
        self.unread = bytearray()
        self.take: Callable[[], bool] | None = None
        self.body: IncomingMessage | None = None
        self.waiting = False
        self.bytes_per_second = 0
        self._obey = obey
        self._transport: Any = None
        self._out: list[bytes] = []
        self._through: Callable[[bytes], int] | None = None
        self._pumping = self._paused = self._choked = self._lost = self._ended = self._hung = False
        self._timer: IDelayedCall | None = None
        self._owed = self._useless = 0

    # The connection

    def start(self, transport: Any, secure: bool) -> None:
        """A connection is made; C{secure}: TLS is on."""
        self._transport = transport
        self.started = now = self.context.reactor.seconds()
        self.deadline = now + self.context.timeout
        if type(transport) is Server and not secure:
            # Written at once: a reply that waits for the reactor's next turn costs twice as much as all else.
            transport.setTcpNoDelay(True)
            self._through = transport.socket.send
        transport.registerProducer(self, True)

    def start_tls(self, tls_context: Any) -> None:
        """Begin TLS; what was sent ahead in clear text is forgotten."""
        self.flush()
        self.unread.clear()
        self._through = None
        self._transport.startTLS(tls_context)

    def stop(self) -> None:
        """The connection is lost: forget what was begun; a message that is being filed is filed."""
        self.waiting = self._lost = True
        self.closed = self.closed or self.context.reactor.seconds()
        self.unread = bytearray()
        self.take, self._obey, self._through = _nothing, _nobody, None
        self.close_body()
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def end_input(self) -> None:
        """The client says no more, as C{nc -N} does behind its input: what it asked is answered before the end."""
        self._ended = True
        if self._hung:
            # Who is never answered need not stay.
            self.drop()
        elif not self.waiting and not self._choked and not self.closed:
            self.close()

    def receive(self, data: bytes) -> None:
        """Take octets."""
        if self.closed:
            return
        free = not (self.waiting or self._choked)
        if (free and self.take is None and not self.unread and self.body is None
                and 0 <= data.find(b"\r\n") == len(data) - 2 <= self.longest):
            # One command and nothing else, as nearly all come.
            self.pump(data[:-2])
            return
        self.unread += data
        if self.body is not None:
            self.arrived(len(data))
        if free:
            self.pump()
        elif len(self.unread) > AHEAD and not self._paused:
            self._paused = True
            self._transport.pauseProducing()

    def arrived(self, octets: int) -> None:
        """So much of a message has come: it earns time, and is taken no faster than it may."""
        self.deadline = min(
            self.deadline + octets / SLOWEST, self.context.reactor.seconds() + self.context.timeout)
        if self.bytes_per_second:
            self._owed += octets
            if not self.waiting:
                self._pay()

    def _pay(self) -> None:
        owed, self._owed = self._owed, 0
        self.later(owed / self.bytes_per_second, self._paid)

    def _paid(self) -> None:
        # What came meanwhile takes its own time.
        if self._owed:
            self._pay()

    def close_body(self) -> None:
        """Forget the message that is on its way in, and how fast it may come."""
        self.bytes_per_second = self._owed = 0
        if self.body is not None:
            self.body.close()
            self.body = None

    def pauseProducing(self) -> None:
        """The client does not read what it is told."""
        self._choked = True

    def resumeProducing(self) -> None:
        """It does again."""
        self._choked = False
        if not self.waiting and not self._pumping:
            self.pump()

    def stopProducing(self) -> None:
        """The connection is closed."""

    # The pump

    def pump(self, line: bytes | None = None) -> None:
        """Take what has come; C{line}: it is all of that."""
        self._pumping = True
        try:
            if line is not None:
                self._take_command(line)
            if self.unread or self.take is not None:
                self._take_all()
        except Exception:
            # Whatever was being read, its end is not known any more.
            self.say(self.defect("a session failed"))
            self.close()
        self._pumping = False
        if self._out:
            self.flush()
        if self._paused or self._ended or self.context.draining:
            self._when_idle()

    def _take_all(self) -> None:
        seconds, done = self.context.reactor.seconds, 0
        until = seconds() + SLICE
        while not self.waiting and not self._choked and (self._take_line() if self.take is None else self.take()):
            if len(self._out) > 500:
                self.flush()
            done += 1
            if not done % LOOK and seconds() > until and not self.waiting:
                self.waiting = True
                self._timer = self.context.reactor.callLater(0, self._done, b"")

    def _when_idle(self) -> None:
        """Nothing is being taken just now: see to what waited for that."""
        if self._paused and not self.waiting and not self._choked and not self.closed:
            self._paused = False
            self._transport.resumeProducing()
        if self._ended and not self.waiting and not self._choked and not self.closed:
            self.close()
        if self.context.draining and self.is_idle():
            self.finish(replies.SHUTTING_DOWN)

    def _take_line(self) -> bool:
        """Take one command line."""
        line = self.line()
        if line is None:
            return False
        self._take_command(line)
        return True

    def _take_command(self, line: bytes) -> None:
        """Do what a line says."""
        try:
            check(line)
            self._obey(line)
        except CommandRefused as refused:
            self.refuse(refused.reply)
        self.deadline = self.context.reactor.seconds() + self.context.timeout

    def line(self) -> bytes | None:
        """Take the next line without its end; None when there is none yet, or none ever."""
        buffer = self.unread
        end = buffer.find(b"\r\n")
        if end < 0 or end > self.longest:
            if len(buffer) > self.longest:
                self.say(replies.LINE_TOO_LONG)
                self.close()
            elif b"\n" in buffer:
                self.say(replies.BARE_LF)
                self.close()
            elif buffer and buffer[0] < 0x20 and buffer[0] != 0x0D:
                # A TLS client on a port without TLS, for one: it would wait for ever.
                self.say(replies.NOT_SMTP)
                self.close()
            return None
        line = bytes(buffer[:end])
        del buffer[:end + 2]
        return line

    # Replies

    def say(self, reply: bytes) -> None:
        """Answer."""
        self._out.append(reply)

    def refuse(self, reply: bytes) -> None:
        """Answer to a command without effect."""
        self._out.append(reply)
        self.count_useless()

    def count_useless(self) -> None:
        """A command had no effect; too many of them are enough."""
        self._useless += 1
        if self._useless > self.context.config.smtp.idle_commands and not self.closed:
            self.say(replies.TOO_MANY_COMMANDS)
            self.close()

    def forgive(self) -> None:
        """A message was taken: commands without effect are counted anew."""
        self._useless = 0

    def flush(self) -> None:
        """Send what was said."""
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
        self._transport.write(data)

    def defect(self, what: str, failure: Failure | None = None) -> bytes:
        """
        Log an unknown error (the current one) under an id; answers the reply that tells the id.

        What the disk refuses is none of ours: it is logged as it is, and is put off.
        """
        error = sys.exc_info()[1] if failure is None else failure.value
        if error is not None and of_disk(error) is not None:
            self.log.error("{what}: {error}", what=what, error=error)
            return replies.of_error(error) or replies.AWAY
        log_id = self.context.number()
        self.log.failure("{what} ({log_id})", failure, what=what, log_id=log_id)
        return replies.internal(log_id)

    # Waiting

    def wait(self, work: Coroutine[Any, Any, bytes]) -> None:
        """Take nothing more until C{work} is done; it answers the reply, b"" for none."""
        self.waiting = True
        Deferred.fromCoroutine(work).addCallbacks(self._done, self._failed)

    def go_on_after(self, work: Coroutine[Any, Any, Callable[[], None]]) -> None:
        """Take nothing more until C{work} is done, and then do what it answers."""
        self.waiting = True
        Deferred.fromCoroutine(work).addCallbacks(self._go_on_with, self._failed)

    def _go_on_with(self, go: Callable[[], None]) -> None:
        if not self.closed:
            self._go_on(go)

    def _done(self, reply: bytes) -> None:
        if self.closed:
            return
        self.waiting = False
        if reply:
            self._out.append(reply)
        self.deadline = self.context.reactor.seconds() + self.context.timeout
        if not self._pumping:
            self.pump()

    def _failed(self, failure: Failure) -> None:
        self._done(self.defect("a command failed", failure))

    def sleep(self, seconds: float) -> Deferred[None]:
        """Deferred that fires after so many real seconds; never when the connection is lost meanwhile."""
        slept: Deferred[None] = Deferred()
        self._timer = self.context.reactor.callLater(seconds, slept.callback, None)
        return slept

    def later(self, seconds: float, go: Callable[..., None], *arguments: Any) -> None:
        """Take nothing for so many real seconds, then go on."""
        self.waiting = True
        self._timer = self.context.reactor.callLater(seconds, self._go_on, go, *arguments)

    def _go_on(self, go: Callable[..., None], *arguments: Any) -> None:
        self.waiting = False
        self.deadline = self.context.reactor.seconds() + self.context.timeout
        try:
            go(*arguments)
        except CommandRefused as refused:
            self.refuse(refused.reply)
        except Exception:
            self.say(self.defect("a delayed command failed"))
            self.close()
        if self.waiting:
            self.flush()
        else:
            self.pump()

    def hang(self) -> Deferred[None]:
        """
        Never answer again; the client may leave, or is dropped when a session is over.

        @return: Deferred that does not fire.
        """
        self.waiting = self._hung = True
        return Deferred()

    # The end

    @property
    def direct(self) -> bool:
        """Whether all that was said has left, and nothing stands between."""
        self.flush()
        return self._through is not None

    def is_idle(self) -> bool:
        """Whether nothing is under way that should be finished."""
        return not self.waiting and self.body is None and not self.closed

    def check(self, now: float) -> float:
        """Called now and then: hang up on a client that takes too long; answers when this one will have."""
        if self.closed:
            if now - self.closed > LINGER:
                self._transport.abortConnection()
            return self.closed + LINGER
        last = self.started + self.context.total_time
        if self._hung:
            if now >= last:
                self.drop()
            return last
        if self.waiting:
            return inf
        if now >= self.deadline:
            self.finish(replies.TOO_SLOW if self.body is not None else replies.TIMED_OUT)
        elif now >= last:
            self.finish(replies.TOO_LONG)
        return min(self.deadline, last)

    def finish(self, reply: bytes) -> None:
        """Hang up with a last word."""
        self.say(reply)
        self.close()
        self.flush()

    def drop(self) -> None:
        """Hang up without a word."""
        self._out.clear()
        self.close()
        self._transport.abortConnection()

    def close(self) -> None:
        """Hang up when what was said is written; nothing more is taken."""
        self.closed = self.closed or self.context.reactor.seconds()
        self.waiting = True
        self.unread = bytearray()
        self.flush()
        if self._lost:
            return
        if self._choked:
            self._transport.abortConnection()
        else:
            # TLS does not close while something is registered that may yet write.
            self._transport.unregisterProducer()
            self._transport.loseConnection()


def check(line: bytes) -> None:
    """@raise CommandRefused: it is no line, for one of these is in it."""
    # Numbers: an octet string is looked for in five times the time.
    if 0x0D in line or 0x0A in line or 0 in line:
        raise CommandRefused(replies.BAD_SYNTAX)


def _nothing() -> bool:
    return False


def _nobody(line: bytes) -> None:
    """Nobody obeys any more."""
