"""
Signals that end the service or tell it something, from the first moment of a start to the last.

Until the daemon has handlers of its own they are held back and wait: those of Python and of Twisted, which come
first, would end the process by the signal itself, in the middle of whatever it is doing.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any

from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.errors import Refusal

#: What is heard.
HEARD = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1)


def hold() -> None:
    """Hold signals: from now on they wait."""
    signal.pthread_sigmask(signal.SIG_BLOCK, HEARD)


def hear(acts: Mapping[int, Callable[[], object]], call: Callable[[Callable[[], object]], object]) -> None:
    """
    Hear signals: from now on they are acted upon, those that have waited too.

    @param acts: what to do, by signal.
    @param call: C{reactor.callFromThread}: what is done is done in a turn of the reactor.
    """
    def heard(number: int, frame: object) -> None:
        call(acts[number])

    for number in acts:
        signal.signal(number, heard)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HEARD)


class SignalledService(Service):
    """
    A service that starts once the reactor runs, hears signals, and ends the process when it cannot start.

    C{start()} is a coroutine that starts it; C{acts()} says what is done at other signals than those that end it.
    """

    log = Logger()

    def __init__(self) -> None:
        self._reactor: Any = None
        self._started: Deferred[None] | None = None
        self._ending = False

    async def start(self) -> None:
        """Start it."""
        raise NotImplementedError

    def acts(self) -> Mapping[int, Callable[[], object]]:
        """Return what is done at signals."""
        raise NotImplementedError

    def startService(self) -> None:
        """Begin to start once the reactor runs; what fails ends the process with status 1 and a message."""
        hold()
        super().startService()
        from twisted.internet import reactor

        self._reactor = reactor
        self._reactor.callWhenRunning(self._begin)

    def _begin(self) -> None:
        hear({signal.SIGTERM: self._end, signal.SIGINT: self._end, **self.acts()}, self._reactor.callFromThread)
        self._started = Deferred.fromCoroutine(self.start())
        self._started.addErrback(self._did_not_start)

    def _end(self) -> None:
        """SIGTERM, SIGINT: stop in order; a second one changes nothing."""
        if not self._ending:
            self._ending = True
            self._reactor.stop()

    def _did_not_start(self, failure: Failure) -> None:
        if self._ending:
            return
        if failure.check(Refusal):
            self.log.error("did not start: {error}", error=failure.value)
        else:
            self.log.failure("did not start", failure)
        print(f"simmail: {failure.getErrorMessage()}", file=sys.__stderr__, flush=True)
        # The reactor has no status of its own to end with.
        self._reactor.addSystemEventTrigger("after", "shutdown", os._exit, 1)
        self._end()

    @property
    def starting(self) -> bool:
        """Whether it has yet to come to the end of its start."""
        return self._started is None or not self._started.called
