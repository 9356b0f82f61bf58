"""
One connection to Redis that comes back by itself.

Commands go out in the order asked and their answers are told in that order,
without waiting for one another.  No call waits past the time-out, none is
kept for later while the connection is away, and one whose outcome is not
known fails with C{Unavailable}: its caller repeats it by its C{once}.

txredisapi supplies the protocol; its pools are not used, because they keep
commands while Redis is away and answer in no order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from socket import socket
from typing import Any

import hiredis
from msgspec import Struct
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IDelayedCall, IReactorTime, IStreamClientEndpoint, ISystemHandle
from twisted.internet.protocol import Factory
from twisted.logger import Logger
from twisted.python.failure import Failure
from txredisapi import HiredisProtocol, InvalidData, ResponseError

from simmail.core.time.histogram import Histogram
from simmail.database.layout import FENCED
from simmail.database.lua import Script
from simmail.database.trouble import AWAY, HANGS, LOCKED_OUT, REFUSALS, UNTRUSTED, first_word, reason, shut_out
from simmail.database.url import RedisUrl
from simmail.errors import Fenced, Unavailable

#: Real seconds between looks at what waits.
TICK = 0.2
#: Real seconds of silence after which a PING asks whether Redis is there.
QUIET = 1.0
#: Real seconds after a write in which commands that nobody waits for are kept, to go together.
PATIENCE = 0.003
#: Real seconds before each further attempt to connect; the last one stays.
DELAYS = (0.02, 0.1, 0.2, 0.4)
#: Times that one command is sent again to where its keys are said to be, or because it cannot be done just now; real
#: seconds before each of the latter.
MOST_MOVES, PAUSE = 5, 0.2

_FENCED = FENCED.split()[0]

Word = bytes | str | int
Decode = Callable[[Any], Any]

#: A command as octets.  (The type is given here: the one in hiredis is that of a command of one word.)
pack: Callable[[tuple[Word, ...]], bytes] = hiredis.pack_command  # type: ignore[assignment]


def _nothing_to_do() -> Deferred[None]:
    return succeed(None)


class _Call(Struct, eq=False):
    """
    A command that was sent and not yet answered.

    @ivar answer: None once it was told that time is over; the reply still takes its turn.
    @ivar prepares: it is asked of this Redis, wherever its keys are.
    """

    packed: bytes
    decode: Decode | None
    answer: Deferred[Any] | None
    sent: float
    tries: int = 0
    prepares: bool = False

    @property
    def key(self) -> str:
        """The first of its keys."""
        reader = hiredis.Reader()
        reader.feed(self.packed)
        words = reader.gets()
        return bytes(words[3 if words[0] == b"EVALSHA" else 1]).decode()

    def fail(self, error: Exception) -> None:
        """Tell the caller, unless told."""
        answer, self.answer = self.answer, None
        if answer is not None:
            answer.errback(Failure(error))


class _Wire(HiredisProtocol):  # type: ignore[misc]
    """Octets to replies; everything else is the connection's."""

    def __init__(self, owner: RedisConnection) -> None:
        super().__init__(charset=None, convertNumbers=False)
        self._owner = owner
        self._socket: socket | None = None

    def connectionMade(self) -> None:
        self.connected = 1
        handle = self.transport.getHandle() if ISystemHandle.providedBy(self.transport) else None
        # Over TLS octets cannot go past the transport.
        self._socket = handle if isinstance(handle, socket) else None

    def send(self, octets: bytes, alone: bool) -> None:
        """
        Write; C{alone}: nothing that was written before can still be on its way out.

        Then it goes out now: by way of the transport it would take one more turn of the reactor.
        """
        if alone and self._socket is not None:
            try:
                octets = octets[self._socket.send(octets):]
            except OSError:
                # Full or broken: the transport finds out.
                pass
            if not octets:
                return
        self.transport.write(octets)

    def dataReceived(self, data: bytes, unpause: bool = False) -> None:
        # Its own loop: the inherited one makes a Deferred and converts recursively for each reply.
        reader, told = self._reader, self._owner._replied
        reader.feed(data)
        try:
            while (reply := reader.gets()) is not False:
                told(self, reply)
        except InvalidData:
            self.transport.abortConnection()

    def connectionLost(self, why: Failure) -> None:
        super().connectionLost(why)
        self._owner._lost(self, why.getErrorMessage())


