"""A persona's taken times."""

from __future__ import annotations

from datetime import timedelta

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.conversation import (
    MOST_APPOINTMENTS, PAST, Appointment, Remark, apart, booked, taken,
)
from tests.core.scenes import NOW, after

HOUR = timedelta(hours=1)


def at(hours: float, thread: str = "", uid: str = "") -> Appointment:
    """An hour that is taken."""
    return Appointment(after(hours=hours), after(hours=hours) + HOUR, thread=thread, uid=uid)


class AppointmentTests(SynchronousTestCase):
    """Taken, moved, forgotten."""

    def test_taken(self) -> None:
        """Times that touch do not overlap."""
        for hours, expected in ((0, True), (0.5, True), (1, False), (-1, False), (-0.5, True)):
            self.assertEqual(taken([at(0)], after(hours=hours), after(hours=hours) + HOUR), expected, hours)

    def test_moved(self) -> None:
        """What is agreed anew in a thread, or of a calendar object, takes the place of what was."""
        before = (at(1, "a"), at(2, "b"), at(3, "c", "uid"))
        self.assertEqual(booked(before, at(4, "a"), NOW), (at(2, "b"), at(3, "c", "uid"), at(4, "a")))
        self.assertEqual(booked(before, at(0, "d", "uid"), NOW), (at(0, "d", "uid"), at(1, "a"), at(2, "b")))
        self.assertEqual(apart(before, "", ""), before)
        self.assertEqual(apart(before, "b"), (before[0], before[2]))

    def test_bounds(self) -> None:
        """What is long past goes, and of too many the earliest."""
        old = Appointment(NOW - PAST - HOUR, NOW - PAST)
        found: tuple[Appointment, ...] = (old,)
        for n in range(MOST_APPOINTMENTS + 5):
            found = booked(found, at(n, f"t{n}"), NOW)
        self.assertEqual((len(found), found[0], found[-1]), (
            MOST_APPOINTMENTS, at(5, "t5"), at(MOST_APPOINTMENTS + 4, f"t{MOST_APPOINTMENTS + 4}")))

    def test_stored(self) -> None:
        """Both are JSON and read back the same."""
        remark = Remark("agreed", "persona", "appointment", NOW, "x", after(hours=1), True, "<1@x>", "de")
        for one in (remark, at(1, "a", "b")):
            self.assertEqual(msgspec.json.decode(msgspec.json.encode(one), type=type(one)), one)
