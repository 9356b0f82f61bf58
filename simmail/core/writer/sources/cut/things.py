"""
The thing of a sentence that answers a question: what stands where the question has its question word.
"""

from __future__ import annotations

from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.writer.sources.cut.amounts import Amounts
from simmail.core.writer.sources.cut.asked_sentence import BREAKS, Sentence, Span
from simmail.core.writer.sources.cut.words import Word, is_verb, read
from simmail.core.writer.sources.cut.persons_places import Persons
from simmail.core.writer.sources.said_words import content, kin, shared

#: Letters that a word has more as it is bent, and that it has at least where it ends another.
_ENDING, _TAIL = 4, 4


def _is(token: Word, thing: str) -> bool:
    """Whether a word is a thing, one or several of it, or what ends with it: "Lagertor" is a "Tor"."""
    short, long = sorted((token.low, thing), key=len)
    return len(short) > 2 and (
        long.startswith(short) and len(long) < len(short) + _ENDING or len(short) >= _TAIL and long.endswith(short))


class Things:
    """What is told of."""

    def __init__(self, sentence: Sentence, amounts: Amounts, persons: Persons) -> None:
        """Remember the sentence, and what else may be told of it."""
        self._in, self._tokens, self._language = sentence, sentence.tokens, sentence.language
        self._amounts, self._persons = amounts, persons

    def which(self) -> str:
        """Return what is called by its name and a number, or by its place in a row: "dock 3", "second floor"."""
        thing = self._in.chooses() or self._named()
        if not thing:
            return ""
        for at, token in enumerate(self._tokens):
            if not _is(token, thing):
                continue
            before = self._tokens[at - 1] if at else None
            if before is not None and before.low in self._in.how.same:
                return ""
            behind = self._tokens[at + 1:at + 3]
            if behind and behind[0].role == "word" and (
                    behind[0].text[0].isdigit() or behind[0].text[0].isupper()):
                end = at + 2
                while self._tokens[end:end + 1] and self._tokens[end].role == "word" and (
                        self._tokens[end].text.isupper() or self._tokens[end].text[0].isdigit()):
                    end += 1
                return self._in.text((at, end))
            if self._language.head_first and behind and behind[0].role == "place":
                end = next((run[1] for run in self._in.runs() if run[0] > at), at + 1)
                return self._in.text((at - (before is not None and before.low in self._language.determiners), end))
            numbered = thing in asking(self._language.code).numbered
            if numbered and behind:
                run = next((one for one in self._in.runs() if one[0] > at and any(
                    map(str.isdigit, self._in.text(one)))), None)
                if run is not None:
                    return self._in.text(run)
            if not numbered and self._in.chooses() and before is not None and before.role in (
                    "word", "verb") and before.low not in self._language.determiners | self._language.of_words:
                return self._in.text((at - 1, at + 1))
        return ""

    def _is_same(self, thing: str) -> bool:
        # "Same room" says which it was before.
        return any(before.low in self._in.how.same and _is(one, thing) for before, one in zip(
            self._tokens, self._tokens[1:]))

    def what(self) -> str:
        """Return a thing: what stands where the question has its question word."""
        if self._in.question.type == "what" and self._in.of_money():
            return self._amounts.much()
        if mentions_any(self._in.low, self._in.how.phones):
            return self._amounts.number()
        found = self.which()
        if found:
            return found
        found = self._in.by_preposition()
        if found:
            return found
        if mentions_any(self._in.low, self._in.how.clausal):
            return self._segment()
        if mentions_any(self._in.low, self._in.how.measured) or self._in.units() is not None or mentions_any(
                self._in.low, asking(self._language.code).nouns.get("many", ())):
            return self._amounts.many()
        if mentions_any(self._in.low, self._in.how.trouble):
            return self._trouble()
        if self._amounts.numbered_thing():
            return self._amounts.number()
        if mentions_any(self._in.low, tuple(f" {one}" for one in self._in.how.called)):
            return self._persons.who()
        thing = self._in.chooses()
        if thing and self._is_same(thing):
            return ""
        if thing and not any(_is(one, thing) for one in self._tokens) and not kin(
                thing, self._in.sentence, self._language) and not self._ends_asked():
            return ""
        akin = self._akin()
        if akin:
            return akin
        found = self._predicate()
        if found:
            return found
        runs = self._in.runs(BREAKS | {"money"})
        if not runs:
            return ""
        best = max(runs, key=lambda one: (self._thing(one), -one[0]))
        if self._thing(best) <= 0:
            return ""
        if self._in.question.type == "how" and best[0] and self._tokens[best[0] - 1].role in ("place", "kept"):
            best = best[0] - 1, best[1]  # "by card"
        return self._in.text(best)

    def _akin(self) -> str:
        # "Green" of "a size M, green", "by coach": of more that are of the family, the nearest to what is asked.
        if not kin(self._in.question.text, self._in.sentence, self._language):
            return ""
        named = [at for at, one in enumerate(self._tokens) if one.role != "stop" and kin(
            self._in.question.text, one.low, self._language)]
        if not named:
            return ""
        if not mentions_any(self._in.low, self._in.how.former):
            # "It should be cream; the first one was blue."
            named = [at for at in named if not mentions_any(self._in.segment(at), self._in.how.former)] or named
        low = f" {self._in.sentence.lower()} "
        so = max(low.find(f" {cue} ") for cue in self._in.how.so)
        # "The car broke down, so I take the train."
        named = [at for at in named if self._tokens[at].start >= so] or named
        start = min(named, key=lambda at: (self._in.near(at), at))
        end = start + 1
        while end in named:
            end += 1
        while start and (start - 1 in named or self._tokens[start - 1].low in self._language.determiners):
            start -= 1
        if self._in.question.type == "how" and start and self._tokens[start - 1].role in ("place", "kept"):
            start -= 1
        return self._in.text((start, end))

    def _named(self) -> str:
        # "What is the extension": what is asked for by its name.
        words = [one.low for one in read(self._in.question.text, (), self._language) if one.role != "stop"][:5]
        at = next((place for place, word in enumerate(words) if place > 1 and words[
            place - 1] in self._language.determiners), 0)
        return words[at] if at and words[1] in self._in.how.skip else ""

    def _predicate(self) -> str:
        """What a thing is said to be: "£890" of "the rent is £890 a month"."""
        asked = [at for at, one in enumerate(self._tokens) if one.role == "asked"]
        start = asked[-1] + 2 if asked else 0
        if not asked or start >= len(self._tokens) or self._tokens[start - 1].role != "skip":
            return ""
        if self._tokens[start].low in self._language.of_words:
            start += 1
        if self._tokens[start:start + 1] and self._tokens[start].role == "money":
            return self._in.text((start, start + 1))
        start += self._tokens[start].low in self._language.determiners
        end = start
        while self._tokens[end:end + 1] and self._tokens[end].role == "word" and self._tokens[end].text[0].isdigit():
            end += 1
        if end > start:
            return self._in.text((start, end))
        return ""

    def _segment(self) -> str:
        """All that stands between two marks around what is asked."""
        marks = [-1, *(at for at, one in enumerate(self._tokens) if one.role == "stop"), len(self._tokens)]
        start, end = max(((before + 1, behind) for before, behind in zip(marks, marks[1:])), key=lambda span: sum(
            one.role == "asked" for one in self._tokens[slice(*span)]))
        while start < end and self._tokens[start].low in (self._language.and_, self._language.or_):
            start += 1
        return self._in.text((start, end))

    def _ends_asked(self) -> bool:
        # "What car do you drive": the sentence has what the question ends with.
        last = content(self._in.low.split()[-1].strip(" ?"), self._language.code)
        return any(one.role == "asked" and is_verb(one.low, self._language) and shared(
            last, content(one.text, self._language.code)) for one in self._tokens)

    def _trouble(self) -> str:
        """What is wrong: behind what is asked, else all that stands between two marks."""
        runs = self._in.runs(BREAKS - {"verb"})
        runs = [one for one in runs if any(token.role != "verb" for token in self._tokens[slice(*one)])]
        broken = next((at for at, one in enumerate(self._tokens) if one.role == "asked" and kin(
            self._in.question.text, one.text, self._language)), 0)
        whole = [one for one in runs if one[1] <= broken]
        if whole:
            return self._in.text(whole[-1])  # "what was broken?": "a cup is broken"
        akin = {one for one in runs if kin(self._in.question.text, self._in.text(one), self._language)}
        best = min(akin or runs, key=lambda one: (self._in.near(one[0]), one), default=None)
        if best is None or not akin and kin(self._in.question.text, self._in.sentence, self._language) is False:
            return ""
        start, end = best
        marks = [at for at, one in enumerate(self._tokens) if one.role in ("stop", "joint")]
        before, behind = max((at for at in marks if at < start), default=0), min((
            at for at in marks if at >= end), default=len(self._tokens))
        asked = [at for at in range(before, behind) if self._tokens[at].role == "asked"]
        if asked and asked[0] < start:
            return self._in.text(best)
        while start and self._tokens[start - 1].role not in ("stop", "joint", "verb"):
            start -= 1
        while end < len(self._tokens) and self._tokens[end].role not in ("stop", "joint"):
            end += 1
        return self._in.text((start, end))

    def _thing(self, span: Span) -> int:
        tokens = self._tokens[span[0]:span[1]]
        if all(one.low in self._language.determiners or one.low in self._language.common_words for one in tokens):
            return 0
        if span[0] and self._tokens[span[0] - 1].low in self._in.how.same:
            return 0
        before = self._tokens[:span[0]]
        led = next((one.role for one in reversed(before) if one.role not in ("word", "place", "kept")), "")
        return len(tokens) + 3 * (led in ("asked", "verb", "skip"))
