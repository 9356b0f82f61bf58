"""Instants, durations, dates and zones."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.time import instant as times
from simmail.errors import Invalid

UTC = timezone.utc


def at(text: str) -> datetime:
    return times.parse_instant(text)


class InstantTests(SynchronousTestCase):
    """RFC 3339."""

    def test_reads(self) -> None:
        """Offsets are applied, lower-case t and z pass, digits past the microsecond are dropped."""
        nine = datetime(2026, 3, 1, 9, tzinfo=UTC)
        self.assertEqual(at("2026-03-01T09:00:00Z"), nine)
        self.assertEqual(at("2026-03-01t09:00:00z"), nine)
        self.assertEqual(at("2026-03-01T10:30:00+01:30"), nine)
        self.assertEqual(at("2026-02-28T23:00:00-10:00"), nine)
        self.assertEqual(at("2026-03-01T09:00:00.5Z"), nine + timedelta(milliseconds=500))
        self.assertEqual(at("2026-03-01T09:00:00.123456789Z").microsecond, 123456)
        self.assertIs(at("2026-03-01T10:30:00+01:30").tzinfo, UTC)

    def test_refuses(self) -> None:
        """Missing offsets, leap seconds, foreign digits, impossible days and offsets are refused."""
        for text in (
            "", "2026-03-01", "2026-03-01T09:00:00", "2026-03-01 09:00:00Z", "2026-03-01T09:00Z",
            "2026-06-30T23:59:60Z", "2026-02-29T00:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T09:00:00+24:00",
            "2026-03-01T09:00:00+01:60", "2026-03-01T09:00:00+0100", "２026-03-01T09:00:00Z", "2026-03-01T09:00:00Z\n",
            "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00Z", "2026-03-01T09:00:00.Z",
        ):
            error = self.assertRaises(Invalid, times.parse_instant, text, "now")
            self.assertEqual(error.field, "now")

    @given(st.datetimes(timezones=st.timezones()))
    @settings(max_examples=100)
    def test_round_trip(self, instant: datetime) -> None:
        """What is written is read back as the same instant."""
        try:
            instant.astimezone(UTC)
        except OverflowError:
            return
        text = times.format_instant(instant)
        self.assertTrue(text.endswith("Z"))
        self.assertEqual(times.parse_instant(text), instant.astimezone(UTC))

    def test_format(self) -> None:
        """Microseconds are shown only when there are any; naive datetimes are a defect."""
        self.assertEqual(times.format_instant(at("2026-03-01T10:00:00+01:00")), "2026-03-01T09:00:00Z")
        self.assertEqual(times.format_instant(at("2026-03-01T09:00:00.5Z")), "2026-03-01T09:00:00.500000Z")
        self.assertRaises(ValueError, times.format_instant, datetime(2026, 3, 1))


class DurationTests(SynchronousTestCase):
    """Decisions, "Durations"."""

    def test_reads(self) -> None:
        """Each unit, and sums from large to small."""
        for text, seconds in (
            ("250ms", 0.25), ("90s", 90), ("45m", 2700), ("2h", 7200), ("3d", 259200), ("1w", 604800),
            ("1h30m", 5400), ("1w2d3h4m5s6ms", 788645.006), ("0s", 0), ("5m3ms", 300.003),
        ):
            self.assertEqual(times.parse_duration(text), timedelta(seconds=seconds), text)

    def test_refuses(self) -> None:
        """Everything else."""
        for text in (
            "", "5", "m", "-5m", "+5m", "1.5h", "1H", "1 h", "30m1h", "1h1h", "1y", "٣s", "1h\n", "1_0s",
            "36526d", "5219w", "9999999999s", "999999999w", "1e3s", "inf",
        ):
            self.assertRaises(Invalid, times.parse_duration, text)

    @given(st.integers(0, 36525 * 86_400_000))
    @settings(max_examples=100)
    def test_round_trip(self, milliseconds: int) -> None:
        """What is written is read back as the same duration."""
        duration = timedelta(milliseconds=milliseconds)
        self.assertEqual(times.parse_duration(times.format_duration(duration)), duration)

    @given(st.text(alphabet="0123456789wdhms ", max_size=40))
    @settings(max_examples=100)
    def test_any_text(self, text: str) -> None:
        """Any text is a duration or Invalid."""
        try:
            self.assertTrue(timedelta(0) <= times.parse_duration(text) <= times.LONGEST)
        except Invalid:
            pass

    def test_format(self) -> None:
        """Short and canonical."""
        for seconds, text in (
            (0, "0s"), (2700, "45m"), (5400, "1h30m"), (14 * 86400, "2w"), (30 * 86400, "30d"), (0.25, "250ms"),
        ):
            self.assertEqual(times.format_duration(timedelta(seconds=seconds)), text)
        self.assertRaises(ValueError, times.format_duration, timedelta(seconds=-1))


class ZoneTests(SynchronousTestCase):
    """IANA names only."""

    def test_known(self) -> None:
        """Names of one to three words."""
        for name in ("UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "EST5EDT"):
            self.assertEqual(times.zone(name).key, name)

    def test_refused(self) -> None:
        """Paths, NUL, folders, files of the tables and unknown names name the field at fault."""
        for name in (
            "", "../../etc/passwd", "/etc/passwd", "Europe/../UTC", "UTC\0", "Europe", "Europe/", "localtime",
            "posixrules", "right/UTC", "leapseconds", "tzdata.zi", "zone.tab", "Mars/Olympus", "UTC\n", "A" * 5000,
        ):
            self.assertEqual(self.assertRaises(Invalid, times.zone, name).field, "timing.hours.tz", name)
        self.assertEqual(self.assertRaises(Invalid, times.zone, "Nope", "window.tz").field, "window.tz")


class CalendarTests(SynchronousTestCase):
    """Days, times of day and dates."""

    def test_days(self) -> None:
        """Ranges wrap over the weekend, lists add up."""
        for text, days in (
            ("mon-fri", {0, 1, 2, 3, 4}), ("fri-mon", {4, 5, 6, 0}), ("mon,wed,fri", {0, 2, 4}), ("sun", {6}),
            ("Mon-Wed, sat", {0, 1, 2, 5}), ("mon-mon", {0}),
        ):
            self.assertEqual(times.parse_days(text), days)
        for text in ("", "mon-", "monday", "mon–fri", "mon-tue-wed", "mon,,tue", "mon," * 30):
            self.assertRaises(Invalid, times.parse_days, text)

    def test_times_of_day(self) -> None:
        """HH:MM to 24:00, two digits each."""
        self.assertEqual(times.parse_clock("09:30"), 570)
        self.assertEqual(times.parse_clock("24:00"), 1440)
        for text in ("9:30", "24:01", "12:60", "1230", "12:3", "", "１2:00"):
            self.assertRaises(Invalid, times.parse_clock, text)

    def test_bad_dates(self) -> None:
        """Dates are YYYY-MM-DD and in the calendar."""
        for text in ("2026-02-30", "2026-2-3", "20260203", "", "2026-03-01T00:00:00Z"):
            self.assertRaises(Invalid, times.parse_date, text)


class HeaderDateTests(SynchronousTestCase):
    """RFC 5322 dates."""

    def test_writes(self) -> None:
        """English names whatever the locale, the zone of the datetime, and only aware ones."""
        self.assertEqual(times.email_date(at("2026-03-03T08:00:00Z")), "Tue, 3 Mar 2026 08:00:00 +0000")
        self.assertEqual(times.email_date(at("2026-03-03T08:00:00Z").astimezone(times.zone("Asia/Kolkata"))),
                         "Tue, 3 Mar 2026 13:30:00 +0530")
        self.assertEqual(times.email_date(at("2026-07-03T08:00:00Z").astimezone(times.zone("America/St_Johns"))),
                         "Fri, 3 Jul 2026 05:30:00 -0230")
        self.assertRaises(ValueError, times.email_date, datetime(2026, 3, 3))

    @given(st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.timezones()))
    @settings(max_examples=100)
    def test_round_trip(self, instant: datetime) -> None:
        """What is written is read back, to the second."""
        instant = instant.replace(microsecond=0)
        offset = instant.utcoffset()
        if offset is None or offset.seconds % 60:
            return
        self.assertEqual(times.read_date(times.email_date(instant)), instant.astimezone(UTC))

    def test_reads_what_is_there(self) -> None:
        """Old and sloppy dates are read, the rest is None."""
        self.assertEqual(times.read_date("3 Mar 26 09:00 EST"), at("2026-03-03T14:00:00Z"))
        self.assertEqual(times.read_date("Tue, 3 Mar 2026 09:00:60 -0000 (leap)"), at("2026-03-03T09:00:59Z"))
        for text in ("", "yesterday", "Tue, 99 Mar 2026 09:00:00 +0100", "Tue, 3 Mar 2026 09:00:00 +9999", "\0",
                     "(" * 99, ", , ,", "1 2 3 4 5 6 7 8"):
            self.assertIsNone(times.read_date(text), text)

    @given(st.text(max_size=300))
    @settings(max_examples=200)
    def test_never_raises(self, text: str) -> None:
        """Any text is a date or None."""
        read = times.read_date(text)
        self.assertTrue(read is None or read.tzinfo is not None)
