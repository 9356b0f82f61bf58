"""
What of a universe does not fit together in the database and in its mail, and mending that.

A universe that goes on is looked at too: what is found is asked about once more before it is told.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from functools import partial
from typing import Any, NamedTuple

from msgspec import Struct

from simmail.core.records.commit import Commit, JobQuery
from simmail.core.records.delivery import Arrival
from simmail.core.records.event import Recorded
from simmail.core.records.job import Job
from simmail.errors import NotFound
from simmail.interfaces import IDatabase
from simmail.universe.universe import Universe

UNFINISHED = ("pending", "running")


class Misfit(Struct, frozen=True):
    """
    Something that does not fit.

    @ivar where: a job, a mailbox, an event; trouble: what is wrong.
    @ivar remedy: what mending does, C{""} where nothing can be done; mended: it was done.
    """

    where: str
    trouble: str
    remedy: str = ""
    mended: bool = False


class _Found(NamedTuple):
    where: str
    trouble: str
    remedy: str = ""
    mend: Callable[[], Awaitable[Any]] | None = None


async def differences(universe: Universe, repair: bool) -> list[Misfit]:
    """Look for all of them; with C{repair} those that can be are mended."""
    found: list[Misfit] = []
    async for one in _found(universe):
        if repair and one.mend is not None:
            await one.mend()
        found.append(Misfit(one.where, one.trouble, one.remedy, repair and one.mend is not None))
    return found


async def _found(universe: Universe) -> AsyncIterator[_Found]:
    jobs, waiting, last = dict[str, Job](), list[Arrival](), None
    async for page in universe.database.dump(universe.id):
        for row in page:
            if isinstance(row, Recorded):
                if last is not None and row.at < last.at:
                    yield _Found(f"event {row.id}", f"is of {row.at}, but event {last.id} is of {last.at}")
                last = row
            elif (job := getattr(row, "job", None)) is not None and job.state in UNFINISHED:
                jobs[job.id] = job
            elif (arrival := getattr(row, "arrival", None)) is not None:
                waiting.append(arrival)
    used = await universe.database.last_event(universe.id)
    if last is not None and last.id > used:
        yield _Found(f"event {last.id}", f"is beyond the last number, {used}")
    for job in jobs.values():
        now = await universe.database.job(universe.id, job.id)
        if now is None or now.state not in UNFINISHED:
            continue
        if job.id not in universe.pending.by_id:
            yield _Found(f"job {job.id}", "is planned, but would never be done", "it is planned again",
                         partial(_plan_again, universe, now))
        if job.persona_id is not None and universe.people.known(job.persona_id) is None:
            yield _Found(f"job {job.id}", f"is that of {job.persona_id}, who is not there", "it is skipped",
                         partial(universe.scheduler.skip, job.id))
    async for one in unlisted(universe.database, universe.id, jobs.values()):
        yield one
    for persona in universe.people.everyone():
        if not universe.store.exists(persona.address):
            yield _Found(f"mailbox {persona.address}", f"is not there, but {persona.id} is", "it is made",
                         partial(universe.store.create, persona.address))
    there = {arrival.id for arrival in await universe.database.arrivals(universe.id)}
    for arrival in waiting:
        if arrival.id in there and not await _is_there(universe, arrival):
            yield _Found(f"arrival {arrival.id}", f"waits to be decided about, but is not in {arrival.mailbox}",
                         "nobody decides about it",
                         partial(universe.database.commit, universe.id, Commit(leave=(arrival.id,))))
    kept = set(await universe.store.held.keys()) - jobs.keys() - universe.pending.by_id.keys()
    if kept:
        yield _Found("mail kept for jobs", f"is that of {len(kept)} jobs that are not planned", "it is removed",
                     partial(universe.store.held.drop, sorted(kept)))


async def unlisted(database: IDatabase, universe: str, jobs: Collection[Job]) -> AsyncIterator[_Found]:
    """Find, of jobs that are not finished, those that are missing among all of a kind, a persona or a case."""
    for field, whose in (("kind", "its kind"), ("persona_id", "its persona"), ("case_id", "its case")):
        groups: dict[str, set[str]] = {}
        for job in jobs:
            if getattr(job, field):
                groups.setdefault(getattr(job, field), set()).add(job.id)
        for value, wanted in groups.items():
            missing = wanted
            # Asked twice, for jobs may be moved meanwhile.
            for _ in range(2):
                for state in UNFINISHED if missing else ():
                    missing = missing - {job.id for job in await database.jobs(
                        universe, JobQuery(**{field: value}, state=state, limit=sys.maxsize))}
            for id in sorted(missing):
                job = await database.job(universe, id)
                if job is not None and job.state in UNFINISHED:
                    yield _Found(f"job {id}", f"is not listed with those of {whose}, {value}", "it is listed",
                                 partial(database.commit, universe, Commit(jobs=(job,))))


async def _plan_again(universe: Universe, job: Job) -> None:
    await universe.database.commit(universe.id, Commit(jobs=(job,)))
    universe.pending.add((job,))


async def _is_there(universe: Universe, arrival: Arrival) -> bool:
    copy = arrival.copy
    try:
        folder = await universe.store.folder(copy.mailbox, copy.folder)
    except NotFound:
        return False
    return folder.uidvalidity != copy.uidvalidity or folder.entry(copy.uid) is not None
