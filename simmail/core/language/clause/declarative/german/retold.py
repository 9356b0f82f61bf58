"""
What a German mail tells, as its reader says it: "vor drei Wochen haben Sie bei uns die Kette tauschen lassen".
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.language.clause.declarative.german.clause import PERSONS
from simmail.core.language.clause.declarative.german.persons import GermanReader
from simmail.core.language.clause.declarative.german.verbs import (
    DU, ER, ICH, IHR, WIR, changed, german, is_infinitive, is_participle, known,
)

#: How somebody who wrote is called, near and far, and the person of the verb that goes with it.
_CALLED = {"ich": (("du", DU), ("Sie", WIR)), "wir": (("ihr", IHR), ("Sie", WIR))}
#: Marks that end a clause inside of a sentence.
_STOPS = frozenset((",", ";", ":"))


def retold(clause: str, we: bool, far: bool) -> str:
    """
    Return what a statement of a mail says as its reader has it.

    @param we: its reader speaks for others as well; far: its reader calls its writer "Sie".
    @return: C{""} where nothing tells which verb goes with whom, and for what is no statement.
    """
    words = clause.replace(",", " ,").replace(";", " ;").split()
    if len(words) < 3 or not any(_is_finite(word) for word in words[1:]) or _is_finite(words[0]) and (
            words[0].lower() not in PERSONS):
        return ""
    reader = GermanReader.of(f"- {clause}", we, far)
    verb = next(word for word in words[1:] if _is_finite(word))
    told = reader.flipped([words[0].lower() if words[0].lower() in german().of_asker or words[0][:1].isupper() and (
        words[0].lower().startswith(tuple(german().whose))) else words[0], *words[1:]], _asker(words), (), verb)
    for at, word in enumerate(words):
        one = word if at else word.lower()
        one = "Sie" if word == "Sie" and reader.far else one
        if one not in PERSONS or word == "Sie" and not _is_subject(words, at):
            continue
        if one == "ihr" and words[at + 1:at + 2] and words[at + 1][:1].isupper():
            continue  # her
        spot = _verb_of(words, at, PERSONS[one])
        if spot is None:
            return ""
        who, person = _CALLED[one][reader.far] if one in _CALLED else (
            ("wir", WIR) if reader.we or one == "ihr" else ("ich", ICH))
        form = changed(words[spot].lower(), PERSONS[one], person)
        if not form:
            return ""
        told[at], told[spot] = who, form
        for behind in range(at + 1, len(words) - 1):
            # "Ich fahre hin und bin am Ende."
            if words[behind] in german().both and known(words[behind + 1], PERSONS[one]) and not (
                    is_infinitive(words[behind + 1]) or is_participle(words[behind + 1])):
                told[behind + 1] = changed(words[behind + 1], PERSONS[one], person)
    if words[0] == "Sie" and not reader.far:
        return ""  # they
    said = " ".join(told)
    for mark in _STOPS:
        said = said.replace(f" {mark}", mark)
    return said


def _asker(words: Sequence[str]) -> tuple[str, ...]:
    """Who tells, where it is a subject of the clause: what is done to it is done by itself."""
    low = [word.lower() for word in words]
    return ("ich",) if "ich" in low else ("wir",) if "wir" in low else ()


def _is_finite(word: str) -> bool:
    low = word.lower()
    return any(known(low, person) for person in (ICH, ER, WIR)) and (word.islower() or low in PERSONS) and not (
        is_participle(low) and low not in german().having | german().being)


def _is_subject(words: Sequence[str], at: int) -> bool:
    """Whether "Sie" is who does something, and nobody to whom something is done."""
    beside = words[at - 1] if at else words[1]
    return known(beside, WIR) and not is_participle(beside)


def _verb_of(words: Sequence[str], at: int, person: int) -> int | None:
    """The place of the verb of a pronoun: before it, behind it, or at the end of its clause."""
    if at and known(words[at - 1].lower(), person):
        return at - 1
    starts = not at or words[at - 1] in _STOPS or words[at - 1] in german().both or words[at - 1] == german().or_
    if starts and at + 1 < len(words) and known(words[at + 1], person):
        return at + 1
    end = next((spot for spot in range(at + 1, len(words)) if words[spot] in _STOPS), len(words)) - 1
    return end if end > at and known(words[end], person) else None
