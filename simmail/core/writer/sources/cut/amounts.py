"""
The days, hours, sums, numbers and measures of a sentence that answer a question.
"""

from __future__ import annotations

import re

from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.writer.sources.cut.asked_sentence import Sentence, Span
from simmail.core.writer.sources.cut.words import is_clock, is_day, times
from simmail.core.writer.sources.said_words import content, prices, shared

#: A telephone number, as it is written.
PHONE = re.compile(r"(?<![\w.,])\+?[0-9][0-9 /()-]{5,20}[0-9](?![\w.,]?[0-9])")
CLOCK = re.compile(r"[0-9]{1,2}(?:[:.h][0-9]{2}|h|am|pm)", re.IGNORECASE)


class Amounts:
    """What is told in figures; each method returns C{""} where there is none."""

    def __init__(self, sentence: Sentence) -> None:
        """Remember the sentence."""
        self._in, self._tokens, self._language = sentence, sentence.tokens, sentence.language

    def when(self) -> str:
        """Return the day, the time, or both."""
        spans = times(self._tokens, self._in.how)
        clock = mentions_any(self._in.low, asking(self._language.code).clock)
        day = mentions_any(self._in.low, self._in.how.days)
        if clock and day:
            clock = day = False  # "which day and at what time"
        if clock:
            spans = [one for one in spans if any(
                is_clock(token, self._language) for token in self._tokens[slice(*one)])]
        elif day:
            spans = [one for one in spans if any(
                is_day(token, self._language) for token in self._tokens[slice(*one)])]
        # "From when" wants what stands behind "from".
        led = [(start, end) for start, end in spans if self._tokens[start].role == "kept" and (
            f" {self._tokens[start].low} " in self._in.low)]
        asked = next((at for at, one in enumerate(self._tokens) if one.role == "asked" and one.low not in (
            self._in.how.persons)), 0)
        # "Bring her at six and fetch her on Sunday": a time stands behind its verb.
        behind = [one for one in spans if one[0] > asked] if any(one[0] < asked for one in spans) and not any(
            one.role == "stop" for one in self._tokens[asked:]) else []
        best = self._in.nearest(led or behind or spans)
        if best is None:
            return ""
        if day and not clock:
            best = best[0], 1 + max(at for at in range(*best) if is_day(self._tokens[at], self._language))
        if clock:
            # Of "Tuesday 10 March at 9:15" the hour.
            start = next((at for at in range(*best) if is_clock(self._tokens[at], self._language) or self._tokens[
                at + 1:at + 2] and self._tokens[at + 1].low in self._language.hour_words), best[0])
            while start > best[0] and self._tokens[start - 1].low in self._in.how.quarters | self._in.how.quarter_joins:
                start -= 1  # "viertel nach elf"
            lead = start - 1
            while lead >= best[0] and self._tokens[lead].low in self._in.how.inside:
                lead -= 1
            start = lead if lead >= best[0] and self._tokens[lead].role == "kept" else start
            best = start, best[1]
        return self._in.text(best)

    def much(self) -> str:
        """Return the sum."""
        named = prices(self._in.sentence, self._language)
        asked = content(self._in.question.text, self._language.code) - content(" ".join(
            self._language.price_words), self._language.code)
        hits = sorted(named, key=lambda one: -len(shared(asked, one.words)))
        return hits[0].text if hits else ""

    def many(self) -> str:
        """Return a number with its unit."""
        numbers = [at for at, one in enumerate(self._tokens) if one.role in ("word", "asked") and (
            one.low.replace(".", "").replace(",", "").isdecimal() or self._language.counts.get(one.low, 0) > 1)]
        if self._in.but:
            numbers = [at for at in numbers if self._tokens[at].low not in self._in.but]
        units = self._in.units()
        if units is not None:
            numbers = [at for at in numbers if self._tokens[at + 1:at + 2] and self._tokens[at + 1].low in units]
        if not numbers:
            return ""
        after = [at for at in numbers if self._tokens[at + 1:at + 2] and self._tokens[at + 1].role == "asked"]
        at = (after or sorted(numbers, key=self._in.near))[0]
        end = at + 1
        while end < min(at + 3, len(self._tokens)) and self._tokens[end].role in ("word", "asked") and self._tokens[
                end].low not in self._language.determiners | self._language.of_words | self._in.how.inside | {
                self._language.and_}:
            end += 1
        while end > at + 1 and self._tokens[end - 1].low in self._in.how.asked_by:
            end -= 1  # "14 desks for the office"
        return self._in.text((self._approximate(at), end))

    def _approximate(self, at: int) -> int:
        for size in (2, 1):
            before = " ".join(one.low for one in self._tokens[max(0, at - size):at])
            if at >= size and before in self._in.how.about:
                return at - size
        return at

    def measure(self) -> str:
        """Return a number with a unit of what is asked for: "2.4 m"."""
        return self.many() if self._in.units() is not None else ""

    def long(self, led: bool = False) -> str:
        """Return a number with a unit of time; C{led}: with the preposition before it, "in 14 days"."""
        spans = self._language.spans
        for at, token in enumerate(self._tokens):
            behind = [one.low for one in self._tokens[at + 1:at + 3]]
            counted = token.low in self._language.counts or token.low.replace("-", "").isdecimal()
            unit = next((place for place, one in enumerate(behind) if one in spans), None)
            if counted and unit is not None:
                start = self._approximate(at)
                start -= led and start > 0 and self._tokens[start - 1].role in ("place", "kept")
                return self._in.text((start, at + 2 + unit))
        return ""

    def numbered_thing(self) -> bool:
        """Return whether a number of something is asked for that has one: "the ticket number"."""
        how = asking(self._language.code)
        return mentions_any(self._in.low, self._in.how.phones) or any(
            word.strip(" ?").endswith(how.numbered) for word in self._in.low.split())

    def number(self) -> str:
        """Return a number or a code, the nearest to what is asked; one to call where that is."""
        phones = [match for match in PHONE.finditer(self._in.sentence) if sum(map(str.isdigit, match[0])) > 6]
        if mentions_any(self._in.low, self._in.how.phones):
            return phones[-1][0] if phones else ""
        found: list[Span] = []
        for at, token in enumerate(self._tokens):
            if any(one.start() <= token.start < one.end() for one in phones if " " in one[0]):
                continue
            if token.role in ("word", "asked") and any(map(str.isdigit, token.text)):
                if found and found[-1][1] == at:
                    found[-1] = found[-1][0], at + 1
                else:
                    found.append((at, at + 1))
        best = self._in.nearest(found)
        if best is None:
            return ""
        start, end = best
        while start and self._tokens[start - 1].text.isupper() and self._tokens[start - 1].text.isalpha():
            start -= 1  # "RM 2204 881"
        return self._in.text((start, end))
