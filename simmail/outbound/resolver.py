"""
Host names to addresses, by the system's own resolver.

C{getaddrinfo} knows what the operator set up (hosts file, search order,
local stubs) but blocks, so each look-up has a thread: a daemon, since one that
hangs must not hold up the end of the process.  A resolver that does not answer
is left alone for a while.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from threading import Thread
from typing import Any

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.interfaces import IReactorFromThreads, IReactorTime

from simmail.concurrency import Lock

#: Look-ups at once; real seconds one may take; so many late ones in a row and nobody asks again for so long.
AT_ONCE, PATIENCE, LATE_ONES, AWAY = 8, 5.0, 3, 30.0


def system_addresses(host: str) -> list[str]:
    """
    Return the addresses of a host, IPv4 first; blocks.

    @raise OSError: there are none.
    """
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    addresses = [str(one[4][0]) for one in found]
    return sorted(dict.fromkeys(addresses), key=lambda one: ":" in one)


class Names:
    """
    Looks host names up.

    @param reactor: C{IReactorTime} and C{IReactorFromThreads}.
    @param blocking: does it, in a thread.
    """

    def __init__(
        self, reactor: Any, blocking: Callable[[str], list[str]] = system_addresses,
    ) -> None:
        self._time: IReactorTime = reactor
        self._threads: IReactorFromThreads = reactor
        self._blocking = blocking
        self._room = Lock(reactor, AT_ONCE)
        self._late = 0
        self._away = 0.0

    def addresses(self, host: str) -> Deferred[list[str]]:
        """Return a Deferred of a host's addresses; it fails with C{OSError} when there are none to be had in time."""
        # Without a canceller of its own it takes no offence when the thread answers after all.
        done: Deferred[list[str]] = Deferred()
        if self._time.seconds() < self._away:
            done.errback(OSError("the resolver does not answer"))
            return done
        self._room.run(self._asked, host, done)
        return done.addTimeout(PATIENCE, self._time, self._gave_up)

    def _asked(self, host: str, done: Deferred[list[str]]) -> Deferred[None]:
        """Deferred that fires when the thread is through, which may be long after anybody waits for it."""
        through: Deferred[None] = Deferred()

        def finish(result: list[str] | OSError) -> None:
            through.callback(None)
            if isinstance(result, OSError):
                done.errback(result)
            else:
                self._late = 0
                done.callback(result)

        def work() -> None:
            try:
                result: list[str] | OSError = self._blocking(host)
            except OSError as error:
                result = error
            except Exception as error:
                result = OSError(str(error))
            self._threads.callFromThread(finish, result)

        if done.called:
            through.callback(None)
        else:
            Thread(target=work, name=f"look-up of {host}", daemon=True).start()
        return through

    def _gave_up(self, value: Any, seconds: float) -> Any:
        self._late += 1
        if self._late >= LATE_ONES:
            self._late = 0
            self._away = self._time.seconds() + AWAY
        raise OSError("the resolver does not answer") from TimeoutError(seconds)
