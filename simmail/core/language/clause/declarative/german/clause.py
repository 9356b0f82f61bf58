"""
A German question cut up: its verb, its subject, and what is said of it.

The verb stands first in the question and second in the statement, so that all there is to know is where the subject
ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from simmail.core.language.clause.declarative.german.phrases import is_adjective, noun_phrase, phrases, with_attribute
from simmail.core.language.clause.declarative.german.verbs import (
    DU, ER, ICH, IHR, WIR, German, apart, changed, is_infinitive, known,
)
from simmail.core.language.clause.tables import STOPS, clause_words

#: A day as "14.", whose full stop ends no sentence.
_ORDINAL = re.compile(r"(?<![0-9.,])([0-9]{1,2})\.(?=\s|$|\?)")
#: Who speaks and who is spoken to, by the person of their verb.
PERSONS = {"ich": ICH, "wir": WIR, "du": DU, "Sie": WIR, "ihr": IHR, "Ihr": IHR}
#: How a verb ends in the persons that talk with each other.
_ENDINGS = {DU: ("st", "zt", "ßt"), WIR: ("n", "sind"), IHR: ("t", "d"), ICH: tuple("enßsrflgmhbdt")}
#: Words of the longest piece that is added behind a comma.
_ADDED = 9
#: What may be said first and the subject after it.
_SUBJECTS = frozenset(("some", "indefinite", "bare", "definite", "number"))


class GermanClause(NamedTuple):
    """
    A question as its asker says it.

    @ivar subject: its words, none where something else stands first in the statement: "in Ihrem Haus".
    @ivar rest: what stands behind the subject, and the pronouns before it; with C{fronted} all there is.
    """

    verb: str
    subject: tuple[str, ...]
    rest: tuple[str, ...]
    fronted: bool = False


def spelt_words(text: str) -> list[str]:
    """Return the words of a text; a day keeps its full stop."""
    return [word.replace("_", ".") for word in clause_words(_ORDINAL.sub(r"\1_", text))]


def without_fillers(words: Sequence[str], how: German) -> list[str]:
    """Return words without those that say nothing."""
    kept = []
    for at, word in enumerate(words):
        after = words[at + 1] if at + 1 < len(words) else ""
        before = words[at - 1] if at else ""
        needed = word in how.again and before in how.still | how.already or word in how.inexact and (
            after[:1].isdigit() or not after)
        if needed or (word if at else word.lower()) not in how.dropped or word in how.polite:
            kept.append(word)
    return kept


def asking_words(question: str, how: German) -> list[str]:
    """Return the words of the last part of a question, its verb first; those of a clause behind "ob" as well."""
    parts: list[list[str]] = [[]]
    for word in spelt_words(question):
        if word in STOPS:
            parts.append([])
        else:
            parts[-1].append(word)
    parts = [part for part in parts if without_fillers(part, how)]
    while len(parts) > 1 and (" ".join(parts[-1]).lower() in how.tags or len(parts[-1]) == 1 and (
            parts[-1][0][0].isupper())):
        parts.pop()
    while len(parts) > 1 and f"{' '.join(parts[-1]).lower()} ".startswith(tuple(f"{one} " for one in how.beside)):
        parts.pop()  # "bist du da, dann hole ich es ab"
    while len(parts) > 1 and len(parts[-1]) <= _ADDED and parts[-1][0] != parts[-1][0].capitalize() and (
            parts[-1][0] in how.prepositions | how.times) or len(parts) > 1 and parts[-1][0][:1].isdigit():
        parts[-2:] = [[*parts[-2], *parts[-1]]]  # "am Freitag, 25. September, nachmittags noch einen Raum, mit Beamer?"
    if not parts or len(parts) > 1 and parts[-1][0].lower() == how.or_:
        return []
    if len(parts) > 1 and parts[-1][-2:-1] == ["zu"] and how.enough.intersection(parts[-2][-2:]):
        parts.pop()  # "hätten Sie Zeit, uns zu helfen"
    while len(parts) > 1 and parts[-1][0] in how.if_so and parts[-2][-1] in how.agreed:
        parts.pop()  # "wären Sie einverstanden, wenn ich sie schneide"
    words = without_fillers(parts[-1], how)
    heard = len(parts) > 1 and " ".join(parts[-2]).lower().endswith(how.hearsay)
    if words and (words[0].lower() == how.whether or heard and words[0] in how.if_so):
        return _verb_first(words[1:])  # "stimmt es, dass du umziehst"
    while len(words) > 2 and words[0].lower() in how.first_dropped and words[1] not in how.familiar:
        words = words[1:]
    if len(words) < 2 or words[0][0].isupper() and len(parts) > 1:
        return []
    verb = words[0].lower()
    return [] if verb in how.adverbs | how.prepositions | how.definite | how.pronouns else [verb, *words[1:]]


def _verb_first(words: Sequence[str]) -> list[str]:
    """The clause behind "ob" as a question: its verb stands last."""
    if len(words) < 2:
        return []
    verb, prefix = apart(words[-1])
    if not verb or is_infinitive(words[-1]) and not known(verb, WIR):
        return []
    return [verb, *words[:-1], *([prefix] if prefix else ())]


def parted(words: Sequence[str], how: German) -> GermanClause | None:
    """Return a question cut behind its subject; None where nothing tells where that ends."""
    verb, first = words[0], words[1]
    if first in PERSONS and spoken_to(words, 1, verb, how):
        both = len(words) > 2 and words[2] in how.both and not (words[3:4] and words[3][0].isupper())
        return None if both else GermanClause(verb, (first,), tuple(words[2:]))
    if not (known(verb, ER) or known(verb, WIR)):
        return None
    if first in how.also:
        return _also(words, verb, how)
    if first in how.still | how.already:
        there = len(words) > 2 and (words[2] in how.nobody or words[2] in how.indefinite)
        return GermanClause(verb, (how.it,), tuple(words[1:])) if there else None
    at = _behind_pronouns(words, verb, how)
    if at >= len(words):
        return None
    if at == 2 and words[2] not in how.nobody and not how.nobody.keys().isdisjoint(words[3:]) and (
            phrases(words[2:], verb, how)[0].kind in ("time", "place")):
        return GermanClause(verb, (), tuple(words[1:]), True)  # "ist Ihnen im Bad etwas aufgefallen"
    kind, end = noun_phrase(words, at, verb, how)
    if words[at] == how.that and end == at + 2 == len(words) and verb in how.being:
        end = 0  # "ist das Betrug"
    if end and kind == "time" and verb not in how.suiting:
        return GermanClause(verb, (), tuple(words[1:]), True) if at == 1 else None
    if end:
        return _named(words, at, end, verb, how)
    return _one_word(words, at, verb, how)


def spoken_to(words: Sequence[str], at: int, verb: str, how: German) -> bool:
    """Return whether a pronoun is a subject that speaks or is spoken to, and no "ihr" of hers."""
    person = PERSONS[words[at]]
    if not may_be(verb, person) or not changed(verb, person, person):
        return False
    return person != IHR or not noun_phrase(words, at, verb, how)[1] or known(verb, IHR) and not known(verb, ER)


def may_be(verb: str, person: int) -> bool:
    """Return whether a verb may be in a person, by its ending."""
    return verb.endswith(_ENDINGS[person]) or known(verb, person)


def _also(words: Sequence[str], verb: str, how: German) -> GermanClause | None:
    """"Geht auch Samstag": the subject comes after "auch"."""
    if len(words) < 3:
        return None
    end = noun_phrase(words, 2, verb, how)[1]
    opening = phrases(words[2:], verb, how)[0]
    if not end and opening.kind != "time":
        return None
    end = end or 2 + len(opening.words)
    return GermanClause(verb, tuple(words[2:end]), (words[1], *words[end:]))


def _behind_pronouns(words: Sequence[str], verb: str, how: German) -> int:
    """The place behind the pronouns that stand before a subject: "hat ihn jemand"."""
    at = 1
    while at < len(words) and words[at] in how.pronouns and at < 3:
        after = words[at + 1] if at + 1 < len(words) else ""
        person = after in how.nobody and after != how.some or after == how.one
        if noun_phrase(words, at, verb, how)[1] or words[at] in how.subjects and not person:
            break
        at += 1
    return at


def _named(words: Sequence[str], at: int, end: int, verb: str, how: German) -> GermanClause | None:
    """A clause whose subject is a noun phrase."""
    objects, kind = tuple(words[1:at]), noun_phrase(words, at, verb, how)[0]
    if words[at] in how.oblique:
        return None
    if kind == "time":
        end = at + len(phrases(words[at:], verb, how)[0].words)
    elif kind in ("bare", "person") and _goes_on(words, end, verb, how):
        return None  # "Anna Weber"
    if end < len(words) and words[end] == "der" and noun_phrase(words, end, verb, how)[1]:
        if how.oneself not in objects:
            return None  # "gehört das Rad der Nachbarin"
        end = noun_phrase(words, end, verb, how)[1]
    end = with_attribute(words, end, verb, how)
    return GermanClause(verb, tuple(words[at:end]), (*objects, *words[end:]))


def _goes_on(words: Sequence[str], end: int, verb: str, how: German) -> bool:
    """Whether a name, which has no article, may go on: in no time and no thing that is known."""
    after = words[end] if end < len(words) else ""
    return after[:1].isupper() and after not in how.polite and noun_phrase(words, end, verb, how)[0] != "time" and not (
        how.none_of(after))


def _one_word(words: Sequence[str], at: int, verb: str, how: German) -> GermanClause | None:
    """A clause whose subject is a pronoun, or that begins with a place or a time."""
    objects, subject = tuple(words[1:at]), words[at]
    if subject in how.subjects:
        if words[at + 1:at + 2] and subject in how.definite and is_adjective(words[at + 1], how):
            return None  # "kommt die letzte noch"
        if words[at + 1:at + 2] and words[at + 1] in how.of_them:
            return GermanClause(verb, (subject, words[at + 1]), (*objects, *words[at + 2:]))
        after = words[at + 1] if at + 1 < len(words) else ""
        if subject in how.nobody and (after in how.any_of or after[:1].isupper()):
            told = phrases(words[at:], verb, how)[0].words
            return GermanClause(verb, told, (*objects, *words[at + len(told):])) if len(told) > 1 else None
        return GermanClause(verb, (subject,), (*objects, *words[at + 1:]))
    if objects:
        return None
    opening = phrases(words[1:], verb, how)
    if opening[0].kind not in ("place", "time") or len(opening) < 2:
        return None
    kind, told = opening[1]
    if kind not in _SUBJECTS and told[0] not in how.subjects or kind == "definite" and told[0] in how.oblique:
        return None
    return GermanClause(verb, (), tuple(words[1:]), True)
