"""
French questions said again as statements by who was asked: C{la salle n'est plus libre} of "la salle est-elle encore
libre ?".
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.language.clause.declarative.french.clause import (
    INVERTED, FrenchClause, asking_words, parted, parts_of_question, without_fillers,
)
from simmail.core.language.clause.declarative.french.denial import denied
from simmail.core.language.clause.declarative.french.elision import joined
from simmail.core.language.clause.declarative.french.persons import FrenchReader
from simmail.core.language.clause.declarative.french.verbs import French, french, is_finite, is_infinitive
from simmail.core.language.clause.tables import MOST_WORDS, fit

#: Words of the longest statement, and how many more a question may have, for what has lost its vowel counts.
_LONGEST, _ELISIONS = 20, 4
#: Words in which what is asked for ends.
_HEAD = 5


def stated(question: str, we: bool, far: bool) -> tuple[str, str] | None:
    """
    Return what a yes-or-no question asks, as a statement of its reader, and that it is not so.

    @param we: its reader speaks for others as well; far: its reader calls its writer "vous".
    @return: C{""} for what cannot be said, None for neither.
    """
    how = french()
    words = asking_words(question, how)
    clause = parted(words, how) if 1 < len(words) <= MOST_WORDS + _ELISIONS else None
    return None if clause is None else _stated(clause, FrenchReader.of(words, we, far), how)


def either_stated(question: str, we: bool, far: bool) -> tuple[str, ...]:
    """Return the two things of which a question asks which is so, each as a statement; C{()} where one has no verb."""
    how = french()
    left, joint, right = question.strip(" ?!.").partition(" ou ")
    if not joint or " ou " in right:
        return ()
    words, behind = asking_words(left.rstrip(" ,"), how), asking_words(right, how)
    first, second = parted(words, how), parted(behind, how)
    if first is None or not behind:
        return ()
    if second is None and is_infinitive(behind[0]) and any(map(is_infinitive, first.rest)):
        second = first._replace(rest=tuple(behind)) if first.form.verb in how.modals else None
    reader = FrenchReader.of((*words, *behind), we, far)
    both = [_stated(one, reader, how) for one in (first, second) if one is not None]
    told = tuple(one[0] for one in both if one is not None and one[0])
    return told if len(told) == 2 else ()


def wondered(question: str, we: bool, far: bool) -> str:
    """
    Return what a question with a question word asks as a clause behind "je ne sais pas": C{quels papiers il vous faut}.

    @return: C{""} for what cannot be said for certain.
    """
    how = french()
    parts = parts_of_question(question)
    words = without_fillers(parts[0], how) if len(parts) == 1 else []
    low = " ".join(words).lower()
    start = next((one for one in how.asked_as if low.startswith(f"{one} ")), "")
    if not start:
        return ""
    size = len(start.split())
    told = how.asked_as[start].split()
    head, behind = told or [words[0].lower(), *words[1:size]], words[size:]
    if start.split()[-1] in how.which or start.startswith(how.how_many):
        end = _head_end(behind, how)
        head, behind = [*head, *behind[:end]], behind[end:] if end else []
    while behind and " ".join(behind[:2]).lower() in how.led_in:
        behind = behind[2:]
    if not behind or not how.unstated.isdisjoint(word.lower() for word in behind):
        return ""
    reader = FrenchReader.of(words, we, far)
    head = reader.flipped(head) or head
    clause = parted(behind, how)
    if clause is not None:
        done = reader.said(clause, done=False)
        return "" if done is None else fit(joined([*head, *done.subject, *done.clitics, done.verb, *done.rest], how))
    at = next((at for at, word in enumerate(behind) if word not in how.clitics), 0)
    # "Où est la clé", "quand arrive le colis": the subject may stay behind.
    alone = is_finite(behind[at]) and not told and not any(map(INVERTED.match, behind))
    rest = reader.flipped(behind[at:]) if alone else None
    return "" if rest is None else fit(joined([*head, *reader.pronouns(behind[:at]), *rest], how))


def _head_end(words: Sequence[str], how: French) -> int:
    """The place behind what is asked for, "quels papiers", 0 for none."""
    for at in range(1, min(_HEAD, len(words))):
        low = words[at].lower()
        verb = is_finite(low) and low not in how.nouns and words[at - 1].lower() not in how.prepositions
        if INVERTED.match(words[at]) or verb or low in how.determiners | how.subjects | how.clitics:
            return at
    return 0


def _stated(clause: FrenchClause, reader: FrenchReader, how: French) -> tuple[str, str] | None:
    told = reader.said(clause)
    little = len(clause.rest) + len(clause.subject) < 2 and not clause.clitics and clause.form.verb in how.auxiliaries
    if told is None or little or told.subject == ["ce"] and clause.form.verb not in how.be:
        return None
    yes = joined([*told.subject, *told.clitics, told.verb, *told.rest], how)
    return (fit(yes), fit(denied(clause, told, how))) if len(yes.split()) <= _LONGEST else None
