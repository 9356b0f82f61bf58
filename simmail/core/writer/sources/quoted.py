"""
What stands in the thread, said again as a whole: people who are asked for what was written look it up and say the
sentence, which tells more than the piece of it that was asked for.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.clause.tables import restating
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language
from simmail.core.language.text import capital
from simmail.core.records.conversation import Remark
from simmail.core.writer.sources.cut.piece import turned
from simmail.core.writer.sources.cut.words import cutting
from simmail.core.writer.sources.said_words import content, shared
from simmail.core.writer.sources.sentence import Hit, asks_only

#: Words and characters of a sentence that is said again.
_SHORTEST, _LONGEST = 4, 240
#: How much rarer than in each sentence the words must be that are in common, and what one more tells.
_LEAST, _SURE, _STRONG = 0.9, 2.2, 3.4
#: What it is worth to be near by meaning, by how near.
_MEANT = 1.5
#: What it is worth to be the other one's words, and to be said later: less than any word.
_THEIRS, _LATER = 0.2, 0.3
#: What it is worth to say what must not be, where that is asked for.
_FORBIDDEN = 3.0


class Quoted(NamedTuple):
    """A sentence of the thread as the other side says it, and the remark that it is."""

    text: str
    remark: Remark


def quoted(
    question: MailQuestion, whole: str, remarks: Sequence[Remark], near: Sequence[Hit], language: Language, far: bool,
    strong: bool = False,
) -> Quoted | None:
    """
    Return the sentence of a thread that has most of what a question asks about, as the other side says it.

    @param whole: the sentence of the mail that asks, for a part that names nothing: "and why?"; far: the reader is
        called "Sie", "vous", "usted".
    @param near: sentences that are near to the question by their meaning as well.
    @param strong: only what has much in common.
    @return: None where nothing is near enough, and where a wish or a decision is asked for.
    """
    low = f" {question.text.lower()} "
    how = asking(language.code)
    if not how.unquoted.isdisjoint(low.replace("?", " ").split()):
        return None
    said = [one for one in remarks if one.kind == "said" and not asks_only(one.value, language)
            and (not one.value.endswith("?") or mentions_any(one.value, how.moving))
            and len(one.value.split()) >= _SHORTEST and len(one.value) <= _LONGEST]
    words = [content(one.value, language.code) for one in said]
    often = Counter(word for some in words for word in some)
    asked = content(question.text, language.code)
    sure = _STRONG if strong else _LEAST if question.recalls or _is_past(
        f"{low} {whole.lower()}", language) else _SURE
    forbids = mentions_any(low, how.prohibiting)
    # Those that say what must not be, where that is asked for.
    forbidding = [forbids and mentions_any(f" {one.value.lower()}", how.prohibiting) for one in said]
    meant = {hit.remark: _MEANT * hit.score for hit in near}
    for wanted in (asked, content(whole, language.code)):
        scored = [(sum(math.log(len(said) / often[word] + 0.5) if often[word] else 0.0 for word in (
            _common(wanted, some, often))), place) for place, some in enumerate(words)]
        best = max((
            (score + meant.get(said[place], 0.0) + (_THEIRS if said[place].by == "correspondent" else 0.0)
             + _LATER * place / len(said) + _FORBIDDEN * forbidding[place], place)
            for score, place in scored if score >= sure or forbidding[place]), default=None)
        if best is not None:
            one = said[best[1]]
            if one.value.endswith("?"):
                return None  # "Could you do plums instead?": what was said before holds no more
            value = one.value
            first = value.split()[0].lower().partition("'")[0]
            before = [other for other in remarks[:remarks.index(one)] if other.kind == "said" and other.at == one.at]
            if before and question.type == "who" and first in cutting(language.code).pointing:
                value = f"{before[-1].value.rstrip(' .!')}. {value}"  # "Theo wants to come.  He'd bring firewood."
            text = value if one.by == "persona" else turned(value, language, far)
            return Quoted(f"{capital(text.rstrip(' .!'))}.", one) if text else None
    return None


def _common(wanted: frozenset[str], some: frozenset[str], often: Counter[str]) -> list[str]:
    """The words of a sentence that a question has as well, in whatever form."""
    return [word for word in shared(some, wanted) if word in often]


def _is_past(low: str, language: Language) -> bool:
    return not restating(language.code).past_words.isdisjoint(low.split())
