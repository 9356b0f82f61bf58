"""Tests for C{simmail.outbound.language_model}: a server that is slow, broken, refusing, half-closed, lying."""

from __future__ import annotations

import json
from typing import Any

from msgspec.structs import replace
from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.internet.task import deferLater
from twisted.trial.unittest import TestCase

from simmail.config import Ai
from simmail.core.wording.chat import ChatAnswer, ChatQuery, ChatMessage, WORDED
from simmail.outbound.http_client import Gate
from simmail.outbound.language_model import ChatModel, IN_A_ROW, KEPT, language_model, MOST, NoModel
from tests.outbound.model_server import completion, Connection, good, ModelServer
from tests.outbound.notations import URLS

QUERY = ChatQuery(
    "ab" * 16, 0, (ChatMessage("system", "Word it."), ChatMessage("user", '{"draft": "Yes.", "facts": {}}')), WORDED)


class ModelTestCase(TestCase):
    """A model behind a real listener."""

    def setUp(self) -> None:
        """It listens."""
        from twisted.internet import reactor

        self.reactor: Any = reactor
        self.server = ModelServer(reactor)
        self.gate = Gate(reactor, lambda host: succeed(["127.0.0.1"]), kept=KEPT, quiet=0.0)
        self.ai = Ai(base_url=self.server.base_url, model="tiny", timeout="300ms")
        self.model = ChatModel(self.gate, self.reactor, self.ai, "sk-very-secret")

    async def tearDown(self) -> None:
        """Nothing is left open."""
        self.gate.close()
        await deferLater(self.reactor, 0.05)
        await self.server.port.stopListening()


