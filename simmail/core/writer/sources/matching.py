"""
Which facts answer which sentences of a mail: all of them weighed against each other at once.

How likely a fact is what a person would tell in answer to a sentence is reckoned by a linear model from what the two
have in common: words of the fact's name and of its value, figures, the type that is asked for and that of the value,
nearness in meaning where a language model is given, and how they compare with the other facts and sentences of the
same mail.  Its weights were learned from labelled mails (C{scripts/bench/matching}) and lie in
C{templates/matching.yaml}.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from math import exp
from operator import mul

from msgspec import Struct, convert

from simmail.core.language.clause.question_types import attribute_names
from simmail.core.language.facts import Fact, fitting, same, stem, value_type
from simmail.core.language.meaning import IMeaning, plain
from simmail.core.language.phrases import words
from simmail.core.language.tables import Language, every
from simmail.core.language.tables import language as known
from simmail.core.language_data import read_yaml

#: So many sentences of a mail, and facts of a case, are looked at.
MOST_ASKED, MOST_FACTS = 30, 30
#: How likely a fact has to be to be told to what asks for something, to what only tells something, and to a question
#: that no other answers, of the facts that nothing else asks for.
_LIKELY, _LIKELY_TOLD, _LEFT_OVER = 0.4, 0.55, 0.25
#: Facts are of what a mail is about where the likeliest answer is so likely, or the two likeliest together.
_SURE, _BOTH_SURE = 0.75, 1.2
_KEPT = 4096
#: Types of questions that a value of a type answers more than any other.
_STRONG = frozenset((
    ("when", "when"), ("when", "long"), ("long", "long"), ("long", "when"), ("much", "much"), ("many", "many"),
    ("who", "who"), ("often", "many"), ("often", "long"), ("time", "when")))
#: Types of questions that have an answer of one type only.
_TYPED = frozenset(("who", "when", "long", "often", "much", "many"))
_OPEN = frozenset(("who", "where", "when", "long", "often", "much", "many", "why", "how", "what"))
_WHETHER = frozenset(("yes_no", "choice", "either", "time"))


class Asked(Struct, frozen=True):
    """
    A sentence of a mail, or one of several questions in it.

    @ivar kind: C{question}, C{request} or C{telling}; type: what a question asks for, one of L{question_types.TYPES}.
    @ivar before: the sentence that stands before it; parts: how many things it asks for.
    """

    text: str
    kind: str
    type: str
    before: str = ""
    parts: int = 1


class Weights(Struct, frozen=True, forbid_unknown_fields=True):
    """What was learned, for each way to look: with a language model (C{meant}) and without."""

    meant: tuple[float, ...]
    plain: tuple[float, ...]


@cache
def _weights() -> Weights:
    return convert(read_yaml("matching.yaml"), Weights, strict=False)


def matched(
    asked: Sequence[Asked], facts: Sequence[Fact], language: Language, meaning: IMeaning | None = None,
) -> list[list[Fact]]:
    """
    Return for each sentence the facts that answer it, the likeliest first; no fact answers two sentences.

    @param meaning: whom to ask how near two texts are; nobody, when none is given.
    """
    asked, facts = asked[:MOST_ASKED], facts[:MOST_FACTS]
    if not asked or not facts:
        return [[] for _ in asked]
    rows = compared(asked, facts, language, meaning)
    return [[facts[place] for place in told] for told in told_to(asked, facts, rows, _weights_of(meaning))]


def told_to(
    asked: Sequence[Asked], facts: Sequence[Fact], rows: Sequence[Sequence[Sequence[float]]], weights: Sequence[float],
) -> list[list[int]]:
    """
    Return for each sentence the places of the facts that are told to it.

    @param rows: what L{compared} gave; weights: of its numbers.
    """
    found: list[list[int]] = [[] for _ in asked]
    likely = sorted((-share, at, place) for at, line in enumerate(rows) for place, share in enumerate(
        _likely(line, weights)))
    if not _concern(likely):
        return found
    left = {place for _, _, place in likely}
    for share, at, place in likely:
        enough = _LIKELY_TOLD if asked[at].kind == "telling" or len(found[at]) >= asked[at].parts else _LIKELY
        if place in left and -share >= enough:
            left.discard(place)
            found[at].append(place)
    for share, at, place in likely:
        if place in left and not found[at] and asked[at].kind == "question" and -share >= _LEFT_OVER and (
                asked[at].type not in _TYPED or is_of_type(asked[at].type, facts[place])):
            left.discard(place)
            found[at].append(place)
    return found


def is_of_type(asked: str, fact: Fact) -> bool:
    """Return whether a fact is just what a type of question asks for: a sum to "how much"."""
    return (asked, value_type(fact.value)) in _STRONG


def _concern(likely: Sequence[tuple[float, int, int]]) -> bool:
    """Whether facts are of what a mail is about: the best pairs of a sentence and a fact of its own tell."""
    share, at, place = likely[0]
    second = next((-other for other, line, column in likely if line != at and column != place), 0.0)
    return -share >= _SURE or second - share >= _BOTH_SURE


def likeliest(rows: Sequence[Sequence[float]], meaning: IMeaning | None) -> int:
    """Return which of some rows of numbers weighs most."""
    shares = _likely(rows, _weights_of(meaning))
    return max(range(len(shares)), key=lambda at: shares[at])


def _weights_of(meaning: IMeaning | None) -> Sequence[float]:
    return _weights().plain if meaning is None else _weights().meant


def _likely(rows: Sequence[Sequence[float]], weights: Sequence[float]) -> list[float]:
    # Rounded, so that another processor's last digit changes nothing.
    return [round(1 / (1 + exp(-sum(map(mul, weights, row)))), 2) for row in rows]


def compared(
    asked: Sequence[Asked], facts: Sequence[Fact], language: Language, meaning: IMeaning | None,
) -> list[list[list[float]]]:
    """Return what each sentence and each fact have in common, as the numbers that are weighed."""
    own = [_stems(one.text, language.code) for one in asked]
    around = [_stems(one.before, language.code) for one in asked]
    names = [_stems(fact.label, language.code) for fact in facts]
    values = [_stems(fact.value, language.code) for fact in facts]
    near = [[_near(one, fact, meaning) for fact in facts] for one in asked]
    named = [[_share(name, stems) for name in names] for stems in own]
    total = [[(one[0] + one[1] + one[2]) / 3 + 0.5 * share for one, share in zip(row, shares)]
             for row, shares in zip(near, named)]
    meant = [[[bool(named.search(fact.label.lower())) for fact in facts] for named in attribute_names(
        one.text, language)] for one in asked]
    rows = []
    for at, one in enumerate(asked):
        group = next((one for one in meant[at] if any(one)), [])
        best = sorted(total[at], reverse=True)
        row = []
        for place, fact in enumerate(facts):
            column = sorted((line[place] for line in total), reverse=True)
            mine = total[at][place]
            rival = best[1] if len(best) > 1 and mine == best[0] else best[0] if len(best) > 1 else 0.0
            other = column[1] if len(column) > 1 and mine == column[0] else column[0] if len(column) > 1 else 0.0
            kind = value_type(fact.value)
            first = fact.value.lower().replace(",", " ").split()[:1]
            flag = bool(first) and first[0] in every("flags")
            shared_value = _hits(values[place], own[at])
            before = _share(names[place], around[at])
            few = len(own[at]) < 2
            typed = sum(value_type(each.value) == kind for each in facts) == 1
            strong = (one.type, kind) in _STRONG
            features = [
                1.0,
                *near[at][place],
                named[at][place],
                float(named[at][place] > 0),
                float(named[at][place] > 0 and sum(shares > 0 for shares in named[at]) == 1),
                float(named[at][place] > 0 and sum(line[place] > 0 for line in named) == 1),
                min(shared_value, 2) / 2,
                float(bool(_figures(one.text) & _figures(fact.value))),
                before * few,
                float(strong),
                float(strong and typed),
                float(not fitting(one.type, fact.value)),
                float(bool(group) and group[place]),
                float(bool(group) and not group[place]),
                float(flag and one.type in _WHETHER),
                float(flag and one.type in _OPEN),
                float(one.type in _WHETHER),
                float(one.type in _OPEN),
                float(mine == best[0]),
                max(-0.3, min(0.3, mine - rival)),
                float(mine == column[0]),
                max(-0.3, min(0.3, mine - other)),
                float(few),
                float(one.kind == "request"),
                1 / len(facts),
            ]
            telling = one.kind == "telling"
            row.append([*(0.0 if telling else value for value in features),
                        *(value if telling else 0.0 for value in features)])
        rows.append(row)
    return rows


def _near(one: Asked, fact: Fact, meaning: IMeaning | None) -> tuple[float, float, float, float]:
    if meaning is None:
        return (0.0, 0.0, 0.0, 0.0)
    text = plain(one.text)
    return (
        meaning.nearness(text, plain(fact.label)), meaning.nearness(text, plain(f"What is the {fact.label}?")),
        meaning.nearness(text, plain(f"{fact.label}: {fact.value}")), meaning.nearness(text, plain(fact.value)))


@lru_cache(_KEPT)
def _stems(text: str, code: str) -> tuple[str, ...]:
    common = known(code).common_words.union(known(code).question_words)
    return tuple(dict.fromkeys(stem(word) for word in words(text) if (
        len(word) > 2 or word.isupper()) and word.lower() not in common and any(map(str.isalpha, word))))


@lru_cache(_KEPT)
def _figures(text: str) -> frozenset[str]:
    return frozenset(word for word in words(text) if word[:1].isdigit() and word not in ("1", "2"))


def _hits(some: Sequence[str], stems: Sequence[str]) -> int:
    return sum(any(same(name, word) for word in stems) for name in some)


def _share(names: Sequence[str], stems: Sequence[str]) -> float:
    return _hits(names, stems) / len(names) if names else 0.0
