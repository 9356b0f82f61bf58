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
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.meaning import IMeaning, plain
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language
from simmail.core.records.conversation import Remark
from simmail.core.writer.sources.cut.piece import piece
from simmail.core.writer.sources.cut.words import cutting
from simmail.core.writer.sources.marks import Marks, marks
from simmail.core.writer.sources.said_words import content, has_number, kin, shared
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
#: What each thing weighs, as it was learned.
_WORDS, _MOST, _LATE, _THEIRS, _LENGTH = 0.23, 0.72, 1.97, 2.32, 1.73
_ASKS, _ASKING, _ONLY_ASKS = -2.5, -1.66, -1.88
_TYPED, _UNTYPED, _KIN, _NO_KIN, _PIECE = 1.22, -0.58, 2.79, -0.29, 1.19
_NEAR, _NEAR_WHOLE = 1.76, 6.54
_OF_TYPE: Mapping[str, float] = MappingProxyType({
    "much": 14.74, "when": 6.07, "who": 7.62, "many": 3.22, "code": 18.75, "why": 6.6})
#: So many sentences answer one question, of so many that are looked at, those that are so likely beside the first.
_TOLD, _LOOKED_AT, _BESIDE = 2, 3, 0.3
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

    def __init__(self, remarks: Sequence[Remark], language: Language, meaning: IMeaning | None) -> None:
        """Remember what was said, in its order."""
        self._remarks, self._language, self._meaning = remarks, language, meaning

    @cached_property
    def _said(self) -> list[Remark]:
        return [one for one in self._remarks if one.kind == "said"]

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
    def _asking(self) -> frozenset[tuple[object, str]]:
        """The mails that only ask: without a figure, and without a word that changes anything."""
        asked = {(one.at, one.by) for one in self._remarks if one.kind == "asked"}
        moving, found = asking(self._language.code).moving, set()
        for mail, some in groupby(zip(self._said, self._marks), lambda one: (one[0].at, one[0].by)):
            if mail in asked and all(known == Marks() and not mentions_any(
                    one.value.lower(), moving) for one, known in some):
                found.add(mail)
        return frozenset(found)

    def has_kin(self, question: MailQuestion) -> bool:
        """Return whether a sentence has a word of the family that is asked for (a colour), or none is asked for."""
        return not self._said or any(
            kin(question.text, one.value, self._language) is not False for one in self._said)

    def best(self, question: MailQuestion, whole: str, first: bool = False) -> list[Passage]:
        """Return the sentence that answers, and the one beside it that may: without what does not hold any more."""
        found = self.ranked(question, whole, first)
        if mentions_any(question.text.lower(), asking(self._language.code).costing):
            # What it costs is a sum, whatever else is said of it.
            found = [one for one in found if self._marks[self._said.index(one.remark)].sums] or found
        found = found[:_LOOKED_AT]
        found = [one for one in found if one.likely >= _BESIDE * found[0].likely]
        kept = [one for one in found if not any(
            (one.remark.at < other.remark.at) is not first and one.remark.at != other.remark.at
            and self._replaces(other, one) for other in found)]
        return (kept or found)[:_TOLD]

    def _replaces(self, one: Passage, other: Passage) -> bool:
        """Whether two sentences say of one thing that it is so and otherwise."""
        some, others = (self._marks[self._said.index(each.remark)] for each in (one, other))
        same = any(mine and theirs and mine != theirs for mine, theirs in (
            (some.sums, others.sums), (some.days, others.days), (some.times, others.times)))
        counted = has_number(one.remark.value, self._language) and has_number(other.remark.value, self._language)
        words = shared(*(content(each.remark.value, self._language.code) for each in (one, other)))
        return same and bool(words) or counted and len(words) > 1

    def ranked(self, question: MailQuestion, whole: str, first: bool = False) -> list[Passage]:
        """
        Return the sentences of the thread, the likeliest to answer a question first.

        @param whole: the sentence of the mail that asks it.
        @param first: what was said at first is asked for, and not what holds now.
        """
        language, said, code = self._language, self._said, self._language.code
        asked = content(question.text, code)
        besides = content(whole, code) - asked
        types = self._types(question.text, whole)
        common = [sum(map(self._rarity, shared(words, asked))) for words in self._words]
        most = max(common, default=0.0) or 1.0
        scores, nears = list[float](), list[float]()
        for place, one in enumerate(said):
            words = self._words[place]
            score = _WORDS * sum(map(self._rarity, shared(words, besides))) + _MOST * common[place] / most
            score += _LATE * place / len(said) * (not first) + _THEIRS * (one.by == "correspondent")
            score += _LENGTH * min(len(one.value), _LONGEST) / _HUNDRED
            score += _ASKS * one.value.rstrip().endswith("?") + _ASKING * ((one.at, one.by) in self._asking)
            score += _ONLY_ASKS * asks_only(one.value, language)
            match is_typed(question, one.value, self._marks[place], language):
                case True:
                    score += _TYPED
                case False:
                    score += _UNTYPED
            akin = kin(question.text, one.value, language)
            score += 0.0 if akin is None else _KIN if akin else _NO_KIN
            score += _PIECE * bool(piece(question, one.value, language))
            score += sum(_OF_TYPE[type] * sure for type, sure in types.items() if self._values[place][type])
            near = 0.0
            if self._meaning is not None:
                near = self._meaning.nearness(plain(whole), plain(one.value))
                score += _NEAR_WHOLE * near + _NEAR * self._meaning.nearness(plain(question.text), plain(one.value))
            scores.append(score)
            nears.append(near)
        top = max(scores, default=0.0)
        shares = [math.exp(score - top) for score in scores]
        total = sum(shares)
        found = [Passage(one, round(share / total, 2), len(shared(asked | besides, words)), near)
                 for one, share, words, near in zip(said, shares, self._words, nears)]
        return sorted(found, key=lambda one: -one.likely)

    def _rarity(self, word: str) -> float:
        return math.log((len(self._said) + 1) / (self._often[word] + 0.5))

    def _types(self, text: str, whole: str) -> dict[str, float]:
        """By how much a question is nearer than usual to one of each type."""
        model = self._meaning
        if model is None:
            return {}
        return {type: max(0.0, *(model.nearness(plain(one), like) - _UNLIKE for one in (text, whole)))
                for type, like in _TYPES.items()}
