"""
The piece of a sentence that answers a question: its day for "when", its name for "who", its place for "where".

Nobody quotes a whole mail where a word will do.  What answers is found by the type of the question and by what the
question does not say itself; where nothing of that type stands in the sentence, no piece is cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.clause.tables import restating
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language
from simmail.core.writer.sources.cutting import Cutting, Word, cutting, is_clock, is_verb, read, times
from simmail.core.writer.sources.said_words import content, kin, prices, shared

_CLOCK = re.compile(r"[0-9]{1,2}(?:[:.h][0-9]{2}|h|am|pm)", re.IGNORECASE)
_TRIMMED = frozenset(("word", "money"))
_BREAKS = frozenset(("stop", "joint", "skip", "verb", "asked", "time", "kept"))

#: Letters that a word has more as it is bent, and that it has at least where it ends another.
_ENDING, _TAIL = 4, 4
#: What it is worth to be a place that is known as one.
_KNOWN = 2
#: Nobody; and so far from what is asked that it does not matter how far.
_NOBODY, _FAR = -100, 14

Span = tuple[int, int]


def piece(question: MailQuestion, sentence: str, language: Language, but: str = "") -> str:
    """
    Return the piece of a sentence that answers a question, as it stands there, C{""} where none does.

    @param but: what does not hold any more.
    """
    how = cutting(language.code)
    if not how.joints:
        return ""
    asked = content(question.text, language.code) | content(but, language.code)
    cut = _Cut(question, sentence, read(sentence, asked, language), language, how, but)
    match question.type:
        case "when":
            found = cut.when() or cut.long(led=True)
        case "much":
            found = cut.much() or ("" if cut.of_money() else cut.many())
        case "many":
            found = cut.which() or cut.many()
        case "long":
            found = cut.long() or cut.measure()
        case "who":
            found = cut.by_preposition() or cut.who()
        case "where":
            found = cut.which() or ("" if cut.chooses() else cut.where())
        case "why":
            found = cut.why()
        case "what" | "how" | "choice":
            found = cut.what()
        case _:
            found = ""
    return found.strip(" ,;:-–")


def turned(text: str, language: Language, far: bool) -> str:
    """
    Return words as the other side says them: "my sister" is "your sister"; C{""} where they cannot be.

    @param far: the reader is called "Sie", "vous", "usted".
    """
    how = cutting(language.code)
    found: list[str] = []
    for word in text.split():
        bare = word.strip(".,;:()")
        new = how.turned.get(bare) or how.turned.get(bare.lower(), "")
        if new:
            near, _, distant = new.partition("|")
            if found and bare.lower() in how.objects and found[-1].lower() in how.places | {"for", "with", "of"}:
                near = how.objects[bare.lower()]
            new = distant if far and distant else near
            if bare.lower() in how.company and restating(language.code).ours.intersection(
                    one.strip(".,;:()").lower() for one in text.split()[len(found) + 1:len(found) + 3]):
                new = how.company[bare.lower()]
            new = f"{new[:1].upper()}{new[1:]}" if bare[:1].isupper() and not bare[1:2].isupper() and (
                not found) else new
            found.append(word.replace(bare, new))
        elif bare.lower() in how.unturned and bare not in language.polite_words:
            return ""
        else:
            found.append(word)
    return " ".join(found)


def _is(token: Word, thing: str) -> bool:
    """Whether a word is a thing, one or several of it, or what ends with it: "Lagertor" is a "Tor"."""
    short, long = sorted((token.low, thing), key=len)
    return len(short) > 2 and (
        long.startswith(short) and len(long) < len(short) + _ENDING or len(short) >= _TAIL and long.endswith(short))


class _Cut:
    # One sentence and what is asked of it.

    def __init__(
        self, question: MailQuestion, sentence: str, tokens: Sequence[Word], language: Language, how: Cutting, but: str
    ) -> None:
        self._question, self._sentence, self._tokens = question, sentence, tokens
        self._language, self._how, self._but = language, how, content(but, language.code)
        self._low = f" {question.text.lower().replace(chr(0x2019), chr(39))} "

    def _text(self, span: Span) -> str:
        start, end = span
        return self._sentence[self._tokens[start].start:self._tokens[end - 1].end] if start < end else ""

    def _near(self, at: int) -> int:
        # How far a place of the sentence is from the next word that the question has too.
        asked = [place for place, one in enumerate(self._tokens) if one.role == "asked"]
        return min((abs(at - place) + 4 * any(one.role == "stop" for one in self._tokens[
            min(at, place):max(at, place)]) for place in asked), default=0)

    def _nearest(self, spans: Sequence[Span]) -> Span | None:
        return min(spans, key=lambda span: (min(self._near(span[0]), self._near(span[1] - 1)), span), default=None)

    def when(self) -> str:
        """The day, the time, or both."""
        spans = times(self._tokens, self._how)
        clock = mentions_any(self._low, asking(self._language.code).clock)
        if clock:
            spans = [one for one in spans if any(
                is_clock(token, self._language) for token in self._tokens[slice(*one)])]
        elif mentions_any(self._low, self._how.days):
            spans = [one for one in spans if any(map(self._is_day, self._tokens[slice(*one)]))]
        # "From when" wants what stands behind "from".
        led = [(start, end) for start, end in spans if self._tokens[start].role == "kept" and (
            f" {self._tokens[start].low} " in self._low)]
        best = self._nearest(led or spans)
        if best is None:
            return ""
        if not clock and mentions_any(self._low, self._how.days):
            best = best[0], 1 + max(at for at in range(*best) if self._is_day(self._tokens[at]))
        if clock:
            # Of "Tuesday 10 March at 9:15" the hour.
            start = next((at for at in range(*best) if is_clock(self._tokens[at], self._language) or self._tokens[
                at + 1:at + 2] and self._tokens[at + 1].low in self._language.hour_words), best[0])
            lead = start - 1
            while lead >= best[0] and self._tokens[lead].low in self._how.inside:
                lead -= 1
            start = lead if lead >= best[0] and self._tokens[lead].role == "kept" else start
            best = start, best[1]
        return self._text(best)

    def of_money(self) -> bool:
        """Return whether nothing but a sum can be the answer."""
        nouns = asking(self._language.code).nouns.get("much", ())
        return mentions_any(self._low, (*self._language.price_words, *nouns))

    def _led(self) -> str:
        # The preposition of the question: "about what", "into", "with whom".
        words = self._low.replace("¿", " ").split()
        return next((one for one in (words[0], words[-1].strip(" ?")) if one in self._how.asked_by), "")

    def by_preposition(self) -> str:
        """What stands behind the preposition of the question."""
        asked = self._led()
        for at, token in enumerate(self._tokens if asked else ()):
            if token.low == asked and (asked not in self._language.of_words or at and self._tokens[
                    at - 1].role == "asked"):
                run = next((one for one in self._runs() if one[0] > at and not any(
                    token.role in _BREAKS for token in self._tokens[at + 1:one[0]])), None)
                if run is not None:
                    return self._text(run)
        return ""

    def _is_day(self, token: Word) -> bool:
        return token.role == "time" and (
            token.low in self._language.weekday_forms or token.low in self._language.month_forms
            or token.low in self._language.near_days or token.low.rstrip("s") in self._language.weekday_forms
            or token.low[0].isdigit() and not _CLOCK.search(token.text))

    def much(self) -> str:
        """The sum."""
        named = prices(self._sentence, self._language)
        asked = content(self._question.text, self._language.code) - content(" ".join(
            self._language.price_words), self._language.code)
        hits = sorted(named, key=lambda one: -len(shared(asked, one.words)))
        return hits[0].text if hits else ""

    def many(self) -> str:
        """A number with its unit."""
        numbers = [at for at, one in enumerate(self._tokens) if one.role in ("word", "asked") and (
            one.low.replace(".", "").replace(",", "").isdecimal() or self._language.counts.get(one.low, 0) > 1)]
        units = self._units()
        if units is not None:
            numbers = [at for at in numbers if self._tokens[at + 1:at + 2] and self._tokens[at + 1].low in units]
        if not numbers:
            return ""
        after = [at for at in numbers if self._tokens[at + 1:at + 2] and self._tokens[at + 1].role == "asked"]
        at = (after or sorted(numbers, key=self._near))[0]
        end = at + 1
        while end < min(at + 3, len(self._tokens)) and self._tokens[end].role in ("word", "asked") and self._tokens[
                end].low not in self._language.determiners | self._language.of_words | self._how.inside | {
                self._language.and_}:
            end += 1
        return self._text((self._approximate(at), end))

    def _units(self) -> frozenset[str] | None:
        """What the measure that is asked for is counted in, None where none is asked for."""
        return next((units for cue, units in self._how.measures.items() if cue in self._low), None)

    def _approximate(self, at: int) -> int:
        for size in (2, 1):
            before = " ".join(one.low for one in self._tokens[max(0, at - size):at])
            if at >= size and before in self._how.about:
                return at - size
        return at

    def measure(self) -> str:
        """A number with a unit of what is asked for: "2.4 m"."""
        return self.many() if self._units() is not None else ""

    def long(self, led: bool = False) -> str:
        """A number with a unit of time; C{led}: with the preposition before it, "in 14 days"."""
        spans = self._language.spans
        for at, token in enumerate(self._tokens):
            behind = [one.low for one in self._tokens[at + 1:at + 3]]
            counted = token.low in self._language.counts or token.low.replace("-", "").isdecimal()
            unit = next((place for place, one in enumerate(behind) if one in spans), None)
            if counted and unit is not None:
                start = self._approximate(at)
                start -= led and start > 0 and self._tokens[start - 1].role in ("place", "kept")
                return self._text((start, at + 2 + unit))
        return ""

    def _runs(self, breaks: frozenset[str] = _BREAKS) -> list[Span]:
        # Words that stand together and are no part of the question.
        found: list[Span] = []
        start = 0
        for at in range(len(self._tokens) + 1):
            if at < len(self._tokens) and self._tokens[at].role not in breaks:
                continue
            found.append((start, at))
            start = at + 1
        moving = asking(self._language.code).moving
        # "Small change: ..." says nothing itself.
        return [one for one in map(self._trimmed, found) if one[0] < one[1] and not mentions_any(
            self._text(one), moving)]

    def _trimmed(self, span: Span) -> Span:
        # Without what joins it to the rest.
        start, end = span
        loose = {self._language.and_, self._language.or_} | self._language.of_words
        while start < end and (self._tokens[start].role == "place" or self._tokens[start].low in loose):
            start += 1
        while end > start and (self._tokens[end - 1].role == "place" or self._tokens[end - 1].low in loose
                               or self._tokens[end - 1].low in self._language.determiners):
            end -= 1
        return start, end

    def who(self) -> str:
        """Somebody: a name, or whose sister."""
        runs = self._runs(_BREAKS | {"place", "money"})
        runs = [self._alone(one) for one in runs]
        runs = [one for one in runs if not any(token.low in self._how.called for token in self._tokens[slice(*one)])
                and not (one[0] == 0 and self._tokens[one[1]:one[1] + 1] and self._tokens[one[1]].text == ":")]
        scored = sorted((-score, at) for at, score in enumerate(map(self._person, runs)) if score > _NOBODY)
        return self._text(runs[scored[0][1]]) if scored else ""

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
        owned = first.low in self._language.determiners and not named and self._how.persons.isdisjoint(
            one.low for one in tokens[1:])
        placed = bool(span[0]) and self._tokens[span[0] - 1].role == "place" and (
            self._language.inflected or not self._led())
        titled = any(one.low in self._language.honorifics for one in tokens)
        beside = {self._tokens[at].role for at in (span[0] - 1, span[1]) if 0 <= at < len(self._tokens)}
        if (owned and "asked" not in beside or placed) and not titled:
            return _NOBODY  # "my licence"; "im Garten"
        score = 6 * titled
        score += (1 if first.low in self._language.determiners else 3) * (
            first.low in self._how.persons and len(tokens) > 1)
        if self._language.inflected:
            score += 2 * (any(one.text[0].isupper() for one in tokens) and first.low not in self._language.determiners)
        else:
            score += 2 * (any(one.text[0].isupper() and one.low not in self._language.common_words
                              for one in tokens[first.start == 0 and usual:]))
        # What stands right before or behind what is asked.
        if not score:
            return _NOBODY
        score += 4 * ("asked" in beside) + ("verb" in beside) - min(self._near(span[0]), _FAR) // 2
        marks = [-1, *(at for at, one in enumerate(self._tokens) if one.text in ",;"), len(self._tokens)]
        start, end = max(at for at in marks if at < span[0]), min(at for at in marks if at >= span[1])
        # "Stefan is ill, Lukas comes instead."
        moved = mentions_any(self._text((start + 1, end)), asking(self._language.code).moving)
        return score + 3 * moved

    def where(self) -> str:
        """A place, with its preposition."""
        found: list[tuple[int, Span]] = []
        for at, token in enumerate(self._tokens):
            if token.role not in ("place", "kept"):
                continue
            end = self._end_of_place(at + 1)
            if end > at + 1 and not (found and at < found[-1][1][1]):
                if self._but and shared(self._but, content(self._text((at, end)), self._language.code)):
                    continue
                score = self._is_place((at, end))
                if token.role == "place" or score > _KNOWN:
                    found.append((score - min(self._near(at), 6) // 3, (at, end)))
        if not found or mentions_any(self._low, self._how.addresses) and self._address():
            return self._address() or self._room()
        if not mentions_any(self._low, self._how.going):
            found = [(score, (at + (self._tokens[at].low in self._how.toward), end)) for score, (at, end) in found]
        score, best = max(found, key=lambda one: (one[0], -one[1][0]))
        return self._text(best) if score > 0 else self._address() or self._room()

    def _room(self) -> str:
        # "Fen can have the box room."
        if not any(one.role == "asked" for one in self._tokens) or mentions_any(self._low, self._how.addresses):
            return ""
        return next((self._text(one) for one in self._runs() if self._is_known(one)), "")

    def _is_known(self, span: Span) -> bool:
        text = f" {self._text(span).lower()}"
        cues = [words for cues, words in asking(self._language.code).kin.values() if not {
            "where", "wo", "où", "dónde"}.isdisjoint(cues)]
        return any(f" {word}" in text for words in cues for word in words)

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
            if token.low == self._language.and_ or token.role == "asked" and token.low in self._how.verbs:
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
        known = self._is_known(span)
        return 1 + named + _KNOWN * known + (inside[0].low in self._language.determiners)

    def _address(self) -> str:
        for start, end in self._runs():
            if self._tokens[start].text[0].isdigit() and end - start > 1 and any(
                    one.text[0].isupper() for one in self._tokens[start:end]):
                return self._text((start, self._end_of_place(start)))
        return ""

    def why(self) -> str:
        """A reason, as a clause."""
        low = f" {self._sentence.lower()} "
        for cue in self._how.because:
            at = low.find(f" {cue} ")
            if at >= 0:
                return self._clause(at)
        for cue in self._how.so:
            for mark in (f", {cue} ", f" {cue} "):
                at = low.find(mark)
                if at > 0:
                    head = self._sentence[:max(0, at - 1)]
                    return head.rpartition(": ")[2]
        head, found, tail = self._sentence.partition(": ")
        if found and ", " in tail and mentions_any(head, asking(self._language.code).moving):
            first, _, second = tail.partition(", ")
            return first if _CLOCK.search(second) or not times(read(first, (), self._language), self._how) else (
                second)  # "small change: the lorry broke down, we come on Friday"
        return ""

    def _clause(self, start: int) -> str:
        rest = self._sentence[start:]
        cuts = [at for mark in (", ", "; ", ". ") if (at := rest.find(mark)) > 0]
        return rest[:min(cuts, default=len(rest))].rstrip(" .!")

    def chooses(self) -> str:
        """What a question wants one of: C{dock} of "which dock", C{""} for no such thing."""
        words = [one for one in read(self._question.text, (), self._language) if one.role != "stop"]
        low = [one.low for one in words]
        at = next((place for place, word in enumerate(low[:4]) if word.startswith(
            tuple(f"{one}" for one in self._language.choosing_words)) or word in ("what", "qué", "quel", "quelle")), -1)
        if at < 0 or at + 1 >= len(words) or words[at + 1].role != "word" or low[
                at + 1] in self._language.determiners:
            return ""
        return low[at + 1]

    def _is_same(self, thing: str) -> bool:
        # "Same room" says which it was before.
        return any(before.low in self._how.same and _is(one, thing) for before, one in zip(
            self._tokens, self._tokens[1:]))

    def which(self) -> str:
        """What is called by its name and a number, or by its place in a row: "dock 3", "second floor"."""
        thing = self.chooses() or self._named()
        if not thing:
            return ""
        for at, token in enumerate(self._tokens):
            if not _is(token, thing):
                continue
            before = self._tokens[at - 1] if at else None
            if before is not None and before.low in self._how.same:
                return ""
            behind = self._tokens[at + 1:at + 3]
            if behind and behind[0].role == "word" and (
                    behind[0].text[0].isdigit() or behind[0].text[0].isupper()):
                end = at + 2
                while self._tokens[end:end + 1] and self._tokens[end].role == "word" and (
                        self._tokens[end].text.isupper() or self._tokens[end].text[0].isdigit()):
                    end += 1
                return self._text((at, end))
            if self._language.head_first and behind and behind[0].role == "place":
                end = next((run[1] for run in self._runs() if run[0] > at), at + 1)
                return self._text((at - (before is not None and before.low in self._language.determiners), end))
            numbered = thing in asking(self._language.code).numbered
            if numbered and behind:
                run = next((one for one in self._runs() if one[0] > at and any(
                    map(str.isdigit, self._text(one)))), None)
                if run is not None:
                    return self._text(run)
            if not numbered and self.chooses() and before is not None and before.role in (
                    "word", "verb") and before.low not in self._language.determiners | self._language.of_words:
                return self._text((at - 1, at + 1))
        return ""

    def what(self) -> str:
        """A thing: what stands where the question has its question word."""
        if self._question.type == "what" and self.of_money():
            return self.much()
        found = self.which()
        if found:
            return found
        found = self.by_preposition()
        if found:
            return found
        if mentions_any(self._low, self._how.clausal):
            return self._segment()
        if mentions_any(self._low, self._how.measured) or self._units() is not None or mentions_any(
                self._low, asking(self._language.code).nouns.get("many", ())):
            return self.many()
        if self._numbered_thing():
            return self._number()
        if mentions_any(self._low, tuple(f" {one}" for one in self._how.called)):
            return self.who()
        if mentions_any(self._low, self._how.trouble):
            return self._trouble()
        thing = self.chooses()
        if thing and self._is_same(thing):
            return ""
        if thing and not any(_is(one, thing) for one in self._tokens) and not kin(
                thing, self._sentence, self._language) and not self._ends_asked():
            return ""
        found = self._predicate()
        if found:
            return found
        runs = self._runs(_BREAKS | {"money"})
        if not runs:
            return ""
        if kin(self._question.text, self._sentence, self._language):
            akin = [one for one in runs if kin(self._question.text, self._text(one), self._language)]
            runs = akin or runs
        best = max(runs, key=lambda one: (self._thing(one), -one[0]))
        if self._thing(best) <= 0:
            return ""
        if self._question.type == "how" and best[0] and self._tokens[best[0] - 1].role in ("place", "kept"):
            best = best[0] - 1, best[1]  # "by card"
        return self._text(best)

    def _numbered_thing(self) -> bool:
        """Whether a number of something is asked for that has one: "the ticket number"."""
        how = asking(self._language.code)
        return any(word.strip(" ?").endswith(how.numbered) for word in self._low.split())

    def _number(self) -> str:
        """A number or a code, the nearest to what is asked."""
        found: list[Span] = []
        for at, token in enumerate(self._tokens):
            if token.role in ("word", "asked") and any(map(str.isdigit, token.text)):
                if found and found[-1][1] == at:
                    found[-1] = found[-1][0], at + 1
                else:
                    found.append((at, at + 1))
        best = self._nearest(found)
        if best is None:
            return ""
        start, end = best
        while start and self._tokens[start - 1].text.isupper() and self._tokens[start - 1].text.isalpha():
            start -= 1  # "RM 2204 881"
        return self._text((start, end))

    def _named(self) -> str:
        # "What is the extension": what is asked for by its name.
        words = [one.low for one in read(self._question.text, (), self._language) if one.role != "stop"][:5]
        at = next((place for place, word in enumerate(words) if place > 1 and words[
            place - 1] in self._language.determiners), 0)
        return words[at] if at and words[1] in self._how.skip else ""

    def _predicate(self) -> str:
        """What a thing is said to be: "£890" of "the rent is £890 a month"."""
        asked = [at for at, one in enumerate(self._tokens) if one.role == "asked"]
        start = asked[-1] + 2 if asked else 0
        if not asked or start >= len(self._tokens) or self._tokens[start - 1].role != "skip":
            return ""
        if self._tokens[start].low in self._language.of_words:
            start += 1
        if self._tokens[start:start + 1] and self._tokens[start].role == "money":
            return self._text((start, start + 1))
        start += self._tokens[start].low in self._language.determiners
        end = start
        while self._tokens[end:end + 1] and self._tokens[end].role == "word" and self._tokens[end].text[0].isdigit():
            end += 1
        if end > start:
            return self._text((start, end))
        return ""

    def _segment(self) -> str:
        """All that stands between two marks around what is asked."""
        marks = [-1, *(at for at, one in enumerate(self._tokens) if one.role == "stop"), len(self._tokens)]
        start, end = max(((before + 1, behind) for before, behind in zip(marks, marks[1:])), key=lambda span: sum(
            one.role == "asked" for one in self._tokens[slice(*span)]))
        while start < end and self._tokens[start].low in (self._language.and_, self._language.or_):
            start += 1
        return self._text((start, end))

    def _ends_asked(self) -> bool:
        # "What car do you drive": the sentence has what the question ends with.
        last = content(self._low.split()[-1].strip(" ?"), self._language.code)
        return any(one.role == "asked" and is_verb(one.low, self._language) and shared(
            last, content(one.text, self._language.code)) for one in self._tokens)

    def _trouble(self) -> str:
        """What is wrong: behind what is asked, else all that stands between two marks."""
        runs = self._runs(_BREAKS - {"verb"})
        runs = [one for one in runs if any(token.role != "verb" for token in self._tokens[slice(*one)])]
        broken = next((at for at, one in enumerate(self._tokens) if one.role == "asked" and kin(
            self._question.text, one.text, self._language)), 0)
        whole = [one for one in runs if one[1] <= broken]
        if whole:
            return self._text(whole[-1])  # "what was broken?": "a cup is broken"
        akin = {one for one in runs if kin(self._question.text, self._text(one), self._language)}
        best = min(akin or runs, key=lambda one: (self._near(one[0]), one), default=None)
        if best is None or not akin and kin(self._question.text, self._sentence, self._language) is False:
            return ""
        start, end = best
        marks = [at for at, one in enumerate(self._tokens) if one.role in ("stop", "joint")]
        before, behind = max((at for at in marks if at < start), default=0), min((
            at for at in marks if at >= end), default=len(self._tokens))
        asked = [at for at in range(before, behind) if self._tokens[at].role == "asked"]
        if asked and asked[0] < start:
            return self._text(best)
        while start and self._tokens[start - 1].role not in ("stop", "joint", "verb"):
            start -= 1
        while end < len(self._tokens) and self._tokens[end].role not in ("stop", "joint"):
            end += 1
        return self._text((start, end))

    def _thing(self, span: Span) -> int:
        tokens = self._tokens[span[0]:span[1]]
        if all(one.low in self._language.determiners or one.low in self._language.common_words for one in tokens):
            return 0
        if span[0] and self._tokens[span[0] - 1].low in self._how.same:
            return 0
        before = self._tokens[:span[0]]
        led = next((one.role for one in reversed(before) if one.role not in ("word", "place")), "")
        return len(tokens) + 3 * (led in ("asked", "verb", "skip"))
