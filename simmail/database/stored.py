"""
What the database holds of a universe, row by row, as lines of JSON: for who carries a universe elsewhere.

A row says all that is needed to have the same again; what is derived (places in indexes) is not said.  An event is as
the API shows it (L{Recorded}).
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Raw, Struct

from simmail.core.records.delivery import Arrival
from simmail.core.records.event import Recorded
from simmail.core.records.job import Job


class StoredDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A document of a table: personas, cases, memory, settings and all the rest."""

    table: str
    key: str
    value: Raw


class StoredOutcome(Struct, frozen=True, forbid_unknown_fields=True):
    """
    A delivery or job that was committed, so that it is not again.

    @ivar outcome: the number of its first event and the counts that came of it, joined by commas.
    """

    id: str
    outcome: str


class StoredJob(Struct, frozen=True, forbid_unknown_fields=True):
    """A job.  C{packed}: as MessagePack, of one that JSON has no words for."""

    job: Job
    packed: bytes = b""


class StoredArrival(Struct, frozen=True, forbid_unknown_fields=True):
    """What arrived and is not decided about, in order.  C{packed}: as for jobs."""

    arrival: Arrival
    packed: bytes = b""


class StoredNumbers(Struct, frozen=True, forbid_unknown_fields=True):
    """C{last}: the highest event number ever used; C{floor}: the least that may still be there."""

    last: int
    floor: int


StoredRow = StoredDocument | StoredOutcome | StoredJob | StoredArrival | Recorded | StoredNumbers

#: The kinds of rows, by the name of the list that has them, in the order in which they are put back.
STORED: Mapping[str, type[StoredRow]] = {
    "documents": StoredDocument, "done": StoredOutcome, "jobs": StoredJob, "arrivals": StoredArrival,
    "events": Recorded, "numbers": StoredNumbers,
}
