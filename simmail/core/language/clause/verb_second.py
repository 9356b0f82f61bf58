"""
Clauses of languages with the verb in the second place of a sentence and at the end of a clause.
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.language.clause.tables import Restate, Statement, fit


def clause(head: list[str], rest: list[str], how: Restate, polite: bool) -> str:
    """Return the clause of a question, C{""} when it cannot be told: its question word and what follows that."""
    if not rest[0][0].islower() or len(rest) < 2 and rest[0] in how.auxiliaries:
        return ""
    verb, who, tail = _first_person(rest[0], rest[1:], how, polite)
    if not verb:
        return ""
    said = [*_flipped([head[0].lower(), *head[1:]], how, polite), *who, *tail]
    if said[-1] in how.prefixes:
        said, verb = said[:-1], f"{said[-1]}{verb}"
    return " ".join([*said, verb])


def statement(words: list[str], how: Restate, polite: bool) -> Statement:
    """Return a yes-or-no question, its verb first, as a yes and a no in full."""
    verb, tail = words[0].lower(), words[1:]
    if words[0] in how.determiners or verb in how.question_starts:
        return Statement("", "")
    if tail[0] in how.objects or tail[0].lower() in how.determiners:
        # "Ihr Büro", "die neue Adresse": up to its noun.
        noun = next((at for at, word in enumerate(tail[1:5], 1) if word[0].isupper()), None)
        if noun is None or noun + 1 >= len(tail):
            return Statement("", "")
        me, who, rest = verb, _flipped(tail[:noun + 1], how, polite), _flipped(tail[noun + 1:], how, polite)
    elif tail[0] in how.asked or tail[0] in how.asking or tail[0] in how.subjects:
        me, who, rest = _first_person(verb, tail, how, polite)
        who, rest = (who, rest) if who else (rest[:1], rest[1:])
    else:
        return Statement("", "")
    if not me:
        return Statement("", "")
    said = " ".join([*who, me, *rest])
    last = bool(rest) and verb in how.auxiliaries and rest[-1].islower() and rest[-1].endswith((*how.verb_endings, "t"))
    denied = " ".join([*who, me, *rest[:-1], how.not_yet, rest[-1]]) if last else ""
    return Statement(fit(said), fit(denied))


def _first_person(verb: str, tail: list[str], how: Restate, polite: bool) -> tuple[str, list[str], list[str]]:
    """
    Return a verb, its subject and what follows, as the answering side says them: the subject apart where it is the
    asked or the asking one; the verb C{""} where its form is not known.
    """
    subject = tail[0] if tail else ""
    rest = tail[1:]
    if subject in how.asked:
        rule = next((rule for rule in how.mine_of if rule.startswith(f"{subject} ")), "")
        old, _, ending = rule.partition(" ")[2].partition(":")
        mine = how.mine.get(verb) or (verb.removesuffix(old) + ending if old and verb.endswith(old) else "")
        return mine, [how.asked[subject]], _flipped(rest, how, polite)
    if subject == how.shared and not how.shared_verbs.isdisjoint((verb, *tail)):
        return verb, [subject], tail[1:]
    if subject in how.asking:
        near, _, far = how.asking[subject].partition("|")
        forms = how.yours.get(f"{verb} {subject}", "").partition("|")
        verb = (forms[2] or (verb if subject in how.same_form else "")) if polite else forms[0]
        return verb, [far if polite else near], _flipped(rest, how, polite)
    return verb, [], _flipped(tail, how, polite)


def _flipped(words: Sequence[str], how: Restate, polite: bool) -> list[str]:
    done = []
    for at, word in enumerate(words):
        small = word.lower() if not at and word.islower() else word
        near, bar, far = how.objects.get(small, word).partition("|")
        done.append(how.whom.get(word) or (far if polite and bar else near))
    return done


def deed(words: list[str], how: Restate, polite: bool) -> tuple[str, str]:
    """Return what a request wants done, with its verb in the first person, and that it cannot be done."""
    low, can = words[0].lower(), how.can
    if low in how.polite_requests:
        rest = _flipped(words[2:], how, polite)
        if words[1] not in how.asked or not rest or not rest[-1].endswith(how.verb_endings):
            return "", ""
        return fit(" ".join([can, *rest])), fit(" ".join([can, *rest[:-1], how.not_yet, rest[-1]]))
    verb, rest = low, words[1:]
    if rest and rest[0] in how.asked:
        verb, _, rest = _first_person(verb, rest, how, polite)
    elif verb in how.verbs:
        # An imperative: "schick", "schicke".
        verb, rest = how.mine.get(verb) or (verb if verb.endswith("e") else f"{verb}e"), _flipped(
            rest, how, polite)
    else:
        return "", ""
    return (fit(" ".join([verb, *rest])), "") if verb and rest else ("", "")
