"""
Whether a value is what a question asks for: a day for a day, somebody for who, a number for how many.

What is found because its words are near may be of another type; that is no answer, and is better left unsaid.
"""

from __future__ import annotations

from functools import lru_cache

from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language, language as known
from simmail.core.writer.sources.cut.words import Word, cutting, is_clock, is_day, read
from simmail.core.writer.sources.marks import MONEY
from simmail.core.writer.sources.said_words import content, has_number, shared


def fits(question: MailQuestion, value: str, language: Language) -> bool:
    """Return whether a value may answer a question, by its type; of a language that cuts no pieces all may."""
    how, low = cutting(language.code), question.text.lower()
    if not how.joints:
        return True
    tokens = _words(value, language.code)
    if not tokens or tokens[0].low in how.unnamed:
        return question.type in ("yes_no", "choice") and bool(tokens)  # "somebody" names nobody
    match question.type:
        case "when":
            day, clock = mentions_any(low, how.days), mentions_any(low, asking(language.code).clock)
            named = any(is_day(one, language) and one.text.isalpha() for one in tokens) or _is_span(value, language)
            hours = any(is_clock(one, language) or one.low in language.hour_words for one in tokens)
            return day == clock or (named or not hours if day else hours or not named)
        case "many":
            # "35 euros, 4 are left" tells first of all what it costs.
            return MONEY.match(value) is None and (has_number(value, language) or len(tokens) < 3)
        case "who":
            return not tokens[0].text[0].isdigit()
        case "where":
            return any(one.text.isalpha() and one.role not in ("place", "kept") for one in tokens)  # "at 3" is none
        case "much" if has_number(value, language) and MONEY.search(value) is None:
            # "2 trailers", asked what a trailer was.
            nouns = content(" ".join(one.text for one in tokens[1:2]), language.code)
            return not shared(nouns, content(question.text, language.code))
    return True


@lru_cache(1024)
def _words(value: str, code: str) -> tuple[Word, ...]:
    # The questions of a mail are asked of the same facts, one after the other.
    return tuple(one for one in read(value, (), known(code)) if one.role != "stop")


def _is_span(value: str, language: Language) -> bool:
    # "Week 42" is as near as one can tell.
    return any(word in language.spans or word in language.week_words for word in value.lower().split())
