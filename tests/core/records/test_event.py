"""Events: their numbers, types and filters."""

from __future__ import annotations

from datetime import datetime, timezone

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.event import Event, PersonaTag, Recorded, TYPES, matches

NOW = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)


class EventTests(SynchronousTestCase):
    """What happened."""

    def test_about(self) -> None:
        """An event is about the persona and the case that its data name, if any."""
        event = Event("persona.sent", NOW, {"persona_id": "p_1", "case_id": "c_1"})
        self.assertEqual((event.persona_id, event.case_id), ("p_1", "c_1"))
        bare = Event("clock", NOW, {"case_id": ""})
        self.assertEqual((bare.persona_id, bare.case_id), (None, None))

    def test_shown(self) -> None:
        """A recorded event shows its persona and case only where it has them."""
        bare = Recorded("clock", 3, NOW, "simmail", {"now": "x"})
        self.assertEqual(msgspec.json.decode(msgspec.json.encode(bare)), {
            "type": "clock", "id": 3, "at": "2026-03-01T09:00:00Z", "source": "simmail", "data": {"now": "x"}})
        full = Recorded("persona.sent", 4, NOW, "simmail", {}, PersonaTag("p_1", "Jo", ("a@b.test",)), "c_1")
        self.assertEqual(msgspec.json.decode(msgspec.json.encode(full), type=Recorded), full)

    def test_filters(self) -> None:
        """No filter passes all; names and prefixes pass what they name; a minus takes away."""
        for filters, passed in (
            ((), {"clock", "job.done", "job.failed"}), (("job.*",), {"job.done", "job.failed"}),
            (("clock", "job.done"), {"clock", "job.done"}), (("-job.*",), {"clock"}),
            (("job.*", "-job.done"), {"job.failed"}), (("job",), set()),
        ):
            self.assertEqual({one for one in ("clock", "job.done", "job.failed") if matches(filters, one)}, passed)

    @given(st.lists(st.sampled_from(TYPES), max_size=3).map(tuple), st.sampled_from(TYPES))
    def test_minus(self, names: tuple[str, ...], type: str) -> None:
        """What names pass, the same names with a minus hold back."""
        if names:
            self.assertNotEqual(matches(names, type), matches(tuple("-" + one for one in names), type))
