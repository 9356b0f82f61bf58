"""
Asks a language model over the OpenAI-compatible chat-completions protocol, through the gate.

Servers of that protocol differ in how they can be told what an answer looks like, and some take a JSON schema and
ignore it; a probe finds out once, and every answer is read as if nothing had been said.  Source: decisions,
section 9 ("Writer").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IReactorTime
from zope.interface import implementer

from simmail.concurrency import Shared
from simmail.config import Ai
from simmail.core.net.url import parse
from simmail.core.time.instant import parse_duration
from simmail.core.wording.chat import ChatAnswer, ChatQuery, Level, ChatMessage, NotWorded, read_answer
from simmail.interfaces import ILanguageModel
from simmail.outbound.http_client import Gate, Request, Unreachable
from simmail.outbound.model_recording import ModelRecorder, ModelReplayer

#: Octets of an answer that are kept; real seconds that a connection is kept.
MOST, KEPT = 512 * 1024, 4.0

#: After so many questions in a row without an answer nothing is asked for so many real seconds.
IN_A_ROW, QUIET = 2, 30.0

#: Statuses of a server that does not take a question as it is put.
_NOT_SO = frozenset((400, 404, 405, 415, 422, 501))

_LEVELS: tuple[Level, ...] = ("schema", "json", "text")


class _Words(Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(Struct):
    message: _Words
    finish_reason: str | None = None


class _Completion(Struct):
    choices: tuple[_Choice, ...]


class _Greeted(Struct, frozen=True):
    greeting: str


_GREETED: Mapping[str, Any] = {
    "type": "object", "additionalProperties": False, "required": ["greeting"],
    "properties": {"greeting": {"type": "string"}}}
_HELLO = {
    "schema": "Say hello.", "json": 'Say hello in a JSON object {"greeting": "..."}.', "text": "Say hello."}


class _Answered(NamedTuple):
    status: int
    answer: ChatAnswer


@implementer(ILanguageModel)
class ChatModel:
    """
    A model behind C{ai.base_url}, which is reached wherever it is: the operator named it.

    @param key: sent as a bearer token, C{""} for none.
    """

    def __init__(self, gate: Gate, reactor: IReactorTime, ai: Ai, key: str = "") -> None:
        self._gate = gate
        self._reactor = reactor
        self._ai = ai
        self._key = key
        self._url = ai.base_url.rstrip("/") + "/chat/completions"
        self._lab = (parse(ai.base_url).place,)
        self._patience = parse_duration(ai.timeout).total_seconds()
        self._probing: Shared[None] = Shared(reactor)
        self._missed, self._quiet, self._why = 0, 0.0, ""
        self.name = ai.model
        self.level: Level = "none"
        self.counted = True

    @property
    def trouble(self) -> str:
        """Why nothing is asked just now."""
        return self._why if self._reactor.seconds() < self._quiet else ""

    def ask(self, query: ChatQuery) -> Deferred[ChatAnswer]:
        """Ask one question."""
        return Deferred.fromCoroutine(self._asked(query))

    def probe(self) -> Deferred[None]:
        """Find out how far the server can be told what an answer looks like; while it is left alone, nothing."""
        return succeed(None) if self.trouble else self._probing.do(self._probed)

    async def _asked(self, query: ChatQuery) -> ChatAnswer:
        if self.trouble:
            return ChatAnswer(error=self.trouble)
        if self.level == "none":
            await self.probe()
            if self.level == "none":
                return ChatAnswer(error=self._why)
        status, answer = await self._posted(query.messages, query.schema, self.level, query.key)
        if status in _NOT_SO:
            # It may be another server by now: found out before the next question.
            self.level = "none"
        return answer

    async def _probed(self) -> None:
        for level in _LEVELS:
            status, answer = await self._posted((ChatMessage("user", _HELLO[level]),), _GREETED, level)
            if answer.error:
                if status in _NOT_SO or status == 200:
                    continue
                return
            try:
                if level != "text":
                    read_answer(answer.text, _Greeted)
            except NotWorded:
                continue
            self.level = level
            return

    async def _posted(
        self, messages: tuple[ChatMessage, ...], schema: Mapping[str, Any], level: Level, key: str = ""
    ) -> _Answered:
        ai = self._ai
        body: dict[str, Any] = {
            "model": ai.model, "messages": [one._asdict() for one in messages], "max_tokens": ai.max_tokens,
            "stream": False}
        if ai.temperature is not None:
            body["temperature"] = ai.temperature
        if key:
            # Servers that draw by a seed answer the same question alike.
            body["seed"] = int(key[:7], 16)
        if level == "schema":
            body["response_format"] = {
                "type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)}}
        elif level == "json":
            body["response_format"] = {"type": "json_object"}
        headers = [("Content-Type", "application/json"), ("Accept", "application/json")]
        if self._key:
            headers.append(("Authorization", f"Bearer {self._key}"))
        try:
            answer: Any = await self._gate.fetch(Request(
                self._url, "POST", tuple(headers), msgspec.json.encode(body), self._lab, redirects=0, most=MOST,
                patience=self._patience))
        except Unreachable as error:
            return self._failed(0, f"the model does not answer: {error}")
        if answer.status != 200:
            return self._failed(answer.status, f"the model's server answers {answer.status}")
        self._missed = 0
        if self._key and self._key.encode() in answer.body:
            return _Answered(200, ChatAnswer(error="the model's server repeats the key"))
        return _Answered(200, _read(answer.body))

    def _failed(self, status: int, why: str) -> _Answered:
        self._why = why
        if status not in _NOT_SO:
            self._missed += 1
            if self._missed >= IN_A_ROW:
                self._quiet = self._reactor.seconds() + QUIET
        return _Answered(status, ChatAnswer(error=why))


def _read(body: bytes) -> ChatAnswer:
    """What a completion says."""
    try:
        found = msgspec.json.decode(body, type=_Completion)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ChatAnswer(error="the model's server answers no chat completion")
    if not found.choices:
        return ChatAnswer(error="the model's server answers nothing")
    choice = found.choices[0]
    if choice.message.refusal:
        return ChatAnswer(error="the model refuses to answer")
    if choice.finish_reason == "length":
        return ChatAnswer(error="the model's answer is cut off (ai.max_tokens)")
    return ChatAnswer(choice.message.content or "")


@implementer(ILanguageModel)
class NoModel:
    """What there is where none is configured."""

    name, level, trouble, counted = "", "none", "ai.base_url is not configured", False

    def ask(self, query: ChatQuery) -> Deferred[ChatAnswer]:
        """Say that there is nobody."""
        return succeed(ChatAnswer(error=self.trouble))

    def probe(self) -> Deferred[None]:
        """Find nobody."""
        return succeed(None)


def language_model(ai: Ai, gate: Gate, reactor: IReactorTime, key: str = "") -> Any:
    """
    Return the C{ILanguageModel} that is configured.

    @raise Invalid: a folder for answers that cannot be.
    """
    if ai.replay:
        return ModelReplayer(ai.replay, ai.model)
    if not ai.base_url:
        return NoModel()
    real = ChatModel(gate, reactor, ai, key)
    return ModelRecorder(real, ai.record) if ai.record else real
