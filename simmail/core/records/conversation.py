"""
What stands in a conversation, and in a persona's calendar.

A L{Remark} is one thing that was said in a thread in a form that can be told again; an L{Appointment} is a time that a
persona has given away.  Both are kept as JSON: remarks with the thread's L{ThreadState}, appointments in one document
of the persona.  Source: API contract, "Personas" (memory).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct

#: Of one thread no more is kept; the oldest remarks go first, what was agreed last.
MOST_REMARKS = 100
#: Of one persona no more times are kept, and none that ended so long ago.
MOST_APPOINTMENTS, PAST = 200, timedelta(days=60)
#: An appointment takes so long where nothing is said about it.
USUAL = timedelta(hours=1)

RemarkKind = Literal[
    "proposed", "agreed", "called_off", "asked", "answered", "requested", "sent", "promised", "stated", "said"]


class Remark(Struct, frozen=True, omit_defaults=True):
    """
    One thing said in a thread.

    @ivar kind: C{proposed}, C{agreed} or C{called_off}: an appointment or a deal; C{asked}: a question, C{answered}:
        what was told in answer; C{requested}: something to be done or sent; C{sent}: something that came along;
        C{promised}: what somebody will do; C{stated}: any other fact a mail gives (order number, amount, place, name);
        C{said}: a whole sentence, as its writer wrote it.
    @ivar by: who said it.
    @ivar what: what it is about, a noun phrase as its writer has it ("delivery address", "refund", "order"); what has
        no word of its own there is called C{appointment}, C{question}, C{reference}, C{amount}, C{place}, C{date} or
        C{deadline}.
    @ivar value: what was said of it ("77120", "EUR 120.00", "room 4", "2026-03-05 14:00" in the zone of its writer),
        C{""} for nothing.
    @ivar language: of C{what} and C{value}.
    @ivar message_id: Message-ID of that mail; at: the instant of the mail it stood in, in simulated time.
    @ivar when: the instant it is for (an appointment, a due time), in simulated time; null for none.
    @ivar timed: with a time of day.
    """

    kind: RemarkKind
    by: Literal["persona", "correspondent"]
    what: str
    at: datetime
    value: str = ""
    when: datetime | None = None
    timed: bool = False
    message_id: str = ""
    language: str = "en"


class Appointment(Struct, frozen=True, omit_defaults=True, rename={"with_": "with"}):
    """
    A time that is taken.

    @ivar start: when it begins, in simulated time; end: when it ends, in simulated time.
    @ivar what: what for; with_: addresses of the others; thread: the thread where it was agreed.
    @ivar uid: of the calendar object (RFC 5545 section 3.8.4.7), C{""} for none.
    @ivar sequence: revision of that object, from 0.
    """

    start: datetime
    end: datetime
    what: str = ""
    with_: tuple[str, ...] = ()
    thread: str = ""
    uid: str = ""
    sequence: int = 0


def taken(appointments: Iterable[Appointment], start: datetime, end: datetime) -> bool:
    """Return whether a time overlaps one that is given away."""
    return any(one.start < end and start < one.end for one in appointments)


def apart(appointments: Iterable[Appointment], thread: str, uid: str = "") -> tuple[Appointment, ...]:
    """Return the times but those of one thread and one calendar object: what is agreed there anew takes their place."""
    return tuple(one for one in appointments if not (thread and one.thread == thread or uid and one.uid == uid))


def booked(appointments: Iterable[Appointment], new: Appointment, now: datetime) -> tuple[Appointment, ...]:
    """Return the times with one more, in order, without those that it takes the place of and those long past."""
    kept = [one for one in apart(appointments, new.thread, new.uid) if one.end > now - PAST]
    return tuple(sorted([*kept, new], key=lambda one: (one.start, one.end, one.thread)))[-MOST_APPOINTMENTS:]
