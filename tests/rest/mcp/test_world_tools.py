"""C{simmail.rest.mcp.world_tools}: the people, their clock, what happened and why."""

from __future__ import annotations

from typing import Any

from tests.rest.mcp.speaking import SpeakingTestCase, unfenced


class WorldTests(SpeakingTestCase):
    """What a tester does."""

    path = "/mcp?tools=world"

    def test_story(self) -> None:
        """A mail's story: who got it, what they decided and why, what is planned, what came of it."""
        self.tool("create_persona", addresses=["maria@acme.test"], temperament="responsive",
                  timing={"reply_rate": 1, "delay": {"median": "20m", "spread": 1.2}})
        message_id = self.write()
        self.write(subject="Another")
        before: Any = unfenced(self.told("explain", message_id=message_id))
        self.assertEqual([one["state"] for one in before["jobs"] if one["kind"] == "reply"], ["pending"])
        self.assertEqual(self.tool("advance", by="2d")["structuredContent"]["stopped_by"], "to")
        after: Any = unfenced(self.told("explain", message_id=message_id))
        types = [one["type"] for one in after["events"]]
        self.assertEqual(types[:3], ["mail.delivered", "persona.received", "job.scheduled"])
        self.assertIn("persona.sent", types)
        self.assertNotIn("Another", str(after["events"][:3]))
        self.assertEqual({one["message_id"] for one in after["jobs"]}, {message_id})
        persona = unfenced(self.told("personas"))[0]["id"]
        self.assertIn("Another", self.told("explain", persona_id=persona))
        self.wrong("explain")
        self.wrong("explain", persona_id=persona, message_id=message_id)

    def test_as_the_api(self) -> None:
        """Each tool takes what its call takes, refuses what it refuses, and answers the same."""
        self.persona()
        self.write()
        self.assertEqual(unfenced(self.told("events", limit=2)), self.good("GET", "/api/events?limit=2"))
        self.assertEqual(unfenced(self.told("personas")), self.good("GET", "/api/personas"))
        self.assertEqual(unfenced(self.told("score")), self.good("GET", "/api/score"))
        self.assertEqual(unfenced(self.told("inspect", address="maria@acme.test", uid=1)),
                         self.good("GET", "/api/inspect?address=maria@acme.test&uid=1"))
        self.assertIn("There is more", self.told("events", limit=1))
        self.assertEqual(self.wrong("events", limit=0), self.bad(400, "GET", "/api/events?limit=0"))
        self.assertEqual(self.wrong("events", colour="red"), "colour: unknown field")
        self.assertEqual(self.wrong("advance"), self.bad(400, "POST", "/api/clock/advance", {}))
        pushed = unfenced(self.told("push_case", title="Late", external_id="7"))
        self.assertEqual(unfenced(self.told("cases"))[0]["id"], pushed["case"]["id"])

    def test_roles(self) -> None:
        """A key may do by a tool what it may do by a call."""
        self.assertIn("role", self.wrong("advance", role="viewer", by="1d"))
        self.assertIn("role", self.wrong("reset", role="member", confirmed=True))
        self.assertIn("role", self.wrong("fork", role="member"))

    def test_faults(self) -> None:
        """All rules are replaced, by none too."""
        rule = {"kind": "defer", "stage": "rcpt", "match": "@acme.test"}
        self.wrong("set_faults", items=[rule])
        self.tool("set_faults", items=[rule], confirmed=True)
        self.assertIn("acme", self.told("faults"))
        self.assertIn("kind", self.wrong("set_faults", items=[{"kind": "nope", "stage": "rcpt"}], confirmed=True))
        self.tool("set_faults", items=[], confirmed=True)
        self.assertEqual(self.told("faults"), "[]")

    def test_fork_and_delete(self) -> None:
        """A fork answers with what gets into it; what is deleted is gone."""
        made = self.persona()
        fork = self.tool("fork", id="copy")["structuredContent"]
        self.assertEqual(fork["universe"], "copy")
        self.assertTrue(fork["key"].startswith("sm_"))
        self.tool("delete_persona", id=made["id"], confirmed=True)
        self.assertEqual(unfenced(self.told("personas")), [])
        self.assertIn("no persona", self.wrong("delete_persona", id="../x", confirmed=True))
        for arguments in ({}, {"id": 7}):
            self.assertIn("id: is required", self.wrong("delete_persona", confirmed=True, **arguments))
