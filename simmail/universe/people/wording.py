"""
Wording: a model says what rules decided, or templates do.

A mail is planned (C{core.wording.plan}), the model is asked, its words are checked, and once it is told what is wrong
with them; whatever fails after that, templates have said it already.  What came of a plan is kept with the job until
its mail is sent, so a mail is paid for once: thought out ahead or at its turn, before and after a crash.
Source: decisions, section 9 ("Writer").
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Shared
from simmail.core.records.commit import Commit
from simmail.core.rng import Dice
from simmail.core.wording.attached import ReadPdf, attached_pdfs
from simmail.core.wording.chat import ChatQuery, ChatMessage, NotWorded, WORDED, Worded, read_answer
from simmail.core.wording.checks import failed
from simmail.core.wording.letter import worded
from simmail.core.wording.plan import Planned, planned
from simmail.core.wording.prompt import fence_of, letter_messages, prompt_file, repair_message
from simmail.core.writer import WordsRequest, Written
from simmail.interfaces import IDatabase
from simmail.universe.committer import Committer
from simmail.universe.model_access import ModelAccess

#: What came of plans, by job, until the mail is sent.
TABLE = "worded"

#: A model is asked once, and once more where its words fail a check.
TURNS = 2

#: Characters of a reason that are told.
_REASON = 300


class Outcome(Struct, frozen=True):
    """What came of a plan: the words, or why there are none."""

    key: str
    text: str = ""
    failed: str = ""


class _Going(NamedTuple):
    key: str
    outcome: Shared[Outcome]


class Wording:
    """
    The words of one universe's mail.

    @param read_pdf: reads what is attached to the mails that are answered.
    """

    def __init__(
        self, universe: str, model: ModelAccess, database: IDatabase, committer: Committer, reactor: IReactorTime,
        read_pdf: ReadPdf,
    ) -> None:
        self._universe = universe
        self._model = model
        self._database = database
        self._committer = committer
        self._reactor = reactor
        self._read_pdf = read_pdf
        self._going: dict[str, _Going] = {}

    @property
    def on(self) -> bool:
        """Whether a model is asked."""
        return self._model.on

    async def worded(
        self, job_id: str, request: WordsRequest, written: Written, leaks: Callable[[str], bool]
    ) -> Written:
        """
        Return a mail in the words of the model, or as templates have it with the reason (C{Written.failed}).

        @param leaks: whether a text tells a secret.
        @raise NotFound: answers are replayed, and these were not recorded.
        @raise Unavailable: the service ends, or Redis is away.
        """
        plan = planned(request, {one: await self._read_pdf(one) for one in attached_pdfs(request.mails)})
        if plan is None:
            return written
        outcome = await self.outcome(job_id, plan, request.now, request.dice, leaks)
        if outcome.failed:
            return replace(written, failed=outcome.failed)
        return worded(plan, outcome.text, self._model.name, request.dice.on("worded"))

    async def outcome(
        self, job_id: str, plan: Planned, now: datetime, dice: Dice, leaks: Callable[[str], bool] = lambda text: False,
    ) -> Outcome:
        """
        Return what came of a plan; it is kept with its job until that is done (L{settled}).

        @param now: what dates in the words are meant from; dice: keyed for this mail.
        @raise NotFound, Unavailable: as L{worded}.
        """
        key = plan.plan.key(prompt_file().version, self._model.name)
        going = self._going.get(job_id)
        if going is None or going.key != key:
            going = self._going[job_id] = _Going(key, Shared(self._reactor))
        try:
            return await going.outcome.do(partial(self._outcome, job_id, key, plan, now, dice, leaks))
        finally:
            if self._going.get(job_id) is going:
                del self._going[job_id]

    async def _outcome(
        self, job_id: str, key: str, plan: Planned, now: datetime, dice: Dice, leaks: Callable[[str], bool]
    ) -> Outcome:
        (octets,) = await self._database.get(self._universe, TABLE, [job_id])
        if octets is not None:
            known = msgspec.json.decode(octets, type=Outcome)
            if known.key == key:
                return known
        outcome = await self._asked(key, plan, now, fence_of(dice, plan.plan.fenced), leaks)
        await self._committer.commit_surely(Commit(puts=((TABLE, job_id, msgspec.json.encode(outcome)),)))
        return outcome

    async def _asked(
        self, key: str, plan: Planned, now: datetime, fence: str, leaks: Callable[[str], bool]
    ) -> Outcome:
        messages, why = letter_messages(plan.plan, fence), ""
        for turn in range(TURNS):
            answer = await self._model.ask(ChatQuery(key, turn, messages, WORDED))
            if answer.error:
                why = f"{why}; then {answer.error}" if why else answer.error
                break
            try:
                words: Worded = read_answer(answer.text)
                why = failed(plan, words, fence, now, leaks)
            except NotWorded as error:
                why = f"answer: {error}"
            if not why:
                return Outcome(key, words.text)
            messages += (ChatMessage("assistant", answer.text[:4000]), repair_message(why))
        return Outcome(key, failed=why[:_REASON])


def settled(written: Written, job_id: str) -> tuple[tuple[str, str], ...]:
    """Return what a commit drops (C{Commit.drops}) that sends a mail."""
    return ((TABLE, job_id),) if written.failed or written.by != "templates" else ()
