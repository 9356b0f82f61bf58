"""
By how much something is changed: "an hour later", "push it back a week", "20 cm more", "£600 off", "two fewer tables".

The words are data of C{templates/<code>/shifts.yaml}; a language that has none is read with none.
"""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from msgspec import Struct, convert

from simmail.core.language.dates import tells_past
from simmail.core.language.figures import CURRENCIES
from simmail.core.language.tables import Language
from simmail.core.language.tables import language as known
from simmail.core.language_data import read_optional

#: Characters of a sentence that are looked at, and words between a verb and by how much: "push our call back by".
_READ, _BETWEEN = 2000, 4
_CURRENCY = rf"{CURRENCIES}|[Ee]uros?|[Pp]ounds?|[Dd]ollars?|[Qq]uid"
#: A word or a question mark, and what ends a sentence.
_WORD, _ENDS = re.compile(r"[^\W\d_]+|\?"), (".", "!", "?", "\n")
_FIGURE = r"[0-9]{1,9}(?:[.,][0-9]{1,2})?(?![0-9])"
#: One of these is said of another by all.
_SIGNS = {"euro": "€", "euros": "€", "eur": "€", "pound": "£", "pounds": "£", "gbp": "£", "quid": "£", "dollar": "$",
          "dollars": "$", "usd": "$"}


class Shift(NamedTuple):
    """A change of a figure: C{amount}, below zero for less, of a C{unit}: a currency's sign, else a word as written."""

    amount: Decimal
    unit: str


class _Words(Struct, frozen=True, forbid_unknown_fields=True):
    later: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    later_last: tuple[str, ...] = ()
    earlier_last: tuple[str, ...] = ()
    put_later: tuple[str, ...] = ()
    put_earlier: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    half: tuple[str, ...] = ()
    and_half: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    less: tuple[str, ...] = ()
    no_unit: tuple[str, ...] = ()
    another: tuple[str, ...] = ()


class _Patterns(NamedTuple):
    times: tuple[tuple[int, re.Pattern[str]], ...]
    figures: tuple[re.Pattern[str], ...]
    words: frozenset[str]


def time_shift(sentence: str, language: Language) -> timedelta | None:
    """Return by how much a sentence lets something be later, below zero for earlier; None where it does not."""
    patterns, low = _patterns(language.code), sentence[:_READ].lower().replace("\u2019", "'")
    if patterns.words.isdisjoint(_WORD.findall(low)):
        return None
    for sign, pattern in patterns.times:
        found = pattern.search(low)
        if found is not None and not tells_past(_WORD.findall(_sentence(low, found)), language):
            unit = timedelta(minutes=language.spans[found["unit"]])
            times = Decimal("0.5") if found["half"] else _number(found["number"], language)
            return sign * unit * float(times + (Decimal("0.5") if found["more"] else 0))
    return None


def _sentence(text: str, found: re.Match[str]) -> str:
    """The sentence that something was found in."""
    start = max(text.rfind(mark, 0, found.start()) for mark in _ENDS)
    return text[start + 1:min((at for at in (text.find(mark, found.end()) for mark in _ENDS) if at >= 0), default=len(
        text)) + 1]


def figure_shifts(sentence: str, language: Language) -> list[Shift]:
    """Return by how much a sentence lets sums and numbers be more or less."""
    patterns, text = _patterns(language.code), sentence[:_READ]
    if patterns.words.isdisjoint(_WORD.findall(text.lower())):
        return []
    less, found = _less(language.code), dict[str, Shift]()
    for pattern in patterns.figures:
        for match in pattern.finditer(text):
            said = match.groupdict()
            unit = (said.get("sign") or said.get("money") or said["unit"] or "").strip()
            unit = _SIGNS.get(unit.lower(), unit)
            amount = _number(said["number"].lower(), language)
            if amount and unit and unit.lower() not in (*language.spans, *_known(language.code).no_unit):
                sign = -1 if (said.get("how") or "").lower() in less else 1
                found.setdefault(unit.lower(), Shift(sign * amount, unit))
    return list(found.values())


@cache
def _less(code: str) -> frozenset[str]:
    """The words that say a figure is to be less."""
    return frozenset(_known(code).less)


def _number(said: str, language: Language) -> Decimal:
    said = said.strip().replace(",", ".")
    return Decimal(said) if said[:1].isdigit() else Decimal(language.counts.get(said, 1 if not said else 0))


@cache
def _known(code: str) -> _Words:
    return convert(read_optional(code, "shifts.yaml") or {}, _Words)


def _any(words: tuple[str, ...]) -> str:
    """One of some words, the longest that stands there; C{(?!)}, which is nowhere, for none."""
    return "|".join(map(re.escape, sorted(words, key=len)[::-1])) or r"(?!)"


@cache
def _patterns(code: str) -> _Patterns:
    how, language = _known(code), known(code)
    counts, spans = _any(tuple(language.counts)), _any(tuple(language.spans))
    number = (rf"(?:(?P<half>{_any(how.half)})[ -]?|(?P<number>(?:{_FIGURE}|{counts})(?!\w)|(?=(?:{spans})))) ?"
              rf"(?:(?:{_any(how.of)}) )?")
    much = rf"(?<!\w){number}(?P<unit>{spans})(?P<more> (?:{_any(how.and_half)}))?(?!\w)"
    between = rf"(?:[^\s.,;:!?]+ ){{0,{_BETWEEN}}}?"
    times = tuple(
        (sign, re.compile(pattern)) for sign, after, last, put in (
            (1, how.later, how.later_last, how.put_later), (-1, how.earlier, how.earlier_last, how.put_earlier))
        for pattern in (
            rf"{much} (?:(?:{_any(after)})(?!\w)|(?:{_any(last)})(?=\s*(?:[.,;!?)]|$)))",
            *(rf"(?<!\w)(?:{re.escape(head)}) {between}(?:{re.escape(tail)} ?)?(?:(?:{_any(how.by)}) )?{much}"
              for head, _, tail in (one.partition(" * ") for one in put if " * " in one)),
            rf"(?<!\w)(?:{_any(tuple(one for one in put if ' * ' not in one))}) {between}"
            rf"(?:(?:{_any(how.by)}) )?{much}"))
    many = rf"(?P<number>{_FIGURE}|(?i:{counts})(?!\w))"
    # "£40 less than last year" changes nothing.
    change = rf"(?P<how>(?i:{_any((*how.more, *how.less))}))(?! (?:{_any(how.no_unit[:1])})(?!\w))(?!\w)"
    figures = (
        rf"(?<!\w)(?:(?P<sign>{_CURRENCY}) ?(?P<number>{_FIGURE}))(?: [^\s.,;:!?]+)? {change}",
        rf"(?<![\w.,]){many} ?(?P<money>{_CURRENCY})(?: [^\s.,;:!?]+)? {change}",
        rf"(?<![\w.,]){many} ?(?P<unit>[^\W\d_]{{1,12}}) {change}",
        rf"(?<![\w.,]){many} {change} (?!(?:{_any(how.no_unit)})(?!\w))(?P<unit>[^\W\d_]{{2,20}})",
        rf"(?<!\w)(?i:{_any(how.another)}) (?:(?P<sign>{_CURRENCY}) ?)?{many}(?: ?(?P<unit>[^\W\d_]{{1,20}}))?",
    )
    words = " ".join((*how.later, *how.earlier, *how.later_last, *how.earlier_last, *how.put_later, *how.put_earlier,
                      *how.more, *how.less, *how.another)).split()
    return _Patterns(times, tuple(map(re.compile, figures)), frozenset(words))
