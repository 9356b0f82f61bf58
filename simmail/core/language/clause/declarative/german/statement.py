"""
German questions said again as statements by who was asked: C{das Zimmer ist nicht mehr frei} of "ist das Zimmer noch
frei?".
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.language.clause.declarative.german.clause import (
    PERSONS, GermanClause, asking_words, may_be, parted, spelt_words, spoken_to, without_fillers,
)
from simmail.core.language.clause.declarative.german.denial import denied, denied_clause
from simmail.core.language.clause.declarative.german.persons import GermanReader
from simmail.core.language.clause.declarative.german.phrases import is_possessive, phrases
from simmail.core.language.clause.declarative.german.verbs import (
    DU, ER, ICH, IHR, WIR, German, apart, changed, finite, german, is_infinitive, is_participle, known,
)
from simmail.core.language.clause.tables import MOST_WORDS, STOPS, fit, led_in, restating

#: Words of the longest statement, and of less than the shortest clause.
_LONGEST, _SHORTEST = 16, 2


def stated(question: str, we: bool, far: bool) -> tuple[str, str] | None:
    """
    Return what a yes-or-no question asks, as a statement of its reader, and that it is not so.

    @param we: its reader speaks for others as well; far: its reader calls its writer "Sie".
    @return: C{""} for what cannot be said, None for neither.
    """
    how = german()
    words = asking_words(question, how)
    # "Haben Sie meinen Schlüssel gefunden", but "meinen Sie".
    told = [word for word, after in zip(words, words[1:]) if not is_possessive(word, how) or after in PERSONS]
    if not 1 < len(words) <= MOST_WORDS or not how.unstated.isdisjoint(told) or words[-1] in how.unstated and (
            words[-1] not in how.prefixes or words[-1] in how.obliging):
        return None
    return _stated(words, GermanReader.of(question, we, far), how)


def turned(clause: str) -> bool:
    """Return whether words begin with a capital verb, as a question does and no clause behind "ob"."""
    first = next(iter(spelt_words(clause)), "")
    return first[:1].isupper() and first not in PERSONS and any(known(first.lower(), person) for person in (ER, WIR))


def turned_round(clause: str) -> str:
    """Return a clause that begins with who is spoken to and its verb as a question, C{""} for another."""
    words = spelt_words(clause)
    person = {**PERSONS, "Du": DU}.get(words[0]) if len(words) > _SHORTEST else None
    if person is None or not may_be(words[1], person) or known(words[-1], person) and not is_participle(words[-1]):
        return ""
    return " ".join([words[1], words[0].lower() if words[0] == "Du" else words[0], *words[2:]])


def either_stated(question: str, we: bool, far: bool) -> tuple[str, ...]:
    """Return the two things of which a question asks which is so, each as a statement; C{()} where one has no verb."""
    how = german()
    left, joint, right = question.strip(" ?!.").partition(" oder ")
    if not joint or " oder " in right:
        return ()
    reader = GermanReader.of(question, we, far)
    first = asking_words(left, how)
    second = [word for word in without_fillers(spelt_words(right), how) if word not in STOPS]
    if first and first[0].lower() in how.obliged and first[1:2] and PERSONS.get(first[1]) in (ICH, WIR) and second:
        return _offered(first[2:], second, reader, how)
    if len(second) == 2 and second[0] in how.obliged and PERSONS.get(second[1]) in (ICH, WIR):
        # "Wollen Sie ihnen schreiben oder soll ich?"
        done = _stated(first, reader, how) if len(first) > 1 else None
        near, _, distant = how.you_do.partition("|")
        return () if done is None or not done[0] else (done[0], distant if reader.far else near)
    if len(first) < 2 or len(second) < 2 or not (how.unstated - how.preferring).isdisjoint((*first, *second)):
        return ()
    clause = parted(first, how)
    if clause is None or clause.fronted:
        return ()
    if second[0] in how.obliged and PERSONS.get(second[1]) in (ICH, WIR) and is_infinitive(second[-1]):
        # "Holst du mich ab, oder soll ich ein Taxi nehmen?"
        done = _stated(first, reader, how)
        rather = fit(" ".join([how.rather, *reader.flipped(second[2:], (), (), second[-1])]))
        return () if done is None or not done[0] else (done[0], rather)
    if second[1] not in PERSONS and not any(known(second[0], person) for person in (ER, WIR, DU)):
        # A verb phrase: "oder einfach wegwerfen".
        if not is_infinitive(second[-1]) or clause.verb not in how.modals or not is_infinitive(first[-1]):
            return ()
        second = [first[0], *clause.subject, *second]
    both = [_stated(one, reader, how) for one in (first, second)]
    told = tuple(one[0] for one in both if one is not None and one[0])
    return told if len(told) == len(both) else ()


def _offered(
    first: Sequence[str], second: Sequence[str], reader: GermanReader, how: German
) -> tuple[str, ...]:
    """Which of two things its asker shall do: "lieber per Post schicken" of "sollen wir sie per Post schicken"."""
    told = []
    if first and second and is_infinitive(first[-1]) and not is_infinitive(second[-1]) and not any(
            known(second[0].lower(), person) for person in (ER, WIR)):
        second = [*second, first[-1]]  # "sollen wir sie schon schicken oder lieber alles zusammen?"
    for words in (first, second):
        words = words[1:] if words and words[0] == how.rather else words
        if len(words) > 1 and known(words[0].lower(), ER) and not is_infinitive(words[-1]):
            both = _stated(words, reader, how)  # "oder reicht Montag?"
            told.append("" if both is None else both[0])
            continue
        if len(words) > 1 and known(words[0], WIR) and words[1] in PERSONS:
            both = _stated(words, reader, how)
            told.append("" if both is None else both[0])
        elif words and is_infinitive(words[-1]) and how.unstated.isdisjoint(words):
            behind = words[1:] if len(words) > 1 and words[0] in how.those else words
            told.append(fit(" ".join([how.rather, *reader.flipped(behind, (), (), behind[-1])])))
    return tuple(told) if len(told) == len((first, second)) and all(told) else ()


def wondered(question: str, we: bool, far: bool) -> str:
    """
    Return what a question with a question word asks as a clause behind "ich weiß nicht": C{welche Unterlagen Sie
    brauchen}.

    @return: C{""} for what cannot be said for certain.
    """
    how, plain = german(), restating("de")
    words = led_in(spelt_words(question), plain)
    while words and words[-1] in STOPS:
        words = words[:-1]
    words = [word for word in without_fillers(words, how) if word not in how.inexact]
    low = " ".join(words).lower()
    start = next((one for one in plain.question_starts if low.startswith(f"{one} ")), "")
    if not start or not STOPS.isdisjoint(words) or low.startswith(how.suggesting):
        return ""
    at = _head_end(words, start, how)
    if not at < len(words):
        return ""
    last = not _finite(words, at)  # "wissen Sie, wann das Bad öffnet"
    if last and not apart(words[-1])[0]:
        return ""
    verb, rest = (words[-1], words[at:-1]) if last else (words[at], words[at + 1:])
    if not how.unstated.isdisjoint(rest[:-1]):
        return ""
    reader = GermanReader.of(question, we, far)
    doer = _doer(verb, rest, reader, how)
    if doer is None:
        return ""
    asked, subject, said = doer
    flipped = reader.flipped(rest[len(asked):], asked, subject, verb)
    opened = reader.flipped(words[:at], (), (), verb)
    if not last and flipped and flipped[-1] in how.prefixes - how.loose and (
            verb not in how.being | how.modals | how.having):
        flipped, said = flipped[:-1], f"{flipped[-1]}{said}"
    told = [opened[0].lower(), *opened[1:], *subject, *flipped, said]
    return fit(" ".join(told)) if 2 < len(told) <= _LONGEST else ""


def _head_end(words: Sequence[str], start: str, how: German) -> int:
    """The place behind what a question asks for: "welche Unterlagen", "wie breit"."""
    size = len(start.split())
    if size < len(words) and _finite(words, size):
        return size
    if start.split()[-1].startswith(how.which):
        at = next((spot + 1 for spot in range(size, min(len(words), size + 4)) if words[spot][0].isupper()), size)
        later = next((spot for spot in range(at, min(len(words) - 1, at + 4)) if _finite(words, spot)), at)
        return later if how.prepositions.intersection(words[at:at + 1]) else at
    adjective = start == how.how and len(words) > 2 and words[1].islower() and words[1] not in PERSONS and (
        words[1] not in how.subjects)
    return 2 if adjective else size


def _finite(words: Sequence[str], at: int) -> bool:
    """Whether a word is a verb that a clause turns on."""
    word, after = words[at], words[at + 1] if at + 1 < len(words) else ""
    if not word.islower():
        return False
    return known(word, ER) or known(word, WIR) or after in PERSONS and may_be(word, PERSONS[after])


def _doer(
    verb: str, rest: Sequence[str], reader: GermanReader, how: German
) -> tuple[tuple[str, ...], tuple[str, ...], str] | None:
    """The subject of a question with a question word as it was asked, as it is said, and its verb; None for unclear."""
    person = PERSONS.get(rest[0], -1) if rest else -1
    named = rest[:1] == ["Sie"] and not verb.endswith(("n", "sind")) or person == IHR and not known(verb, IHR)
    if person < 0 or named or not spoken_to(rest, 0, verb, how):
        return None if {"ich", "du", "wir"}.intersection(rest) else ((), (), verb)
    asked = (rest[0],)
    doer = reader.doer(asked, verb, rest[1:])
    if asked == ("wir",) and (verb in how.obliged or doer is None and changed(verb, WIR, WIR) in how.common):
        doer = (("Sie",), WIR, WIR) if reader.far else (("ihr",), WIR, IHR)
    if doer is None or asked == ("wir",) and verb in how.ours - how.obliged:
        return None
    said = changed(verb, doer[1], doer[2])
    return (asked, doer[0], said) if said else None


def _stated(words: Sequence[str], reader: GermanReader, how: German) -> tuple[str, str] | None:
    clause = parted(words, how)
    if clause is None or clause.verb in how.ours and clause.subject in (("ich",), ("wir",)) or _unclear(clause, how):
        return None
    doer = reader.doer(clause.subject, clause.verb, clause.rest)
    if doer is None:
        return None
    subject, before, after = doer
    verb, said, rest = _verbs(clause, before, after, how)
    if not said:
        return None
    flipped = reader.flipped(rest, clause.subject, subject, clause.verb)
    if clause.fronted:
        opening = phrases(flipped, verb, how)
        front, others = list(opening[0].words), [word for one in opening[1:] for word in one.words]
        yes = [*front, said, *others]
        told = denied(others, verb, said, how, True)
        no = [*front, said, *told] if told else []
    else:
        yes = [*subject, said, *flipped]
        no = denied_clause(subject, said, flipped, verb, how)
        if flipped and flipped[0] in how.pointing and phrases(flipped, verb, how)[0].words == (flipped[0],):
            # "Die kenne ich nicht": what is pointed at goes first.
            behind = denied(flipped[1:], verb, said, how) if len(flipped) > 1 else [how.not_]
            yes = [flipped[0], said, *subject, *flipped[1:]]
            no = [flipped[0], said, *subject, *behind] if behind else []
    little = verb in how.being | how.having | how.becoming | how.modals and PERSONS.keys().isdisjoint(clause.subject)
    if max(len(yes), len(no)) > _LONGEST or not flipped and little:
        return None
    return fit(" ".join(yes)), fit(" ".join(no))


def _unclear(clause: GermanClause, how: German) -> bool:
    """Whether more than one thing is asked, or what was taken for a subject is none."""
    for one, after in zip(clause.rest, clause.rest[1:]):
        finite_too = after[0].islower() and (known(after, DU) or known(after, ER)) and not is_infinitive(after)
        if one == how.and_ and finite_too:
            return True  # "kommst du und hilfst"
    two = clause.subject == ("die",) and clause.rest[:1] and clause.rest[0] in how.numbers
    return bool(two) or not {"ich", "du", "wir"}.isdisjoint(clause.rest)


def _verbs(clause: GermanClause, before: int, after: int, how: German) -> tuple[str, str, list[str]]:
    """The verb of a clause without its politeness, as it is said, C{""} for unknown, and what is behind it then."""
    verb, rest = clause.verb, list(clause.rest)
    person = before if known(verb, before) else WIR
    softened = changed(how.softened.get(changed(verb, person, ICH), ""), ICH, person)
    last = rest[-1] if rest else ""
    if softened and not (verb in how.having | how.being and is_participle(last)):
        verb = softened
    would = verb in how.would and how.wished.isdisjoint(rest) or verb in how.liking
    if not would or how.and_ in rest or after not in (ICH, WIR) or not is_infinitive(last):
        return verb, changed(verb, before, after), rest
    done, apart_from = finite(last, after)
    if not done or done in how.modals:
        return verb, "", rest
    return done, done, [*rest[:-1], *([apart_from] if apart_from else ())]
