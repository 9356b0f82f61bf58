"""Twenty silences in a universe: what the preview said before, and the event says after, are one."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from simmail.core.message.parse import read
from simmail.testing.universe import MemoryServer, now, turned
from tests.universe.test_road import RoadTestCase

APP, MARIA = "app@sim.test", "maria@acme.test"
SPAM = "You have won the lottery! Claim your prize, act now!!!"
AWAY = [{"from": "2026-03-01", "to": "2026-03-09", "message": "Away"}]


def silent(**fields: Any) -> dict[str, Any]:
    """Somebody who answers nothing on its own account."""
    return {"timing": {"reply_rate": 0}, **fields}


#: name: (fields of the persona, header fields of the mail, its text, the event, what both explanations name)
CASES: dict[str, tuple[dict[str, Any], str, str, str, str]] = {
    "a rate of nothing": (silent(), "", "Hello Maria.", "ignored", "over reply rate 0.00"),
    "a question": (silent(), "", "When is it?", "ignored", "direct question"),
    "a seldom rate": ({"timing": {"reply_rate": 0.02}}, "", "Hello Maria.", "ignored", "over reply rate 0.02"),
    "a ghost": ({"temperament": "ghost"}, "", "Hello Maria.", "ignored", "ghost 0.05"),
    "bulk": ({"timing": {"reply_rate": 0.02}}, "List-Unsubscribe: <https://x.test/u>\n", "News.", "ignored",
             "bulk mail (List-Unsubscribe header)"),
    "a campaign": ({"timing": {"reply_rate": 0.02}}, "Feedback-ID: 1:2:3\n", "News.", "ignored",
                   "bulk mail (Feedback-Id header)"),
    "a copy": ({"timing": {"reply_rate": 0.02}}, "To: b@x.test\nCc: maria@acme.test\n", "News.", "ignored", "cc only"),
    "paused": ({"paused": True}, "", "Hello Maria.", "ignored", "paused"),
    "paused and asked": ({"paused": True}, "", "Why?", "ignored", "paused"),
    "an auto-reply": ({}, "Auto-Submitted: auto-replied\n", "I am away.", "ignored", "loop"),
    "generated": ({}, "Auto-Submitted: auto-generated\n", "Report.", "ignored", "loop"),
    "precedence bulk": ({}, "Precedence: bulk\n", "News.", "ignored", "loop"),
    "precedence list": ({}, "Precedence: list\n", "News.", "ignored", "loop"),
    "precedence junk": ({}, "Precedence: junk\n", "News.", "ignored", "loop"),
    "a mailing list": ({}, "List-Id: <l.x.test>\n", "News.", "ignored", "loop"),
    "an old auto-reply": ({}, "X-Autoreply: yes\n", "Away.", "ignored", "loop"),
    "junk": ({}, "", SPAM, "junked", "reaches 5.0"),
    "junk for a strict one": ({"style": {"filter": "strict"}}, "", SPAM, "junked", "reaches 3.0"),
    "bouncing": ({"behaviors": {"bounce": 1}}, "", "Hello Maria.", "bounced", "under 1.00"),
    "bouncing spam": ({"behaviors": {"bounce": 1}}, "", SPAM, "bounced", "under 1.00"),
    "away and not inclined": ({"timing": {"reply_rate": 0, "ooo": AWAY}}, "", "Hello Maria.", "ignored",
                              "over reply rate 0.00"),
}


def message(header: str, text: str) -> bytes:
    """A mail of the application with some header fields of its own."""
    to = "" if "To:" in header else f"To: {MARIA}\n"
    return (f"From: App <{APP}>\n{to}Subject: Something\nMessage-ID: <one@app.test>\n"
            f"Date: Mon, 02 Mar 2026 09:00:00 +0000\n{header}\n{text}\n").encode()


class SilencesTests(RoadTestCase):
    """Why nothing came."""

    def test_preview_and_event_agree(self) -> None:
        """For each silence the preview names as its reason what the event then says, with the same number."""
        self.assertGreaterEqual(len(CASES), 20)
        for name, (fields, header, text, event, told) in CASES.items():
            self.server = MemoryServer()
            self.universe = self.server.universe(seed=name)
            maria = now(self.universe.people.create({"addresses": [MARIA], "temperament": "responsive", **fields}))
            octets = message(header, text)
            before = now(self.universe.decisions.preview(maria, read(octets.replace(b"\n", b"\r\n")), APP))
            self.assertEqual(before.decision, {"ignored": "ignore", "junked": "junk", "bounced": "bounce"}[event], name)
            self.server.send(self.universe, APP, MARIA, octets)
            (silence,) = self.events(f"persona.{event}")
            why = silence["data"]["why"]
            self.assertIn(why, before.why, name)
            said = " ".join((why, *silence["data"].get("because", ())))
            self.assertIn(told, said, name)
            self.assertIn(told, " ".join(before.why), name)
            turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=30)))
            sent = [one["data"]["kind"] for one in self.events("persona.sent")]
            self.assertEqual(sent, ["ooo"] if "ooo" in str(fields) else [], name)

    def test_preview_stores_nothing(self) -> None:
        """A hundred previews leave no event, no job and no relation."""
        maria = now(self.universe.people.create({"addresses": [MARIA], "temperament": "responsive"}))
        before = len(self.events("persona.*"))
        for n in range(100):
            now(self.universe.decisions.preview(maria, read(message("", f"Number {n}?").replace(
                b"\n", b"\r\n")), APP))
        self.assertEqual(len(self.events("persona.*")), before)
        self.assertEqual(self.universe.pending.by_id, {})
        self.assertEqual(now(self.universe.memories.dossiers(maria.id)), {})
