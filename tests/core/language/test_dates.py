"""Days and times in sentences."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.dates import Found, find
from simmail.core.language.tables import language

CET = timezone(timedelta(hours=1))
MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=CET)


def english(sentence: str) -> Found:
    return find(sentence, MONDAY, language("en"))


def german(sentence: str) -> Found:
    return find(sentence, MONDAY, language("de"))


def starts(found: Found) -> list[str]:
    return [slot.start.strftime("%m-%d %H:%M") if slot.timed else slot.start.strftime("%m-%d") for slot in found.slots]


class SlotTests(SynchronousTestCase):
    """Appointments."""

    def test_english(self) -> None:
        """Dates and times as English mails write them."""
        for sentence, expected in (
            ("Tuesday 10 March, 14:30", ["03-10 14:30"]),
            ("Tue, Mar 10th at 2:30 pm", ["03-10 14:30"]),
            ("March 10, 2026 at 9 a.m.", ["03-10 09:00"]),
            ("2026-03-10 14:30", ["03-10 14:30"]),
            ("10/03/2026 at 14:30", ["03-10 14:30"]),
            ("on Thursday at 10:00 or 15:00", ["03-05 10:00", "03-05 15:00"]),
            ("at 10:00 on Thursday", ["03-05 10:00"]),
            ("tomorrow at noon", ["03-03 12:00"]),
            ("next Thursday at 10 am", ["03-12 10:00"]),
            ("Wednesday from 10:00 to 11:00", ["03-04 10:00"]),
            ("Wednesday 10:00-11:00 or Friday 9:00", ["03-04 10:00", "03-06 09:00"]),
            ("Tuesday or Thursday", ["03-03", "03-05"]),
            ("we have 12 of them at EUR 10.30", []),
            ("call 040 123 456", []),
            ("it may take long and the sun shines", []),
        ):
            self.assertEqual(starts(english(sentence)), expected, sentence)

    def test_german(self) -> None:
        """Dates and times as German mails write them."""
        for sentence, expected in (
            ("Dienstag, 10. März, um 14:30 Uhr", ["03-10 14:30"]),
            ("am Di, 10.03. um 9 Uhr", ["03-10 09:00"]),
            ("am 10.3.2026 um 14.30 Uhr", ["03-10 14:30"]),
            ("morgen um 8:00 oder übermorgen", ["03-03 08:00", "03-04"]),
            ("guten Morgen, so geht das", []),
        ):
            self.assertEqual(starts(german(sentence)), expected, sentence)

    def test_zones(self) -> None:
        """A named zone is that of the times; else it is the zone the mail was written in."""
        self.assertEqual(english("Thursday 10:00").slots[0].start.utcoffset(), timedelta(hours=1))
        self.assertEqual(english("Thursday 10 am EST").slots[0].start.utcoffset(), timedelta(hours=-5))
        self.assertTrue(english("Thursday 10 am EST").slots[0].halves)

    def test_deadlines(self) -> None:
        """A date after "by" and the like is a deadline, not a slot."""
        found = english("Please send it by Friday, 6 March.")
        self.assertEqual((found.slots, found.deadlines), ((), (date(2026, 3, 6),)))
        self.assertEqual(german("Bitte bis Freitag, 6. März, zusenden").deadlines, (date(2026, 3, 6),))
        self.assertEqual(english("It was due on 14 February.").deadlines, (date(2026, 2, 14),))

    def test_years(self) -> None:
        """A date without a year is the nearest one."""
        self.assertEqual(english("15 December").dates, (date(2025, 12, 15),))
        self.assertEqual(english("15 August").dates, (date(2026, 8, 15),))
        self.assertEqual(english("31 February").dates, ())

    @given(st.text(max_size=200))
    def test_anything(self, sentence: str) -> None:
        """Any sentence is read, and slots are aware."""
        for found in (english(sentence), german(sentence)):
            for slot in found.slots:
                self.assertIsNotNone(slot.start.tzinfo)

    @given(st.dates(date(2025, 10, 1), date(2026, 8, 1)), st.times())
    def test_any_date(self, day: date, at: object) -> None:
        """Every date of the months around is read back from each way of writing it."""
        months, weekdays = language("en").months, language("en").weekdays
        name, weekday = months[day.month - 1], weekdays[day.weekday()]
        for text in (f"{weekday} {day.day} {name}", f"{name} {day.day}, {day.year}", day.isoformat(),
                     f"{day.day}.{day.month}.{day.year}"):
            self.assertEqual(english(text).dates, (day,), text)
