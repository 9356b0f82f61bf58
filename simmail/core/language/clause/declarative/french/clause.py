"""
A French question cut up: its subject, the pronouns before its verb, its verb, and what stands behind.

Whichever way it asks ("est-ce que", its pronoun behind the verb, or only the mark), it is brought to that order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from simmail.core.language.clause.declarative.french.verbs import (
    IL, ILS, JE, NOUS, TU, VOUS, FrenchForm, French, form_of, is_finite,
)
from simmail.core.language.clause.tables import STOPS, clause_words, without_dropped
from simmail.core.language.tables import language
from simmail.core.language_data import given_names

# Pronouns and little words that have lost their vowel; pronouns behind a verb.
_ELIDED = re.compile(r"(?i)^(m|t|s|l|n|j|c|d|qu)'(?=.)")
INVERTED = re.compile(r"(?i)^(.+?)(?:-t)?-(je|tu|il|elle|on|nous|vous|ils|elles|ce)$")
_PERSONS = {"je": JE, "j'": JE, "tu": TU, "nous": NOUS, "vous": VOUS, "ils": ILS, "elles": ILS}
#: "T'es", for "tu es".
_SPOKEN = re.compile(r"(?i)(?<!\w)t['\u2019](?=(?:es|as|avais|étais|aurais|auras|iras)\b)")
#: Words of the longest time behind a comma.
_TIME = 6
#: Words of the longest subject.
_SUBJECT = 9


class FrenchClause(NamedTuple):
    """A question as its asker would state it."""

    subject: tuple[str, ...]
    clitics: tuple[str, ...]
    form: FrenchForm
    rest: tuple[str, ...]

    @property
    def alone(self) -> str:
        """The subject that is one word, C{""} for another."""
        return self.subject[0] if len(self.subject) == 1 else ""


def parts_of_question(question: str) -> list[list[str]]:
    """Return the words of a question, cut at its commas; what has lost its vowel is a word of its own."""
    parts: list[list[str]] = [[]]
    for word in clause_words(_SPOKEN.sub("tu ", question)):
        if word in STOPS:
            parts.append([])
            continue
        elided = _ELIDED.match(word)
        while elided:
            parts[-1].append(elided[0].lower())
            word = word[elided.end():]
            elided = _ELIDED.match(word)
        parts[-1].append(word)
    return [part for part in parts if part]


def without_fillers(words: Sequence[str], how: French) -> list[str]:
    """Return words without what leads them in and what says nothing."""
    return without_dropped(words, how.dropped, how.first_dropped, 2)


def asking_words(question: str, how: French) -> list[str]:
    """Return the words of the last part of a question; those of a clause behind "si" as well; none where it is none."""
    parts = [part for part in parts_of_question(question) if without_fillers(part, how)]
    while len(parts) > 1 and (" ".join(parts[-1]).lower() in how.tags or len(parts[-1]) == 1 and (
            parts[-1][0][0].isupper())):
        parts.pop()
    while len(parts) > 1 and f"{' '.join(parts[-1]).lower()} ".startswith(tuple(f"{one} " for one in how.beside)):
        parts.pop()
    while len(parts) > 1 and len(parts[-1]) <= _TIME and not any(map(INVERTED.match, parts[-1])) and (
            parts[-1][0].lower() in how.prepositions | language("fr").weekday_forms.keys()):
        parts[-2:] = [[*parts[-2], *parts[-1]]]  # "..., dimanche 27, de 7 h à 13 h"
    if not parts or len(parts) > 1 and parts[-1][0].lower() == how.or_:
        return []  # only the second of two
    words = without_fillers(parts[-1], how)
    asked = [any(map(INVERTED.match, part)) or " ".join(part[:3]).lower().startswith(how.led_in) for part in parts]
    told = words[0].lower() in how.told_of and any(part[0].lower() in how.spoken_to for part in parts[:-1])
    if told or any(asked[:-1]) and not asked[-1]:
        return []  # what stands last is no question
    for at, word in enumerate(words[:-1]):
        if word == how.well and words[at + 1].lower() in how.after_well:
            words = [*words[:at], *words[at + 1:]]
            break
    low = f" {' '.join(words).lower()} "
    for one in how.whether:
        if f" {one} " in low:
            # "Savez-vous si la salle est libre".
            words = words[len(low.partition(f" {one} ")[0].split()) + len(one.split()):]
            break
    for one in how.led_in:
        if " ".join(words).lower().startswith(f"{one} "):
            words = words[len(one.split()):]
    condition = any(one == "s'" and after.lower() in how.him for one, after in zip(words, words[1:]))
    return [] if condition or not how.unstated.isdisjoint(word.lower() for word in words) else words


def parted(words: Sequence[str], how: French) -> FrenchClause | None:
    """Return a question brought to subject, pronouns, verb and rest; None where it cannot be told apart."""
    if not words:
        return None
    at = next((at for at, word in enumerate(words[:_SUBJECT]) if INVERTED.match(word) and (
        not at or not word[0].isupper())), -1)
    if at >= 0:
        return _inverted(words, at, how)
    at = _subject_end(words, how)
    if not at:
        return None
    subject = _lowered(words[:at], how)
    behind = at
    while behind < len(words) and words[behind].lower() in how.clitics:
        behind += 1
    if behind >= len(words):
        return None
    several = subject[0] in how.plural_articles or "et" in subject
    person = _PERSONS.get(subject[0], IL) if len(subject) == 1 else ILS if several else IL
    form = form_of(words[behind].lower(), person)
    return None if form is None else FrenchClause(
        subject, tuple(word.lower() for word in words[at:behind]), form, tuple(words[behind + 1:]))


def _inverted(words: Sequence[str], at: int, how: French) -> FrenchClause | None:
    """A question with its pronoun behind the verb; what stands before may be who is meant."""
    match = INVERTED.match(words[at])
    verb, pronoun = (match[1].lower(), match[2].lower()) if match is not None else ("", "")
    start = at
    while start and words[start - 1].lower() in how.clitics:
        start -= 1
    form = form_of(verb, _PERSONS.get(pronoun, IL))
    if form is None or start and pronoun not in how.him:
        return None
    subject = _lowered(words[:start], how) if start else (pronoun,)
    return FrenchClause(subject, tuple(word.lower() for word in words[start:at]), form, tuple(words[at + 1:]))


def _subject_end(words: Sequence[str], how: French) -> int:
    """The place behind a subject that stands before its verb, 0 where nothing tells it."""
    first = words[0].lower()
    after = words[1].lower() if len(words) > 1 else ""
    if first in how.subjects and not (first in how.articles_too and after and not (
            is_finite(after) or after in how.clitics)):
        return 3 if " ".join(words[:3]).lower() == how.everybody else 1
    named = words[0][0].isupper() and (first in given_names() or first in how.relatives)
    if first not in how.determiners and not named:
        return 0
    for at in range(1 if named else 2, min(len(words), _SUBJECT)):
        before, word = words[at - 1].lower(), words[at].lower()
        if before in how.determiners | how.prepositions or is_finite(before) and at > 2 and before not in how.nouns:
            continue
        pronoun = word in how.clitics - how.determiners and at + 1 < len(words) and is_finite(words[at + 1].lower())
        if pronoun or is_finite(word) and word not in how.nouns:
            return at
    return 0


def _lowered(words: Sequence[str], how: French) -> tuple[str, ...]:
    """A subject with a small letter, unless it is a name."""
    if words[0].lower() in how.determiners | how.subjects:
        return (words[0].lower(), *words[1:])
    return tuple(words)
