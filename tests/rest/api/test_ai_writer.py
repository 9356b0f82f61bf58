"""Who writes, through the API: C{GET} and C{PUT /api/ai}, status, and what a reply is worded by."""

from __future__ import annotations

from twisted.internet.defer import Deferred, succeed

from simmail.config import Ai, Config, Http
from simmail.core.rules.quota_plan import Allowances, Plan, SELF_HOSTED
from simmail.testing.universe import now
from simmail.universe.model_access import LOOKED
from tests.rest.served import ServedTestCase
from tests.universe.people.test_wording import good


class NobodyTests(ServedTestCase):
    """Without a model."""

    def test_off(self) -> None:
        """Templates write, nothing more is shown, and what it takes is named."""
        self.assertEqual(self.good("GET", "/api/ai", role="viewer"), {"mode": "off"})
        self.assertEqual(self.good("PUT", "/api/ai", {"mode": "off"}, role="member"), {"mode": "off"})
        self.assertIn("ai.base_url", self.bad(400, "PUT", "/api/ai", {"mode": "on"}))
        self.assertEqual(self.good("GET", "/api/status")["writer"], "templates")


class WriterTests(ServedTestCase):
    """With a model."""

    config = Config(http=Http(rate=0, console_rate=0), ai=Ai(base_url="http://model.example/v1", model="tiny"))

    def setUp(self) -> None:
        """It answers well."""
        super().setUp()
        self.server.model.reply = good

    def test_late(self) -> None:
        """A model that comes up after the service is found when somebody looks; nobody waits for long."""
        model = self.server.model
        model.level = "none"
        coming: Deferred[None] = Deferred()
        self.patch(model, "probe", lambda: coming)
        asked = self.begin("GET", "/api/ai")
        self.assertEqual(asked.received(), b"")
        self.server.reactor.advance(LOOKED)
        self.assertEqual(asked.answer().json()["level"], "none")

        def come() -> Deferred[None]:
            model.level = "text"
            return succeed(None)

        self.patch(model, "probe", come)
        self.assertEqual(self.good("GET", "/api/ai")["level"], "text")

    def test_switched(self) -> None:
        """It is off until a member switches it on; status names it; what was read can be put back."""
        off = self.good("GET", "/api/ai", role="viewer")
        self.assertEqual(off, {"mode": "off", "model": "tiny", "level": "schema"})
        self.bad(403, "PUT", "/api/ai", {"mode": "on"}, role="viewer")
        for body in ({}, {"mode": "maybe"}, {"mode": True}, {"mode": "on", "modle": "x"}):
            self.bad(400, "PUT", "/api/ai", body)
        self.assertEqual(self.good("PUT", "/api/ai", {**off, "mode": "on"}, role="member"), {**off, "mode": "on"})
        self.assertEqual(self.good("GET", "/api/status")["writer"], "tiny")
        # What is so already is no change.
        self.good("PUT", "/api/ai", {"mode": "on"})
        events = self.good("GET", "/api/events?type=settings.updated&after=0")
        self.assertEqual([event["data"] for event in events], [{"name": "ai"}])

    def test_kept(self) -> None:
        """The mode is a setting of the universe: others are not concerned, and a start finds it again."""
        self.good("PUT", "/api/ai", {"mode": "on"})
        self.assertFalse(self.server.universe("other").model.on)
        now(self.universe.settings.start())
        self.assertTrue(self.universe.model.on)

    def test_worded(self) -> None:
        """A reply is worded by the model while it is on, by templates while it is not; credits are shown."""
        self.persona()
        for mode, by in (("on", "tiny"), ("off", "templates")):
            self.good("PUT", "/api/ai", {"mode": mode})
            self.write(subject=mode)
            self.begin("POST", "/api/clock/advance", {"until": "event:persona.sent"})
            for _ in range(20):
                self.server.reactor.advance(0)
            sent = self.good("GET", "/api/events?type=persona.sent&after=0")
            self.assertEqual(sent[-1]["data"]["by"], by)
        self.assertEqual(self.good("GET", "/api/plan")["used"]["ai_credits"], 1)

    def test_no_credits(self) -> None:
        """Why nobody is asked is said."""
        self.server.plans.update({"self-hosted": SELF_HOSTED, "poor": Plan("poor", (), Allowances(ai_credits=0))})
        now(self.server.roster.change_org("default", plan="poor"))
        self.assertIn("0 AI credits", self.good("PUT", "/api/ai", {"mode": "on"})["trouble"])
