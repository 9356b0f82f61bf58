"""What is committed to and asked of the database, as plain values."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from simmail.core.records.delivery import Arrival
from simmail.core.records.event import Event
from simmail.core.records.job import Job


class Commit(Struct, frozen=True):
    """
    One change, all or nothing.

    @ivar once: a delivery or job id; a second commit with it does nothing.
    @ivar puts: C{(table, key, document)}; drops: C{(table, key)}.
    @ivar jobs: written whole; those pending or running are due, others finished.
    @ivar arrive: arrivals to queue; leave: arrival ids decided about.
    @ivar counts: C{(table, key, by)}: integers kept in a table, added to.
    """

    once: str = ""
    puts: tuple[tuple[str, str, bytes], ...] = ()
    drops: tuple[tuple[str, str], ...] = ()
    jobs: tuple[Job, ...] = ()
    drop_jobs: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()
    arrive: tuple[Arrival, ...] = ()
    leave: tuple[str, ...] = ()
    counts: tuple[tuple[str, str, int], ...] = ()


class Committed(Struct, frozen=True):
    """
    @ivar fresh: false when C{once} had been seen; nothing was changed.
    @ivar first: number of the first event of the commit, 0 when it had none.
    @ivar counts: the new value for each of C{Commit.counts}; of a repeated commit, what they were then.
    """

    fresh: bool
    first: int
    counts: tuple[int, ...] = ()


class EventQuery(Struct, frozen=True):
    """
    C{types} may end in C{*}; C{after}/C{before} are event numbers, left out, C{since}/C{until} instants, included;
    C{message_id}: of those that tell of this mail, the first thousand.
    """

    after: int | None = None
    before: int | None = None
    types: tuple[str, ...] = ()
    persona_id: str | None = None
    case_id: str | None = None
    message_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    descending: bool = False
    limit: int = 100


class JobQuery(Struct, frozen=True):
    """Jobs in (due, id) order; C{after} is a job id."""

    state: str | None = None
    kind: str | None = None
    persona_id: str | None = None
    case_id: str | None = None
    after: str | None = None
    limit: int = 100
