"""
The person and the place of a sentence that answer a question.
"""

from __future__ import annotations

from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.writer.sources.cut.asked_sentence import BREAKS, Sentence, Span
from simmail.core.writer.sources.cut.words import is_verb
from simmail.core.writer.sources.said_words import content, kin, shared

#: What it is worth to be a place that is known as one.
_KNOWN = 2
#: Nobody; and so far from what is asked that it does not matter how far.
_NOBODY, _FAR = -100, 14


class Persons:
    """Who is told of."""

    def __init__(self, sentence: Sentence) -> None:
        """Remember the sentence."""
        self._in, self._tokens, self._language = sentence, sentence.tokens, sentence.language

    def who(self) -> str:
        """Return somebody: a name, or whose sister."""
        runs = self._in.runs(BREAKS | {"place", "money"})
        runs = [self._alone(one) for one in runs]
        runs = [one for one in runs if not any(token.low in self._in.how.called for token in self._tokens[slice(*one)])
                and not (one[0] == 0 and self._tokens[one[1]:one[1] + 1] and self._tokens[one[1]].text in (
                    ":" if one[1] > 1 else ":,"))  # "Lovely, Friday is fine"
                and not all(token.low in self._language.common_words for token in self._tokens[slice(*one)])]
        scored = sorted((-score, at) for at, score in enumerate(map(self._person, runs)) if score > _NOBODY)
        return self._in.text(runs[scored[0][1]]) if scored else ""

    def _alone(self, span: Span) -> Span:
        # "Ilse and hears badly": behind "and" stands another name, or nothing of it.
        for at in range(span[0] + 1, span[1] - 1):
            behind = self._tokens[at + 1]
            if self._tokens[at].low == self._language.and_ and behind.text[0].islower() and behind.low not in (
                    self._language.determiners):
                return span[0], at
        return span

    def _person(self, span: Span) -> int:
        # How much words look like a person.
        tokens = self._tokens[span[0]:span[1]]
        first = tokens[0]
        if all(one.low in self._language.determiners or one.low[0].isdigit() for one in tokens):
            return _NOBODY
        usual = first.start == 0 and not self._language.inflected and (
            first.low in self._language.common_words | self._language.determiners)
        behind = self._tokens[span[1]:span[1] + 1]
        thing = bool(behind) and behind[0].role == "asked" and not is_verb(behind[0].low, self._language)
        if thing and first.low in self._language.determiners and all(one.text[0].islower() for one in tokens[1:]):
            return _NOBODY  # "our driving" of "our driving lesson"
        named = [one for one in tokens if one.text[0].isupper() and one.start]
        owned = first.low in self._language.determiners and not named and self._in.how.persons.isdisjoint(
            one.low for one in tokens[1:])
        placed = bool(span[0]) and self._tokens[span[0] - 1].role == "place" and (
            self._language.inflected or not self._in.led())
        titled = any(one.low in self._language.honorifics for one in tokens)
        beside = {self._tokens[at].role for at in (span[0] - 1, span[1]) if 0 <= at < len(self._tokens)}
        if (owned and "asked" not in beside or placed) and not titled:
            return _NOBODY  # "my licence"; "im Garten"
        score = 6 * titled
        score += (1 if first.low in self._language.determiners else 3) * (
            first.low in self._in.how.persons and len(tokens) > 1)
        if self._language.inflected:
            score += 2 * (any(one.text[0].isupper() for one in tokens) and first.low not in self._language.determiners)
        else:
            score += 2 * (any(one.text[0].isupper() and one.low not in self._language.common_words
                              for one in tokens[first.start == 0 and usual:]))
        # What stands right before or behind what is asked.
        if not score:
            return _NOBODY
        score += 4 * ("asked" in beside) + ("verb" in beside) - min(self._in.near(span[0]), _FAR) // 2
        marks = [-1, *(at for at, one in enumerate(self._tokens) if one.text in ",;"), len(self._tokens)]
        start, end = max(at for at in marks if at < span[0]), min(at for at in marks if at >= span[1])
        # "Stefan is ill, Lukas comes instead."
        moved = mentions_any(self._in.text((start + 1, end)), asking(self._language.code).moving)
        return score + 3 * moved


class Whereabouts:
    """Where something is."""

    def __init__(self, sentence: Sentence) -> None:
        """Remember the sentence."""
        self._in, self._tokens, self._language = sentence, sentence.tokens, sentence.language

    def where(self) -> str:
        """Return a place, with its preposition."""
        found: list[tuple[int, Span]] = []
        for at, token in enumerate(self._tokens):
            if token.role not in ("place", "kept"):
                continue
            end = self._end_of_place(at + 1)
            if end > at + 1 and not (found and at < found[-1][1][1]):
                if self._in.but and shared(self._in.but, content(self._in.text((at, end)), self._language.code)):
                    continue
                score = self._is_place((at, end))
                if token.role == "place" or score > _KNOWN:
                    found.append((score - min(self._in.near(at), 6) // 3, (at, end)))
        if not found or mentions_any(self._in.low, self._in.how.addresses) and self._address():
            return self._address() or self._room()
        if not mentions_any(self._in.low, self._in.how.going):
            found = [(score, (at + (self._tokens[at].low in self._in.how.toward), end)) for score, (at, end) in found]
        score, best = max(found, key=lambda one: (one[0], -one[1][0]))
        return self._in.text(best) if score > 0 else self._address() or self._room()

    def _room(self) -> str:
        # "Fen can have the box room."
        if not any(one.role == "asked" for one in self._tokens) or mentions_any(self._in.low, self._in.how.addresses):
            return ""
        return next((self._in.text(one) for one in self._in.runs() if one[0] and self._tokens[
            one[0] - 1].role == "skip" and self._in.is_known(one)), "")

    def _end_of_place(self, at: int) -> int:
        while at < len(self._tokens):
            token = self._tokens[at]
            behind = self._tokens[at + 1:at + 2]
            if token.role == "stop" and token.text in ",:" and behind and (
                    behind[0].role == "place" or behind[0].role == "word" and (
                    behind[0].text[0].isdigit() or behind[0].text[0].isupper() and not self._language.inflected
                    or kin("where", behind[0].text, self._language)) or self._numbered(at + 1)):
                if behind[0].role == "place" and self._tokens[at + 2:at + 3] and self._tokens[at + 2].role == "time":
                    break
                at += 1
                continue
            if token.role == "place" and self._tokens[at + 1:at + 2] and any(
                    one.role == "time" for one in self._tokens[at + 1:at + 3]):
                break
            if token.role not in ("word", "asked", "place"):
                break
            if token.low == self._language.and_ or token.role == "asked" and token.low in self._in.how.verbs:
                break
            at += 1
        while at and self._tokens[at - 1].role in ("place", "stop"):
            at -= 1
        return at

    def _numbered(self, at: int) -> bool:
        # "Gleis 2", "room 4", "quai 3".
        two = self._tokens[at:at + 2]
        return len(two) == 2 and two[0].role in ("word", "asked") and two[1].text[0].isdigit()

    def _is_place(self, span: Span) -> int:
        inside = self._tokens[span[0] + 1:span[1]]
        if not inside or inside[0].role == "time":
            return -9
        named = any(one.text[0].isupper() for one in inside)
        known = self._in.is_known(span)
        return 1 + named + _KNOWN * known + (inside[0].low in self._language.determiners)

    def _address(self) -> str:
        for start, end in self._in.runs():
            if self._tokens[start].text[0].isdigit() and end - start > 1 and any(
                    one.text[0].isupper() for one in self._tokens[start:end]):
                return self._in.text((start, self._end_of_place(start)))
        return ""
