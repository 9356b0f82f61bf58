"""When a persona acts."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide import delay as timing
from simmail.core.records.settings import Pace
from simmail.core.rng import Dice
from tests.core.scenes import NOW, after, person

OFFICE = {"tz": "Europe/Berlin", "days": "mon-fri", "from": "09:00", "to": "17:00"}


def at(text: str) -> datetime:
    """An instant in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)


class AvailableTests(SynchronousTestCase):
    """Neither away nor off work."""

    def test_moves(self) -> None:
        """Nights, weekends and absences are left behind, one after the other."""
        ooo = [{"from": "2026-03-09", "to": "2026-03-11"}, {"from": "2026-03-12", "to": "2026-03-12"}]
        persona = person(timing={"hours": OFFICE, "ooo": ooo})
        for given_, expected in (
            ("2026-03-02T10:00", "2026-03-02T10:00"), ("2026-03-02T16:00", "2026-03-03T08:00"),
            ("2026-03-06T16:30", "2026-03-13T08:00"), ("2026-03-10T10:00", "2026-03-13T08:00"),
            ("2026-03-27T17:00", "2026-03-30T07:00"),
        ):
            self.assertEqual(timing.available(persona, Pace(), at(given_)), at(expected), given_)
        ignoring = timing.available(persona, Pace(ignore_hours=True), at("2026-03-10T10:00"))
        self.assertEqual(ignoring, at("2026-03-12T23:00"))

    def test_no_hours(self) -> None:
        """Without hours any hour will do."""
        self.assertEqual(timing.available(person(), Pace(), at("2026-03-01T03:00")), at("2026-03-01T03:00"))

    def test_endless(self) -> None:
        """Absences without an end that matters do not hang or overflow."""
        persona = person(timing={"hours": OFFICE, "ooo": [{"from": "2026-01-01", "to": "9999-12-31"}]})
        found = timing.due(persona, Pace(1e6), NOW, timedelta(days=400), Dice("x"))
        self.assertGreater(found.at.year, 9000)


