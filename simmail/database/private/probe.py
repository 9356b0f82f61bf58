"""Asking a Redis a few things over a connection of their own, before or beside those that stay."""

from __future__ import annotations

from typing import Any

import hiredis
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.endpoints import UNIXClientEndpoint
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure

from simmail.database.connection import pack
from simmail.errors import Unavailable

#: Real seconds to answer one that asks.
ANSWER = 1.0


def ask(reactor: Any, path: str, *commands: tuple[str, ...]) -> Deferred[list[Any]]:
    """Replies of the one at a Unix socket, errors among them; fails with C{Unavailable}."""
    answers = _Answers(commands)
    endpoint = UNIXClientEndpoint(reactor, path, timeout=ANSWER)
    factory = Factory.forProtocol(lambda: answers)
    factory.noisy = False
    answers.connecting = endpoint.connect(factory)
    answers.connecting.addErrback(answers.refused)

    def late(failure: Failure) -> Failure:
        failure.trap(CancelledError)
        return Failure(Unavailable("it does not answer"))

    def timed_out(result: Any, timeout: float) -> Any:
        return late(result) if isinstance(result, Failure) else result

    return answers.done.addTimeout(ANSWER, reactor, timed_out)


class _Answers(Protocol):
    """Sends commands, takes as many replies, hangs up."""

    def __init__(self, commands: tuple[tuple[str, ...], ...]) -> None:
        self.done: Deferred[list[Any]] = Deferred(lambda _: self._give_up())
        self.connecting: Deferred[Any] | None = None
        self._packed = b"".join(map(pack, commands))
        self._wanted = len(commands)
        self._replies: list[Any] = []
        self._reader = hiredis.Reader()

    def connectionMade(self) -> None:
        assert self.transport is not None
        self.transport.write(self._packed)

    def dataReceived(self, data: bytes) -> None:
        assert self.transport is not None
        self._reader.feed(data)
        while (reply := self._reader.gets()) is not False:
            self._replies.append(reply)
        if len(self._replies) >= self._wanted:
            self.transport.loseConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        if self.done.called:
            return
        if len(self._replies) >= self._wanted:
            self.done.callback(self._replies)
        else:
            self.done.errback(Failure(Unavailable("it closed the connection")))

    def refused(self, failure: Failure) -> None:
        if not self.done.called:
            self.done.errback(Failure(Unavailable(failure.getErrorMessage())))

    def _give_up(self) -> None:
        if self.transport is not None:
            self.transport.abortConnection()  # type: ignore[attr-defined]
        elif self.connecting is not None:
            self.connecting.cancel()
