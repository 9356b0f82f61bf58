"""
Answers of a language model kept in a folder, so that the next run is told the same.

One JSON file for each exchange, named by its key: a digest of the version of the prompt, the model and the plan.
Source: decisions, section 9 ("Writer").
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct
from twisted.internet.defer import Deferred, fail, succeed
from twisted.logger import Logger
from zope.interface import implementer

from simmail.core.wording.chat import ChatAnswer, ChatQuery, Level, ChatMessage
from simmail.errors import NotFound
from simmail.interfaces import ILanguageModel
from simmail.outbound.recording import keep, readable, writable


class RecordedTurn(Struct, frozen=True):
    """One question, and its answer."""

    messages: tuple[ChatMessage, ...]
    answer: ChatAnswer


class RecordedExchange(Struct, frozen=True):
    """All turns about one plan."""

    key: str
    model: str
    turns: tuple[RecordedTurn, ...] = ()


def _exchange(folder: Path, key: str) -> RecordedExchange | None:
    try:
        return msgspec.json.decode((folder / f"{key}.json").read_bytes(), type=RecordedExchange)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


@implementer(ILanguageModel)
class ModelRecorder:
    """
    A model whose answers are kept (C{ai.record}), those that failed too.

    @raise Invalid: the folder cannot be written.
    """

    log = Logger()

    def __init__(self, model: ILanguageModel, folder: str) -> None:
        self._model = model
        self._folder = writable(folder, "ai.record")
        self.name = model.name
        self.counted = model.counted

    @property
    def level(self) -> Level:
        """How far the model can be told what an answer looks like."""
        level: Level = self._model.level
        return level

    @property
    def trouble(self) -> str:
        """Why nothing is asked just now."""
        return str(self._model.trouble)

    def probe(self) -> Deferred[None]:
        """Find out whether somebody answers."""
        done: Deferred[None] = self._model.probe()
        return done

    def ask(self, query: ChatQuery) -> Deferred[ChatAnswer]:
        """Ask one question, and keep what was answered."""
        done: Deferred[ChatAnswer] = self._model.ask(query)
        return done.addCallback(self._keep, query)

    def _keep(self, answer: ChatAnswer, query: ChatQuery) -> ChatAnswer:
        before = _exchange(self._folder, query.key)
        turns = before.turns[:query.turn] if before is not None else ()
        kept = RecordedExchange(query.key, self.name, (*turns, RecordedTurn(query.messages, answer)))
        try:
            keep(self._folder / f"{query.key}.json", kept)
        except (OSError, UnicodeEncodeError) as error:
            self.log.error("an answer of the model was not recorded: {error}", error=error)
        return answer


@implementer(ILanguageModel)
class ModelReplayer:
    """
    A model that knows only what was recorded (C{ai.replay}); it never dials.

    @raise Invalid: there is no such folder.
    """

    level: Level = "replay"
    trouble = ""
    counted = False

    def __init__(self, folder: str, name: str) -> None:
        self._folder = readable(folder, "ai.replay")
        self.name = name

    def probe(self) -> Deferred[None]:
        """Find nothing out: nobody is asked."""
        return succeed(None)

    def ask(self, query: ChatQuery) -> Deferred[ChatAnswer]:
        """What was answered; it fails with C{NotFound} where the question was never asked."""
        found = _exchange(self._folder, query.key)
        if found is None or len(found.turns) <= query.turn:
            return fail(NotFound(
                f"no answer of {self.name} to question {query.turn} of {query.key} is recorded in {self._folder}"))
        return succeed(found.turns[query.turn].answer)
