"""
What was said before: which remark of a thread answers a question, and whether a statement agrees with the thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from simmail.core.language.agreements import is_appointment
from simmail.core.language.clause.question_types import asking, attribute_names, mentions_any, said_thing
from simmail.core.language.facts import Fact
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language
from simmail.core.records.conversation import Remark
from simmail.core.writer.sources.cut.bounds import Ranges, compared, ranges
from simmail.core.writer.sources.cut.words import cutting
from simmail.core.writer.sources.limits import limit_words
from simmail.core.writer.sources.marks import Marks, agree, marks
from simmail.core.writer.sources.reckoning import priced
from simmail.core.writer.sources.said_words import content, shared

#: What counts how much when several remarks would do; of equal ones the last.
_WEIGHT = {"agreed": 3.0, "called_off": 2.9, "answered": 2.5, "stated": 2.0, "promised": 1.5, "sent": 1.5,
           "proposed": 2.2, "said": 0.8, "requested": 0.5, "asked": 0.0}

#: A number before a word, and one that begins a value; letters by which two words are one.
_COUNT = re.compile(r"(?<![\w.,:/-])([0-9]{1,6}) ([^\W\d_]{3,})")
_FIRST = re.compile(r"[0-9]{1,6}(?![\w.,:/-])(?! ?[^\W\d_]*[0-9€$£%])")
_STEM = 5
#: The figures of a text.
_FIGURES = re.compile(r"[0-9]+")


class Checked(NamedTuple):
    """Whether a statement agrees with what is known, and with what: a fact, or a remark of the thread."""

    agrees: bool
    fact: Fact | None
    remark: Remark | None


def recall(question: MailQuestion, remarks: Sequence[Remark], language: Language) -> Remark | None:
    """Return the remark that answers a question by what was said in the thread, None when none does."""
    asked = content(question.text, language.code)
    thing = said_thing(question.text, language)
    best: tuple[float, int] = (0.0, -1)
    first = mentions_any(question.text.lower(), asking(language.code).first)
    moved = frozenset[datetime | None]() if first else (
        frozenset(one.when for one in remarks if is_moved(one, remarks, language)))
    for place, remark in enumerate(remarks):
        if remark.kind in ("asked", "requested", "said") or not (
                remark.value or remark.when and question.type == "when") or (
                    remark.when in moved and remark.kind != "stated") or is_moved(remark, remarks, language):
            continue
        fits = _fits(question, remark, thing, language)
        same = len(shared(asked, content(remark.what, language.code)))
        # "When is our meeting?" asks for what was agreed, without a word of it.
        met = remark.kind in ("agreed", "called_off") and question.type in ("when", "where") and is_appointment(
            question.text)
        typed = fits > 1.0 and question.recalls
        if not fits or not (same or typed or met):
            continue
        # Of equal ones the last, or the first where that is asked for.
        best = max(best, (fits + _WEIGHT[remark.kind] * (not first) + 1.5 * same, -place if first else place))
    return remarks[abs(best[1])] if best[0] else None


def was_said(statement: str, remarks: Sequence[Remark], language: Language) -> bool:
    """Return whether most of the own words of a statement stand together in something that was said or asked."""
    # What stands behind ", not" is denied.
    said = min((statement.partition(one)[0] for one in asking(language.code).rejecting), key=len, default=statement)
    own, figures = content(statement, language.code), set(_FIGURES.findall(said))
    return any(2 * len(shared(own, content(one.value, language.code))) >= len(own) and figures.issubset(
        _FIGURES.findall(one.value)) for one in remarks)


def is_gone(asked: str, remarks: Sequence[Remark], language: Language) -> bool:
    """Return whether what somebody takes to hold still was called off by the one who spoke of it last."""
    how = cutting(language.code)
    if how.still.isdisjoint(re.findall(r"\w+", asked.lower())):
        return False
    own = content(asked, language.code) - content(" ".join(how.still), language.code)
    last = next((one for one in reversed(remarks) if one.kind == "said" and one.by == "correspondent" and shared(
        own, content(one.value, language.code))), None)
    return last is not None and mentions_any(f" {last.value.lower()} ", how.gone)


def is_moved(remark: Remark, remarks: Sequence[Remark], language: Language) -> bool:
    """Return whether what was called off got another day in the same mail: "Friday instead of Thursday"."""
    if remark.kind != "called_off" or remark.when is None:
        return False
    mail = [one for one in remarks if one.at == remark.at]
    return any(one.when is not None and one.when.date() != remark.when.date() for one in mail) and any(
        one.kind == "said" and mentions_any(one.value, asking(language.code).moving) for one in mail)


def check(
    question: MailQuestion, base: datetime, remarks: Sequence[Remark], facts: Iterable[Fact], language: Language,
) -> Checked | None:
    """Return whether a statement with figures in it agrees with the facts or, first of all, with the thread."""
    text = question.behind or question.text
    facts = tuple(facts)
    limited = _limited(text, base, facts, language)
    if limited is not None:
        return limited
    asked = marks(text, base, language)
    if asked == Marks():
        return None
    asked_words = content(text, language.code)
    found: list[tuple[float, Checked]] = []
    numbered = _counted(text, language)
    for place, fact in enumerate(facts):
        if _differ(numbered, fact, language):
            return Checked(False, fact, None)  # the day may be right, the number is wrong
        same = len(shared(asked_words, content(fact.label, language.code)))
        so = agree(asked, marks(fact.value, base, language))
        if so is not None and (same or question.checks):
            found.append((10.0 * same + so - place / 1000, Checked(so, fact, None)))
    several = asked.sums and len(priced(remarks, language)) > 1
    for place, remark in enumerate(remarks):
        if remark.kind in ("asked", "requested", "proposed", "called_off"):
            continue
        known = _of_remark(remark, base, language)
        so = agree(asked, known)
        if so is False and remark.kind == "said" and remark.value.endswith("?"):
            continue  # a question settles nothing
        same = len(shared(asked_words, content(remark.what or remark.value, language.code)))
        if several and not same and len(asked_words) > 1 and remark.kind in ("said", "stated"):
            continue  # another thing's price
        if so is not None and (same or question.checks or question.recalls):
            found.append((5.0 * same + _WEIGHT[remark.kind] + so + place / 1000, Checked(so, None, remark)))
    if not found:
        return None
    return max(found, key=lambda one: one[0])[1]


def _limited(text: str, base: datetime, facts: Sequence[Fact], language: Language) -> Checked | None:
    """Whether what is asked keeps to a fact where one of the two is a limit; of several facts that which is named."""
    asked = ranges(text, base, language) if facts else Ranges({})
    if not asked.kinds:
        return None
    own, meant = content(text, language.code), attribute_names(text, language)
    found: list[tuple[int, bool, Fact]] = []
    for fact in facts:
        kind, so = compared(asked, ranges(fact.value, base, language, fact.label))
        if kind:
            named = len(shared(own, content(f"{fact.label} {fact.value}", language.code))) + any(
                one.search(fact.label.lower()) for one in meant)
            found.append((named, so, fact))
    best = max((named for named, _, _ in found), default=0)
    told = [one for one in found if one[0] == best]
    # Of several that nobody names none is meant for sure.
    if len(told) != 1:
        return None
    return Checked(told[0][1] is not mentions_any(text, limit_words(language.code).beyond), told[0][2], None)


def _differ(numbered: Mapping[str, int], fact: Fact, language: Language) -> bool:
    """Whether a fact has another number of what is counted: "stools: 18 in oak" against "30 stools"."""
    if not numbered:
        return False
    known = _counted(fact.value, language)
    number = _FIRST.match(fact.value)
    if number is not None:
        known = {**known, fact.label.split()[-1][:_STEM].lower(): int(number[0])}
    both = known.keys() & numbered.keys()
    return bool(both) and all(known[one] != numbered[one] for one in both)


def _counted(text: str, language: Language) -> Mapping[str, int]:
    """The numbers of a text by the beginning of the word behind each; no days, hours and spans."""
    return {word[:_STEM].lower(): int(number) for number, word in _COUNT.findall(text)
            if word.lower() not in language.month_forms and word.lower() not in language.spans
            and word.lower() not in language.hour_words}


def _of_remark(remark: Remark, base: datetime, language: Language) -> Marks:
    """The figures of a remark; an instant by the clock of who asks."""
    if remark.when is None:
        return marks(remark.value, remark.at, language)
    when = remark.when.astimezone(base.tzinfo)
    return Marks(days=frozenset((when.date(),)), times=frozenset(
        (when.hour * 60 + when.minute,)) if remark.timed else frozenset())


def _fits(question: MailQuestion, remark: Remark, thing: str, language: Language) -> float:
    """How well a remark is of the type that is asked for; 0 for not at all."""
    known = _of_remark(remark, remark.at, language)
    named = f"{remark.what} {remark.kind}".lower()
    kind = question.type
    if kind != "when" and thing and any(word in named for word in thing.lower().split() if len(word) > 3):
        return 4.0
    if kind == "when" and mentions_any(question.text, asking(language.code).clock):
        return 3.0 if known.times else 0.0
    if kind == "when" or thing.lower() in ("date", "time", "tag", "uhrzeit") and thing:
        return 3.3 if remark.timed else 3.0 if known.days or known.times or remark.when else 0.0
    if thing and remark.what == "reference":
        return 2.5 if kind in ("what", "request") and not known.sums and not known.times else 0.0
    if kind == "much":
        return 3.0 if known.sums or known.shares else 0.0
    if kind == "many":
        return 2.0 if known.numbers else 0.0
    if kind in ("where", "who"):
        bare = known == Marks() or "place" in named
        return 1.0 if bare and remark.value and remark.when is None else 0.0
    return 1.0 if kind in ("what", "how", "long", "why") and remark.value else 0.0
