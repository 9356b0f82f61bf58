"""
A sentence that was said and what is asked of it: its words, and the stretches of them that no question says itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language
from simmail.core.writer.sources.cut.words import Word, cutting, read
from simmail.core.writer.sources.said_words import content

BREAKS = frozenset(("stop", "joint", "skip", "verb", "asked", "time", "kept"))

Span = tuple[int, int]


class Sentence:
    """One sentence and what is asked of it; a span is the place of its first word and of the one behind its last."""

    def __init__(
        self, question: MailQuestion, sentence: str, tokens: Sequence[Word], language: Language, but: str
    ) -> None:
        """
        Remember them.

        @param but: what does not hold any more.
        """
        self.question, self.sentence, self.tokens = question, sentence, tokens
        self.language, self.how, self.but = language, cutting(language.code), content(but, language.code)
        self.low = f" {question.text.lower().replace(chr(0x2019), chr(39))} "

    def text(self, span: Span) -> str:
        """Return the words of a span as they stand."""
        start, end = span
        return self.sentence[self.tokens[start].start:self.tokens[end - 1].end] if start < end else ""

    def segment(self, at: int) -> str:
        """Return the words around a place up to the next marks, in lower case, with a blank before and behind."""
        stops = [-1, *(place for place, one in enumerate(self.tokens) if one.role == "stop"), len(self.tokens)]
        start, end = max(one for one in stops if one < at), min(one for one in stops if one > at)
        return f" {self.text((start + 1, end)).lower()} "

    def near(self, at: int) -> int:
        """Return how far a place of the sentence is from the next word that the question has too."""
        asked = [place for place, one in enumerate(self.tokens) if one.role == "asked"]
        return min((abs(at - place) + 4 * any(one.role == "stop" for one in self.tokens[
            min(at, place):max(at, place)]) for place in asked), default=0)

    def nearest(self, spans: Sequence[Span]) -> Span | None:
        """Return the span that is nearest to what is asked."""
        return min(spans, key=lambda span: (min(self.near(span[0]), self.near(span[1] - 1)), span), default=None)

    def runs(self, breaks: frozenset[str] = BREAKS) -> list[Span]:
        """Return the words that stand together and are no part of the question."""
        found: list[Span] = []
        start = 0
        for at in range(len(self.tokens) + 1):
            if at < len(self.tokens) and self.tokens[at].role not in breaks:
                continue
            found.append((start, at))
            start = at + 1
        moving = asking(self.language.code).moving
        # "Small change: ..." says nothing itself.
        return [one for one in map(self._trimmed, found) if one[0] < one[1] and not mentions_any(
            self.text(one), moving)]

    def _trimmed(self, span: Span) -> Span:
        # Without what joins it to the rest.
        start, end = span
        loose = {self.language.and_, self.language.or_} | self.language.of_words
        while start < end and (self.tokens[start].role == "place" or self.tokens[start].low in loose):
            start += 1
        while end > start and (self.tokens[end - 1].role == "place" or self.tokens[end - 1].low in loose
                               or self.tokens[end - 1].low in self.language.determiners):
            end -= 1
        return start, end

    def led(self) -> str:
        """Return the preposition of the question: "about what", "into", "with whom"."""
        words = self.low.replace("¿", " ").split()
        return next((one for one in (words[0], words[-1].strip(" ?")) if one in self.how.asked_by), "")

    def by_preposition(self) -> str:
        """Return what stands behind the preposition of the question."""
        asked = self.led()
        for at, token in enumerate(self.tokens if asked else ()):
            if token.low == asked and (asked not in self.language.of_words or at and self.tokens[
                    at - 1].role == "asked"):
                run = next((one for one in self.runs() if one[0] > at and not any(
                    token.role in BREAKS for token in self.tokens[at + 1:one[0]])), None)
                if run is not None:
                    return self.text(run)
        return ""

    def of_money(self) -> bool:
        """Return whether nothing but a sum can be the answer."""
        nouns = asking(self.language.code).nouns.get("much", ())
        return mentions_any(self.low, (*self.language.price_words, *nouns))

    def chooses(self) -> str:
        """Return what a question wants one of: C{dock} of "which dock", C{""} for no such thing."""
        words = [one for one in read(self.question.text, (), self.language) if one.role != "stop"]
        low = [one.low for one in words]
        at = next((place for place, word in enumerate(low[:4]) if word.startswith(
            tuple(f"{one}" for one in self.language.choosing_words)) or word in ("what", "qué", "quel", "quelle")), -1)
        if at < 0 or at + 1 >= len(words) or words[at + 1].role != "word" or low[
                at + 1] in self.language.determiners:
            return ""
        return low[at + 1]

    def is_known(self, span: Span) -> bool:
        """Return whether words name a place that is known as one."""
        text = f" {self.text(span).lower()}"
        cues = [words for cues, words in asking(self.language.code).kin.values() if not {
            "where", "wo", "où", "dónde"}.isdisjoint(cues)]
        return any(f" {word}" in text for words in cues for word in words)

    def units(self) -> frozenset[str] | None:
        """Return what the measure that is asked for is counted in, None where none is asked for."""
        return next((units for cue, units in self.how.measures.items() if cue in self.low), None)
