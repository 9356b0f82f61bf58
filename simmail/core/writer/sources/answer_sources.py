"""
What answers to one mail are taken from, each read when it is first asked for, and what it told to a question once.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from msgspec.structs import replace

from simmail.core.language import facts
from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.facts import Fact, read_facts
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language
from simmail.core.records.conversation import Remark
from simmail.core.writer.agenda import Calendar
from simmail.core.writer.request import WordsRequest
from simmail.core.writer.sources.cut.fitting import fits
from simmail.core.writer.sources.marks import MONEY
from simmail.core.writer.recall.passages import Passages
from simmail.core.writer.sources.reckoning import reckoned
from simmail.core.writer.sources.said_words import content, shared
from simmail.core.writer.sources.self_sheet import SelfSheet
from simmail.core.writer.sources.sentence import Hit, by_then, contradicts, ranked, speaks_of, tells
from simmail.core.writer.sources.cut.price_table import PriceTable
from simmail.core.writer.sources.cut.thread_table import ThreadTable
from simmail.core.writer.sources.told import Recalled, recalled
from simmail.core.writer.speech_act import Said
from simmail.core.writer.voice import folded, voice


#: What is said in any mail, and the characters of its shortest line.
_STOCK = ("extra.close", "extra.ask", "opener.warm", "opener.plain", "opener.forgive", "information.ack", "answer.open",
          "answer.nothing", "answer.nearest", "taken.told", "closing.bye")
_LONG = 8
#: A question with fewer words of its own only points to what stands before it.
_POINTING = 2


class AnswerSources:
    """
    What answers are taken from, in this order: facts of case and thread, remarks of the thread, notes, the sheet.

    @ivar values: what answers to the mail may name, empty until one is given; answers: what is known to questions.
    """

    def __init__(
        self, request: WordsRequest, calendar: Calendar, language: Language, answered: Collection[str], far: bool,
        distant: bool,
    ) -> None:
        """
        Take what a request brings.

        @param answered: Message-IDs of the mails that are answered: what they say themselves is no answer to them.
        @param far: the writer keeps a distance; distant: the reader is called "Sie", "vous", "usted".
        """
        self._request, self._calendar, self._language = request, calendar, language
        self._answered, self._far, self._distant = answered, far, distant
        self.values: dict[str, str] = {}
        self.answers: dict[MailQuestion, Said | None] = {}
        self._pieces: dict[MailQuestion, Recalled | None] = {}
        self._hits: dict[MailQuestion, list[Hit]] = {}
        self._sums: dict[MailQuestion, str] = {}

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """Return the facts of the case."""
        return read_facts(self._request.facts, ())

    def without(self, told: Collection[Fact]) -> AnswerSources:
        """Return the same sources without some facts of the case."""
        left = AnswerSources(
            self._request, self._calendar, self._language, self._answered, self._far, self._distant)
        left.facts = tuple(fact for fact in self.facts if fact not in told)
        return left

    @cached_property
    def matter(self) -> tuple[Fact, ...]:
        """Return the facts of the thread."""
        return read_facts(self._request.matter, ())

    @cached_property
    def remarks(self) -> tuple[Remark, ...]:
        """Return what was said before."""
        return tuple(
            one for one in self._request.remarks if not one.message_id or one.message_id not in self._answered)

    @cached_property
    def table(self) -> ThreadTable:
        """Return what holds in the thread now."""
        subject = self._request.mails[-1].subject[:200] if self._request.mails else ""
        return ThreadTable(self.remarks, subject, self._language, self._calendar.zone)

    @cached_property
    def passages(self) -> Passages:
        """Return the sentences of the thread, to be looked through."""
        lines = voice(self._language.code, self._request.persona.temperament)
        stock = [line.longest for act in _STOCK for line in lines.lines(act) if len(line.longest) > _LONG]

        def is_stock(sentence: str) -> bool:
            plain = folded(sentence)
            return any(map(plain.__contains__, stock))
        return Passages(self.remarks, self._language, self._request.meaning, is_stock)

    @cached_property
    def priced(self) -> PriceTable:
        """Return what things cost, and which of them were chosen."""
        return PriceTable(self.remarks, self.facts, self._language)

    @cached_property
    def notes(self) -> tuple[Fact, ...]:
        """Return the notes that are written like facts."""
        return read_facts({}, self._request.notes)

    @cached_property
    def sheet(self) -> SelfSheet:
        """Return what the person knows of itself."""
        return SelfSheet(self._request.persona, self._calendar, self._language, self._far, self._request.notes)

    def fact(self, question: MailQuestion) -> Fact | None:
        """Return the fact of the case or of the thread that answers a question, None when none does."""
        if not (self.facts or self.matter):
            return None
        own = content(question.text.partition(",")[0], self._language.code)
        if question.lead and len(own) < _POINTING:
            # "How much is that?" is asked of what stands before it.
            question = replace(question, text=f"{question.lead.rstrip(' .,')}, {question.text}", lead="")
            own = content(question.text, self._language.code)
        if not own and question.type in ("what", "choice"):
            return None
        found = facts.answering(
            question.text, self._fitting(question, self.facts), self._language, self._request.meaning,
        ) or facts.answering(question.text, self._fitting(question, self.matter), self._language)
        if found is not None and question.options and not shared(own, content(
                f"{found.label} {found.value}", self._language.code)):
            return None  # which of two things it is has to be said by its words
        if found is None and question.type in ("who", "much"):
            how = asking(self._language.code)
            # "What was his name again?": the only one who was ever named.
            again = question.type == "who" and mentions_any(question.text, how.again) and self.piece(question) is None
            few = again or len(own - content(" ".join(
                (*how.costing, *how.again, *how.nouns.get("who", ()))), self._language.code)) < 2
            only = self._only(question.type)
            found = only if only is not None and (few or shared(own, content(
                only.label, self._language.code))) else None
        if found is None or not self.remarks:
            return found
        event = self.table.when(question.text)
        day = None if event is None else event.day
        return found if day is None else facts.of_day(found, self.facts, day.weekday(), self._language)

    def _only(self, type: str) -> Fact | None:
        """The only fact of a type ("who comes?"), or the one of them that the mail and the thread speak of most."""
        typed = [one for one in self.facts if facts.value_type(one.value) == type]
        # "Donnie", and a sum before what only has one in it.
        typed = ([one for one in self.facts if one.value.istitle() and one.value.isalpha()] if not typed and (
            type == "who" and not self._language.inflected) else []) or [
                one for one in typed if type != "much" or MONEY.match(one.value)] or typed
        if len(typed) < 2:
            return next(iter(typed), None)
        code = self._language.code
        said = content(" ".join([*(f"{one.subject[:200]} {one.text[:600]}" for one in self._request.mails[-1:]), *(
            one.value for one in self.remarks if one.kind == "said" and one.by == "correspondent")]), code)
        first, second, *_ = sorted(((len(shared(content(one.label, code), said)), -place) for place, one in enumerate(
            typed)), reverse=True)
        return typed[-first[1]] if first[0] > second[0] else None

    def _fitting(self, question: MailQuestion, some: tuple[Fact, ...]) -> list[Fact]:
        return [one for one in some if fits(question, one.value, self._language)]

    def enumerated(self, question: MailQuestion) -> list[Fact]:
        """Return the facts of the case that the parts of a question ask for."""
        return facts.enumerated(question.text, self.facts, self._language, self._request.meaning)

    def note(self, question: MailQuestion) -> Fact | None:
        """Return the note that answers a question, None when none does."""
        if not self.notes:
            return None
        return facts.answering(question.text, self.notes, self._language, self._request.meaning)

    def spoken_of(self, question: MailQuestion) -> bool | None:
        """Return whether what is to be confirmed was said so; None where nothing that bears on it was."""
        near = next((hit.remark for hit in self.near(question) if tells(hit.remark, self._language)), None)
        if near is None or not speaks_of(question, near, self._language):
            return None
        # What was but asked settles nothing.
        return None if near.value.endswith("?") else not contradicts(question, near.value, self._language)

    def piece(self, question: MailQuestion) -> Recalled | None:
        """Return the piece of the thread that answers a question, None where none does."""
        if question.checks or question.behind or not self.remarks:
            return None
        if question not in self._pieces:
            found = recalled(
                *by_then(question, self.remarks, self._language), self.near(question), self._language, self._distant)
            self._pieces[question] = found if found is not None and fits(
                question, found.text, self._language) else None
        return self._pieces[question]

    def sum_of(self, question: MailQuestion) -> str:
        """Return what a question wants reckoned, C{""} where nothing is or there are no figures for it."""
        if not self.remarks:
            return ""
        if question not in self._sums:
            self._sums[question] = reckoned(question, self.remarks, self._language)
        return self._sums[question]

    def near(self, question: MailQuestion) -> list[Hit]:
        """Return the sentences of the thread that come near to a question, the nearest first."""
        if question not in self._hits:
            self._hits[question] = ranked(
                *by_then(question, self.remarks, self._language), self._language, self._request.meaning)
        return self._hits[question]
