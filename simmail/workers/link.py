"""
What processes of one service say to one another, over a Unix socket: questions, answers, and connections given away.

A frame is four octets of length and a MessagePack array.  Source: unix(7), C{SCM_RIGHTS}.
"""

from __future__ import annotations

import os
import socket
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec
from twisted.internet.defer import Deferred, maybeDeferred, succeed
from twisted.internet.interfaces import IDelayedCall, IFileDescriptorReceiver
from twisted.internet.protocol import ClientFactory, Factory, Protocol, connectionDone
from twisted.logger import Logger
from twisted.protocols.basic import Int32StringReceiver
from twisted.python.failure import Failure
from zope.interface import implementer

from simmail.concurrency import Waiting
from simmail.errors import Refusal, TooMany, Unavailable

#: Octets of one frame: a request with the body that came with it.
LONGEST = 64 * 1024 * 1024

#: Real seconds for an answer, and before another try to connect.
PATIENCE, AGAIN = 5.0, 0.05

ASK, ANSWER, REFUSAL, GIVE, HELLO, BYE = range(6)

#: C{answer(question, arguments)}, and C{take(handover, descriptor)}, which closes the descriptor.
Answer = Callable[[str, list[Any]], Any]
Take = Callable[[dict[str, Any], int], Any]

_AWAY = "another process of the service is away; try again later"


class _Talk(Int32StringReceiver):
    """One end of a connection."""

    MAX_LENGTH = LONGEST
    noisy = False
    transport: Any

    def say(self, *frame: Any) -> None:
        """Send a frame."""
        self.sendString(msgspec.msgpack.encode(frame))

    def stringReceived(self, string: bytes) -> None:
        """Take a frame."""
        kind, *rest = msgspec.msgpack.decode(string)
        self.heard(kind, *rest)

    def heard(self, kind: int, *rest: Any) -> None:
        """Take a frame, by its kind."""


@implementer(IFileDescriptorReceiver)
class Hearing(_Talk):
    """The end that answers."""

    log = Logger()

    def __init__(self, answer: Answer, take: Take, all: set[Hearing]) -> None:
        self._answer = answer
        self._take = take
        self._all = all
        self._descriptors: deque[int] = deque()
        self._over = False

    def connectionMade(self) -> None:
        self._all.add(self)
        self.greet()

    def greet(self) -> None:
        """Say that questions are heard."""
        self.say(HELLO)

    def end(self) -> None:
        """Say that what is not answered by now is not heard."""
        self._over = True
        self.say(BYE)

    def fileDescriptorReceived(self, descriptor: int) -> None:
        """A descriptor has come; those come in the order of the frames they belong to."""
        self._descriptors.append(descriptor)

    def heard(self, kind: int, *rest: Any) -> None:
        number = rest[0]
        if self._over:
            return
        if kind == GIVE:
            work = maybeDeferred(self._take, rest[1], self._descriptors.popleft())
        else:
            work = maybeDeferred(self._answer, rest[1], rest[2])
        work.addCallbacks(lambda value: self.say(ANSWER, number, value), self._refused, errbackArgs=(number,))
        work.addErrback(lambda failure: self.log.failure("a question of another process was not answered", failure))

    def _refused(self, failure: Failure, number: int) -> None:
        if not failure.check(Refusal):
            self.log.failure("a question of another process could not be answered", failure)
        after = failure.value.retry_after if isinstance(failure.value, TooMany) else None
        self.say(REFUSAL, number, str(failure.value), after)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._all.discard(self)
        while self._descriptors:
            os.close(self._descriptors.popleft())


class PeerPort:
    """
    Where a process hears the others: a listening socket that outlives it, so that nobody is refused meanwhile.

    @param reactor: C{IReactorFDSet}, C{IReactorSocket}.
    """

    def __init__(self, reactor: Any, descriptor: int, answer: Answer, take: Take) -> None:
        self._reactor = reactor
        self._socket = socket.socket(fileno=descriptor)
        self._socket.setblocking(False)
        self._hearing: set[Hearing] = set()
        self._factory = Factory.forProtocol(lambda: Hearing(answer, take, self._hearing))
        self._factory.noisy = False
        reactor.addReader(self)

    def fileno(self) -> int:
        """C{IReadDescriptor}."""
        return self._socket.fileno()

    def doRead(self) -> None:
        """Let another process in."""
        try:
            made, _ = self._socket.accept()
        except OSError:
            return
        with made:
            made.setblocking(False)
            self._reactor.adoptStreamConnection(made.fileno(), socket.AF_UNIX, self._factory)

    def connectionLost(self, reason: Failure) -> None:
        """C{IReadDescriptor}."""
        self._socket.close()

    def logPrefix(self) -> str:
        """C{ILoggingContext}."""
        return "door"

    def close(self) -> None:
        """Let nobody in any more, and hear nobody."""
        self._reactor.removeReader(self)
        self._socket.close()
        for one in self._hearing:
            one.end()


