"""The octets in which events, jobs and arrivals are kept."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.event import Event, PersonaTag, TYPES, matches
from simmail.core.time.instant import format_instant
from simmail.database import layout

instants = st.datetimes(timezones=st.just(timezone.utc))
texts = st.text(st.characters(codec="utf-8"))
values: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-2**53, 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


class DigitsTests(SynchronousTestCase):
    """Instants as eighteen digits."""

    @given(instants)
    def test_round_trip(self, instant: datetime) -> None:
        """Every instant comes back, to the microsecond."""
        self.assertEqual(len(layout.digits(instant)), 18)
        self.assertEqual(layout.instant(layout.digits(instant)), instant)

    @given(instants, instants)
    def test_order(self, one: datetime, other: datetime) -> None:
        """They order as the instants do."""
        self.assertEqual(layout.digits(one) < layout.digits(other), one < other)

    def test_offset(self) -> None:
        """The same instant has the same digits, whatever its offset."""
        utc = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)
        self.assertEqual(layout.digits(utc.astimezone(timezone(timedelta(hours=-5)))), layout.digits(utc))


class EventTests(SynchronousTestCase):
    """Events."""

    @given(st.dictionaries(texts, values, max_size=4), instants, st.booleans())
    def test_body(self, data: dict[str, Any], at: datetime, tagged: bool) -> None:
        """The joined octets are the JSON of the body, in the contract's order of fields."""
        data.update(persona_id="p", case_id="c") if tagged else data.pop("case_id", None)
        tag = PersonaTag("p", 'M "x" \\', ("a@b.test",)) if tagged else None
        row = layout.encode_event(Event("persona.sent", at, data, tag))
        body = json.loads(layout.event_body(row.type.encode(), 12, row.at, row.tail))
        expected: dict[str, Any] = {
            "type": "persona.sent", "id": 12, "at": format_instant(at), "source": "simmail", "data": data,
        }
        if tagged:
            expected["persona"] = {"id": "p", "name": 'M "x" \\', "addresses": ["a@b.test"], "external_ids": {}}
            expected["case_id"] = "c"
        self.assertEqual(body, expected)
        self.assertEqual(list(body), list(expected))

    @given(st.lists(st.sampled_from((*TYPES, "mail.*", "persona.*", "clock*", "x.*", "*")), max_size=4))
    def test_expanded(self, filters: list[str]) -> None:
        """Filters written out pass the types that the filters pass."""
        types = layout.expanded(tuple(filters))
        for type in TYPES:
            self.assertEqual(types is None or type in types, matches(tuple(filters), type))
