"""Tests of L{simmail.client.story}."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.client.answers import PendingJob
from simmail.client.story import TOLD, Story
from simmail.core.records.event import TYPES, PersonaTag, Recorded

AT = datetime(2026, 3, 2, 9, tzinfo=timezone.utc)
MARIA = PersonaTag("p_1", "Maria Rossi", ("maria@acme.test",))


def event(type: str, **data: Any) -> Recorded:
    return Recorded(type, 1, AT, "simmail", data, MARIA if type.startswith("persona") else None)


class StoryTests(SynchronousTestCase):
    """A story is told in lines."""

    def test_lines(self) -> None:
        """Who did what with which mail, and why; then what comes."""
        events = [
            event("mail.delivered", **{"from": "app@sim.test"}, to=["maria@acme.test"], subject="Lunch?",
                  message_id="<1@app>"),
            event("clock", now="2026-03-03T09:00:00Z"),
            event("persona.ignored", kind="", subject="Lunch?", message_id="<1@app>", why="loop",
                  because=["automatic mail"])]
        job = PendingJob("j_1", "nudge", AT, "Ask again")
        told = str(Story(events, [job]))
        self.assertEqual(told.split("\n"), [
            "2026-03-02 09:00:00  app@sim.test sent “Lunch?” to maria@acme.test",
            "2026-03-02 09:00:00  Maria Rossi will not answer “Lunch?” — automatic mail",
            "2026-03-02 09:00:00  next: Ask again"])

    def test_one_mail(self) -> None:
        """It can be cut to one mail and what answers it."""
        events = [event("persona.received", message_id="<1@app>"), event("persona.received", message_id="<2@app>"),
                  event("persona.sent", message_id="<3@acme>", answers=["<2@app>"])]
        self.assertEqual(str(Story(events, [], "<2@app>")).count("\n"), 1)
        self.assertEqual(str(Story(events, [], "<4@app>")), "Nothing happened.")

    def test_types(self) -> None:
        """All that is told can happen."""
        self.assertEqual(set(TOLD) - set(TYPES), set())
