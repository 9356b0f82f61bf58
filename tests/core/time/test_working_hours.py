"""Working hours and absences."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.persona import Hours, OutOfOffice
from simmail.core.time import working_hours
from simmail.core.time.instant import DAYS
from simmail.core.time.instant import parse_instant as at

UTC = timezone.utc


class HoursTests(SynchronousTestCase):
    """Working hours by the wall clock."""

    office = Hours(tz="Europe/Berlin", days="mon-fri", from_="09:00", to="17:00")

    def test_no_hours(self) -> None:
        """No hours are always open."""
        now = at("2026-03-01T03:00:00Z")
        for hours in (None, UNSET, Hours()):
            self.assertTrue(working_hours.is_open(hours, now))
            self.assertEqual(working_hours.next_open(hours, now), now)

    def test_office(self) -> None:
        """Open from the first minute to before the last, on its days, in its zone."""
        for instant, is_open in (
            ("2026-03-02T08:00:00Z", True), ("2026-03-02T07:59:59.999999Z", False), ("2026-03-02T15:59:59Z", True),
            ("2026-03-02T16:00:00Z", False), ("2026-03-01T10:00:00Z", False), ("2026-07-06T07:00:00Z", True),
        ):
            self.assertEqual(working_hours.is_open(self.office, at(instant)), is_open, instant)

    def test_next(self) -> None:
        """The next opening is later the same day, the next morning, or after the weekend."""
        for now, opens in (
            ("2026-03-02T09:00:00Z", "2026-03-02T09:00:00Z"), ("2026-03-02T05:00:00Z", "2026-03-02T08:00:00Z"),
            ("2026-03-02T16:00:00Z", "2026-03-03T08:00:00Z"), ("2026-03-06T16:00:00Z", "2026-03-09T08:00:00Z"),
            ("2026-03-27T16:00:00Z", "2026-03-30T07:00:00Z"),
        ):
            self.assertEqual(working_hours.next_open(self.office, at(now)), at(opens), now)

    def test_keeps_the_zone(self) -> None:
        """The answer is in the zone that was asked in."""
        self.assertIs(working_hours.next_open(self.office, at("2026-03-06T16:00:00Z")).tzinfo, UTC)

    def test_over_midnight(self) -> None:
        """A window belongs to the day it begins on."""
        night = Hours(tz="UTC", days="fri", from_="22:00", to="06:00")
        for instant, is_open in (
            ("2026-03-06T22:00:00Z", True), ("2026-03-07T05:59:00Z", True), ("2026-03-07T06:00:00Z", False),
            ("2026-03-06T05:00:00Z", False), ("2026-03-07T22:00:00Z", False),
        ):
            self.assertEqual(working_hours.is_open(night, at(instant)), is_open, instant)
        self.assertEqual(working_hours.next_open(night, at("2026-03-07T06:00:00Z")), at("2026-03-13T22:00:00Z"))
        late = Hours(tz="UTC", from_="18:00", to="00:00")
        self.assertTrue(working_hours.is_open(late, at("2026-03-06T23:59:59Z")))
        self.assertFalse(working_hours.is_open(late, at("2026-03-06T00:00:00Z")))

    def test_gap(self) -> None:
        """An opening time that is skipped opens at the change of the clocks."""
        early = Hours(tz="Europe/Berlin", from_="02:30", to="05:00")
        self.assertEqual(working_hours.next_open(early, at("2026-03-29T00:59:00Z")), at("2026-03-29T01:00:00Z"))
        swallowed = Hours(tz="Europe/Berlin", days="sun", from_="02:00", to="03:00")
        self.assertEqual(working_hours.next_open(swallowed, at("2026-03-28T12:00:00Z")), at("2026-04-05T00:00:00Z"))

    def test_fold(self) -> None:
        """An hour that comes twice is open twice, also when the clock jumps back into the window."""
        twice = Hours(tz="Europe/Berlin", days="sun", from_="02:15", to="02:45")
        self.assertEqual(working_hours.next_open(twice, at("2026-10-25T00:00:00Z")), at("2026-10-25T00:15:00Z"))
        self.assertEqual(working_hours.next_open(twice, at("2026-10-25T00:45:00Z")), at("2026-10-25T01:15:00Z"))
        into = Hours(tz="Europe/Berlin", days="sun", from_="01:30", to="02:30")
        self.assertEqual(working_hours.next_open(into, at("2026-10-25T00:40:00Z")), at("2026-10-25T01:00:00Z"))

    @given(
        st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Apia"]),
        st.sets(st.sampled_from(DAYS), min_size=1), st.integers(0, 1439), st.integers(0, 1439),
        st.datetimes(datetime(2011, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC)),
    )
    @settings(max_examples=150, deadline=None)
    def test_next_is_the_first(self, tz: str, days: set[str], start: int, end: int, now: datetime) -> None:
        """The next opening is open, and nothing before it is: each quarter of an hour is looked at."""
        hours = Hours(tz=tz, days=",".join(sorted(days)), from_=f"{start // 60:02d}:{start % 60:02d}",
                      to=f"{end // 60:02d}:{end % 60:02d}")
        opens = working_hours.next_open(hours, now)
        self.assertTrue(working_hours.is_open(hours, opens))
        self.assertTrue(now <= opens)
        wanted = working_hours.window(hours)
        step = now
        while step < opens:
            self.assertFalse(wanted.open(step), step)
            step += timedelta(minutes=15)
        if opens > now:
            self.assertFalse(wanted.open(opens - timedelta(microseconds=1)))


class AwayTests(SynchronousTestCase):
    """Out of office."""

    def test_inclusive_in_the_zone(self) -> None:
        """Both days count, from midnight to midnight of the zone of the hours."""
        trip = OutOfOffice("2026-03-02", "2026-03-03")
        berlin = Hours(tz="Europe/Berlin")
        start, end = at("2026-03-01T23:00:00Z"), at("2026-03-03T23:00:00Z")
        self.assertEqual(working_hours.away((trip,), berlin, start), (trip, start, end))
        self.assertEqual(working_hours.away((trip,), berlin, end - timedelta(seconds=1)), (trip, start, end))
        self.assertIsNone(working_hours.away((trip,), berlin, end))
        self.assertIsNone(working_hours.away((trip,), berlin, start - timedelta(seconds=1)))
        self.assertEqual(working_hours.away((trip,), UNSET, at("2026-03-02T00:00:00Z")),
                         (trip, at("2026-03-02T00:00:00Z"), at("2026-03-04T00:00:00Z")))

    def test_never(self) -> None:
        """No periods, no absence; the last day of all has an end too."""
        self.assertIsNone(working_hours.away(UNSET, None, at("2026-03-02T00:00:00Z")))
        self.assertIsNone(working_hours.away((), None, at("2026-03-02T00:00:00Z")))
        forever = OutOfOffice("2026-01-01", "9999-12-31")
        found = working_hours.away((forever,), None, at("2026-03-02T00:00:00Z"))
        self.assertIsNotNone(found)
