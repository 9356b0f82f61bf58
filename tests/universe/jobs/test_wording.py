"""Tests for C{simmail.universe.jobs.wording}: what a model words, what it costs, and what happens without it."""

from __future__ import annotations

import json
from typing import Any

from twisted.internet.defer import Deferred

from simmail.config import Ai, Config
from simmail.core.wording.chat import ChatAnswer, ChatQuery
from simmail.testing.universe import MemoryServer, now
from simmail.universe.usage import CREDITS
from tests.outbound.model_server import rephrased
from tests.universe.people.test_inbox_worker import said
from tests.universe.test_road import persona, RoadTestCase

MARIA = "maria@acme.test"


def plan_in(query: ChatQuery) -> dict[str, Any]:
    """The plan that was asked about."""
    plan, _ = json.JSONDecoder().raw_decode(query.messages[1].content)
    assert isinstance(plan, dict)
    return plan


def good(query: ChatQuery) -> ChatAnswer:
    """An answer that every check lets pass."""
    plan = plan_in(query)
    return ChatAnswer(json.dumps({"text": rephrased(plan), "used_facts": sorted(plan["facts"])}))


class WordingTestCase(RoadTestCase):
    """A universe with a model that is on."""

    def setUp(self) -> None:
        """Maria always answers."""
        super().setUp()
        self.server = MemoryServer(Config(ai=Ai(base_url="http://model.example/v1", model="tiny")))
        self.universe = self.server.universe(seed="words")
        self.model = self.server.model
        self.model.reply = good
        now(self.universe.settings.put("ai", {"mode": "on"}))
        now(self.universe.people.create(persona()))

    def ask(self, text: bytes = b"How many chairs do you need, and when can we deliver them?", n: int = 0) -> None:
        """The application writes to her."""
        self.server.send(self.universe, "app@sim.test", MARIA, said(text, n))

    def go(self, **move: Any) -> None:
        """Move the clock until she has answered."""
        done = Deferred.fromCoroutine(self.universe.scheduler.advance(**(move or {"until": "event:persona.sent"})))
        for _ in range(50):
            self.server.reactor.advance(0)
        now(done)

    def sent(self) -> dict[str, Any]:
        """What was told of her only mail."""
        (event,) = self.events("persona.sent")
        data: dict[str, Any] = event["data"]
        return data


class WordedTests(WordingTestCase):
    """What a model words."""

    def test_worded(self) -> None:
        """A reply is in the model's words, between the persona's own greeting and signature, and is paid for once."""
        self.ask()
        self.go()
        (query,) = self.model.asked
        plan = plan_in(query)
        self.assertEqual(self.sent()["by"], "tiny")
        self.assertIn(rephrased(plan), self.sent()["text"])
        self.assertGreater(len(self.sent()["text"]), len(rephrased(plan)) + 3)
        self.assertEqual(self.events("writer.fallback"), [])
        self.assertEqual(self.universe.usage.used(CREDITS), 1)
        self.assertEqual(now(self.universe.database.table("main", "worded")), {})
