"""
Universes that are for a time, such as one test run: when that is over they go by themselves, in real time.

Each is deleted as a call would delete it.  What ended while the service was down goes before it serves.
Source: decisions, section 16.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from simmail.errors import Invalid, NotFound, Unavailable
from simmail.server.organizations import Universes

#: Real seconds between two looks at most, and before what could not be deleted is tried again.
LONGEST_SLEEP, AGAIN = 600.0, 5.0

#: The shortest and the longest time that a universe may be given.
SHORTEST, LONGEST = timedelta(seconds=1), timedelta(days=366)


def ends_in(ttl: timedelta | None, now: float) -> datetime | None:
    """
    Return when a universe with a time to live ends, None for one without.

    @param now: real Unix time.  @raise Invalid: too short or too long.
    """
    if ttl is None:
        return None
    if not SHORTEST <= ttl <= LONGEST:
        raise Invalid("ttl", f"must be from {SHORTEST.seconds}s to {LONGEST.days}d")
    return datetime.fromtimestamp(now, UTC) + ttl


class Lifetimes:
    """
    Deletes universes whose time is over.

    @param delete: deletes the universe of an id.
    """

    def __init__(
        self, universes: Universes, delete: Callable[[str], Awaitable[None]], reactor: IReactorTime
    ) -> None:
        # On the instance: a Logger that is a class attribute takes the class's name for its namespace.
        self.logger = Logger(namespace="simmail.server")
        self._universes = universes
        self._delete = delete
        self._reactor = reactor
        self._timer: IDelayedCall | None = None
        self._begun = False

    def begin(self) -> None:
        """Look after them from now on."""
        self._begun = True
        self.changed()

    def stop(self) -> None:
        """Delete nothing more."""
        self._begun = False
        self._rest()

    def changed(self, least: float = 0.0) -> None:
        """Wake up when the next one ends, after C{least} real seconds: there is another, or another time."""
        self._rest()
        ends = [one.record.ends for one in self._universes.all() if one.record.ends is not None]
        if self._begun and ends:
            left = min(ends).timestamp() - self._reactor.seconds()
            self._timer = self._reactor.callLater(max(least, min(left, LONGEST_SLEEP)), self._look)

    def _rest(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def _look(self) -> None:
        self._timer = None
        Deferred.fromCoroutine(self._end()).addErrback(
            lambda failure: self.logger.failure("a universe whose time is over stays", failure))

    async def _end(self) -> None:
        now, least = self._reactor.seconds(), 0.0
        for universe in self._universes.all():
            if universe.record.ends is None or universe.record.ends.timestamp() > now:
                continue
            try:
                await self._delete(universe.id)
                self.logger.info("the universe {id} is gone: its time was over", id=universe.id)
            except NotFound:
                # Somebody else has deleted it meanwhile.
                pass
            except Unavailable as error:
                self.logger.warn("the universe {id} is over and stays for now: {error}", id=universe.id, error=error)
                least = AGAIN
        self.changed(least)
