"""
A universe's access to the language model: whether it is on, what it has cost, and the one way to ask.

Each question is counted before it is put, answered or not; what was recorded costs nothing.  Sources: API contract,
"Behaviour settings"; decisions, sections 9 and 23 ("Plans").
"""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IReactorTime

from simmail.core.rules.quota_plan import Plan
from simmail.core.wording.chat import ChatAnswer, ChatQuery, Level
from simmail.errors import Unavailable
from simmail.interfaces import ILanguageModel
from simmail.universe.committer import Committer
from simmail.universe.settings import Settings
from simmail.universe.usage import CREDITS, Usage


#: Real seconds for which whoever wants to know about the model waits for it.
LOOKED = 2.0


class ModelAccess:
    """
    What one universe may ask.

    @param budget: questions in a real month besides what the plan allows, None for no limit.
    """

    def __init__(
        self, model: ILanguageModel, settings: Settings, usage: Usage, plan: Callable[[], Plan], committer: Committer,
        budget: int | None, reactor: IReactorTime,
    ) -> None:
        self._model = model
        self._settings = settings
        self._usage = usage
        self._plan = plan
        self._committer = committer
        self._budget = budget
        self._reactor = reactor
        self._going: set[Deferred[ChatAnswer]] = set()
        self._stopped = False

    @property
    def configured(self) -> bool:
        """Whether there is a model at all."""
        return bool(self._model.name)

    @property
    def on(self) -> bool:
        """Whether a model words what personas write."""
        return self._settings.writer == "on" and self.configured

    @property
    def name(self) -> str:
        """What the model is called."""
        return str(self._model.name)

    @property
    def level(self) -> Level:
        """How far the model can be told what an answer looks like."""
        level: Level = self._model.level
        return level

    @property
    def trouble(self) -> str:
        """Why nothing is asked just now."""
        return str(self._model.trouble)

    def refusal(self) -> str:
        """Return why no question may be put now, C{""} for no reason."""
        if self._model.trouble:
            return str(self._model.trouble)
        if not self._model.counted:
            return ""
        plan, used = self._plan(), self._usage.used(CREDITS)
        if plan.limits.ai_credits is not None and used >= plan.limits.ai_credits:
            return f"the plan {plan.name} allows {plan.limits.ai_credits} AI credits a month"
        return f"ai.budget allows {self._budget} questions a month" if (
            self._budget is not None and used >= self._budget) else ""

    async def look(self) -> None:
        """See whether a model that has not answered yet does now; what takes longer is known the next time."""
        if self.level == "none":
            await self._model.probe().addTimeout(LOOKED, self._reactor).addErrback(lambda failure: None)

    async def ask(self, query: ChatQuery) -> ChatAnswer:
        """
        Put a question, and count it.

        @raise NotFound: answers are replayed, and this one was not recorded.
        @raise Unavailable: the service ends, or Redis is away.
        """
        refused = self.refusal()
        if refused:
            return ChatAnswer(error=refused)
        if self._stopped:
            raise Unavailable("the service is stopping")
        if self._model.counted:
            await self._committer.commit_surely(self._usage.count(CREDITS))
        asked: Deferred[ChatAnswer] = self._model.ask(query)
        self._going.add(asked)
        try:
            return await asked
        except CancelledError:
            raise Unavailable("the service is stopping") from None
        finally:
            self._going.discard(asked)

    def stop(self) -> None:
        """Break off what is asked, ask nothing more."""
        self._stopped = True
        for one in list(self._going):
            one.cancel()
