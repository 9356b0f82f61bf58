"""
What a request wants found out: "could you ask whether the hall is free?" wants to know whether it is.

Nobody knows that before having asked, so it is neither agreed to nor done.  The words are data,
C{templates/<code>/restate.yaml}.
"""

from __future__ import annotations

from simmail.core.language.clause.inverted import flipped
from simmail.core.language.clause.tables import fit, restating
from simmail.core.language.phrases import say
from simmail.core.language.tables import Language

# Marks behind which something else begins; a full stop may belong to a number or a title.
_MARKS = ",;:?!"


def found_out(text: str, language: Language) -> str:
    """
    Return what a request wants found out: C{the hall is free} of "could you find out whether the hall is free?".

    @return: as its writer has it, C{""} where nothing is to be found out.
    """
    how = restating(language.code)
    words = say(text, 400).replace("\u2019", "'").split()
    low = [word.strip(_MARKS).lower() for word in words]
    start = _after(low, how.finding)
    at = _after(low, how.whether, start) if start else 0
    if not at or any(word.partition("'")[0] in how.askers for word in low[:start]):
        return ""  # "I wanted to ask whether" asks its reader
    told: list[str] = []
    for spot in range(at, len(words)):
        if len(told) > 1 and " ".join(low[spot:]).startswith(how.reporting):
            break
        told.append(words[spot].rstrip(_MARKS))
        # "14." is a number, "repaired." the end.
        if words[spot][-1:] in _MARKS or words[spot][-1:] == "." and words[spot][-2:-1].isalpha():
            break
    return " ".join(told).strip(" .")


def _after(low: list[str], phrases: tuple[str, ...], start: int = 0) -> int:
    """The place behind the first of some phrases, 0 for none."""
    for at in range(start, len(low)):
        for phrase in phrases:
            size = len(phrase.split())
            if low[at:at + size] == phrase.split():
                return at + size
    return 0


def own_matter(clause: str, language: Language) -> bool:
    """Return whether what is to be found out is for its reader to decide: "whether you can come"."""
    how = restating(language.code)
    return any(word in how.asked or word.lower() in how.own_persons for word in clause.split())


def whether_clause(clause: str, language: Language) -> str:
    """
    Return what is to be found out as it stands behind "I don't know", by who was asked: C{whether you may park}.

    @return: C{""} for what cannot be said again for sure.
    """
    how = restating(language.code)
    words = clause.split()
    if len(words) < 2 or not how.whether:
        return ""
    if how.order == "inverted":
        return fit(f"{how.whether[0]} {flipped(words, how, objects=True)}")
    persons = {*how.asked, *how.asking, *how.objects, *how.persons}
    # Where verbs would have to change with the person, only what speaks of neither side is said again.
    if any(word in persons or word.lower().partition("'")[0] in persons for word in words) or (
            how.persons and words[0].lower() not in how.determiners):
        return ""
    return fit(f"{how.whether[0]} {clause}")
