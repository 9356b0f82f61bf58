"""
What each thing costs in a thread now, and which of several was chosen last.

Facts give the prices that stand before anything is said; a sum that is said later takes the place of the one of the
same thing, or, with no thing beside it, of the one that it comes near to.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.facts import Fact, capital_label
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language
from simmail.core.records.conversation import Remark
from simmail.core.writer.sources.cut.words import cutting
from simmail.core.writer.sources.marks import MONEY
from simmail.core.writer.sources.said_words import Priced, content, prices, shared
from simmail.core.writer.sources.sentence import about, asks_only

#: A sum that takes the place of another is no less than this share of it and no more than its inverse, and has at most
#: so many words of its own beside it.
_NEAR, _FEW = 0.5, 2
_DAWN = datetime.min.replace(tzinfo=timezone.utc)


class PricedThing(Struct):
    """
    Something that has a price.

    @ivar words: what it is called; sums: what was named for it, the last of them holds; fact: where it is known from,
        unless it was changed since; changed: when it
        was; spoken_of: when it was named last in what was said.
    """

    words: frozenset[str]
    text: str
    sums: list[float]
    each: bool
    fact: Fact | None = None
    changed: datetime = _DAWN
    spoken_of: datetime = _DAWN

    def change(self, price: Priced, at: datetime) -> None:
        """Let it cost something else."""
        if price.value != self.sums[-1] or self.fact is not None and len(self.sums) > 1:
            self.text, self.fact = price.text, None
        self.sums.append(price.value)
        self.words, self.changed, self.spoken_of = self.words | price.words, at, at


class PriceTable:
    """What things cost, and which of them were chosen."""

    def __init__(self, remarks: Sequence[Remark], facts: Sequence[Fact], language: Language) -> None:
        """Remember what was said, and what is known."""
        self._facts, self._language, self._how = facts, language, asking(language.code)
        self._said = [one for one in remarks if one.kind == "said" and not asks_only(one.value, language)]
        usual = (*self._how.costing, *self._how.again, *language.price_words, *cutting(language.code).now)
        self._usual = frozenset[str]().union(*(content(one, language.code) for one in usual))

    @cached_property
    def things(self) -> list[PricedThing]:
        """Return what has a price, in the order in which it was named first."""
        found: list[PricedThing] = []
        for fact in self._facts:
            sums = prices(fact.value, self._language)
            if sums:
                found.append(PricedThing(content(fact.label, self._language.code) | sums[0].words, sums[0].text, [
                    one.value for one in sums], sums[0].each, fact))
        for last, one in zip([None, *self._said], self._said):
            words = about(one, last, self._language)
            for thing in found:
                others = frozenset[str]().union(*(other.words for other in found if other is not thing))
                if one.by == "correspondent" and shared(thing.words - others - self._usual, words):
                    thing.spoken_of = one.at
            for price in () if one.value.endswith("?") else prices(one.value, self._language):
                # "They want £400": who, stands before it.
                before = words - content(one.value, self._language.code)
                self._take(found, replace(price, words=price.words | before), one)
        return found

    def _take(self, found: list[PricedThing], price: Priced, said: Remark) -> None:
        """Take a sum that was said."""
        if said.by == "persona" and any(price.value in thing.sums for thing in found):
            return  # told again
        own = price.words - self._usual
        near = [one for one in found if _NEAR <= price.value / (one.sums[-1] or 1) <= 1 / _NEAR]
        same = max(near, key=lambda one: len(shared(own, one.words)), default=None)
        if same is None or not shared(own, same.words):
            bare = len(own) < _FEW or len(own) == _FEW and mentions_any(said.value, self._how.moving)
            same = max((one for one in near if one.each == price.each and one.changed != said.at and (
                bare or price.value in one.sums)), key=lambda one: one.spoken_of, default=None)
        if same is None:
            found.append(PricedThing(price.words, price.text, [price.value], price.each, None, said.at, said.at))
        else:
            same.change(price, said.at)

    def price(self, question: MailQuestion, named: bool = False) -> PricedThing | None:
        """
        Return what a question asks the price of, None where that is not sure.

        @param named: it asks for no price, but may mean the one of what it names: "what did I tell you for a square
            metre?"
        """
        text, topic = question.text, content(question.topic, self._language.code) - self._usual
        head = text.lower().split()[:2]
        if named:
            # "What paper did we say?" asks for the paper.
            own = topic if not topic & content(" ".join(head), self._language.code) else frozenset()
            some = [one for one in self.things if own and shared(own, one.words) == own]
            return some[0] if len(some) == 1 and some[0].fact is None else None
        sure = mentions_any(text.lower(), (*self._how.costing, *self._language.price_words))
        if head[0] in self._language.question_prepositions and not sure:
            return None  # "by how much is it shorter?"
        for asked in (text, question.lead):
            wanted = content(asked, self._language.code) - self._usual
            hits = [(len(shared(wanted, one.words)), one.spoken_of, place) for place, one in enumerate(self.things)]
            if max(hits, default=(0,))[0]:
                return self.things[max(hits)[-1]]
            if asked is text and (topic or wanted and not sure):
                return None  # of something that has no price here, or for no price
        return self._last([one for one in self.things if self._usual & one.words] or self.things)

    def instead(self, statement: str) -> str:
        """Return what holds instead of a sum that a statement names and that held before, C{""} for none."""
        asked = {one.value for one in prices(statement, self._language)}
        return next((one.text for one in self.things if one.fact is None and asked.intersection(
            one.sums) and one.sums[-1] not in asked), "")

    def chosen(self, question: MailQuestion) -> str:
        """Return which of the things that have a price each a question wants, by its name; C{""} for none."""
        noun = content(question.topic, self._language.code) - self._usual
        known = [one for one in self.things if one.fact is not None]
        # Of one sort is what has its price for the same: "a night".
        sorts = [[other for other in known if _per(other) == _per(one)] for one in known if _per(one)]
        named = [one for one in sorts if any(shared(noun, other.words) for other in one)] or sorts
        some = max(named, key=len, default=[])
        last = self._last(some) if len(some) > 1 and noun else None
        return "" if last is None or last.fact is None else capital_label(last.fact, self._language).label

    @staticmethod
    def _last(things: Sequence[PricedThing]) -> PricedThing | None:
        """The only one of some, or the one that was spoken of last."""
        last = max(things, key=lambda one: one.spoken_of, default=None)
        return last if last is not None and (len(things) == 1 or last.spoken_of > _DAWN) else None


def _per(thing: PricedThing) -> str:
    """What the price of a thing is for: "per person"."""
    return "" if thing.fact is None else MONEY.split(thing.fact.value)[-1].strip(" .,")
