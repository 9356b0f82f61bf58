"""
A Spanish question cut up: what stands before its verb, the pronouns of that, the verb, and what stands behind.

A verb may be without a subject, and that of "usted" is in the third person: it is its reader's where the question says
"usted", or where it says "me" or "mi" and nobody else; where nothing tells, nothing is said again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from simmail.core.language.clause.declarative.spanish.verbs import (
    CONDITIONAL, EL, ELLOS, FUTURE, IMPERFECT, PAST, PRESENT, TU, VOSOTROS, Spanish, SpanishForm, apart, forms_of,
    is_infinitive, is_participle, joined,
)
from simmail.core.language.clause.tables import STOPS, clause_words, without_dropped
from simmail.core.language_data import given_names

#: Words of a subject before its verb.
_SUBJECT = 7
_OTHERS = (EL, ELLOS)


class SpanishClause(NamedTuple):
    """
    A question as its asker would state it.

    @ivar before: what stands before the verb and its pronouns; addressed: the verb is said of who reads it; word: the
        verb as it stands.
    """

    before: tuple[str, ...]
    clitics: tuple[str, ...]
    form: SpanishForm
    rest: tuple[str, ...]
    addressed: bool
    word: str


def parts_of_question(question: str) -> list[list[str]]:
    """Return the words of a question, cut at its marks."""
    parts: list[list[str]] = [[]]
    for word in clause_words(question.replace("¿", ",")):
        if word in STOPS:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def without_fillers(words: Sequence[str], how: Spanish) -> list[str]:
    """Return words without what leads them in and what says nothing."""
    return without_dropped(words, how.dropped, how.first_dropped, 1)


def asking_words(question: str, how: Spanish) -> list[str]:
    """Return the words of the last part of a question; those of a clause behind "si" as well."""
    parts = [part for part in parts_of_question(question) if without_fillers(part, how)]
    while len(parts) > 1 and (" ".join(parts[-1]).lower() in how.tags or f"{' '.join(parts[-1]).lower()} ".startswith(
            tuple(f"{one} " for one in how.beside))):
        parts.pop()
    if not parts or len(parts) > 1 and parts[-1][0].lower() == how.or_:
        return []  # only the second of two
    words = without_fillers(parts[-1], how)
    first = " ".join(words).lower()
    for one in how.agreed:
        if first.startswith(f"{one} {how.that} "):
            return words[:len(one.split())]  # "¿hace falta que venga en ayunas?"
    low = f" {' '.join(words).lower()} "
    for one in how.whether:
        if f" {one} " in low:
            words = words[len(low.partition(f" {one} ")[0].split()) + len(one.split()):]
            break
    told = [word.lower() for word in words]
    for at in range(1, len(told)):
        if told[at] == how.that and any(one.verb in how.having_to for one in forms_of(told[at - 1])):
            told[at] = ""  # "hay que", "tengo que"
    named = any(
        word.lower() in how.people or word.lower() in given_names() and word[0].isupper()
        for part in parts[:-1] for word in part)
    if named and how.polite.isdisjoint(told) and any(
            one.person in _OTHERS and one.verb in how.of_whom for one in forms_of(told[0] if told else "")):
        return []  # "mi hijo está mejor, ¿puede venir?"
    return [] if not how.unstated.isdisjoint(told) else words


def parted(words: Sequence[str], how: Spanish) -> SpanishClause | None:
    """Return a question cut at its verb; None where that is not told, nor who it is said of."""
    low = [word.lower() for word in words]
    hints = how.also | how.still | how.already
    at = next((at for at, word in enumerate(low) if word not in how.spoken_to and word not in hints), len(low))
    before = tuple(word for word in low[:at] if word in hints)
    named: tuple[str, ...] = ()
    verb = verb_at(low, at, how)
    if verb is None:
        end = _subject_end(words, at, how)
        verb = verb_at(low, end, how) if end else None
        if verb is None:
            return None
        small = low[at] in how.determiners | how.subjects
        named, at = (low[at] if small else words[at], *words[at + 1:end]), end
    clitics, rest = tuple(low[at:verb]), tuple(words[verb + 1:])
    free = [word for spot, word in enumerate(low[verb + 1:], verb + 1) if low[spot - 1] not in how.prepositions or (
        spot == verb + 1)]
    polite = not how.polite.isdisjoint((*low[:at], *free))
    form = _form(low[verb], named, polite, clitics, low[verb + 1:], how)
    if form is None:
        return None
    addressed: bool | None = form.person in (TU, VOSOTROS)
    if form.person in _OTHERS and not named:
        addressed = polite or _addressed(form, clitics, rest, how)
    if addressed is None:
        return None
    kept = tuple(word for spot, word in enumerate(rest) if word.lower() not in how.spoken_to or (
        spot and rest[spot - 1].lower() in how.prepositions))
    return SpanishClause((*before, *named), clitics, form, kept, addressed, low[verb])


def verb_at(low: Sequence[str], at: int, how: Spanish) -> int | None:
    """Return the place of a finite verb behind its pronouns, None for none."""
    spot = at
    while spot < len(low) and low[spot] in how.clitics:
        spot += 1
    if spot >= len(low) or not forms_of(low[spot]):
        return None
    noun = spot > at and low[at] in how.determiners and low[spot] in how.nouns  # "la entrada"
    return None if noun else spot


def _subject_end(words: Sequence[str], at: int, how: Spanish) -> int:
    """The place behind a subject before its verb, 0 for none."""
    if at >= len(words):
        return 0
    first = words[at].lower()
    named = words[at][0].isupper() and first in given_names()
    if first not in how.determiners and first not in how.subjects and not named:
        return 0
    low = [word.lower() for word in words]
    for spot in range(at + (2 if first in how.determiners else 1), min(len(words), at + _SUBJECT)):
        before, word = words[spot - 1].lower(), words[spot].lower()
        if before in how.prepositions | how.determiners:
            continue
        pronoun = word in how.clitics - how.determiners and verb_at(low, spot, how) is not None
        if pronoun or word not in how.nouns and any(one.person in _OTHERS for one in forms_of(word)):
            return spot
    return 0


def _form(
    word: str, named: Sequence[str], polite: bool, clitics: Sequence[str], rest: Sequence[str], how: Spanish
) -> SpanishForm | None:
    """What form of a verb a word is; None where it may be of several persons."""
    found = forms_of(word)
    there = word in how.there_is and not (rest and is_participle(rest[0]))
    doubtful = {one.person for one in found if one.tense in (IMPERFECT, CONDITIONAL)}
    if named or polite:
        found = tuple(one for one in found if one.person in _OTHERS)
    elif there:
        found = tuple(one for one in found if one.person == EL)
    elif len(doubtful) > 1:
        # "Podría" is of "yo" and of "usted".
        found = tuple(one for one in found if one.person == EL) if _of_other(found[0], clitics, rest, how) else ()
    if len({(one.verb, one.person) for one in found}) > 1:
        # "Vamos", "vemos": the present of one person; "fue" of two verbs.
        first = [one for one in found if one.tense == PRESENT] or list(found)
        found = tuple(first[:1]) if len({one.person for one in first}) == 1 else ()
    return found[0] if found else None


def _of_other(form: SpanishForm, clitics: Sequence[str], rest: Sequence[str], how: Spanish) -> bool:
    """Whether "podría" is said of another than who asks."""
    if form.tense == IMPERFECT or rest[:1] and rest[0] in how.staying and rest[1:2] and (
            rest[1] not in how.prepositions | how.adverbs):
        return False  # "¿podría quedarse abierto el bar?"
    given = any(joined(word).startswith(how.whom) and apart(word) in how.giving for word in rest)
    if given or not how.whom_words.isdisjoint(clitics) or not how.ours.isdisjoint(rest) or any(
            joined(word).startswith("se") and apart(word) in how.reflexive for word in rest):
        return True
    return form.verb not in how.doubted or form.verb in how.having_to and not how.offered.isdisjoint(rest[:1])


def _addressed(form: SpanishForm, clitics: Sequence[str], rest: Sequence[str], how: Spanish) -> bool | None:
    """Whether a verb of the third person is said of its reader; None where nothing tells."""
    behind = [word.lower() for word in rest]
    first = behind[0] if behind else ""
    done = is_participle(first)
    if form.verb in how.have and first == how.there_was:
        return False  # "ha habido cambios"
    pleases = form.verb in how.pleasing and not how.persons.isdisjoint(clitics)
    if pleases or form.verb in how.said_of_things and not done:
        return False
    if "se" in clitics:
        told = len(clitics) == 1 and (form.verb in how.can or _has_subject(rest, form, how))
        return False if told else None
    if _has_subject(rest, form, how) or form.verb in how.can and first in how.states | how.impersonal:
        return False  # "¿puede ser más bajo?"
    asks = not how.asker_words.isdisjoint(behind) or any(joined(word).startswith(how.whom) for word in behind)
    given = not how.whom_words.isdisjoint(clitics)
    itself = joined(first).startswith("se") and apart(first) not in how.reflexive
    if form.verb in how.can and not asks and (itself or apart(first) in how.of_things_too):
        return None  # "¿puede probarse?", "¿puede llegar otra vez?"
    if is_infinitive(first) and (
            form.verb in how.can and form.tense in (PRESENT, CONDITIONAL) or form.verb in how.wanting and asks):
        return True
    if form.tense in (CONDITIONAL, FUTURE) and form.verb not in how.uncertain:
        return True if form.tense == CONDITIONAL or asks else None
    with_us = not how.with_us.isdisjoint(behind)
    now = form.tense == PRESENT and form.person == EL and (given and form.verb in how.giving or with_us)
    pleased = form.verb in how.states and form.tense == PRESENT and asks and not how.pleased_with.isdisjoint(behind)
    # "¿Aceptan tarjeta?", "¿han comprado máquinas nuevas?": nobody else was named.
    several = form.person == ELLOS and len(behind) > done and (
        form.tense in (PRESENT, PAST) and form.verb in how.of_firms or done and form.verb in how.have and (
            first not in how.moved_on and behind[1] not in how.adverbs | how.prepositions))
    return True if now or pleased or several or done and form.verb in how.have and (asks or given) else None


def _has_subject(rest: Sequence[str], form: SpanishForm, how: Spanish) -> bool:
    """Whether who or what a verb of the third person is said of stands behind it."""
    rest = [word for word in rest if word.lower() not in how.already | how.still]
    low = [word.lower() for word in rest]
    for at, word in enumerate(low):
        before = low[at - 1] if at else ""
        if before in how.prepositions:
            continue
        after = low[at + 1] if at + 1 < len(low) else ""
        named = rest[at][0].isupper() and word in given_names()
        if named or word in how.somebody:
            return True
        if word not in how.determiners - how.numbers or not after or after in how.times:
            continue
        said_of = form.verb in how.of_things or form.verb in how.have and before in how.moved_on or (
            form.verb in how.can and before in how.intransitive)
        if after in how.people or said_of:
            return True
    return False
