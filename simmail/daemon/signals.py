"""
Signals that end the service or tell it something, from the first moment of a start to the last.

Until the daemon has handlers of its own they are held back and wait: those of Python and of Twisted, which come
first, would end the process by the signal itself, in the middle of whatever it is doing.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping

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
