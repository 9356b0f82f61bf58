"""Tests for C{simmail.universe.people.strangers}: who is behind a new address, as a model makes it up."""

from __future__ import annotations

import json
from typing import Any

from msgspec import UNSET
from twisted.internet.defer import Deferred

from simmail.core.wording.chat import ChatAnswer, NotWorded
from simmail.core.wording.stranger import stranger_fields
from simmail.testing.universe import now
from simmail.universe.universe import Universe
from simmail.universe.usage import CREDITS
from tests.universe.people.test_wording import good, WordingTestCase
from tests.universe.people.test_inbox_worker import said

MADE_UP = {"role": "Gardener", "org": "Green Lane Nurseries", "who": "Grows roses in a small town.",
           "character": "Patient and a little dry."}
TINA = "tina.berg@garden.test"


class StrangerTests(WordingTestCase):
    """Mail for somebody never heard of."""

    def setUp(self) -> None:
        """The rules ask for made-up strangers."""
        super().setUp()
        now(self.universe.policy.put_rules({"default": {"stranger": "ai"}}))
        self.answer: Any = ChatAnswer(json.dumps(MADE_UP))
        self.model.reply = lambda query: self.answer if "garden.test" in query.messages[1].content and len(
            query.messages[1].content) < 400 else good(query)

    def write(self, address: str = TINA) -> None:
        """The application writes there."""
        self.server.send(self.universe, "app@sim.test", address, said(b"Do you sell roses?", 0))
        self.server.reactor.advance(0)

    def test_filled(self) -> None:
        """The stranger is there at once and becomes somebody, which is told; it costs a credit."""
        waiting: Deferred[ChatAnswer] = Deferred()
        self.answer = waiting
        self.write()
        (created,) = self.events("persona.created")
        self.assertEqual(created["data"]["mode"], "ai")
        tina: Any = self.universe.people.at(TINA)
        self.assertEqual((tina.name, tina.role), ("Tina Berg", UNSET))
        moved = Deferred.fromCoroutine(self.universe.scheduler.advance(until="idle"))
        self.server.reactor.advance(0)
        self.assertEqual([event["data"] for event in self.events("persona.sent")], [])
        waiting.callback(ChatAnswer(json.dumps(MADE_UP)))
        for _ in range(20):
            self.server.reactor.advance(0)
        now(moved)
        tina = self.universe.people.at(TINA)
        self.assertEqual((tina.name, tina.role, tina.org), ("Tina Berg", "Gardener", "Garden"))
        self.assertEqual([one["data"]["id"] for one in self.events("persona.updated")][-1], tina.id)
        self.assertGreaterEqual(self.universe.usage.used(CREDITS), 1)
        self.assertEqual(now(self.universe.database.table("main", "unfilled")), {})

    def test_not_filled(self) -> None:
        """Without a proper answer the stranger stays plain, and that is told."""
        self.answer = ChatAnswer('{"role": "x"}')
        self.write()
        tina: Any = self.universe.people.at(TINA)
        self.assertEqual(tina.role, UNSET)
        (event,) = self.events("writer.fallback")
        self.assertEqual((event["data"]["what"], event["data"]["persona_id"]), ("stranger", tina.id))

    def test_off(self) -> None:
        """With the writer off, ai is basic and nobody is asked."""
        now(self.universe.settings.put("ai", {"mode": "off"}))
        self.write()
        (created,) = self.events("persona.created")
        self.assertEqual((created["data"]["mode"], self.model.asked), ("basic", []))

    def test_crash(self) -> None:
        """Who was not filled in when the service was killed is asked about again."""
        self.answer = Deferred()
        self.write()
        old = self.universe
        self.answer = ChatAnswer(json.dumps(MADE_UP))
        self.universe = Universe(
            old.record, self.server.config, old.store, self.server.database, self.server.reactor, self.server.unique,
            self.server.web, self.server.endpoints, self.model)
        now(self.universe.start())
        self.server.reactor.advance(0)
        tina: Any = self.universe.people.at(TINA)
        self.assertEqual(tina.role, "Gardener")

    def test_refused(self) -> None:
        """Nobody is made of figures, addresses or links."""
        self.assertEqual(stranger_fields(json.dumps(MADE_UP)), MADE_UP)
        for name, value in (("role", ""), ("role", "x" * 61), ("org", "Acme 3000"), ("who", "Write to a@b.test"),
                            ("who", "See https://evil.example"), ("character", "Kind\u2028of"), ("org", 7)):
            self.assertRaises(NotWorded, stranger_fields, json.dumps({**MADE_UP, name: value}))
