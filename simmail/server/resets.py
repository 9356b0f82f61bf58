"""
Reset: a universe is as new, but for what is kept.

Source: decisions, section 16.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from twisted.internet.interfaces import IReactorTime

from simmail.core.records.commit import EventQuery, JobQuery
from simmail.server.organizations import Universes
from simmail.server.replacement import Replacement, Step
from simmail.server.snapshots import Snapshots
from simmail.universe.clock import Timeline
from simmail.universe.fingerprint import fingerprint
from simmail.universe.universe import Universe

#: Events and jobs that are counted at once.
PAGE = 1000


class Removed(Struct, frozen=True):
    """
    How much of what a reset has removed.

    @ivar messages: in mailboxes; mailboxes: that are gone; personas: that are gone; cases: that are gone.
    @ivar events: of the log; jobs: in whatever state; fingerprint: of what is left.
    """

    messages: int
    mailboxes: int
    personas: int
    cases: int
    events: int
    jobs: int
    fingerprint: str


class _Numbered(Struct):
    id: int


class Resets:
    """
    Resets universes of one server.

    @param replaced: told of the universe that is there afterwards.
    """

    def __init__(
        self, universes: Universes, snapshots: Snapshots, replacement: Replacement,
        replaced: Callable[[Universe], object], reactor: IReactorTime,
    ) -> None:
        self._universes = universes
        self._snapshots = snapshots
        self._replacement = replacement
        self._replaced = replaced
        self._reactor = reactor

    async def reset(
        self, universe_id: str, keep: Collection[str], seed: str = "", clock: Timeline | None = None
    ) -> Removed:
        """
        Remove all from a universe but what is kept; keys and personas of the configuration always stay.

        Open IMAP sessions get BYE, every folder has a greater UIDVALIDITY, event numbers go on rising.

        @param keep: of L{remainder.KEPT}.
        @param seed, clock: other ones from now on; unless given, the seed stays and the clock begins again.
        @raise NotFound: there is none of that id.
        """
        self._universes.get(universe_id)
        async with self._snapshots.turn(universe_id):
            universe = self._universes.get(universe_id)
            before = await _counted(universe)
            record = replace(
                universe.record, seed=seed or universe.seed,
                clock=clock or begun_again(universe.record.clock, self._reactor.seconds()))
            universe = await self._replacement.replace(
                universe, Step(record, f"{universe_id}!reset", tuple(sorted(keep))))
            await universe.streams.refill()
            left = await _counted(universe)
            taken = await fingerprint(universe)
            self._replaced(universe)
        return Removed(**{name: max(0, number - left[name]) for name, number in before.items()},
                       fingerprint=taken.fingerprint)


def begun_again(line: Timeline, real: float) -> Timeline:
    """Return the timeline that a universe was made with as it begins now; one of real time is at that."""
    if line.touched:
        return replace(line, real=real)
    return Timeline(sim=datetime.fromtimestamp(real, UTC), real=real)


async def _counted(universe: Universe) -> dict[str, int]:
    """Count what there is, by the fields of L{Removed}."""
    store = universe.store
    return {"messages": sum((await store.totals()).values()), "mailboxes": len(store.mailboxes()),
            "personas": len(universe.people), "cases": len(universe.cases), "events": await _events(universe),
            "jobs": await _jobs(universe)}


async def _events(universe: Universe) -> int:
    count, last = 0, None
    while True:
        page = await universe.database.events(universe.id, EventQuery(before=last, descending=True, limit=PAGE))
        count += len(page)
        if len(page) < PAGE:
            return count
        last = msgspec.json.decode(page[-1], type=_Numbered).id


async def _jobs(universe: Universe) -> int:
    count, after = 0, None
    while True:
        page = await universe.database.jobs(universe.id, JobQuery(after=after, limit=PAGE))
        count += len(page)
        if len(page) < PAGE:
            return count
        after = page[-1].id
