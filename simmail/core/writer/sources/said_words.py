"""
Words of sentences that speak of one thing, whatever their endings, and the sums of money in a sentence with theirs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from functools import cache, lru_cache

from msgspec import Struct

from simmail.core.language.clause.question_types import asking
from simmail.core.language.clause.tables import restating
from simmail.core.language.tables import Language, merged
from simmail.core.language.tables import language as known
from simmail.core.writer.sources.marks import MONEY, amount_of

#: Letters that words of one root begin with, and how many more one of them may have behind what they share.
_ROOT, _ENDING, _LEAST = 4, 2, 3
#: Sentences whose words are kept.
_KEPT = 4096

_WORD = re.compile(r"[^\W_]+")
_BREAK = re.compile(r"[,;:]\s")


class Priced(Struct, frozen=True):
    """A sum of money as it stands in a sentence, what it comes to, what stands around it, and whether it is for one."""

    text: str
    value: float
    words: frozenset[str]
    each: bool


@lru_cache(_KEPT)
def content(text: str, code: str) -> frozenset[str]:
    """Return the words of a text that are its own: lower-case, without accents, no common words of its language."""
    usual = _usual(code)
    return frozenset(
        _root(_plain(word), code) for word in _WORD.findall(text[:600].lower()) if len(word) > 2 and word not in usual)


@cache
def _usual(code: str) -> frozenset[str]:
    language = known(code)
    return language.common_words.union(
        word for phrase in (*language.question_words, *language.short_answers) for word in phrase.split())


@lru_cache(_KEPT)
def _root(word: str, code: str) -> str:
    """A word without its ending, where enough of it is left; "paid" is "pay"."""
    word = _present(code).get(word, word)
    for ending in asking(code).endings:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST:
            return word[:-len(ending)]
    return word


@cache
def _present(code: str) -> Mapping[str, str]:
    return {past: verb for verb, past in restating(code).past.items()}


def _plain(word: str) -> str:
    return word if word.isascii() else "".join(
        one for one in unicodedata.normalize("NFD", word) if not unicodedata.combining(one))


def shared(asked: Collection[str], said: Collection[str]) -> set[str]:
    """Return the words of a question that a sentence has as well, with whatever ending."""
    if not asked or not said:
        return set()
    by_root = _by_root(frozenset(said))
    found = set()
    for word in asked:
        near = word in said or (*by_root.get(word[:_ROOT], ()), *by_root.get(word[-_ROOT:], ()))
        if near is True or near and any(_same(word, other) for other in near):
            found.add(word)
    return found


@lru_cache(_KEPT)
def _by_root(said: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    """Words by their first and by their last letters."""
    found: dict[str, tuple[str, ...]] = {}
    for word in said:
        for root in (word[:_ROOT], word[-_ROOT:]):
            found[root] = (*found.get(root, ()), word)
    return found


def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    least = max(_ROOT, len(long) - _ENDING)
    # German compounds, and verbs that come apart: "Versandkosten" and "Kosten", "anfangen" and "fangen".
    if len(short) >= least and one[:least] == other[:least]:
        return True
    if long.endswith(short):
        return len(short) > _ROOT or len(short) == _ROOT and len(long) - _ROOT < _ROOT
    return len(short) > _ROOT + _ENDING and long.startswith(short)


def has_number(sentence: str, language: Language) -> bool:
    """Return whether a sentence has a number that is no sum of money, in figures or as a word."""
    plain = MONEY.sub(" ", sentence).lower()
    return any(map(str.isdigit, plain)) or any(
        language.counts.get(word, 0) > 1 for word in _WORD.findall(plain))


def has_span(sentence: str, language: Language) -> bool:
    """Return whether a sentence says how long something takes: "three days"."""
    words = _WORD.findall(sentence.lower())
    return not merged("spans").keys().isdisjoint(words) and has_number(sentence, language)


def prices(sentence: str, language: Language) -> list[Priced]:
    """Return the sums of money of a sentence, each with the words that belong to it."""
    matches = list(MONEY.finditer(sentence))
    how = asking(language.code)
    found: list[Priced] = []
    for place, match in enumerate(matches):
        before = sentence[matches[place - 1].end() if place else 0:match.start()]
        behind = sentence[match.end():matches[place + 1].start() if place + 1 < len(matches) else len(sentence)]
        # "£1,450 plus £180 for the van": what stands behind "plus" is the van's.
        head = _parted(before, how.joining)[-1] if place else before
        tail = _parted(behind, how.joining)[0]
        near = f" {' '.join(_WORD.findall(head.lower())[-2:])} {' '.join(_WORD.findall(tail.lower())[:3])} "
        if any(f" {' '.join(_WORD.findall(tail.lower()))} ".startswith(f" {cue} ") for cue in how.taken_off):
            continue  # "£15 off each": no price of anything
        if head.lower().split()[-1:] and head.lower().split()[-1] in how.beyond:
            continue  # "free above £1,000"
        each = head.lower().split()[-1:] != [] and head.lower().split()[-1] in how.priced_at and bool(
            counts(head, language)) or any(f" {cue} " in near for cue in how.each)
        # A price for each is one of what the whole sentence speaks of.
        about = _BREAK.sub(" ", sentence[:match.start()]) if each and len(matches) == 1 or each and not place else head
        found.append(Priced(
            " ".join(match.group().split()), amount_of(match.group(1) or match.group(2)),
            content(about, language.code) | content(tail, language.code), each))
    return found


def kin(asked: str, sentence: str, language: Language) -> bool | None:
    """
    Return whether a sentence has a word of the family that a question asks for: "red", where it asks for a colour;
    None where it asks for none.
    """
    family = _family(asked, language.code)
    return any(map(f" {sentence.lower()}".__contains__, family)) if family else None


@lru_cache(_KEPT)
def _family(asked: str, code: str) -> tuple[str, ...]:
    """The words of the families that a question asks for, a blank before each."""
    low = f" {asked.lower()}"
    return tuple(f" {word}" for cues, words in asking(code).kin.values() if any(f" {cue}" in low for cue in cues)
                 for word in words)


def counts(text: str, language: Language) -> list[tuple[int, str]]:
    """Return the numbers of things in a text, with the first word behind each: "12 chairs"."""
    words = _WORD.findall(MONEY.sub(" ", text).lower())
    found = []
    for word, behind in zip(words, [*words[1:], ""]):
        number = int(word) if word.isdecimal() and word.isascii() and len(word) < 6 else language.counts.get(word, 0)
        if number > 1:
            found.append((number, _root(_plain(behind), language.code)))
    return found


def _parted(text: str, joining: Collection[str]) -> list[str]:
    """A text at its joints: "plus", "and", a comma."""
    parts: list[str] = [""]
    for piece in _BREAK.sub(" , ", text).split():
        if piece.lower() in joining or piece == ",":
            parts.append("")
        else:
            parts[-1] += f" {piece}"
    return parts
