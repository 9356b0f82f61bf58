"""
What the notes that somebody was given say to a question, as it would say it itself, and which of two things they speak
for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from simmail.core.language.phrases import say
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language
from simmail.core.writer.sources.limits import limit_words
from simmail.core.writer.sources.marks import MONEY, marks
from simmail.core.writer.sources.said_words import content, has_number, shared
from simmail.core.writer.sources.self_sheet import table

#: Types of questions that a note may answer, and how many words of the question it has to have, or all that it has.
_WORDS = {"when": 1, "long": 1, "many": 1, "much": 1, "where": 1, "who": 1, "what": 2, "how": 2, "yes_no": 2,
          "either": 2, "choice": 2}
#: A question with fewer words of its own only points to what stands before it.
_POINTING = 2
#: Types that one note answers.
_CLOSED = frozenset(("yes_no", "either", "choice"))
#: Of more notes those are told that have most of the question's words, and so many characters.
_MOST, _LONGEST = 2, 600


def noted(question: MailQuestion, notes: Iterable[str], base: datetime, language: Language) -> str:
    """Return the notes that answer a question, in the first person; C{""} for none."""
    least, own = _WORDS.get(question.type, 0), content(question.text, language.code)
    # "How much is that?" is asked of what stands before it.
    asked = own | content(question.lead, language.code)
    found: list[tuple[int, str]] = []
    for note in _given(notes) if least and asked else ():
        words = content(note, language.code)
        same = shared(asked, words)
        near = len(same) >= least and (same & own or len(own) < _POINTING) or own and same >= own
        if near and _fits(question.type, note, base, language):
            found.append((len(same), note))
    best = max((same for same, _ in found), default=0)
    # To whether something is so the nearest is the answer.
    least = best if len(found) > _MOST or question.type in _CLOSED else 0
    return " ".join(_own(note, language) for same, note in found if same >= least)[:_LONGEST]


def liked(options: Sequence[str], notes: Iterable[str], language: Language) -> str:
    """Return which of some things notes speak for, or do not speak against; C{""} where they leave it open."""
    code, no = language.code, set(limit_words(language.code).no)
    marks_of = [0] * len(options)
    for note in _given(notes):
        for clause in re.split(r"[,;.]", note.lower()):
            said = content(clause, code)
            for at, option in enumerate(options):
                others = frozenset().union(*(content(one, code) for one in options if one != option))
                if shared(content(option, code) - others, said):
                    marks_of[at] += -1 if no & set(clause.split()) else 1
    best = max(marks_of, default=0)
    return options[marks_of.index(best)] if marks_of.count(best) == 1 else ""


def _given(notes: Iterable[str]) -> list[str]:
    # What a person noted itself of its mail begins with a date.
    return [re.sub(r"^\([^)]{1,80}\) ", "", note)[:300] for note in notes if not note[:1].isdigit()]


def _fits(type: str, note: str, base: datetime, language: Language) -> bool:
    if type == "when":
        found = marks(note, base, language)
        return bool(found.days or found.times)
    return type not in ("long", "many", "much") or has_number(note, language) or (
        type == "much" and MONEY.search(note) is not None)


def _own(note: str, language: Language) -> str:
    """A note as a sentence of whom it is about: "Is vegan since last year"."""
    head, _, rest = say(note, 300).strip().rstrip(".").partition(" ")
    said = f"{table(language.code).notes.get(head.lower(), head)} {rest}".strip()
    return f"{said[:1].upper()}{said[1:]}."
