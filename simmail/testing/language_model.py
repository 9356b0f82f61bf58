"""
A language model in memory: it answers what a test says.
"""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.defer import Deferred, succeed
from zope.interface import implementer

from simmail.core.wording.chat import ChatAnswer, ChatQuery, Level
from simmail.interfaces import ILanguageModel

ModelReply = ChatAnswer | Callable[[ChatQuery], "ChatAnswer | Deferred[ChatAnswer]"]


@implementer(ILanguageModel)
class MemoryModel:
    """
    A model that is there when it has a name.

    @ivar reply: what it answers; asked: the questions, in the order they came.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.level: Level = "schema" if name else "none"
        self.trouble = "" if name else "ai.base_url is not configured"
        self.counted = True
        self.reply: ModelReply = ChatAnswer(error="nobody said what is to be answered")
        self.asked: list[ChatQuery] = []

    def ask(self, query: ChatQuery) -> Deferred[ChatAnswer]:
        """Answer as a test said."""
        self.asked.append(query)
        if self.trouble:
            return succeed(ChatAnswer(error=self.trouble))
        reply = self.reply if isinstance(self.reply, ChatAnswer) else self.reply(query)
        return succeed(reply) if isinstance(reply, ChatAnswer) else reply

    def probe(self) -> Deferred[None]:
        """Know it already."""
        return succeed(None)
