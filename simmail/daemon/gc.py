"""
How the interpreter is set so that no turn of the reactor is long.

For a process that serves; tests and tools leave it as it is.
"""

from __future__ import annotations

import gc
import os
import select
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

from twisted.logger import Logger

#: Real seconds after which a busy thread hands the interpreter on.  A reactor that waits for it at each of a few system
#: calls would otherwise (5 ms) keep everybody waiting while a thread works out something.
_SWITCH = 0.001
#: Allocations between collections of the youngest, and how many of those between collections of the others.  What
#: answers a question about 100,000 messages is then not looked through again and again while it is put together.
_THRESHOLDS = 5000, 10, 100
#: Real seconds that a reactor with nothing to do stays awake before it sleeps.  Who talks to it from the same machine
#: says the next thing sooner than a processor goes to sleep and is woken.
_AWAKE = 50e-6


def prefer_latency() -> None:
    """What is in memory now stays for good; short turns come before throughput."""
    sys.setswitchinterval(_SWITCH)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)


def shorten_turns(reactor: Any) -> None:
    """Have an epoll reactor spend no more on a turn than it must, and look again for a moment before it sleeps."""
    epoll = getattr(select, "epoll", None)
    if epoll is not None and isinstance(getattr(reactor, "_poller", None), epoll):
        # Where one processor serves it and its clients, staying awake would keep them from saying anything.
        awake = _AWAKE if len(os.sched_getaffinity(0)) > 1 else 0.0
        reactor.doIteration = Turns(reactor, perf_counter, awake)


class Turns:
    """
    What C{doIteration} of an C{EPollReactor} does, for less.

    Twisted calls each connection in a log context of its own, for observers that name the connection in each line;
    that costs as much as reading from it, and the log has no use for it.

    @param now: real seconds.
    @param awake: how long to ask again and again before waiting.
    """

    log = Logger()

    def __init__(self, reactor: Any, now: Callable[[], float], awake: float) -> None:
        self._poll, self._selectables, self._serve = reactor._poller.poll, reactor._selectables, reactor._doReadOrWrite
        self._now = now
        self._awake = awake

    def __call__(self, timeout: float | None) -> None:
        """
        Serve what is ready.

        @param timeout: real seconds to wait for it, None for as long as it takes.
        """
        selectables = self._selectables
        for descriptor, event in self._ready(-1 if timeout is None else timeout):
            selectable = selectables.get(descriptor)
            if selectable is not None:
                try:
                    self._serve(selectable, descriptor, event)
                except Exception:
                    self.log.failure("a connection did not end well")

    def _ready(self, timeout: float) -> list[tuple[int, int]]:
        most = len(self._selectables)
        events: list[tuple[int, int]] = self._poll(0, most)
        if events or not timeout:
            return events
        until = self._now() + self._awake
        while not events and self._now() < until:
            events = self._poll(0, most)
        return events or self._poll(timeout, most)
