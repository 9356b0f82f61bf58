"""
The kinds of mail there are: who sends them, what the company should do, and what composes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Literal, NamedTuple

from simmail.core.records.world import WorldKind
from simmail.core.world.letters import letter
from simmail.core.world.occasion import Composition, Expected, Occasion

#: Who writes: people of some sort, each known to the streams of that sort; or nobody, but a machine.
Sort = Literal["customer", "supplier", "seller", "recruiter", "applicant", "contact", "machine"]


class Kind(NamedTuple):
    """
    One kind of mail.

    @ivar what: a sentence for people; expected: the right handling of most of them.
    @ivar hours: of work within which it should be answered, None where it need not be.
    """

    id: WorldKind
    what: str
    expected: Expected
    sort: Sort
    hours: float | None
    compose: Callable[[Occasion, Expected, float | None], Composition]


KINDS: Mapping[str, Kind] = MappingProxyType({one.id: one for one in (
    Kind("inquiry", "Somebody asks about what the company offers: prices, dates, whether something is there",
         "answer", "customer", 24, letter),
)})


def composed(occasion: Occasion) -> Composition:
    """Return the mail of an occasion."""
    kind = KINDS[occasion.kind]
    return kind.compose(occasion, kind.expected, kind.hours)


def answer_by(at: datetime, hours: float) -> datetime:
    """Return the instant by which a mail should be answered; Saturdays and Sundays do not count."""
    day, found = timedelta(days=1), at
    while found.weekday() >= 5:
        found = found.replace(hour=0, minute=0, second=0, microsecond=0) + day
    left = timedelta(hours=hours)
    while left > timedelta(0):
        step = min(left, day)
        found, left = found + step, left - step
        while found.weekday() >= 5:
            found += day
    return found
