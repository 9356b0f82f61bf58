"""
What a French mail tells, as its reader says it: "votre train est annulé, vous êtes coincé à Rennes".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from simmail.core.language.clause.declarative.french.elision import joined
from simmail.core.language.clause.declarative.french.persons import FrenchReader
from simmail.core.language.clause.declarative.french.verbs import (
    JE, NOUS, TU, VOUS, form_of, french, is_finite, is_infinitive, said,
)

#: Words that lost their vowel before one, and whole again.
_LOST = re.compile(r"(?<!\w)(j|m|t|n|s)['\u2019]", re.IGNORECASE)
_SHORT = re.compile(r"(?<!\w)(l|d|c|qu|jusqu|lorsqu|puisqu)['\u2019]", re.IGNORECASE)
#: Who wrote and who reads, by the person of their verb.
_PERSONS = {"je": JE, "nous": NOUS, "tu": TU, "vous": VOUS}
_MARKS = ".,;:"


def retold(clause: str, we: bool, far: bool) -> str:
    """
    Return what a statement of a mail says as its reader has it.

    @param we: its reader speaks for others as well; far: its reader calls its writer "vous".
    @return: C{""} where nothing tells which verb goes with whom, and for what is no statement.
    """
    how = french()
    words = _SHORT.sub(r"\1' ", _LOST.sub(r"\1e ", clause)).split()
    low = [word.lower().strip(_MARKS) for word in words]
    reader = FrenchReader.of(words, we, far)
    if len(words) < 3 or "on" in low or any(
            "-" in word and word.rpartition("-")[2] in (*_PERSONS, *how.tonic) for word in low):
        return ""
    told, verbs = list(words), any(map(is_finite, low))
    for at, one in enumerate(low):
        spot = _verb_of(low, at) if one in _PERSONS else None
        if spot is not None:
            form = form_of(low[spot], _PERSONS[one])
            person = (VOUS if reader.far or one == "nous" else TU) if one in ("je", "nous") else (
                NOUS if reader.we else JE)
            verb = said(form, person) if form is not None else ""
            if not verb:
                return ""
            told[at] = next(word for word, number in _PERSONS.items() if number == person)
            told[spot], verbs = f"{verb}{words[spot][len(low[spot]):]}", True
        elif one in ("je", "tu"):
            return ""
        elif one in how.tonic and at and low[at - 1] in how.prepositions:
            told[at] = _kept(words[at], one, reader.side(how.tonic[one], one))
        elif one in how.clitic_of:
            told[at] = reader.side(how.clitic_of[one], one)
        elif one == how.your or one in how.possessive:
            mine = reader.flipped([one, *low[at + 1:at + 2]])
            if mine is None:
                return ""
            told[at] = _kept(words[at], one, mine[0])
    return joined(told, how) if verbs else ""


def _kept(word: str, bare: str, told: str) -> str:
    """A word in the place of another, with the marks behind that."""
    return f"{told}{word[len(bare):]}"


def _verb_of(low: Sequence[str], at: int) -> int | None:
    """The place of the verb that a pronoun does, None where the pronoun is no subject."""
    how = french()
    for spot in range(at + 1, min(at + 5, len(low))):
        if form_of(low[spot], _PERSONS[low[at]]) is not None and not is_infinitive(low[spot]):
            return spot
        if low[spot] not in how.clitics and low[spot] != "ne":
            return None
    return None
