"""Tests for C{simmail.core.insights.events}."""

from __future__ import annotations

from datetime import UTC, datetime

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.insights.events import COUNTED, CountedEvent, instant_at, recorded_row, row_of, seconds_at
from simmail.core.records.event import Event, PersonaTag, TYPES
from simmail.database.layout import digits, encode_event, event_body

AT = datetime(2026, 3, 2, 9, 0, 0, 500_000, tzinfo=UTC)


class RowTests(SynchronousTestCase):
    """Events as the fold takes them."""

    def test_same(self) -> None:
        """An event is the same whether it comes as it is committed or from the log."""
        event = Event("persona.junked", AT, {"persona_id": "p_1", "subject": "Grüße"},
                      PersonaTag("p_1", "Maria", ("maria@acme.test", "m@acme.test")))
        logged = event_body(event.type.encode(), 7, digits(AT), encode_event(event).tail)
        self.assertEqual(recorded_row(logged), row_of(7, event, 0))
        self.assertEqual(row_of(7, event, 0).addresses, ("maria@acme.test", "m@acme.test"))

    def test_never_falls(self) -> None:
        """As in the log, the instant of an event is not before that of the one before it."""
        event = Event("clock", AT, {})
        self.assertEqual(row_of(1, event, seconds_at(AT) + 5).at, seconds_at(AT) + 5)

    def test_data(self) -> None:
        """Data of another type than expected is none; half of a surrogate pair is replaced."""
        row = CountedEvent(1, 86_400 * 3 + 5, "x", {"a": 3, "b": "x\ud800", "c": ["y", 4], "d": "z"})
        self.assertEqual([row.text(name) for name in "abce"], ["", "x?", "", ""])
        self.assertEqual([row.texts(name) for name in "cde"], [["y"], ["z"], []])
        self.assertEqual((row.day, instant_at(row.at)), (3, datetime(1970, 1, 4, 0, 0, 5, tzinfo=UTC)))

    def test_types(self) -> None:
        """All that is counted can be recorded."""
        self.assertLessEqual(set(COUNTED), set(TYPES))
