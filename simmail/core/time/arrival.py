"""
The instant from which a mail's "tomorrow" is meant.

A universe has one clock.  The C{Date} that a program stamps is of another one and counts for its offset alone.
Source: decisions, section 23 ("The simulated clock is the only clock people have").
"""

from __future__ import annotations

from datetime import datetime, timezone, tzinfo


def local_arrival(arrived: datetime, dated: datetime | None, home: tzinfo) -> datetime:
    """
    Return when a mail arrived, by the clock on its writer's wall.

    @param arrived: by the universe's clock, aware; dated: the mail's C{Date}, aware, None for none.
    @param home: the reader's zone, which a mail without a date is taken to be of.
    """
    offset = dated.utcoffset() if dated is not None else None
    return arrived.astimezone(home if offset is None else timezone(offset))
