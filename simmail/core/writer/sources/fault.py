"""
The thing that a mail says to be broken, missing or lost, as its reader names it: "9 of the 60 pipes", "the gate".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from simmail.core.language.phrases import noun_phrase, words
from simmail.core.language.reader import Findings
from simmail.core.language.tables import Language
from simmail.core.language.text import say
from simmail.core.writer.sources.side import SideWords, side_words, tells

#: Sentences that are looked at, and words between two numbers of "9 of the 60" at most.
_SENTENCES, _APART = 6, 4
#: Words behind a thing in which it is said not to be there.
_BEHIND = 4
_PHONE = re.compile(r"(?:\+|(?<![0-9])0)[0-9][0-9 ()/-]{5,18}[0-9]")
#: Fewer letters are no name of a thing.
_SHORTEST = 3


def fault(found: Findings, language: Language, distant: bool) -> str:
    """
    Return what the trouble of a mail is with, C{""} where it names nothing or tells of none.

    @param distant: who wrote it is called "Sie", "vous", "usted".
    """
    how = side_words(language.code)
    for sentence in found.prose.sentences[:_SENTENCES]:
        if tells(sentence, how.broken, how.fails, how.lacking):
            tokens = words(sentence)
            named = next(chain(_counted(tokens, language, distant), _named(tokens, language, distant)), "")
            if named:
                return say(named, 60)
    return found.named[0] if found.named and found.references else ""


def _is_number(token: str, language: Language) -> bool:
    return token.replace(",", "").replace(".", "").isdigit() and len(token) < 6 or language.counts.get(
        token.lower(), 0) > 1


def _counted(tokens: list[str], language: Language, distant: bool) -> Iterator[str]:
    """So many of so many things, or so many things."""
    numbers = [at for at, token in enumerate(tokens) if _is_number(token, language)]
    how = side_words(language.code)
    for at in numbers:
        first = at + 1
        if tokens[first:first + 1] and tokens[first].lower() in how.part_of:
            first += 1 + (tokens[first + 1:first + 2] != [] and tokens[first + 1].lower() in language.determiners)
        noun = _noun(tokens, first, language)
        if not _is_thing(noun, how) or at and tokens[at - 1].lower() in how.clock:
            continue
        before = [other for other in numbers if 0 < at - other <= _APART
                  and any(one.lower() in how.part_of for one in tokens[other + 1:at])]
        start = before[0] if before else at
        thing = " ".join([*_turned(tokens[start:at], language, distant), *tokens[at:first], *noun])
        head = next((place for place in range(max(0, at - 2), at) if tokens[place].lower() in how.part_of), -1)
        after = [other for other in numbers if other > at]
        if not before and head >= 0 and after:
            # "Of the 60 pipes 9 are bent."
            part = [tokens[head].lower(), *_turned(tokens[head + 1:at], language, distant)]
            thing = " ".join([tokens[after[0]], *part, tokens[at], *noun])
        yield thing


def _named(tokens: list[str], language: Language, distant: bool) -> Iterator[str]:
    """The thing that a clause begins with, or that stands behind what says that it is not there."""
    how = side_words(language.code)
    for at, token in enumerate(tokens):
        low = token.lower()
        before = tokens[at - 1].lower() if at else ","
        if low not in language.determiners | how.yours.keys() or low in how.no_things:
            continue
        noun = _noun(tokens, at + 1, language)
        led_in, behind = tokens[max(0, at - 2):at + 1], tokens[at + 1 + len(noun):][:_BEHIND]
        if tells(" ".join(behind), how.has_none):
            continue  # "my lad has no boiler"
        # "... meinen Ausweis nicht erhalten": other languages say that it is not there behind it.
        if _is_thing(noun, how) and (before in how.joints or tells(" ".join(led_in), how.lacking, how.broken)
                                     or tells(" ".join(behind), how.lacking)):
            yield " ".join(_turned([token], language, distant) + noun)


def _is_thing(noun: list[str], how: SideWords) -> bool:
    return len("".join(noun)) >= _SHORTEST and noun[0][0].isalpha() and noun[0].lower() not in how.no_things


def _noun(tokens: list[str], start: int, language: Language) -> list[str]:
    """The words of a thing; where nouns are written large, up to the last of them: none in "are 9 bent"."""
    how, found = side_words(language.code), noun_phrase(tokens, start, language)
    end = next((at for at, word in enumerate(found) if tells(word, how.broken, how.lacking)), len(found))
    found = found[:end]
    while language.inflected and found and not found[-1][0].isupper():
        found.pop()
    return found


def _turned(tokens: list[str], language: Language, distant: bool) -> list[str]:
    """Determiners as the reader says them: "my" is "your", and "your" "our"."""
    yours = side_words(language.code).yours
    return [yours[low][not distant] if (low := token.lower()) in yours else language.flips.get(
        low, low if low in language.determiners else token) for token in tokens]


def phone(found: Findings, language: Language) -> str:
    """Return the number that a mail asks to be called on, C{""} for none."""
    for sentence in found.prose.sentences[:_SENTENCES]:
        number = _PHONE.search(sentence) if tells(sentence, side_words(language.code).calls) else None
        if number is not None:
            return say(number.group(), 30)
    return ""
