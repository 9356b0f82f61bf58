"""
What a figure comes to that was changed by so much: the price was £7,400, then £600 were taken off, so it is £6,800.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from decimal import Decimal

from simmail.core.language.shifts import Shift, figure_shifts
from simmail.core.language.tables import Language
from simmail.core.records.conversation import Remark
from simmail.core.writer.sources.sentence import asks_only

_FIGURE = r"[0-9]{1,9}(?:,[0-9]{3})*(?:\.[0-9]{1,2})?"


def reckoned(found: Collection[Remark], remarks: Sequence[Remark], language: Language) -> str:
    """
    Return what the figures come to that some sentences of a thread name or change, C{"14 stools, £6,800"}; C{""} where
    none was changed by so much.

    @param found: the sentences that answer a question; remarks: all that was said, in order.
    """
    totals: dict[str, str] = {}
    said = [one for one in remarks if one.kind == "said"]
    changes = [(at, shift) for at, one in enumerate(said) if one.by == "correspondent" and not asks_only(
        one.value, language) for shift in figure_shifts(one.value, language)]
    for unit in dict.fromkeys(shift.unit.lower() for _, shift in changes):
        shifts = [(at, shift) for at, shift in changes if shift.unit.lower() == unit]
        base = next((at for at in range(shifts[0][0] - 1, -1, -1) if _figure(said[at].value, shifts[0][1], language)),
                    None)
        if base is None or not any(said[at] in found for at in (base, *(at for at, _ in shifts))):
            continue
        named = _figure(said[base].value, shifts[0][1], language)
        later = [one for one in said[shifts[0][0] + 1:] if one.by == "correspondent" and not figure_shifts(
            one.value, language) and _figure(one.value, shifts[0][1], language)]
        total = (named[0] if named else Decimal(0)) + sum(shift.amount for _, shift in shifts)
        if named and not later and total > 0:
            number = f"{total:,}" if "," in named[1] else f"{total}"
            totals[unit] = named[1].replace(named[2], number, 1)
    return ", ".join(totals.values())


def _figure(sentence: str, shift: Shift, language: Language) -> tuple[Decimal, str, str] | None:
    """The one figure of a unit that a sentence names: its value, as it stands there with its unit, and without."""
    unit = re.escape(shift.unit)
    if shift.unit[:1].isalpha():
        stem = re.escape(shift.unit[:-1] if shift.unit.endswith("s") and len(shift.unit) > len("its") else shift.unit)
        counts = "|".join(map(re.escape, (word for word, number in language.counts.items() if number > 1)))
        pattern = rf"(?i)(?<![\w.,])({_FIGURE}|{counts}) ?{stem}[^\W\d_]{{0,2}}(?!\w)"
    else:
        pattern = rf"{unit} ?({_FIGURE})|(?<![\w.,])({_FIGURE}) ?{unit}"
    found = list(re.finditer(pattern, sentence[:400]))
    if len(found) != 1:
        return None
    number = next(filter(None, found[0].groups()), "")
    value = number.replace(",", "") if number[:1].isdigit() else language.counts.get(number.lower(), 0)
    return Decimal(value), found[0].group(), number