class RedisConnection:
    """
    A connection to C{link}, made again whenever it is lost.

    @ivar ready: commands are taken now.
    @ivar round_trips: how long Redis took to answer, each command.
    @ivar trouble: what was wrong the last time, for people.
    @ivar locked_out: Redis does not take the user or password that is given, or that none is.
    @ivar untrusted: nobody vouches for the certificate of Redis, or it is of another name.
    """

    _log = Logger()

    def __init__(
        self, reactor: IReactorTime, link: RedisUrl, timeout: float, scripts: Iterable[Script],
        changed: Callable[[], object], prepare: Callable[[], Deferred[None]] = _nothing_to_do,
        moved: Callable[[str], object] | None = None, asking: bool = False,
        pushed: Callable[[list[Any]], object] | None = None,
    ) -> None:
        """
        @param timeout: real seconds a call may take.
        @param scripts: loaded whenever connected.
        @param changed: called whenever C{ready} has changed.
        @param prepare: what is done with L{ask} whenever connected, before commands are taken.  While it fails the
            connection is made anew.
        @param moved: called when keys are said to be elsewhere, with the error answer (C{MOVED} or C{ASK}); nothing
            is sent until L{release}.
        @param asking: C{ASKING} goes before each command, for a slot that is not Redis's yet.
        @param pushed: called with what comes of a channel, which answers no command.
        """
        self.ready = False
        self.round_trips = Histogram()
        self.trouble = ""
        self.locked_out = self.untrusted = False
        self._reactor, self._timeout, self._link = reactor, timeout, link
        self._endpoint: IStreamClientEndpoint = link.endpoint(reactor, timeout)
        self._changed = changed
        self._prepare = prepare
        self._moved = moved
        self._pushed = pushed
        self._ahead = _ASKING if asking else b""
        self._greeting = _greeting(link, scripts)
        self._scripts = [pack((b"SCRIPT", b"LOAD", script.text)) for script in scripts]
        self._wire: _Wire | None = None
        self._dialling: Deferred[Any] | None = None
        self._waiting: deque[_Call] = deque()
        self._again: list[_Call] = []
        self._held: list[_Call] = []
        self._paused: dict[_Call, IDelayedCall] = {}
        # Nothing is sent until what was sent has been answered, or until it is released; those who wait for the former.
        self._holding = self._stopped = False
        self._drained: list[Deferred[None]] = []
        #: Octets of the last ones of those that wait, which are not written yet; when that was done the last time.
        self._kept: list[bytes] = []
        self._wrote = -PATIENCE
        self._writing: IDelayedCall | None = None
        self._heard = 0.0
        self._attempts = 0
        self._timer: IDelayedCall | None = None
        self._closed: Deferred[None] | None = None

    def open(self) -> None:
        """Begin to connect."""
        self._dial()

    def close(self) -> Deferred[None]:
        """Connect no more; fires when the connection is closed.  What was not answered fails."""
        if self._closed is None:
            self._closed = Deferred()
            self._stop_timer()
            if self._dialling is not None:
                self._dialling.cancel()
            if self._wire is None:
                self._closed.callback(None)
            else:
                self._wire.transport.abortConnection()
        return self._closed if not self._closed.called else succeed(None)

    def call(
        self, args: Iterable[Word] | bytes, decode: Decode | None = None, may_batch: bool = False
    ) -> Deferred[Any]:
        """
        Send one command.

        @param args: its words, or the octets that L{pack} makes of them.
        @param may_batch: nobody waits for it, so it may go together with others a little later.
        @return: Deferred of the reply, or of what C{decode} makes of it.  Fails with C{Unavailable} when
            the connection is away or gets lost, when time is over, and when Redis cannot do it now.
        """
        answer: Deferred[Any] = Deferred()
        if not self.ready:
            answer.errback(Failure(Unavailable("the database is away")))
            return answer
        packed = args if isinstance(args, bytes) else pack(tuple(args))
        call = _Call(packed, decode, answer, self._reactor.seconds())
        if self._holding:
            self._held.append(call)
        elif may_batch and call.sent - self._wrote < PATIENCE:
            self._keep(call)
        else:
            self._wrote = call.sent
            self._send(call)
        return answer

    def ask(self, args: Iterable[Word] | bytes) -> Deferred[Any]:
        """L{call} for who prepares the connection: it is not C{ready} yet."""
        answer: Deferred[Any] = Deferred()
        if self._wire is None:
            answer.errback(Failure(Unavailable("the database is away")))
        else:
            packed = args if isinstance(args, bytes) else pack(tuple(args))
            self._send(_Call(packed, None, answer, self._reactor.seconds(), prepares=True))
        return answer

    def hold(self) -> Deferred[None]:
        """Send nothing but what is asked (L{ask}) until L{release}; fires when what was sent before is answered."""
        self._holding = self._stopped = True
        drained: Deferred[None] = Deferred()
        self._drained.append(drained)
        self._tell_drained()
        return drained

    def release(self, where: Callable[[str], RedisConnection]) -> None:
        """What was held goes on its way, in its order.  @param where: which connection has a key now."""
        calls, self._again, self._held = [*self._again, *self._held], [], []
        self._holding = self._stopped = False
        for call in calls:
            call.tries += 1
            where(call.key)._adopt(call)

    def _adopt(self, call: _Call) -> None:
        if not self.ready:
            call.fail(Unavailable("the database is away"))
            return
        call.sent = self._reactor.seconds()
        if self._holding:
            self._held.append(call)
        else:
            self._send(call)

    def _tell_drained(self) -> None:
        if not self._waiting:
            drained, self._drained = self._drained, []
            for one in drained:
                one.callback(None)

    @property
    def held(self) -> bool:
        """Whether nothing is sent until L{release}."""
        return self._stopped

    @property
    def waiting(self) -> int:
        """Return how many commands are not answered yet."""
        return len(self._waiting) + len(self._held)

    def drop(self, why: str) -> None:
        """Give the connection up and make another."""
        if self._wire is not None:
            wire = self._wire
            self._lost(wire, why)
            wire.transport.abortConnection()

    def _dial(self) -> None:
        self._timer = None
        factory = Factory.forProtocol(lambda: _Wire(self))
        factory.noisy = False
        self._dialling = self._endpoint.connect(factory)
        self._dialling.addCallbacks(self._connected, self._refused)

    def _connected(self, wire: _Wire) -> None:
        self._dialling = None
        if self._closed is not None:
            wire.transport.abortConnection()
            return
        self._wire = wire
        self._heard = self._reactor.seconds()
        for packed in self._greeting[:-1]:
            self._send(_Call(packed, None, self._greeted(), self._heard))
        self._send(_Call(self._greeting[-1], None, self._greeted().addCallback(self._welcome, wire), self._heard))
        self._timer = self._reactor.callLater(TICK, self._tick)

    def _greeted(self) -> Deferred[Any]:
        greeted: Deferred[Any] = Deferred()
        return greeted.addErrback(self._unwelcome)

    def _unwelcome(self, failure: Failure) -> None:
        text = str(failure.value)
        self.drop(text)
        if reason(text) == LOCKED_OUT:
            self.locked_out = True
            self._changed()

    def _welcome(self, reply: object, wire: _Wire) -> None:
        if self._wire is wire and reply is not None:
            self._prepare().addCallbacks(self._serve, self._unprepared, (wire,), {}, (wire,), {})

    def _unprepared(self, failure: Failure, wire: _Wire) -> None:
        if self._wire is wire:
            self.drop(failure.getErrorMessage())

    def _serve(self, result: object, wire: _Wire) -> None:
        if self._wire is wire:
            self._attempts = 0
            self.trouble = ""
            self.locked_out = self.untrusted = False
            self.ready = True
            self._changed()

    def _refused(self, failure: Failure) -> None:
        self._dialling = None
        self._away(failure.getErrorMessage())

    def _lost(self, wire: _Wire, why: str) -> None:
        if self._closed is not None and not self._closed.called:
            self._closed.callback(None)
        if self._wire is not wire:
            return
        self._wire = None
        self._stop_timer()
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None
        left = [*self._waiting, *self._again, *self._held, *self._paused]
        self._waiting.clear()
        for paused in self._paused.values():
            paused.cancel()
        self._paused.clear()
        self._again, self._held, self._kept = [], [], []
        self._holding = self._stopped = False
        self._tell_drained()
        self._away(why)
        if reason(why) == UNTRUSTED:
            self.untrusted = True
            self._changed()
        error = Unavailable("the connection to the database was lost")
        for call in left:
            call.fail(error)

    def _away(self, why: str) -> None:
        was_ready, self.ready = self.ready, False
        self.trouble = why
        if self._closed is None and self._timer is None:
            delay = DELAYS[min(self._attempts, len(DELAYS) - 1)]
            self._attempts += 1
            self._timer = self._reactor.callLater(delay, self._dial)
        if was_ready:
            self._changed()

    def _put(self, call: _Call) -> None:
        if self._ahead:
            self._waiting.append(_Call(self._ahead, None, None, call.sent))
            self._kept.append(self._ahead)
        self._waiting.append(call)
        self._kept.append(call.packed)

    def _keep(self, call: _Call) -> None:
        self._put(call)
        if self._writing is None:
            self._writing = self._reactor.callLater(self._wrote + PATIENCE - call.sent, self._write_kept)

    def _write_kept(self) -> None:
        self._writing = None
        if self._kept:
            # Else somebody who could not wait took them along.
            self._wrote = self._reactor.seconds()
            self._write()

    def _send(self, call: _Call) -> None:
        self._put(call)
        self._write()

    def _write(self) -> None:
        """Write what is kept: all of what waits, or else something may still be on its way out."""
        assert self._wire is not None
        kept, self._kept = self._kept, []
        self._wire.send(kept[0] if len(kept) == 1 else b"".join(kept), len(kept) == len(self._waiting))

    def _replied(self, wire: _Wire, reply: Any) -> None:
        if wire is not self._wire:
            return
        self._heard = now = self._reactor.seconds()
        if self._pushed is not None and isinstance(reply, list) and reply and reply[0] in _PUSHED:
            self._pushed(reply)
            return
        call = self._waiting.popleft()
        self.round_trips.observe(now - call.sent)
        if isinstance(reply, ResponseError):
            self._complained(call, str(reply))
        elif call.answer is not None:
            answer, call.answer = call.answer, None
            if call.decode is not None:
                try:
                    reply = call.decode(reply)
                except Exception:
                    answer.errback(Failure())
                    return
            answer.callback(reply)
        if self._holding and not self._waiting:
            if self._stopped:
                self._tell_drained()
            else:
                self._send_again()

    def _complained(self, call: _Call, text: str) -> None:
        word = first_word(text)
        elsewhere = word in _ELSEWHERE and self._moved is not None and call.tries < MOST_MOVES
        if elsewhere and call.prepares and self._moved is not None:
            self._moved(text)
        elif word == "NOSCRIPT" and not call.tries or elsewhere:
            # Everything sent since goes again behind it, in order, once what was sent has been answered.
            self._again.append(call)
            self._holding = True
            if elsewhere and self._moved is not None and (word == "ASK" or not self._stopped):
                self._stopped = True
                self._moved(text)
            return
        if word == "TRYAGAIN" and call.answer is not None and call.tries < MOST_MOVES:
            # What was sent since does not wait for it: who asks for what takes two keys waits for its answer himself.
            self._paused[call] = self._reactor.callLater(PAUSE, self._resume, call)
            return
        if word == _FENCED:
            call.fail(Fenced(text))
        elif word in AWAY or shut_out(word, call.packed):
            if word in REFUSALS or word not in AWAY:
                self.drop(text[:200])
            call.fail(Unavailable(f"the database cannot do it now: {text[:200]}"))
        else:
            call.fail(RuntimeError(f"Redis refused a command: {text[:500]}"))

    def _send_again(self) -> None:
        calls, self._again, self._held = [*self._again, *self._held], [], []
        self._holding = False
        now = self._reactor.seconds()
        for packed in self._scripts:
            self._send(_Call(packed, None, None, now))
        for call in calls:
            call.tries += 1
            self._send(call)

    def _resume(self, call: _Call) -> None:
        del self._paused[call]
        call.tries += 1
        self._adopt(call)

    def _tick(self) -> None:
        self._timer = self._reactor.callLater(TICK, self._tick)
        now = self._reactor.seconds()
        if self._stopped and self._overdue(now - self._timeout):
            self.drop("nobody knows where its keys are")
            return
        if not self._waiting:
            if now - self._heard >= QUIET:
                self._send(_Call(_PING, None, None, now))
            return
        limit = now - self._timeout + TICK
        if self._waiting[0].sent <= limit:
            # Timers come before what has arrived: where it is we who were away, the answers are read first.
            self._timer.cancel()
            self._timer = self._reactor.callLater(0, self._judge, limit)

    def _overdue(self, limit: float) -> bool:
        held = self._again or self._held
        return bool(held) and held[0].sent <= limit

    def _judge(self, limit: float) -> None:
        """Give up what was sent by C{limit} and is not answered."""
        self._timer = self._reactor.callLater(TICK, self._tick)
        if not self._waiting or self._waiting[0].sent > limit:
            return
        if self._heard <= limit:
            self.drop(HANGS)
            return
        # Waiting calls are in the order sent, so the first that may go on waiting ends the search.
        for call in tuple(self._waiting):
            if call.sent > limit:
                break
            call.fail(Unavailable("the database did not answer in time"))

    def _stop_timer(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None and timer.active():
            timer.cancel()


_PING, _ASKING = pack((b"PING",)), pack((b"ASKING",))
_ELSEWHERE = ("MOVED", "ASK")
_PUSHED = frozenset((b"message", b"smessage", b"unsubscribe", b"sunsubscribe"))


def _greeting(link: RedisUrl, scripts: Iterable[Script]) -> list[bytes]:
    """What is said first on a connection; the last is answered only when Redis serves."""
    commands: list[tuple[Word, ...]] = []
    if link.username:
        commands.append((b"AUTH", link.username, link.password))
    elif link.password:
        commands.append((b"AUTH", link.password))
    if link.db:
        commands.append((b"SELECT", link.db))
    commands += [(b"SCRIPT", b"LOAD", script.text) for script in scripts]
    commands.append((b"PING",))
    return [pack(command) for command in commands]
