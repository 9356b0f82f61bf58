"""
What was said before, word for word: the sentence of a thread that comes nearest to answering a question.

Where nothing that was asked for has a name ("which colour?"), people look into the mails and say what stands there.
Sentences are compared by the words they share, by figures of the type that is asked for, and, where there is a
language model, by meaning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from simmail.core.language.clause.question_types import type_of
from simmail.core.language.meaning import IMeaning
from simmail.core.language.questions import MailQuestion, asking_clause
from simmail.core.language.tables import Language
from simmail.core.records.conversation import Remark
from simmail.core.writer.sources.marks import Marks, marks, stems

#: How near a sentence has to be where it is asked for what was said, and where the answer may be something else.
_NEAR, _SURE = 0.3, 0.42
#: What a word in common is worth, so many of them at most, what a figure of the right type is, and who wrote it.
_SHARED, _MOST_SHARED, _TYPE, _THEIRS = 0.12, 2, 0.15, 0.03
#: Without a model every sentence is as near as this.
_UNASKED = 0.1

_CLOCK = re.compile(r"(?<![0-9.:])(?:[01]?[0-9]|2[0-3])(?:[:.h][0-5][0-9](?![0-9])| ?(?:am|pm|Uhr|h|heures?)(?!\w))")

_OPEN = frozenset(("who", "where", "when", "long", "often", "much", "many", "how", "what", "choice"))


def sentence_for(
    question: MailQuestion, remarks: Sequence[Remark], language: Language, meaning: IMeaning | None
) -> Remark | None:
    """Return the sentence of a thread that answers a question or bears on what it wants confirmed, None for none."""
    text = question.behind or question.text
    checking = question.checks or bool(question.behind)
    if question.type not in _OPEN and not checking:
        return None
    asked = stems(text)
    best: tuple[float, int] = (0.0, -1)
    for place, remark in enumerate(remarks):
        if remark.kind != "said" or _asks_only(remark.value, language):
            continue
        typed = _typed(question.type, remark.value, marks(remark.value, remark.at, language))
        if typed is False:
            continue
        score = _SHARED * min(len(asked & stems(remark.value)), _MOST_SHARED) + (_TYPE if typed else 0.0)
        score += meaning.nearness(text, remark.value) if meaning is not None else _UNASKED
        # What the reader wrote is what it asks for; of equal ones the last holds.
        score += _THEIRS if remark.by == "correspondent" else 0.0
        best = max(best, (round(score, 2), place))
    least = _NEAR if question.recalls or checking or question.type not in ("what", "choice", "how") else _SURE
    return remarks[best[1]] if best[1] >= 0 and best[0] >= least else None


def sentences_about(
    text: str, remarks: Sequence[Remark], language: Language, meaning: IMeaning | None
) -> list[Remark]:
    """Return the sentences of a thread, two at most and in their order, that bear on a text most."""
    asked, found = stems(text), list[tuple[float, int]]()
    for place, remark in enumerate(remarks):
        if remark.kind == "said" and remark.by == "correspondent" and not _asks_only(remark.value, language):
            score = _SHARED * min(len(asked & stems(remark.value)), _MOST_SHARED)
            figures = marks(remark.value, remark.at, language) != Marks() or _CLOCK.search(remark.value)
            score += (_TYPE if figures else 0.0) + (
                meaning.nearness(text, remark.value) if meaning is not None else _UNASKED)
            found.append((round(score, 2), place))
    best = sorted(found)[-2:]
    return [remarks[place] for place in sorted(place for score, place in best if score >= _NEAR)]


def contradicts(question: MailQuestion, sentence: str) -> bool:
    """Return whether what is to be confirmed has a word of its own that a sentence lacks."""
    return not stems(question.behind or question.text) <= stems(sentence)


def _asks_only(sentence: str, language: Language) -> bool:
    """Whether a sentence asks for something and says nothing: "how long does the refund take?"."""
    return sentence.rstrip().endswith("?") and bool(type_of(asking_clause(sentence.lower(), language), language))


def _typed(type: str, sentence: str, known: Marks) -> bool | None:
    """Whether a sentence has a figure of the type that is asked for; None where the type has no figures."""
    if type == "when":
        return bool(known.days or known.times or _CLOCK.search(sentence))
    if type == "much":
        return bool(known.sums or known.shares)
    if type == "many":
        return bool(known.numbers or known.sums)
    return None
