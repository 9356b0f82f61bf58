"""
Spanish questions said again as statements by who was asked: C{ya no está libre la sala} of "¿está libre todavía la
sala?".

A question has the words of its statement in an order that does for both.
"""

from __future__ import annotations

from simmail.core.language.clause.declarative.spanish.clause import (
    SpanishClause, asking_words, parted, parts_of_question, verb_at, without_fillers,
)
from simmail.core.language.clause.declarative.spanish.denial import denied
from simmail.core.language.clause.declarative.spanish.persons import SpanishReader
from simmail.core.language.clause.declarative.spanish.verbs import (
    EL, ELLOS, NOSOTROS, YO, Spanish, forms_of, is_infinitive, spanish,
)
from simmail.core.language.clause.tables import MOST_WORDS, fit
from simmail.core.language_data import given_names

#: Words of the longest statement; words in which what is asked for ends, and those of a subject before what it does.
_LONGEST, _HEAD, _SUBJECT = 18, 5, 5


def stated(question: str, we: bool, far: bool) -> tuple[str, str] | None:
    """
    Return what a yes-or-no question asks, as a statement of its reader, and that it is not so.

    @param we: its reader speaks for others as well; far: its reader calls its writer "usted".
    @return: C{""} for what cannot be said, None for neither.
    """
    how = spanish()
    words = asking_words(question, how)
    if (alone := " ".join(words).lower()) in how.agreed:
        return alone, f"{how.not_} {alone}"
    clause = parted(words, how) if 0 < len(words) <= MOST_WORDS else None
    return None if clause is None else _stated(clause, SpanishReader.of(words, clause, we, far), how)


def either_stated(question: str, we: bool, far: bool) -> tuple[str, ...]:
    """Return the two things of which a question asks which is so, each as a statement; C{()} where one has no verb."""
    how = spanish()
    left, joint, right = question.strip(" ¿?!.").partition(" o ")
    if not joint or " o " in right:
        return ()
    words, behind = asking_words(left.rstrip(" ,"), how), asking_words(right, how)
    first = parted(words, how) if words else None
    if first is None or not behind:
        return ()
    if is_infinitive(behind[0]):
        modal = first.form.verb in how.modals and any(map(is_infinitive, first.rest))
        second = first._replace(rest=tuple(behind)) if modal else None
    else:
        second = parted(behind, how)
    reader = SpanishReader.of((*words, *behind), first, we, far)
    both = [_stated(one, reader, how) for one in (first, second) if one is not None]
    told = tuple(one[0] for one in both if one is not None and one[0])
    return told if len(told) == 2 else ()


def of_speaker(verb: str, behind: str) -> bool:
    """Return whether a word is a verb of its speaker and a thing stands behind: "compramos unos"."""
    return behind in spanish().determiners and any(form.person in (YO, NOSOTROS) for form in forms_of(verb))


def wondered(question: str, we: bool, far: bool) -> str:
    """
    Return what a question with a question word asks as a clause behind "no sé": C{qué papeles necesita}.

    @return: C{""} for what cannot be said for certain.
    """
    how = spanish()
    parts = parts_of_question(question)
    words = without_fillers(parts[0], how) if len(parts) == 1 else []
    low = [word.lower() for word in words]
    start = next((one for one in how.asked_as if " ".join(low).startswith(f"{one} ")), "")
    size = len(start.split())
    if not start or not how.unstated.isdisjoint(low[size:]):
        return ""
    for at in range(size, min(len(words), size + _HEAD)):
        after = low[at + 1] if at + 1 < len(low) else ""
        noun = low[at] in how.nouns and (at > size or forms_of(after))
        if verb_at(low, at, how) is not None and not noun:
            break
    else:
        return ""
    if at > size and start.endswith(how.alone):
        return ""
    clause = parted(words[at:], how)
    if clause is not None and start in how.who and clause.form.person in (EL, ELLOS):
        clause = clause._replace(addressed=False)  # "¿quién puede hacerlo?"
    done = None if clause is None else SpanishReader.of(words, clause, we, far).said(clause, done=False)
    return "" if done is None else fit(" ".join([
        low[0], *words[1:at], *done.before, *done.clitics, done.verb, *done.rest]))


def _stated(clause: SpanishClause, reader: SpanishReader, how: Spanish) -> tuple[str, str] | None:
    told = reader.said(clause)
    little = clause.form.verb in how.little and not (clause.rest or clause.clitics) or clause.rest[-1:] == (how.been,)
    if told is None or little:
        return None
    if told.rest and not told.before:
        first = told.rest[0]
        end = int(first[0].isupper() and first.lower() in given_names() and clause.form.verb not in how.be)
        done = next((at for at in range(1, min(_SUBJECT, len(told.rest))) if is_infinitive(told.rest[at].lower())), 0)
        if first.lower() in how.determiners and clause.form.verb in how.can and not clause.addressed:
            end = done
        # "Lena puede dormir aquí", "el fontanero puede recoger la llave".
        told = told._replace(before=told.rest[:end], rest=told.rest[end:])
    early = how.still | how.already
    first_words = [word for word in (*told.before, *told.rest) if word.lower() in early]
    yes = [*(word for word in told.before if word not in first_words), *first_words, *told.clitics, told.verb, *(
        word for word in told.rest if word.lower() not in early)]
    return (fit(" ".join(yes)), fit(" ".join(denied(clause, told, how)))) if len(yes) <= _LONGEST else None
