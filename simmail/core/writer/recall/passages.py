"""
Where in a thread a question is answered: its sentences, by how likely each is to tell what is asked for.

How likely that is was learned from conversations in which people ask, in words of their own, for what was said before
(C{tests/universe/believable/practice}).  What counts is who said it and how late, the words that it has of the
question, whether it has a value of the type that is asked for, and, where there is a language model, how near it is in
meaning.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.clause.tables import restating
from simmail.core.language.meaning import IMeaning, plain
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language
from simmail.core.records.conversation import Remark
from simmail.core.writer.recall.askings import askings, wording
from simmail.core.writer.sources.cut.piece import piece
from simmail.core.writer.sources.cut.words import cutting
from simmail.core.writer.sources.marks import Marks, marks
from simmail.core.writer.sources.said_words import content, has_number, kin, shared
from simmail.core.writer.sources.told import Recalled
from simmail.core.writer.sources.sentence import asks_only, is_typed, names_somebody

#: What a model compares a question with, to know of what type it is whatever its words are.
_TYPES: Mapping[str, str] = MappingProxyType({
    "much": "how much does it cost",
    "when": "on which day is it",
    "who": "who is it, what is his name",
    "many": "how many are there",
    "code": "what is the number or the code",
    "why": "why is that, what is the reason",
})
#: How much more than so near a question has to be to one of these.
_UNLIKE = 0.3
#: What each thing weighs, as it was learned: said late, late where what was first is asked for, by whom; its length;
#: that it asks; a value of the type; a word of the family; a piece that answers, for sure or not; nearness in meaning;
#: that it changes something.
_LATE, _LATE_FIRST, _THEIRS, _LENGTH = 1.62, -1.35, 1.44, 1.89
_MARKED, _ASKS, _ONLY_ASKS = -0.76, -0.77, -1.76
_TYPED, _UNTYPED, _KIN, _PIECE = 1.2, -0.76, 1.47, 0.9
_CUT, _CUT_SURE = 1.01, 1.12
_NEAR, _NEAR_WHOLE, _NEAR_BEFORE = 2.4, 7.46, 1.77
_MOVES, _MOVES_FIRST = 0.33, -1.53
_OF_TYPE: Mapping[str, float] = MappingProxyType({
    "much": 10.83, "when": 2.94, "who": 5.44, "many": 4.15, "code": 16.95, "why": 1.42})
#: So many sentences answer one question, of so many that are looked at, those that are so likely beside the first.
_TOLD, _LOOKED_AT, _BESIDE = 2, 3, 0.18
#: The share of the words of a sentence that were said before, which it says again.
_ECHO = 0.85
#: A word in so many sentences at most tells what one is about.
_RARE = 3
#: What changed a sentence is so likely beside it at least.
_LEAST = 0.05
#: Characters beyond which a sentence tells no more, and in how many hundreds they are counted.
_LONGEST, _HUNDRED = 200, 100
#: A number, a code, a name in capitals.
_CODE = re.compile(r"\b[A-Z]*[0-9][0-9A-Z/-]{2,}\b|\b[A-Z]{2,}\b")


class Passage(NamedTuple):
    """
    A sentence of a thread.

    @ivar likely: its share, from 0 to 1, of the likelihood that one of them answers.
    @ivar common: words of the question that it has; near: how near it is in meaning, 0 without a model.
    """

    remark: Remark
    likely: float
    common: int
    near: float


class Passages:
    """The sentences of a thread that say something."""

    def __init__(
        self, remarks: Sequence[Remark], language: Language, meaning: IMeaning | None,
        is_stock: Callable[[str], bool] = lambda sentence: not sentence,
    ) -> None:
        """
        Remember what was said, in its order.

        @param is_stock: whether a sentence of the answering side could stand in any mail.
        """
        self._remarks, self._language, self._meaning, self._is_stock = remarks, language, meaning, is_stock

    @cached_property
    def _said(self) -> list[Remark]:
        """The sentences, but those of the answering side that only say again what the other said, or any mail could."""
        code, found, theirs = self._language.code, list[Remark](), set[str]()
        for one in self._remarks:
            if one.kind != "said":
                continue
            words = content(one.value, code)
            if one.by == "correspondent":
                theirs |= words
            elif len(shared(words, theirs)) >= _ECHO * len(words) or self._is_stock(one.value):
                continue
            found.append(one)
        return found

    @cached_property
    def _words(self) -> list[frozenset[str]]:
        return [content(one.value, self._language.code) for one in self._said]

    @cached_property
    def _often(self) -> Counter[str]:
        return Counter(word for words in self._words for word in words)

    @cached_property
    def _marks(self) -> list[Marks]:
        return [marks(one.value, one.at, self._language) for one in self._said]

    @cached_property
    def _values(self) -> list[dict[str, bool]]:
        """What types of values each sentence has."""
        how, found = cutting(self._language.code), []
        reasons = (*(f" {one} " for one in (*how.because, *how.so)), ": ")
        for one, known in zip(self._said, self._marks):
            found.append({
                "much": bool(known.sums), "when": bool(known.days), "who": names_somebody(one.value, self._language),
                "many": has_number(one.value, self._language), "code": _CODE.search(one.value) is not None,
                "why": mentions_any(f" {one.value.lower()} ", reasons)})
        return found

    @cached_property
    def _asks(self) -> list[bool]:
        """Whether each sentence asks something, with a mark or without."""
        return [bool(askings((one.value,), self._language)) for one in self._said]

    @cached_property
    def _only_asked(self) -> list[Remark]:
        """The sentences of mails that only ask: one asks, and none that does not has a figure or changes anything."""
        changing, found = (*asking(self._language.code).moving, *wording(self._language.code).changing), list[Remark]()
        for mail, group in groupby(zip(self._said, self._marks, self._asks), lambda one: (one[0].at, one[0].by)):
            some = list(group)
            if mail[0] != self._said[0].at and any(asks for *_, asks in some) and not any(
                    not asks and (known != Marks() or mentions_any(f" {one.value.lower()} ", changing))
                    for one, known, asks in some):
                found.extend(one for one, *_ in some)
        return found

    def spoken_of(self, words: frozenset[str]) -> set[str]:
        """Return those of some words that a sentence of the thread has."""
        return {one for one in words if any(shared((one,), some) for some in self._words)}

    def has_kin(self, question: MailQuestion) -> bool:
        """Return whether a sentence has a word of the family that is asked for (a colour), or none is asked for."""
        return not self._said or any(
            kin(question.text, one.value, self._language) is not False for one in self._said)

    def best(
        self, question: MailQuestion, whole: str, first: bool = False, cut: Recalled | None = None
    ) -> list[Passage]:
        """Return the sentence that answers, and the one beside it that may: without what does not hold any more."""
        found = ranked = [one for one in self.ranked(question, whole, first, cut) if one.remark not in self._only_asked]
        if mentions_any(question.text.lower(), asking(self._language.code).costing):
            # What it costs is a sum, whatever else is said of it.
            found = [one for one in found if self._marks[self._said.index(one.remark)].sums] or found
        low = question.text.lower()
        if cut is not None and (cut.sure and mentions_any(low, asking(self._language.code).preceding) or mentions_any(
                low, cutting(self._language.code).trouble)):
            # What was wrong, or held before something else was said, stands where it was cut out.
            return [one for one in found if one.remark == cut.remark][:1] or found[:1]
        found = found[:_LOOKED_AT]
        found = [one for one in found if one.likely >= _BESIDE * found[0].likely]
        sure = cut.remark if cut is not None and cut.sure else None
        kept = [one for one in found if one.remark == sure or not any(
            (one.remark.at < other.remark.at) is not first and one.remark.at != other.remark.at
            and self._replaces(other, one, question.type == "when") for other in found)]
        kept = (kept or found)[:_TOLD]
        if first or not kept or kept[0].remark == sure:
            return kept  # out of what holds now it was cut
        later = self._now(kept[0], question, ranked)
        if later is None or later.remark in [one.remark for one in kept]:
            return kept
        asked = content(f"{question.text} {whole}", self._language.code)
        same = [content(one.remark.value, self._language.code) for one in (kept[0], later)]
        common = shared(*same)
        certain = len(common) > 1 or bool(shared(asked, common)) or mentions_any(
            later.remark.value.lower(), asking(self._language.code).corrects)
        return [later, *kept[1:]] if certain else [*kept[:1], later]

    def _now(self, one: Passage, question: MailQuestion, ranked: Sequence[Passage]) -> Passage | None:
        """The likeliest later sentence of the same side that says of the matter of one how it is instead, if any."""
        said, code = self._said, self._language.code
        place = said.index(one.remark)
        changing = (*asking(code).moving, *asking(code).corrects, *wording(code).changing)
        rare = {word for word in self._words[place] if self._often[word] <= _RARE}
        for later in ranked:
            remark = later.remark
            if remark.by != one.remark.by or remark.at <= one.remark.at or later.likely < _LEAST * one.likely:
                continue
            at = said.index(remark)
            if shared(rare, self._words[at]) and mentions_any(f" {remark.value.lower()} ", changing) and is_typed(
                    question, remark.value, self._marks[at], self._language) is not False:
                return later
        return None

    def _replaces(self, one: Passage, other: Passage, timely: bool) -> bool:
        """
        Whether two sentences say of one thing that it is so and otherwise.

        @param timely: a day or an hour is asked for, of which that holds which was set last.
        """
        some, others = (self._marks[self._said.index(each.remark)] for each in (one, other))
        same = any(mine and theirs and mine != theirs for mine, theirs in (
            (some.sums, others.sums), (some.days, others.days), (some.times, others.times)))
        counted = has_number(one.remark.value, self._language) and has_number(other.remark.value, self._language)
        words = shared(*(content(each.remark.value, self._language.code) for each in (one, other)))
        moved = timely and bool(some.days and others.days or some.times and others.times) and mentions_any(
            one.remark.value, asking(self._language.code).moving)
        return moved or same and bool(words) or counted and len(words) > 1

    def ranked(
        self, question: MailQuestion, whole: str, first: bool = False, cut: Recalled | None = None
    ) -> list[Passage]:
        """
        Return the sentences of the thread, the likeliest to answer a question first.

        @param whole: the sentence of the mail that asks it.
        @param first: what was said at first is asked for, and not what holds now; cut: the piece that answers, if any.
        """
        language, said, code = self._language, self._said, self._language.code
        asked = content(question.text, code)
        besides = content(whole, code) - asked
        types = self._types(question.text, whole)
        moving, yours = asking(code).moving, self.asks_reader(question)
        scores, nears = list[float](), list[float]()
        for place, one in enumerate(said):
            score = _THEIRS * ((one.by == "correspondent") is not yours)
            if cut is not None and cut.remark == one:
                score += _CUT + _CUT_SURE * cut.sure
            score += (_LATE_FIRST if first else _LATE) * place / len(said)
            score += _LENGTH * min(len(one.value), _LONGEST) / _HUNDRED
            score += _MARKED * one.value.rstrip().endswith("?")
            score += _ASKS * self._asks[place] + _ONLY_ASKS * asks_only(one.value, language)
            score += (_MOVES_FIRST if first else _MOVES) * mentions_any(one.value, moving)
            match is_typed(question, one.value, self._marks[place], language):
                case True:
                    score += _TYPED
                case False:
                    score += _UNTYPED
            score += _KIN * (kin(question.text, one.value, language) is True)
            score += _PIECE * bool(piece(question, one.value, language))
            score += sum(_OF_TYPE[type] * sure for type, sure in types.items() if self._values[place][type])
            near = 0.0
            if self._meaning is not None:
                text = plain(question.text)
                near = self._meaning.nearness(text, plain(one.value))
                before = said[place - 1] if place and said[place - 1].at == one.at and (
                    said[place - 1].by == one.by) else None
                wide = self._meaning.nearness(plain(whole), plain(one.value))
                score += _NEAR * near + _NEAR_WHOLE * wide
                score += _NEAR_BEFORE * self._meaning.nearness(text, plain(before.value)) if before else 0.0
                near = max(near, wide)
            scores.append(score)
            nears.append(near)
        top = max(scores, default=0.0)
        shares = [math.exp(score - top) for score in scores]
        total = sum(shares)
        found = [Passage(one, round(share / total, 4), len(shared(asked | besides, words)), near)
                 for one, share, words, near in zip(said, shares, self._words, nears)]
        return sorted(found, key=lambda one: -one.likely)

    def asks_reader(self, question: MailQuestion) -> bool:
        """Return whether a question is for what its reader said itself: "how many were you?"."""
        low, how = f" {question.text.lower()} ", cutting(self._language.code)
        mine, yours = (max((len(cue) for cue in cues if cue in low), default=0) for cues in (how.mine, how.yours))
        how_asked = restating(self._language.code)
        return yours > mine and {*how_asked.asking, *how_asked.speakers}.isdisjoint(low.split())

    def _types(self, text: str, whole: str) -> dict[str, float]:
        """By how much a question is nearer than usual to one of each type."""
        model = self._meaning
        if model is None:
            return {}
        return {type: max(0.0, *(model.nearness(plain(one), like) - _UNLIKE for one in (text, whole)))
                for type, like in _TYPES.items()}
