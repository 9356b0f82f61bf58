"""
Counts by day: how they are kept, so that days are merged by adding.

A day holds cells, C{{key: count}}; a key says of what (a group: one campaign, one domain, one temperament ...) and
which figure (a slot).  How long answers took is a histogram in the slots from L{TIMES} on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum

from simmail.core.records.bad_address import REPLIES

Cells = dict[int, int]

#: Seconds of a day, which begins at midnight UTC of the simulated clock.
DAY = 86_400

#: Bits of a key that are its slot; slots from C{TIMES} on count answers by how long they took.
WIDTH, TIMES = 14, 64

#: Groups that are always there: all mail, what the application does, campaigns and domains that are not told apart.
TOTAL, APPLICATION, OTHER_CAMPAIGNS, OTHER_DOMAINS, FIRST_GROUP = range(5)

#: How exactly times are kept, in seconds, from a time on and from a slot on (after C{TIMES}): the first hour to the
#: second, ten hours to the minute, four days to ten minutes, the rest to the hour.
_STEPS: tuple[tuple[int, int, int], ...] = (
    (96 * 3600, 3600, 4656), (10 * 3600, 600, 4140), (3600, 60, 3600), (0, 1, 0))
_LONGEST = 400 * DAY

#: Kinds of bounces, each with a slot of its own.
BOUNCE_KINDS: tuple[str, ...] = (*REPLIES, "other")


class Figure(IntEnum):
    """What is counted."""

    SENT = 0
    BOUNCED = 1
    DEFERRED = 2
    RECEIVED = 3
    JUNKED = 4
    IGNORED = 5
    REPLIED = 6
    AUTO_REPLIED = 7
    CLICKED = 8
    CLICKS = 9
    UNSUBSCRIBED = 10
    BROKEN_LINKS = 11
    SCORED = 12
    #: The sum of scores, in tenths.
    SCORE = 13
    #: The first of as many as there are C{BOUNCE_KINDS}.
    BOUNCE_KIND = 16
    # Of C{APPLICATION} only.
    WANTED = 32
    ANSWERED = 33
    ANSWERED_WANTED = 34
    DUPLICATE = 35
    TO_AUTOMATIC = 36
    LOOPS = 37
    WRONG_THREAD = 38
    ANSWERED_SPAM = 39


def key(group: int, slot: int) -> int:
    """Return the key of a cell."""
    return group << WIDTH | slot


def time_slot(seconds: int) -> int:
    """Return the slot that counts answers which took so long."""
    seconds = min(max(seconds, 0), _LONGEST)
    for begin, step, first in _STEPS:
        if seconds >= begin:
            break
    return TIMES + first + (seconds - begin) // step


def seconds_of(slot: int) -> int:
    """Return the least number of seconds that C{slot} stands for: all of them are less than a fiftieth longer."""
    at = slot - TIMES
    for begin, step, first in _STEPS:
        if at >= first:
            break
    return begin + (at - first) * step


def percentile(times: Mapping[int, int], share: float) -> int | None:
    """
    Return the seconds within which C{share} of the answers came (nearest rank); C{None} for no answer.

    @param times: counts by slot.
    """
    count = sum(times.values())
    wanted = max(1, -int(-count * share // 1))
    for slot in sorted(times):
        wanted -= times[slot]
        if wanted <= 0 and count:
            return seconds_of(slot)
    return None


def merged(days: Iterable[Mapping[int, int]]) -> Cells:
    """Return the counts of several days as one."""
    total: Cells = {}
    get = total.get
    for cells in days:
        for one, count in cells.items():
            total[one] = get(one, 0) + count
    return total
