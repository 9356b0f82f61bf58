"""
From a model's words to a mail: between greeting and signature, mistyped as its writer mistypes.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from simmail.core.rng import Dice
from simmail.core.wording.plan import Planned
from simmail.core.writer.request import Written
from simmail.core.writer.voice import Piece, slips

_SENTENCE = re.compile(r"[^.!?\n]*\?")


def worded(planned: Planned, words: str, by: str, dice: Dice) -> Written:
    """Return the mail with other words; what it means stays as it was decided."""
    text = "\n".join(line.rstrip() for line in words.strip().split("\n"))
    question = planned.written.question
    if question:
        # What is asked again later is what was asked.
        asked = _SENTENCE.findall(text)
        question = asked[-1].strip() if asked else question
    parts = (planned.top, _mistyped(text, planned, dice), planned.bottom)
    return replace(
        planned.written, text="\n\n".join(part for part in parts if part.strip()) + "\n", question=question, by=by)


def _mistyped(text: str, planned: Planned, dice: Dice) -> str:
    if not planned.typos:
        return text
    values = {value for act in planned.plan.acts for value in act.values() if isinstance(value, str)}
    values.update(planned.plan.facts.values())
    marks = "|".join(re.escape(one) for one in sorted(values, key=lambda one: (-len(one), one)) if one)
    parts = re.split(f"({marks})", text) if marks else [text]
    return slips([Piece(part, not nth % 2) for nth, part in enumerate(parts)], planned.typos, dice)
