"""
What the notes that somebody was given say to a question, as it would say it itself, and which of two things they speak
for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.clause.tables import past, restating, third
from simmail.core.language.meaning import IMeaning
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language
from simmail.core.language.text import say
from simmail.core.writer.sources.cut.words import cutting, read, times
from simmail.core.writer.sources.limits import caps, limit_words
from simmail.core.writer.sources.marks import MONEY, marks
from simmail.core.writer.sources.said_words import content, has_number, shared
from simmail.core.writer.sources.self_sheet import table

#: Types of questions that a note may answer, and how many words of the question it has to have, or all that it has.
_WORDS = {"when": 1, "long": 1, "many": 1, "much": 1, "where": 1, "who": 1, "what": 2, "how": 2, "yes_no": 2,
          "either": 2, "choice": 2, "request": 2}
_HOUR = re.compile(r"(?<![0-9.:])(?:[01]?[0-9]|2[0-3])(?:[:.h][0-5][0-9]| ?(?:am|pm|Uhr|h))(?!\w)")
#: A question with fewer words of its own only points to what stands before it.
_POINTING = 2
#: With so many it asks of one thing.
_FEW = 4
#: How near in meaning a note has to be that has one word of a question.
_NEAR = 0.4
#: Types that one note answers.
_CLOSED = frozenset(("yes_no", "either", "choice"))
#: Of more notes those are told that have most of the question's words, and so many characters.
_MOST, _LONGEST = 2, 600


def noted(
    question: MailQuestion, notes: Iterable[str], base: datetime, language: Language, meaning: IMeaning | None = None,
    name: str = "",
) -> str:
    """
    Return the notes that answer a question, in the first person; C{""} for none.

    @param meaning: whom to ask how near a note is that has but one word of the question; nobody, when none is given;
        C{name}: the first name of whom they were given, which may stand in them.
    """
    least, own = _WORDS.get(question.type, 0), content(question.text, language.code)
    # "How much is that?" is asked of what stands before it.
    asked = own | content(question.lead, language.code)
    given = [(note, content(note, language.code)) for note in _given(notes)] if least and asked else []
    # The thing asked about, where one note alone speaks of it and little else is asked.
    thing = content(question.topic, language.code) & own if len(own) <= _FEW else frozenset()
    if question.form == "request":
        thing = own if question.type != "request" or not question.topic else _head(question.topic, language) & own
    alone = sum(bool(shared(thing, words)) for _, words in given) == 1
    number = question.type == "request" and mentions_any(question.text, asking(language.code).numbered)
    # Who is named has more to do than what is asked for.
    plain = own if language.inflected else content(" ".join(
        word for word in question.text.split()[1:] if word.islower()), language.code)
    pronouns = cutting(language.code).pointing | restating(language.code).pointing
    pointing = len(own) < _POINTING or question.type != "yes_no" and not pronouns.isdisjoint(
        question.text.lower().rstrip(" ?.!").split())
    found: list[tuple[int, str]] = []
    for note, words in given:
        same = shared(asked, words)
        near = own and same >= own or len(same) >= least and (same & own or pointing) or (
            alone and thing & same) or number and same & own and has_number(note, language) or (
            meaning is not None and same & plain and meaning.nearness(question.text, note) >= _NEAR)
        if near and not caps(note) and _fits(question.type, note, base, language):
            found.append((len(same), note))
    best = max((same for same, _ in found), default=0)
    # To whether something is so the nearest is the answer.
    least = best if len(found) > _MOST or question.type in _CLOSED else 0
    return " ".join(_own(note, language, name) for same, note in found if same >= least)[:_LONGEST]


def _head(phrase: str, language: Language) -> frozenset[str]:
    """The words of a phrase that name the thing itself: the receipt, in "the receipt for the bicycle"."""
    words = phrase.split()
    end = 1 if language.inflected else next((at for at, word in enumerate(words) if at and (
        word in language.of_words or word in language.choice_prepositions)), len(words))
    return content(" ".join(words[:end]), language.code)


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
        return bool(found.days or found.times or _HOUR.search(note) or times(
            read(note, (), language), cutting(language.code)))
    return type not in ("long", "many", "much") or has_number(note, language) or (
        type == "much" and MONEY.search(note) is not None)


def _own(note: str, language: Language, name: str = "") -> str:
    """A note as a sentence of whom it is about: "Is vegan since last year", "Nell's dog bites", "Nell works late"."""
    how, said = table(language.code), say(note, 300).strip().rstrip(".")
    told = said.removeprefix(f"{name} ") if name else said
    head, _, rest = told.partition(" ")
    mine = how.notes.get(head.lower(), "")
    if mine and told != said:
        rest = " ".join(language.first_person.get(word, word) for word in rest.split())
    if mine or told == said:
        said = f"{mine or head} {rest}".strip()
    elif head.lower() == language.and_ and how.and_me:
        # "Nell and Declan do not drive"
        other, _, rest = rest.partition(" ")
        said = f"{how.and_me.format(name=other)} {rest}" if other[:1].isupper() else said
    elif third(head.lower(), restating(language.code)):
        said = f"{how.myself} {_base(head, language)} {rest}"
    elif head.lower() in restating(language.code).past.values() or past(head.lower(), restating(language.code)):
        said = f"{how.myself} {head} {rest}"
    for pattern, own in how.possessed.items() if name else ():
        said = re.sub(pattern.format(name=re.escape(name)), own, said)
    return f"{said[:1].upper()}{said[1:]}."


def _base(verb: str, language: Language) -> str:
    """A verb without the ending of "he": "works", "goes"."""
    verbs = restating(language.code).verbs
    return verb[:-1] if verb[:-1].lower() in verbs else verb[:-2]
