"""
The figures of a sentence, days, times, sums and numbers, and whether those of two sentences are the same.
"""

from __future__ import annotations

import re
from datetime import date, datetime

from msgspec import Struct

from simmail.core.language import dates
from simmail.core.language.figures import CURRENCIES
from simmail.core.language.tables import Language

_SUM = r"(?:[0-9]{1,3}(?:[ .,'][0-9]{3})+(?:[.,][0-9]{1,2})?|[0-9]{1,12}(?:[.,][0-9]{1,2})?)"
#: A sum of money; the figures of one with its currency before them are the first group, of another the second.
MONEY = re.compile(
    rf"(?<!\w)(?:{CURRENCIES}) ?({_SUM})(?![0-9])"
    rf"|(?<![\w.,])({_SUM}) ?(?:{CURRENCIES}|(?i:euros?|pounds?|dollars?))(?!\w)")
_SHARE = re.compile(r"([0-9]{1,3}(?:[.,][0-9]{1,2})?) ?(?:%|percent|per cent|Prozent)")
#: "7 to 15", which "7 to 17" is not.
_SPAN = re.compile(r"(?<![\w.,:-])([0-9]{1,2}(?:[:.][0-9]{2})?) ?(?:to|till|until|-|–|bis|à|a) ?"
                   r"([0-9]{1,2}(?:[:.][0-9]{2})?)(?![0-9])")
_NUMBER = re.compile(r"(?<![\w.,:-])[0-9]{1,9}(?![\w.,:-]*[0-9])")
_CODE = re.compile(r"(?<!\w)(?=[A-Z0-9/-]*[0-9])[A-Z]{1,6}[-/]?[0-9][A-Z0-9/-]{1,16}(?!\w)")


class Marks(Struct, frozen=True):
    """What a sentence gives in figures; times are minutes of the day."""

    days: frozenset[date] = frozenset()
    times: frozenset[int] = frozenset()
    sums: frozenset[float] = frozenset()
    shares: frozenset[float] = frozenset()
    codes: frozenset[str] = frozenset()
    numbers: frozenset[int] = frozenset()
    spans: frozenset[tuple[str, str]] = frozenset()


def marks(text: str, base: datetime, language: Language) -> Marks:
    """
    Return the figures of a sentence.

    @param base: when it was said, aware; "Wednesday" is meant from there.
    """
    text = text[:600]
    found = dates.find(text, base, language)
    sums = frozenset(amount_of(one or other) for one, other in MONEY.findall(text))
    shares = frozenset(amount_of(one) for one in _SHARE.findall(text))
    days = frozenset((*found.dates, *found.deadlines, *(slot.start.date() for slot in found.slots)))
    plain = _SHARE.sub(" ", MONEY.sub(" ", text))
    return Marks(
        days=days, times=frozenset(
            slot.start.hour * 60 + slot.start.minute for slot in found.slots if slot.timed),
        sums=sums, shares=shares, codes=frozenset(_CODE.findall(plain)),
        numbers=frozenset() if days else frozenset(map(int, _NUMBER.findall(plain))),
        spans=frozenset(_SPAN.findall(plain)))


def agree(asked: Marks, known: Marks) -> bool | None:
    """Return whether what is asked is so by what is known; None where the two speak of different things."""
    same: list[bool] = []
    if asked.days and known.days:
        same.append(any(_same_day(one, other) for one in asked.days for other in known.days))
    for one, other in ((asked.times, known.times), (asked.sums, known.sums), (asked.shares, known.shares),
                       (asked.codes, known.codes), (asked.spans, known.spans)):
        if one and other:
            same.append(not one.isdisjoint(other))  # type: ignore[arg-type]
    if not same and asked.numbers and (known.numbers or known.sums):
        same.append(not asked.numbers.isdisjoint(known.numbers) or any(float(n) in known.sums for n in asked.numbers))
    return all(same) if same else None


def _same_day(one: date, other: date) -> bool:
    # "Wednesday" may be meant from another day.
    return one == other or one.weekday() == other.weekday() and 0 < abs((one - other).days) <= 7


def amount_of(text: str) -> float:
    """Return what a sum comes to: "1.240,50", "1,240.50", "1240"."""
    plain = text.replace(" ", "").replace("'", "").strip(".,")
    head, mark, tail = max(plain.rpartition("."), plain.rpartition(","), key=lambda one: len(one[0]))
    if mark and len(tail) in (1, 2):
        return float(f"{head.replace('.', '').replace(',', '') or '0'}.{tail}")
    return float(plain.replace(".", "").replace(",", "") or 0)