class ChatModelTests(ModelTestCase):
    """What is asked, and what is made of what comes back."""

    async def test_asked(self) -> None:
        """The probe finds the level; a question has model, messages, schema, seed and key, and gets its answer."""
        answer = await self.model.ask(QUERY)
        self.assertEqual(answer, ChatAnswer('{"text": "Yes, really.", "used_facts": []}'))
        self.assertEqual(self.model.level, "schema")
        probe, query = self.server.asked
        line, fields = self.server.heads[1]
        self.assertEqual(line, "POST /v1/chat/completions HTTP/1.1")
        self.assertEqual((fields["authorization"], fields["content-type"], fields["host"]), (
            "Bearer sk-very-secret", "application/json", self.server.place))
        self.assertEqual((query["model"], query["stream"], query["max_tokens"]), ("tiny", False, 1000))
        self.assertNotIn("temperature", query)
        self.assertEqual(query["messages"][0], {"role": "system", "content": "Word it."})
        self.assertEqual(query["response_format"]["json_schema"]["schema"]["required"], ["text", "used_facts"])
        await self.model.ask(QUERY)
        self.assertEqual((len(self.server.asked), self.server.asked[2]["seed"]), (3, query["seed"]))

    async def test_levels(self) -> None:
        """A server that refuses schemas, or takes them and does as it likes, is asked in a way that it understands."""
        def no_schema(one: Connection, query: dict[str, Any]) -> None:
            one.reply(b"{}", "400 Bad Request") if "json_schema" in json.dumps(query) else good(one, query)

        def lying(one: Connection, query: dict[str, Any]) -> None:
            kind = query.get("response_format", {}).get("type")
            one.reply(completion("Hello there!")) if kind == "json_schema" else good(one, query)

        def plain(one: Connection, query: dict[str, Any]) -> None:
            one.reply(b"{}", "422 No") if "response_format" in query else one.reply(completion("Hello there!"))

        for answer, level in ((no_schema, "json"), (lying, "json"), (plain, "text")):
            self.server.answer = answer
            model = ChatModel(self.gate, self.reactor, self.ai)
            await model.probe()
            self.assertEqual(model.level, level)

    async def test_bad_answers(self) -> None:
        """Whatever a server does, there is an answer or a reason, in time."""
        await self.model.probe()
        whole = completion('{"text": "Yes", "used_facts": []}')
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(whole)
        cases: list[tuple[Any, str]] = [
            (lambda one, query: one.reply(b"[" * 100_000), "no chat completion"),
            (lambda one, query: one.reply(b'{"choices": "none"}'), "no chat completion"),
            (lambda one, query: one.reply(b'{"choices": []}'), "answers nothing"),
            (lambda one, query: one.reply(b"\xff\xfe"), "no chat completion"),
            (lambda one, query: one.reply(b"x" * (2 * MOST)), "no chat completion"),
            (lambda one, query: one.reply(completion("Ye", finish_reason="length")), "cut off"),
            (lambda one, query: one.reply(completion("x").replace(b'"content": "x"', b'"refusal": "no"')), "refuses"),
            (lambda one, query: one.reply(completion("it is sk-very-secret")), "repeats the key"),
            (lambda one, query: (one.send(head + whole[:20]), one.hang_up()), "no chat completion"),
            (lambda one, query: one.reply(b"{}", "500 Oops"), "answers 500"),
            (lambda one, query: one.reply(b"{}", "302 Found\r\nLocation: http://127.0.0.1:1/"), "answers 302"),
            (lambda one, query: None, "no answer within 0.3 s"),
            (lambda one, query: one.send(b"HTTP/1.1 200 OK\r\n"), "no answer within 0.3 s"),
            (lambda one, query: one.send(head + whole[:20]), "no answer within 0.3 s"),
            (lambda one, query: one.hang_up(), "does not answer"),
            (lambda one, query: one.send(b"\0\1\2\r\n\r\n"), "does not answer"),
        ]
        for answer, why in cases:
            self.model._missed = 0
            self.server.answer = answer
            found = await self.model.ask(QUERY)
            self.assertEqual(found.text, "", why)
            self.assertIn(why, found.error)
            self.assertNotIn("sk-very-secret", found.error)
        self.server.answer = good
        self.assertEqual((await self.model.ask(QUERY)).error, "")

    async def test_left_alone(self) -> None:
        """A server that does not answer is not asked again at once; then it is, and found."""
        await self.model.probe()
        self.server.answer = lambda one, query: one.hang_up()
        for _ in range(IN_A_ROW):
            self.assertEqual(self.model.trouble, "")
            await self.model.ask(QUERY)
        self.assertIn("does not answer", self.model.trouble)
        asked = len(self.server.asked)
        self.assertEqual((await self.model.ask(QUERY)).error, self.model.trouble)
        await self.model.probe()
        self.assertEqual(len(self.server.asked), asked)
        self.model._quiet = 0.0
        self.server.answer = good
        self.assertEqual((await self.model.ask(QUERY)).error, "")

    async def test_not_there_yet(self) -> None:
        """A server that comes later is found when it is wanted."""
        self.server.answer = lambda one, query: one.reply(b"{}", "503 Loading")
        await self.model.probe()
        self.assertEqual(self.model.level, "none")
        self.server.answer = good
        self.assertEqual((await self.model.ask(QUERY)).error, "")
        self.assertEqual(self.model.level, "schema")

    async def test_closed(self) -> None:
        """When the service ends, a question ends."""
        await self.model.probe()
        self.server.answer = lambda one, query: None
        asked: Deferred[ChatAnswer] = self.model.ask(QUERY)
        self.gate.close()
        await self.assertFailure(asked, CancelledError)

    async def test_only_there(self) -> None:
        """No redirect leads anywhere else, however it writes the address of a listener next to it."""
        other = ModelServer(self.reactor)
        port = str(other.port.getHost().port)
        await self.model.probe()
        for url in URLS:
            location = url.replace("@", port).encode("ascii", "replace").replace(b"\r", b"").replace(b"\n", b"")
            self.server.answer = lambda one, query: one.reply(b"{}", f"307 Away\r\nLocation: {location.decode()}")
            self.model._missed = 0
            self.assertIn("answers 307", (await self.model.ask(QUERY)).error, url)
        self.assertEqual(other.asked, [])
        await other.port.stopListening()

    def test_configured(self) -> None:
        """Without an address there is nobody."""
        model = language_model(Ai(), self.gate, self.reactor)
        self.assertIsInstance(model, NoModel)
        self.assertIn("ai.base_url", self.successResultOf(model.ask(QUERY)).error)
        self.assertIsInstance(language_model(replace(self.ai, record=""), self.gate, self.reactor), ChatModel)
