"""
What a mail offers to choose from where it stands in a list, between slashes, in brackets, or in another sentence.

"Which?" below three rows, "cheese / ham / tuna", "how long (1, 2 or 3 months)", "either it goes up to £465 or I hand it
back".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from simmail.core.language.clause.alternatives import is_clause, is_timed
from simmail.core.language.clause.question_types import asking
from simmail.core.language.clause.tables import restating
from simmail.core.language.facts import stem
from simmail.core.language.questions import options
from simmail.core.language.tables import Language
from simmail.core.language.text import say

#: So many things at most are chosen from; so many words is one of them in a list, and in a sentence.
_MOST, _LISTED, _SHORT = 7, 9, 6
#: So many lines of other text may stand between a list and what asks which of it.
_BETWEEN = 3
#: Words of a question by which its place is found; letters of a noun that is looked for.
_PLACED, _NOUN = 8, 4
_MARKS = " .,;:!?\"'"
_BULLET = re.compile(r"^(?:[-*•–·→]|\(?([0-9a-zA-Z])(?:[.)/]|\s[-–:]))\s+")
#: A line of two columns: dots or blanks stand between them.
_ROW = re.compile(r"^\S.{0,80}?(?:\s*\.{3,}\s*|\s*…\s*|\t+|\s{3,})(?=\S)")
_COLUMN = re.compile(r"\s{3,}|\t|\.{3,}")
_INLINE = re.compile(r"(?<!\w)\(?([a-e1-6])\)\s+")
_ASIDE = re.compile(r"\s*\([^()]*\)?")
_BRACKETS = re.compile(r"\(([^()]{3,120})\)")
_SLASH = re.compile(r"\s+/\s+")
_NUMBERED = re.compile(r"(?<!\w)\(?(?:[a-e1-5]|i{1,3}|iv)\)\s+")
_CUT = re.compile(r",\s|:\s|;\s|\s[-–—]\s")


class ListedThing(NamedTuple):
    """A thing in a list: with which letter or number it stands there, C{""} for none."""

    mark: str
    thing: str


def listed_above(sentence: str, body: str, language: Language) -> list[ListedThing]:
    """Return the things of the list that stands above a sentence, C{[]} for none and for one of questions."""
    return list_above(sentence, body, language)[1]


def list_above(sentence: str, body: str, language: Language) -> tuple[str, list[ListedThing]]:
    """Return the same with the line that leads the list in, C{""} for none."""
    words = sentence.split()[:_PLACED]
    found = re.search(r"\s+".join(map(re.escape, words)), body, re.IGNORECASE) if words else None
    if found is None:
        return "", []
    lines = body[:found.start()].split("\n")[-60:]
    if lines and not _item(lines[-1]):
        lines.pop()  # what stands before it on its own line
    other = 0
    while lines and not _item(lines[-1]) and not (lines[-1] and any(map(_item, lines[-3:]))):
        other += bool(lines.pop().strip())
        if other > _BETWEEN:
            return "", []
    things: list[ListedThing] = []
    rest = ""
    while lines and lines[-1].strip() and (_item(lines[-1]) or any(map(_item, lines))):
        line = lines.pop()
        if item := _item(line):
            things.append(ListedThing(item.mark.lower(), f"{item.thing} {rest}".strip()))
            rest = ""
        else:
            rest = f"{line} {rest}".strip()
    things.reverse()
    if not 1 < len(things) <= _MOST or any("?" in _ASIDE.sub("", one.thing) for one in things):
        return "", []
    lead = rest or next((line for line in reversed(lines) if line.strip()), "")
    return lead, [ListedThing(one.mark, label(one.thing, language)) for one in things]


def inline(sentence: str, language: Language) -> list[ListedThing]:
    """Return the things that a sentence letters or numbers: "a) in the morning, b) on Sunday"; C{[]} for fewer."""
    marks = list(_INLINE.finditer(sentence))
    ends = [*(one.start() for one in marks[1:]), len(sentence)]
    things = [ListedThing(one.group(1).lower(), label(sentence[one.end():end].strip(_MARKS), language))
              for one, end in zip(marks, ends)]
    return things if 1 < len(things) <= _MOST and "?" not in sentence and all(one.thing for one in things) else []


def listed_below(sentence: str, body: str, language: Language) -> list[ListedThing]:
    """Return the things of the list that stands right below a sentence, C{[]} for none: "tell me which." above it."""
    words = sentence.split()[-_PLACED:]
    found = re.search(r"\s+".join(map(re.escape, words)), body) if words else None
    lines = body[found.end():].lstrip("\n ").split("\n")[:_MOST * 3] if found is not None else []
    things: list[ListedThing] = []
    for line in lines:
        item = _item(line)
        if item is None and (not things or not line.strip()):
            break
        things = [*things, item] if item else [*things[:-1], things[-1]._replace(thing=f"{things[-1].thing} {line}")]
    if not 1 < len(things) <= _MOST or any("?" in one.thing for one in things):
        return []
    return [ListedThing(one.mark, label(one.thing, language)) for one in things]


def _item(line: str) -> ListedThing | None:
    bullet = _BULLET.match(line)
    if bullet is not None:
        return ListedThing(bullet.group(1) or "", line[bullet.end():].strip())
    row = _ROW.match(line)
    value = line[row.end():].strip() if row is not None else ""
    return ListedThing("", value) if value and _COLUMN.search(value) is None else None


def label(thing: str, language: Language) -> str:
    """Return a thing of a list as it is named: without its asides and what is told of it, as its reader says it."""
    plain = _ASIDE.sub("", thing).strip()
    first = _CUT.split(plain)[0]
    whole = is_timed(plain, language) and len(plain.split()) <= _LISTED or len(first.split()) < 2
    # "Heather Blue 400x200, in stock.", but "Wednesday 16th, 8:10 with Dr Szabo".
    said = (re.split(r"[.!]\s", plain)[0] if whole else first).strip(_MARKS).split()
    # Inside of a phrase nothing tells whose "your" is: "at your old time" is "at the old time".
    inside = language.default_determiner
    return say(" ".join(language.flips.get(word.lower(), word) if not at or not inside else (
        inside if word.lower() in language.flips else word) for at, word in enumerate(said)), 80)


def lettered(sentence: str, things: Sequence[ListedThing], language: Language) -> bool:
    """Return whether a sentence names things of a list by their letters or numbers: "reply with a, b or c"."""
    words = [one.strip(_MARKS + "()").lower() for one in sentence.split()]
    marks = {one.mark for one in things if one.mark}
    return any(word == language.or_ and one in marks and other in marks
               for one, word, other in zip(words, words[1:], words[2:]))


def bracketed(text: str, language: Language) -> tuple[str, ...]:
    """Return what stands to be chosen in the brackets of a text, C{()} for none: "how long (1, 2 or 3 months)"."""
    for inside in _BRACKETS.findall(text):
        part = inside.partition(";")[0].strip(_MARKS)
        pieces = _SLASH.split(part) if _SLASH.search(part) else part.split("/") if part.count("/") == 1 and not any(
            map(str.isdigit, part)) else []
        if not pieces and f" {language.or_} " in part:
            pieces = re.split(rf",\s+(?:{language.or_}\s+)?|\s+{language.or_}\s+", part)
        pieces = [one.strip(_MARKS) for one in pieces]
        said = restating(language.code).pronouns
        if 1 < len(pieces) <= _MOST and all(one and len(one.split()) <= _SHORT and not is_clause(
                one.split(), language) and said.isdisjoint(one.lower().split()) for one in pieces):
            return _with_units(pieces)
    return ()


def _with_units(pieces: Sequence[str]) -> tuple[str, ...]:
    """Numbers with the unit of the last one: "1, 2 or 3 months"."""
    number, _, unit = pieces[-1].partition(" ")
    bare = number.isdigit() and unit and all(one.isdigit() for one in pieces[:-1])
    return tuple(f"{one} {unit}" if bare and one != "1" and " " not in one else one for one in pieces)


def slashed(sentence: str, language: Language) -> tuple[str, ...]:
    """Return what a sentence puts between slashes, C{()} for no such things: "A / B / C - which?"."""
    head, _, tail = sentence.strip(_MARKS).rpartition(" - ")
    which = bool(head) and tail.strip(_MARKS).lower().startswith(language.choosing_words)
    pieces = [one.strip(_MARKS) for one in _SLASH.split((head if which else sentence).rpartition(": ")[2])]
    if len(pieces) < 2 or not (which or len(pieces) > 2) or any(
            not one or len(one.split()) > _LISTED for one in pieces):
        return ()
    return tuple(say(" ".join(language.flips.get(word.lower(), word) for word in one.split()), 60) for one in pieces)


def between(text: str, language: Language) -> tuple[str, ...]:
    """Return the two things that a text wants a choice between, C{()} for none: "a choice between a and b"."""
    cue = asking(language.code).between
    low = text.lower()
    at = low.find(f" {cue} ") if cue and not language.choice_words.isdisjoint(low.split()) else -1
    one, found, other = _NUMBERED.sub("", text[at + len(cue) + 2:].strip(_MARKS)).partition(f" {language.and_} ")
    halves = [" ".join(language.flips.get(word.lower(), word) for word in half.strip(_MARKS).split())
              for half in (one, other.partition(",")[0])]
    return tuple(halves) if at >= 0 and found and all(0 < len(half.split()) <= _SHORT for half in halves) else ()


def ultimatum(sentence: str, language: Language) -> tuple[str, ...]:
    """Return the two things of which one has to be: "either it goes up to £465 or I hand it back"; C{()} for none."""
    cue = asking(language.code).either
    low = sentence.lower()
    if not cue or "?" in sentence or not low.startswith(f"{cue} "):
        return ()
    one, found, other = sentence[len(cue) + 1:].strip(_MARKS).partition(f" {language.or_} ")
    halves = [half.strip(_MARKS).removeprefix(f"{cue} ").split() for half in (one, other)]
    if not found or any(not 1 < len(half) <= 2 * _SHORT for half in halves):
        return ()
    how = restating(language.code)
    if not all(half[0].lower() in (*how.asked, *how.asking, *how.subjects, *how.determiners) for half in halves):
        return ()
    return tuple(say(" ".join(_turned(half, language)), 80) for half in halves)


def _turned(words: Sequence[str], language: Language) -> list[str]:
    """A clause as the other side says it."""
    how = restating(language.code)
    persons = {**how.objects, **how.theirs}
    first = words[0].lower()
    subject = how.asked.get(first) or how.asking.get(first) or persons.get(first, first)
    if first != how.offerer and first in how.asking and how.yours.isdisjoint(map(str.lower, words)):
        return list(words)  # "either we go early or we leave it" is of both
    return [subject, *(persons.get(word.lower(), word) for word in words[1:])]


def spoken_of(question: str, before: Sequence[str], language: Language) -> tuple[str, ...]:
    """
    Return what sentences before a question offer of the thing it asks which of: of "which ferry do you say?" the hours
    in "Ferry from Oban on Saturday, 10:05 or 13:55"; C{()} for nothing.
    """
    words = [one.strip(_MARKS).lower() for one in question.split()]
    at = next((at for at, one in enumerate(words[:4]) if one.startswith(language.choosing_words)), -1)
    noun = stem(words[at + 1]) if 0 <= at < len(words) - 1 else ""
    if len(noun) < _NOUN:
        return ()
    for sentence in reversed(before):
        if "?" in sentence or not any(stem(word.strip(_MARKS)) == noun for word in sentence.lower().split()):
            continue
        found = bracketed(sentence, language) or (options(
            f"{sentence.strip(_MARKS)}?", language, asked=True) if f" {language.or_} " in sentence else ())
        if found and all(len(one.split()) <= _SHORT for one in found):
            # "Saturday 10 October, 10:05 or 13:55": of the hours.
            return tuple(one for one in found if (":" in one) == (":" in found[-1]))
    return ()
