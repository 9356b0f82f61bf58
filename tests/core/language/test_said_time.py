"""Times as people say them."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.said_time import find
from tests.core.hostile import seconds

#: A Monday, 10:00.
MONDAY = datetime(2026, 3, 2, 10, tzinfo=ZoneInfo("Europe/Berlin"))


def told(text: str, now: datetime = MONDAY) -> str:
    """What is found, as wall-clock time."""
    found = find(text, now)
    return "" if found is None else f"{found:%m-%d %H:%M}"


class FindTests(SynchronousTestCase):
    """One time out of a sentence."""

    def test_days(self) -> None:
        """Named days end at five."""
        for text, expected in (
            ("by friday", "03-06 17:00"), ("before wednesday.", "03-04 17:00"), ("on monday", "03-09 17:00"),
            ("next tuesday", "03-10 17:00"), ("tomorrow", "03-03 17:00"), ("today", "03-02 17:00"),
            ("by fri", "03-06 17:00"), ("by end of day", "03-02 17:00"), ("by eod", "03-02 17:00"),
            ("by the end of the week", "03-06 17:00"), ("by the end of this week", "03-06 17:00"),
            ("next week", "03-13 17:00"), ("bis freitag", "03-06 17:00"), ("morgen", "03-03 17:00"),
            ("heute noch", "03-02 17:00"), ("nächste woche", "03-13 17:00"),
        ):
            self.assertEqual(told(text), expected, text)

    def test_dates(self) -> None:
        """Dates of the month and ISO dates; one long past is next year's."""
        for text, expected in (
            ("by 5 march", "03-05 17:00"), ("by march 5th", "03-05 17:00"), ("on the 21st of march", "03-21 17:00"),
            ("by 2026-03-20", "03-20 17:00"), ("by march 32", ""), ("on february 30", ""),
            ("am 5. märz", "03-05 17:00"),
        ):
            self.assertEqual(told(text), expected, text)
        found = find("by 5 november", MONDAY)
        assert found is not None
        self.assertEqual(found.year, 2026)
        found = find("by 5 december", MONDAY.replace(month=6, day=1))
        assert found is not None
        self.assertEqual((found.year, found.month), (2026, 12))
        found = find("by 5 january", MONDAY.replace(month=12))
        assert found is not None
        self.assertEqual((found.year, found.month), (2027, 1))

    def test_spans(self) -> None:
        """From minutes to weeks, in digits and words."""
        for text, expected in (
            ("within 24 hours", "03-03 10:00"), ("in 10 minutes", "03-02 10:10"), ("within the hour", "03-02 11:00"),
            ("in two days", "03-04 17:00"), ("within 3-5 business days", "03-05 17:00"),
            ("in a couple of weeks", "03-16 17:00"), ("within the next few days", "03-05 17:00"),
            ("in einer woche", "03-09 17:00"), ("in the meeting", ""), ("in order to help", ""),
        ):
            self.assertEqual(told(text), expected, text)

    def test_hours(self) -> None:
        """An hour with a day, or alone; alone and past it is tomorrow's."""
        for text, expected in (
            ("tomorrow at noon", "03-03 12:00"), ("by 5pm", "03-02 17:00"), ("by 9 am", "03-03 09:00"),
            ("friday 14:30", "03-06 14:30"), ("today at 11:15", "03-02 11:15"), ("by 12 pm", "03-02 12:00"),
            ("by 25:00", ""), ("tonight", "03-02 20:00"), ("at 3", ""),
        ):
            self.assertEqual(told(text), expected, text)

    def test_short_words(self) -> None:
        """May, sun and wed are words of their own unless said as dates."""
        for text in ("you may have it", "the sun shines", "they wed in secret", "mar the surface"):
            self.assertEqual(told(text), "", text)

    def test_never_past(self) -> None:
        """Today after five is within the hour."""
        late = MONDAY.replace(hour=18)
        self.assertEqual(told("today", late), "03-02 19:00")

    @settings(max_examples=300, deadline=None)
    @given(st.text(max_size=200) | st.lists(st.sampled_from(
        "by in within next friday may 31 2026-02-30 february 5pm 99999999999 3rd ²nd noon week end of the a few days "
        "hours minutes months eow today morgen 0 -1 24:00 month".split()), max_size=10).map(" ".join))
    def test_anything(self, text: str) -> None:
        """Any text gives nothing or an aware instant that is not long past."""
        found = find(text.lower(), MONDAY)
        if found is not None:
            self.assertIsNotNone(found.utcoffset())
            # Dates are taken as they are said, up to two months back; ISO dates even more.
            if "-" not in text:
                self.assertGreater(found, MONDAY - timedelta(days=62))

    def test_quick(self) -> None:
        """A long sentence costs no more than its words."""
        self.assertLess(seconds(find, "in the next " * 100_000, MONDAY), 0.2)
