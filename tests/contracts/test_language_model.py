"""What every language model does: the real one, asked over sockets, the one in memory, and one from a recording."""

from __future__ import annotations

import json
from typing import Any

from msgspec.structs import replace
from twisted.internet.defer import succeed
from twisted.internet.task import deferLater
from twisted.trial.unittest import TestCase
from zope.interface.verify import verifyObject

from simmail.config import Ai
from simmail.core.wording.chat import ChatAnswer, ChatMessage, ChatQuery, WORDED
from simmail.errors import NotFound
from simmail.interfaces import ILanguageModel
from simmail.outbound.http_client import Gate
from simmail.outbound.language_model import ChatModel, KEPT
from simmail.outbound.model_recording import ModelRecorder, ModelReplayer
from simmail.testing.language_model import MemoryModel
from tests.outbound.model_server import completion, ModelServer

QUERY = ChatQuery("0a" * 16, 0, (ChatMessage("system", "Word it."), ChatMessage("user", "{}")), WORDED)
WORDS = json.dumps({"text": "Yes.", "used_facts": []})


class LanguageModelContract:
    """Mixed into a test case with C{model} and C{answers(text, error)}."""

    model: Any

    def answers(self, text: str, error: bool = False) -> None:
        """What is answered from now on, or that it fails."""
        raise NotImplementedError

    def test_interface(self) -> None:
        """It is a model, with a name."""
        verifyObject(ILanguageModel, self.model)
        self.assertEqual(self.model.name, "tiny")  # type: ignore[attr-defined]

    async def test_probe(self: Any) -> None:
        """A probe finds out what can be asked, and does not fail."""
        await self.model.probe()
        self.assertEqual((self.model.level, self.model.trouble), ("schema", ""))

    async def test_answer(self: Any) -> None:
        """An answer is the model's text, or an error."""
        await self.model.probe()
        self.answers(WORDS)
        self.assertEqual(await self.model.ask(QUERY), ChatAnswer(WORDS))
        self.answers("", error=True)
        failed = await self.model.ask(QUERY)
        self.assertEqual(failed.text, "")
        self.assertTrue(failed.error)

    async def test_recorded(self: Any) -> None:
        """What a recorder kept, a replayer answers: failures too, by turn; anything else is not found."""
        await self.model.probe()
        folder = self.mktemp()
        recorder = ModelRecorder(self.model, folder)
        verifyObject(ILanguageModel, recorder)
        self.answers(WORDS)
        first = await recorder.ask(QUERY)
        self.answers("", error=True)
        second = await recorder.ask(replace(QUERY, turn=1))
        replayer = ModelReplayer(folder, "tiny")
        verifyObject(ILanguageModel, replayer)
        self.assertEqual(await replayer.ask(QUERY), first)
        self.assertEqual(await replayer.ask(replace(QUERY, turn=1)), second)
        for other in (replace(QUERY, turn=2), replace(QUERY, key="0b" * 16)):
            await self.assertFailure(replayer.ask(other), NotFound)
        self.assertEqual((replayer.level, replayer.counted, recorder.counted), ("replay", False, True))


class MemoryTests(LanguageModelContract, TestCase):
    """The one in memory."""

    def setUp(self) -> None:
        """It has a name."""
        self.model = MemoryModel("tiny")

    def answers(self, text: str, error: bool = False) -> None:
        """Answer so."""
        self.model.reply = ChatAnswer(error="it is away") if error else ChatAnswer(text)


class RealTests(LanguageModelContract, TestCase):
    """The real one."""

    def setUp(self) -> None:
        """A server next to it."""
        from twisted.internet import reactor

        self.reactor: Any = reactor
        self.server = ModelServer(reactor)
        self.gate = Gate(reactor, lambda host: succeed([]), kept=KEPT, quiet=0.0)
        self.model = ChatModel(self.gate, self.reactor, Ai(base_url=self.server.base_url, model="tiny"))

    async def tearDown(self) -> None:
        """Nothing is left open."""
        self.gate.close()
        await deferLater(self.reactor, 0.05)
        await self.server.port.stopListening()

    def answers(self, text: str, error: bool = False) -> None:
        """Answer so."""
        self.server.answer = lambda one, query: one.reply(
            b"{}", "500 Away") if error else one.reply(completion(text))