class DueTests(SynchronousTestCase):
    """Delays into hours."""

    def test_sentence(self) -> None:
        """The sentence says what moved it."""
        persona = person(timing={"hours": OFFICE, "ooo": [{"from": "2026-03-09", "to": "2026-03-11"}]})
        for now, span, words in (
            ("2026-03-02T10:00", timedelta(minutes=5), "after 5m"),
            ("2026-03-02T10:00", timedelta(hours=9), "after 9h, moved into working hours"),
            ("2026-03-06T15:00", timedelta(days=3), "after 3d, moved past an absence"),
            ("2026-03-10T15:00", timedelta(hours=1), "after 1h from the return on 2026-03-11"),
        ):
            self.assertEqual(timing.due(persona, Pace(), at(now), span, Dice("x")).why, words)

    def test_working_time(self) -> None:
        """What is left of a delay at the end of a day lasts into the next, and a day is a working day."""
        persona = person(timing={"hours": {**OFFICE, "tz": "UTC"}})
        begun = timing.morning(persona, Pace(), Dice("x"))
        for now, span, expected in (
            ("2026-03-02T10:00", timedelta(hours=3), at("2026-03-02T13:00")),
            ("2026-03-02T16:50", timedelta(minutes=20), at("2026-03-03T09:10") + begun),
            ("2026-03-06T15:00", timedelta(hours=3), at("2026-03-09T10:00") + begun),
            ("2026-03-02T20:00", timedelta(minutes=20), at("2026-03-03T09:20") + begun),
            ("2026-03-02T10:00", timedelta(days=1), at("2026-03-03T10:00") + begun),
            ("2026-03-05T10:00", timedelta(days=2, hours=1), at("2026-03-09T11:00") + begun),
            ("2026-03-02T10:00", timedelta(hours=20), at("2026-03-03T10:00") + begun),
        ):
            found = timing.due(persona, Pace(), at(now), span, Dice("x")).at
            self.assertEqual(found, timing._whole(expected), (now, span))
        seldom = person(timing={"hours": {"tz": "UTC", "days": "wed"}})
        self.assertEqual(timing.due(seldom, Pace(), NOW, timedelta(days=10), Dice("x")).at, at("2026-04-01T00:00"))

    def test_habit(self) -> None:
        """It is within an hour and twenty minutes, times pace, and somebody's own."""
        for n in range(100):
            found = timing.morning(person(f"p_{n}"), Pace(0.5), Dice("x"))
            self.assertTrue(timedelta(0) <= found <= (timing.LATE + timing.MORNING) / 2)

    @given(st.integers(0, 100_000), st.integers(0, 400_000), st.integers(1, 90_000),
           st.sampled_from([{}, {"days": "sat"}, {"from": "22:00", "to": "06:00"}, {"from": "02:30", "to": "02:45"}]))
    def test_longer_is_later(self, minutes: int, span: int, more: int, hours: dict[str, str]) -> None:
        """Who takes longer is not done sooner, at whatever hours, across changes of the clocks."""
        persona = person(timing={"hours": {**OFFICE, **hours}})
        one, other = (timing.due(persona, Pace(), after(minutes=minutes), timedelta(seconds=seconds), Dice("x")).at
                      for seconds in (span, span + more))
        self.assertGreaterEqual(other, one)

    def test_whole_seconds(self) -> None:
        """Fractions of a second are rounded up, never back before now."""
        now = NOW + timedelta(microseconds=1)
        self.assertEqual(timing.due(person(), Pace(), now, timedelta(0), Dice("x")).at, NOW + timedelta(seconds=1))
        self.assertEqual(timing.later(now, timedelta(0)), NOW + timedelta(seconds=1))
        self.assertEqual(timing.later(NOW, timedelta(minutes=1)), after(minutes=1))

    @given(st.floats(1, 100), st.floats(0, 1e9), st.integers(0, 10_000), st.sampled_from(["0s", "1ms", "45m", "400d"]))
    def test_delays_are_bounded(self, spread: float, factor: float, seed: int, median: str) -> None:
        """No draw gives a negative or an absurd delay."""
        persona = person(timing={"delay": {"median": median, "spread": spread}})
        found = timing.delay(persona, Pace(factor), Dice(str(seed)))
        self.assertTrue(timedelta(0) <= found <= timing.LONGEST)

    def test_reading(self) -> None:
        """Read after it came and not after the latest instant."""
        for n in range(100):
            found = timing.reading(person(temperament="ghost"), Pace(), NOW, after(hours=3), Dice(str(n)))
            self.assertTrue(NOW <= found <= after(hours=3))


class OwnTests(SynchronousTestCase):
    """The persona's own numbers."""

    def test_defaults(self) -> None:
        """Without a timing the temperament's numbers hold; each own number stands in for one."""
        for fields, rate, delay in (
            ({}, (0.95, "responsive 0.95"), (timedelta(minutes=20), 2.0)),
            ({"reply_rate": 0.2}, (0.2, "its own 0.20"), (timedelta(minutes=20), 2.0)),
            ({"delay": {"median": "3h"}}, (0.95, "responsive 0.95"), (timedelta(hours=3), 2.0)),
            ({"delay": {"spread": 4}}, (0.95, "responsive 0.95"), (timedelta(minutes=20), 4.0)),
        ):
            values: dict[str, Any] = {"timing": fields} if fields else {}
            persona = person(**values)
            self.assertEqual(timing.reply_rate(persona), rate)
            self.assertEqual(timing.median_and_spread(persona), delay)

    def test_zone(self) -> None:
        """UTC unless hours name one."""
        self.assertEqual(str(timing.zone_of(person())), "UTC")
        self.assertEqual(str(timing.zone_of(person(timing={"hours": OFFICE}))), "Europe/Berlin")
