"""
The days and hours that a mail offers to choose from, in one sentence or on lines of their own: "tomorrow between 8 and
10 or Friday between 1 and 3.  Which suits?".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from simmail.core.language.clause.alternatives import is_timed, of_time
from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.questions import MailQuestion, is_question
from simmail.core.language.tables import Language

#: Words of the longest line that is a time and nothing else; so many lines are not looked at before what asks which.
_LINE, _LINES = 7, 12
#: Words by which the place of a sentence is found; words of the longest question which of them.
_PLACED, _WHICH = 6, 11
_MARKS = " .,;:!?\"'()-*•–"


def offered_times(
    question: MailQuestion, sentence: str, before: Sequence[str], body: str, language: Language
) -> tuple[str, ...]:
    """
    Return the times that a question asks which of, C{()} for another question.

    @param sentence: the one it stands in; before: those before it, in the text C{body}.
    """
    how, low = asking(language.code), question.text.lower().strip(_MARKS)
    # "He could come on Monday or Wednesday to look at it, which is better?"
    head, comma, tail = low.rpartition(", ")
    which = tail.startswith(language.choosing_words) and not question.recalls and len(tail.split()) <= _WHICH and (
        question.form in ("what", "when", "choice"))
    if comma and which and mentions_any(f" {tail} ", how.suiting_words):
        return either_time(question.text[:len(head)], language)
    picks = mentions_any(f" {low}", how.picking_days)
    if not (which and mentions_any(f" {low} ", how.suiting_words) or picks):
        return ()
    last = next((one for one in reversed(before[-2:]) if not is_question(one)), "")
    return either_time(last, language) or timed_lines(sentence, body, language)


def either_time(sentence: str, language: Language) -> tuple[str, ...]:
    """Return the times on both sides of the "or" of a sentence, as they stand in it; C{()} for none."""
    tokens = sentence.strip(_MARKS).split()
    low = [one.strip(_MARKS).lower() for one in tokens]
    middle = low.index(language.or_) if language.or_ in low else 0
    if not middle:
        return ()
    start, end = middle, middle + 1
    while start and _of_times(low, start - 1, language):
        start -= 1
    while end < len(low) and _of_times(low, end, language):
        end += 1
        if tokens[end - 1][-1] in ".;!?":
            break
    # "Monday between 7 and 11, Tuesday between 12 and 4, or Friday at 3".
    left = re.split(r",\s+", " ".join(tokens[start:middle]).rstrip(" ,"))
    halves = [_plain(one.split(), language) for one in (*left, " ".join(tokens[middle + 1:end]))]
    return tuple(halves) if all(is_timed(one, language) for one in halves) else ()


def _of_times(low: Sequence[str], at: int, language: Language) -> bool:
    """Whether a word is of a day or an hour, or joins two: "between 8 and 10"."""
    joins = low[at] == language.and_ and 0 < at < len(low) - 1 and all(
        one[:1].isdigit() for one in (low[at - 1], low[at + 1]))
    # "After work", "before lunch" are times of a day that is named.
    late = at > 1 and low[at - 1] in asking(language.code).around and low[at].isalpha() and at < len(low) - 1
    return joins or late or low[at] in asking(language.code).spanning or of_time(low[at], language)


def _plain(tokens: Sequence[str], language: Language) -> str:
    """A time without what only leads it in: "on Monday at 10"."""
    said = [*tokens]
    while said and (said[0].lower() in asking(language.code).joining_days or said[0].lower() in language.pointing):
        said.pop(0)
    while said and said[-1].lower().strip(_MARKS) in language.choice_prepositions | language.determiners:
        said.pop()
    return " ".join(said).strip(_MARKS)


def timed_lines(sentence: str, body: str, language: Language) -> tuple[str, ...]:
    """Return the times that stand on lines of their own above a sentence, C{()} for fewer than two."""
    words = sentence.split()[:_PLACED]
    found = re.search(r"\s+".join(map(re.escape, words)), body, re.IGNORECASE) if words else None
    lines = [one.strip(_MARKS) for one in body[:found.start()].split("\n")[-_LINES:]] if found is not None else []
    taken: list[str] = []
    for line in reversed(lines):
        if is_timed(line, language) and len(line.split()) <= _LINE:
            taken.append(line)
        elif taken and line:
            break
    return tuple(reversed(taken)) if len(taken) > 1 else ()
