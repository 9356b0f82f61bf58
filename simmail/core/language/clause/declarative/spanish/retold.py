"""
What a Spanish mail tells, as its reader says it: "han recibido tres cajas empapadas" of "hemos recibido ...".
"""

from __future__ import annotations

from simmail.core.language.clause.declarative.spanish.persons import our
from simmail.core.language.clause.declarative.spanish.verbs import (
    EL, ELLOS, NOSOTROS, TU, VOSOTROS, YO, SpanishForm, forms_of, is_infinitive, said, spanish,
)
from simmail.core.language.clause.tables import restating

#: What a form of the writer and one of the reader become, near and far; alone and with others.
_TOLD = {YO: (TU, EL), NOSOTROS: (VOSOTROS, ELLOS)}
_MARKS = ".,;:"


def retold(clause: str, we: bool, far: bool) -> str:
    """
    Return what a statement of a mail says as its reader has it.

    @param we: its reader speaks for others as well; far: its reader calls its writer "usted".
    @return: C{""} where nothing tells whom a verb or a thing belongs to, and for what is no statement.
    """
    how, restate, words = spanish(), restating("es"), clause.split()
    low = [word.lower().strip(_MARKS) for word in words]
    far = far and how.familiar.isdisjoint(low)
    if len(words) < 3 or not how.polite.isdisjoint(low) or not any(_forms(low, at) for at in range(len(low))):
        return ""
    told: list[str] = []
    for at, word in enumerate(words):
        one, form = low[at], _form(low, at, far)
        new = one
        if one in how.him and far:
            new = ""  # "le dije": nobody knows whom
        elif one in how.of_asker:
            new = _side(how.of_asker[one], far)
        elif one in how.whose and (far or one not in how.whose_far):
            new = our(low[at + 1] if at + 1 < len(low) else "", one, how) if we else how.whose[one]
        elif one in how.of_reader:
            new = _side(how.of_reader[one], we)
        elif one in restate.askers or one in restate.speakers:
            continue  # "yo", which the verb says
        elif is_infinitive(one):
            ending = next((end for end in restate.suffixes if one.endswith(end) and end[1:] not in how.itself), "")
            new = f"{one.removesuffix(ending)}{_side(restate.suffixes[ending], far)}" if ending else one
        elif form is not None:
            person = _TOLD[form.person][far] if form.person in _TOLD else NOSOTROS if we else YO
            new = said(form, person)
        if not new:
            return ""
        told.append(word if new == one else f"{new}{word[len(word.rstrip(_MARKS)):]}")
    return " ".join(told)


def _forms(low: list[str], at: int) -> tuple[SpanishForm, ...]:
    """What forms of verbs a word may be where it stands: behind an article it is a noun."""
    before = low[at - 1] if at else ""
    how, clitics = spanish(), restating("es").clitics
    noun = before in how.determiners and before not in clitics or low[at] in how.nouns and before not in clitics
    return () if noun or before in how.prepositions or low[at] in how.prepositions else forms_of(low[at])


def _form(low: list[str], at: int, far: bool) -> SpanishForm | None:
    """The form of a verb whose person has to change, None for another."""
    forms = _forms(low, at)
    persons = {one.person for one in forms}
    itself = at and low[at - 1] == "me" and YO in persons  # "ni me acordaba"
    if not persons or persons & {EL, ELLOS} and not itself and (far or not persons & {TU, VOSOTROS}):
        return None
    # "Creo" is of "creer" rather than of "crear".
    own = [one for one in forms if one.person in (YO, NOSOTROS, TU, VOSOTROS)]
    return min(own, key=lambda one: one.verb.endswith("ar"), default=None)


def _side(text: str, far: bool) -> str:
    near, bar, distant = text.partition("|")
    return distant if bar and far else near
