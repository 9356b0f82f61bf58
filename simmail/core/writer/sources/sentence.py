"""
What was said before, word for word: the sentence of a thread that comes nearest to answering a question.

Where nothing that was asked for has a name ("which colour?"), people look into the mails and say what stands there.
Sentences are compared by the words they share, by figures of the type that is asked for, and, where there is a
language model, by meaning.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from msgspec.structs import replace

from simmail.core.language.clause.question_types import asking, mentions_any, type_of
from simmail.core.language.meaning import IMeaning
from simmail.core.language.questions import MailQuestion, asking_clause, asks_what, opens_question
from simmail.core.language.tables import Language, merged
from simmail.core.language.tables import language as known_as
from simmail.core.records.conversation import Remark
from simmail.core.writer.sources.cut.words import cutting, is_clock, read, times
from simmail.core.writer.sources.marks import Marks, marks
from simmail.core.writer.sources.said_words import content, has_number, has_span, kin, shared

#: How near a sentence has to be where it is asked for what was said, and where the answer may be something else.
_NEAR, _SURE = 0.3, 0.42
#: What a word in common is worth that stands in one, two or more sentences of the thread, and all of them at most; what
#: a figure of the right type is, and who wrote it.
_SHARED, _MOST_SHARED, _TYPE, _THEIRS = (0.24, 0.17, 0.1), 0.6, 0.15, 0.03
#: What it takes off that a word stands in the sentence before.
_CARRIED = 0.06
#: With so much in common a model is not asked.
_CLEAR = 0.5
#: Without a model every sentence is as near as this.
_UNASKED = 0.1
#: What it is worth to be said last, to be said first where that is asked for, and to have a word of the family that is
#: asked for.
_FRESH, _FIRST, _KIN = 0.1, 0.3, 0.3

_CLOCK = re.compile(r"(?<![0-9.:])(?:[01]?[0-9]|2[0-3])(?:[:.h][0-5][0-9](?![0-9])| ?(?:am|pm|Uhr|h|heures?)(?!\w))")
#: A name inside a sentence, or at its beginning.
_NAME = re.compile(r"(?<=[\w,;:] )[A-ZÀ-ÖØ-Þ][\w'-]+|^[A-ZÀ-ÖØ-Þ][\w'-]+")

#: What begins a sentence with a capital and is no name, whatever the language's lists have.
_OPENINGS = frozenset(("sorry",))
_OPEN = frozenset(("who", "where", "when", "long", "often", "much", "many", "how", "what", "why", "choice"))


class Hit(NamedTuple):
    """A sentence of a thread, how near it is, and how many words of the question it has that few others have."""

    remark: Remark
    score: float
    shared: int


def ranked(
    question: MailQuestion, remarks: Sequence[Remark], language: Language, meaning: IMeaning | None
) -> list[Hit]:
    """Return all sentences that are near enough to answer a question, the nearest first; of equal ones the last."""
    text = question.behind or question.text
    checking = question.checks or bool(question.behind)
    if question.type not in _OPEN and not checking:
        return []
    # "Which day" says what is asked for, and not of what.
    usual = asking(language.code).types.get("when", ()) if question.type == "when" else ()
    asked = content(text, language.code) - content(" ".join(usual), language.code)
    said = [one for one in remarks if one.kind == "said" and not asks_only(one.value, language)]
    common = [shared(asked, about(one, last, language)) for last, one in zip([None, *said], said)]
    often = Counter(word for words in common for word in words)
    hits: list[Hit] = []
    fresh = -_FIRST if mentions_any(text, asking(language.code).first) else _FRESH
    for place, (remark, words) in enumerate(zip(said, common), 1):
        typed = is_typed(question, remark.value, marks(remark.value, remark.at, language), language)
        if question.type == "who" and not words and not (typed and (question.recalls or meaning is not None)):
            continue  # nothing is said of what is asked
        if typed is False:
            continue
        score = min(sum(_SHARED[min(often[word], 3) - 1] for word in words), _MOST_SHARED) + (_TYPE if typed else 0.0)
        # What the reader wrote is what it asks for, and what was said later holds.
        score += (_THEIRS if remark.by == "correspondent" else 0.0) + fresh * place / len(said)
        # "She gets a pill", behind "fetch her": what the sentence itself has counts more.
        if words and remark.value.split()[0].lower() in cutting(language.code).pointing:
            score -= _CARRIED * len(words - shared(asked, content(remark.value, language.code)))
        akin = kin(text, remark.value, language) is True
        score += _KIN if akin else 0.0
        hits.append(Hit(remark, score, sum(often[word] < 3 for word in words) + 2 * akin))
    if meaning is not None and max((hit.score for hit in hits), default=_CLEAR) < _CLEAR:
        hits = [hit._replace(score=hit.score + meaning.nearness(text, hit.remark.value)) for hit in hits]
    else:
        hits = [hit._replace(score=hit.score + _UNASKED) for hit in hits]
    units = frozenset[str]().union(*(
        some for cue, some in cutting(language.code).measures.items() if cue in text.lower()))
    # "How long is the shelf?" is not told in weeks where it is told in centimetres.
    hits = [hit for hit in hits if not units.isdisjoint(re.findall(r"\w+", hit.remark.value.lower()))] or hits
    least = _NEAR if question.recalls or checking or question.type not in ("what", "choice", "how") else _SURE
    # Of equal ones the last holds.
    return sorted((hit for hit in reversed(hits) if hit.score >= least), key=lambda hit: -round(hit.score, 2))


def by_then(
    question: MailQuestion, remarks: Sequence[Remark], language: Language
) -> tuple[MailQuestion, Sequence[Remark]]:
    """Return a question, without what it asks the time before of, and what had been said by then."""
    for cue in asking(language.code).preceding:
        head, found, event = question.text.partition(cue)
        if found and head.strip():
            of_it = content(event, language.code)
            same = [(len(shared(of_it, content(one.value, language.code))), -place) for place, one in enumerate(
                remarks) if one.kind == "said"]
            most, at = max(same, default=(0, 0))
            earlier = [one for one in remarks if one.at < remarks[-at].at] if most else []
            if earlier:
                return replace(question, text=head.rstrip(" ,")), earlier
    return question, remarks


def about(remark: Remark, last: Remark | None, language: Language) -> frozenset[str]:
    """Return the words of a sentence; of one that begins with a pronoun those of the one before it too."""
    words = content(remark.value, language.code)
    if last is not None and last.at == remark.at and remark.value.split()[0].lower() in cutting(language.code).pointing:
        return words | content(last.value, language.code)
    return words


def contradicts(question: MailQuestion, sentence: str, language: Language) -> bool:
    """Return whether what is to be confirmed has a word of its own that a sentence lacks."""
    agreeing = frozenset[str]().union(*(content(cue, language.code) for cue in asking(language.code).recalls))
    asked = content(question.behind or question.text, language.code) - agreeing
    return shared(asked, content(sentence, language.code)) != asked


def speaks_of(question: MailQuestion, remark: Remark, language: Language) -> bool:
    """
    Return whether a sentence bears on what is to be confirmed: it has figures of the same sort, or most of its words.
    """
    text = question.behind or question.text
    wanted, known = marks(text, remark.at, language), marks(remark.value, remark.at, language)
    for asked, said in ((wanted.sums, known.sums), (wanted.days, known.days), (wanted.times, known.times)):
        if asked:
            return bool(said)
    asked_words = content(text, language.code)
    return kin(text, remark.value, language) is True or 2 * len(
        shared(asked_words, content(remark.value, language.code))) >= len(asked_words)


def tells(remark: Remark, language: Language) -> bool:
    """Return whether a sentence says something: no question does, but for a day or a sum that it names."""
    return not remark.value.rstrip().endswith("?") or not asks_only(remark.value, language) and marks(
        remark.value, remark.at, language) != Marks()


def asks_only(sentence: str, language: Language) -> bool:
    """Return whether a sentence asks for something and says nothing: "how long does the refund take?"."""
    if not sentence.rstrip().endswith("?"):
        return False
    clause = asking_clause(sentence.lower(), language)
    return bool(type_of(clause, language)) or opens_question(clause, language) and asks_what(clause, language)


def is_typed(question: MailQuestion, sentence: str, known: Marks, language: Language) -> bool | None:
    """Whether a sentence has what the type that is asked for needs; None where that cannot be seen."""
    match question.type:
        case "when":
            clock = bool(known.times or _CLOCK.search(sentence))
            if mentions_any(question.text.lower(), asking(language.code).clock):
                return clock or any(is_clock(one, language) for one in read(sentence, (), language))
            return bool(known.days or clock or has_span(sentence, language) or times(
                read(sentence, (), language), cutting(language.code)))
        case "much":
            return bool(known.sums or known.shares) or (None if has_number(sentence, language) else False)
        case "many":
            return has_number(sentence, language)
        case "long":
            some = has_number(sentence, language) or known.days or not merged("spans").keys().isdisjoint(
                sentence.lower().split()) or times(read(sentence, (), language), cutting(language.code))
            return has_span(sentence, language) or (None if some else False)
        case "who":
            return names_somebody(sentence, language) or None
    return None


def names_somebody(sentence: str, language: Language) -> bool:
    """Whether somebody is named in a sentence; of a language that writes nouns with capitals nobody can tell."""
    return not language.inflected and not _nameless(language.code).issuperset(map(str.lower, _NAME.findall(sentence)))


@cache
def _nameless(code: str) -> frozenset[str]:
    """Words that name nobody, whether or not they begin with a capital."""
    own = known_as(code)
    return own.common_words.union(
        own.question_words, own.short_answers, own.question_verbs, own.weekday_forms, own.month_forms, _OPENINGS)
