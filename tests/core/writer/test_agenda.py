"""The persona's days."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

from msgspec import UNSET
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.dates import Slot
from simmail.core.language.tables import language
from simmail.core.records.conversation import Appointment
from simmail.core.records.persona import Hours, Timing
from simmail.core.writer.agenda import Calendar
from tests.core.writer.samples import NOW, maria

EN, DE = language("en"), language("de")


def calendar(now: datetime = NOW, **hours: str) -> Calendar:
    fields = {"tz": "Europe/Stockholm", "days": "mon-fri", "from_": "08:30", "to": "17:00", **hours}
    return Calendar(maria(timing=Timing(hours=Hours(**fields))), now)


class CalendarTests(SynchronousTestCase):
    """Working days, appointments, names of days."""

    def test_workdays(self) -> None:
        """Promises skip the weekend; today counts while two hours of it are left."""
        friday = datetime(2026, 3, 6, 9, 0, tzinfo=timezone.utc)
        self.assertEqual(calendar(friday).workday(1), date(2026, 3, 9))
        self.assertEqual(calendar(friday).workday(0), date(2026, 3, 6))
        self.assertEqual(calendar(friday + timedelta(hours=6)).workday(0), date(2026, 3, 9))
        self.assertEqual(calendar(friday, days="sat-sun").workday(1), date(2026, 3, 7))

    def test_close(self) -> None:
        """A promise is due when the working day ends, in the persona's zone, also across a change of the clocks."""
        self.assertEqual(calendar().close(date(2026, 3, 3)).astimezone(timezone.utc).hour, 16)
        self.assertEqual(calendar().close(date(2026, 3, 30)).astimezone(timezone.utc).hour, 15)

    def test_taken(self) -> None:
        """What overlaps a taken time does not suit; times of the persona's own are looked for beside it."""
        start = datetime(2026, 3, 4, 9, 0, tzinfo=timezone.utc)
        busy = Calendar(maria(timing=Timing(hours=Hours(tz="UTC", days="mon-fri", from_="09:00", to="17:00"))), NOW,
                        (Appointment(start, start + timedelta(hours=2)),))
        for minutes, span, expected in ((0, 60, False), (-30, 30, True), (-30, 31, False), (90, 60, False),
                                        (120, 60, True)):
            slot = Slot(start=start + timedelta(minutes=minutes), timed=True)
            if minutes >= 0:
                self.assertEqual(busy.suits(slot, timedelta(minutes=span)), expected, (minutes, span))
            self.assertEqual(busy.free(slot.start, timedelta(minutes=span)), expected, (minutes, span))
        self.assertTrue(busy.suits(Slot(start=start, timed=False)))
        self.assertEqual(busy.at_work(date(2026, 3, 4), 0.0), start + timedelta(hours=2))
        full = Calendar(maria(), NOW, (Appointment(start.replace(hour=0), start.replace(hour=23)),))
        self.assertFalse(full.suits(Slot(start=start, timed=False)))

    def test_suits(self) -> None:
        """A slot suits when it lies ahead and in the hours of the persona's own zone."""
        utc = timezone.utc
        for start, expected in (
            (datetime(2026, 3, 4, 9, 0, tzinfo=utc), True),
            (datetime(2026, 3, 4, 6, 0, tzinfo=utc), False),
            (datetime(2026, 3, 4, 17, 0, tzinfo=utc), False),
            (datetime(2026, 3, 7, 9, 0, tzinfo=utc), False),
            (datetime(2026, 3, 2, 8, 0, tzinfo=utc), False),
        ):
            self.assertEqual(calendar().suits(Slot(start=start, timed=True)), expected, start)
        self.assertTrue(Calendar(maria(timing=UNSET), NOW).suits(
            Slot(start=datetime(2026, 3, 7, 23, 0, tzinfo=utc), timed=True)))

    def test_names(self) -> None:
        """Near days by their weekday, far ones with the date, in both languages."""
        days = calendar()
        self.assertEqual([days.name(date(2026, 3, n), EN) for n in (2, 3, 5, 9)],
                         ["today", "tomorrow", "Thursday", "Monday 9 March"])
        self.assertEqual([days.when(date(2026, 3, n), DE) for n in (2, 3, 5, 9)],
                         ["heute", "morgen", "am Donnerstag", "am Montag, 9. März"])

    def test_appointments(self) -> None:
        """An appointment is told in the proposer's time, and in the persona's where that differs."""
        eastern = timezone(timedelta(hours=-5))
        stockholm = timezone(timedelta(hours=1))
        self.assertEqual(
            calendar().appointment(Slot(start=datetime(2026, 3, 10, 14, 30, tzinfo=stockholm), timed=True), EN),
            "Tuesday 10 March at 14:30")
        self.assertEqual(
            calendar().appointment(
                Slot(start=datetime(2026, 3, 5, 9, 30, tzinfo=eastern), timed=True, halves=True), EN),
            "Thursday at 9:30 am (3:30 pm my time)")
        self.assertEqual(
            calendar().appointment(Slot(start=datetime(2026, 3, 10, 14, 30, tzinfo=stockholm), timed=True), DE),
            "Dienstag, 10. März um 14:30 Uhr")

    def test_at_work(self) -> None:
        """Times of the persona's own are half hours inside its hours."""
        for hours in ({}, {"from_": "22:15", "to": "06:00"}, {"from_": "09:10", "to": "10:05"}):
            days = calendar(**hours)
            for share in (0.0, 0.15, 0.5, 0.8):
                at = days.at_work(date(2026, 3, 4), share)
                self.assertIn(at.minute, (0, 30))
                self.assertTrue(days.suits(Slot(start=at, timed=True)), (hours, at))

    def test_broken_hours(self) -> None:
        """Hours that no persona should have do not keep it from writing."""
        self.assertEqual(calendar(tz="No/Where").zone, timezone.utc)