class _Asking(_Talk):
    """The end that asks."""

    def __init__(self, link: PeerLink) -> None:
        self._link = link

    def heard(self, kind: int, *rest: Any) -> None:
        self._link.heard(self, kind, *rest)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._link.lost()


class PeerLink(ClientFactory):
    """
    The way to one other process, which may end and begin again.

    @param reactor: C{IReactorUNIX}, C{IReactorTime}.
    @param dial: connects to where it hears, with a factory; again: real seconds before another try.
    """

    noisy = False

    def __init__(self, reactor: Any, dial: Callable[[ClientFactory], object], again: float = AGAIN) -> None:
        self._reactor = reactor
        self._dial, self._again = dial, again
        self._talk: _Talk | None = None
        self._asked: dict[int, Deferred[Any]] = {}
        self._given: set[int] = set()
        self._count = 0
        self._closed = False
        self._timer: IDelayedCall | None = None
        self._up: Waiting[None] = Waiting(reactor)
        self._connect()

    def _connect(self) -> None:
        self._timer = None
        self._dial(self)

    def buildProtocol(self, addr: Any) -> Protocol:
        """Make the connection."""
        return _Asking(self)

    def clientConnectionFailed(self, connector: Any, reason: Failure) -> None:
        """Try again."""
        self.lost()

    def lost(self) -> None:
        """The other process has gone: what it was asked is not answered."""
        self._forget()
        if not self._closed and self._timer is None:
            self._timer = self._reactor.callLater(self._again, self._connect)

    def _forget(self, heard: bool = True) -> None:
        """Wait for no answer any more; C{heard}: connections that were given may have been taken all the same."""
        self._talk = None
        asked, self._asked = self._asked, {}
        given, self._given = self._given, set()
        for number, one in asked.items():
            if number in given and not heard:
                one.callback(False)
            else:
                one.errback(Unavailable(_AWAY))

    def close(self) -> None:
        """Ask nothing more."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._talk is not None:
            self._talk.transport.abortConnection()

    def heard(self, talk: _Talk, kind: int, *rest: Any) -> None:
        """Take what the other says."""
        if kind == HELLO:
            self._talk = talk
            self._up.wake(None)
            return
        if kind == BYE:
            self._forget(heard=False)
            talk.transport.loseConnection()
            return
        self._given.discard(rest[0])
        asked = self._asked.pop(rest[0], None)
        if asked is None:
            return
        if kind == ANSWER:
            asked.callback(rest[1])
        else:
            text, after = rest[1:]
            asked.errback(Unavailable(text) if after is None else TooMany(text, after))

    def drop(self) -> None:
        """Connect anew: it does not answer."""
        if self._talk is not None:
            self._talk.transport.abortConnection()

    @property
    def up(self) -> bool:
        """Whether the other process hears."""
        return self._talk is not None

    def when_up(self, patience: float) -> Deferred[None]:
        """Deferred: the other process hears; fails with Unavailable after so many real seconds."""
        return self._up.wait().addTimeout(
            patience, self._reactor, lambda _, timeout: Failure(Unavailable(_AWAY)))

    def ask(self, question: str, *arguments: Any, patience: float = PATIENCE) -> Deferred[Any]:
        """Deferred of what it answers.  Fails with Unavailable, TooMany: it does not."""
        return self._said(patience, ASK, question, arguments)

    def give(self, handover: Any, descriptor: int) -> Deferred[Any]:
        """Deferred of whether a connection is taken.  Fails with Unavailable: nobody knows."""
        if self._talk is None:
            return succeed(False)
        self._talk.transport.sendFileDescriptor(descriptor)
        self._given.add(self._count + 1)
        return self._said(PATIENCE, GIVE, handover)

    def _said(self, patience: float, kind: int, *rest: Any) -> Deferred[Any]:
        asked: Deferred[Any] = Deferred()
        if self._talk is None:
            asked.errback(Unavailable(_AWAY))
            return asked
        self._count += 1
        number = self._count
        self._asked[number] = asked
        self._talk.say(kind, number, *rest)

        def over(result: Any, timeout: float) -> Failure:
            self._asked.pop(number, None)
            return Failure(Unavailable(_AWAY))

        return asked.addTimeout(patience, self._reactor, over)
