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
    if rest[0] in how.prefixes or rest[0] in how.objects:
        return " ".join(_flipped([head[0].lower(), *head[1:], *rest], how, polite))  # a clause already
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
        if noun is None or noun + 1 >= len(tail) or tail[noun + 1] in how.genitives:
            return Statement("", "")  # "die Entsorgung der alten Rahmen" ends nobody knows where
        me, who, rest = verb, _flipped(tail[:noun + 1], how, polite), _flipped(tail[noun + 1:], how, polite)
    elif tail[0] in how.asked or tail[0] in how.asking or tail[0] in how.subjects:
        me, who, rest = _first_person(verb, tail, how, polite)
        who, rest = (who, rest) if who else (rest[:1], rest[1:])
    elif tail[0][0].isupper() and tail[1:] and verb in how.auxiliaries:
        named = 1 + (tail[0] in how.titles)
        me, who, rest = verb, tail[:named], _flipped(tail[named:], how, polite)  # "darf Matteo mit", "ist Frau Holm da"
    else:
        return Statement("", "")
    if not me:
        return Statement("", "")
    said = " ".join([*who, me, *rest])
    last = bool(rest) and verb in how.auxiliaries and rest[-1].islower() and (
        rest[-1].endswith((*how.verb_endings, "t")) or rest[-1] in how.prefixes)
    end = -2 if rest[-2:-1] and rest[-2] in how.abiding else -1  # "leider nicht wieder einstellen"
    denied = " ".join([*who, me, *rest[:end], how.not_yet, *rest[end:]]) if last else ""
    if not how.denials.keys().isdisjoint(rest):
        denied = " ".join([*who, me, *(how.denials.get(word, word) for word in rest)])  # "er muss sich nirgends melden"
    return Statement(fit(said), fit(denied))


def _first_person(verb: str, tail: list[str], how: Restate, polite: bool) -> tuple[str, list[str], list[str]]:
    """
    Return a verb, its subject and what follows, as the answering side says them: the subject apart where it is the
    asked or the asking one; the verb C{""} where its form is not known.
    """
    subject = tail[0] if tail else ""
    rest = tail[1:]
    if subject in how.asked and rest[:1] == [how.also]:
        # "Kommen Sie und Ihr Mann": only where the verb is that of "we" as well.
        end = 3 if rest[1:2] and rest[1] in how.objects else 2
        return (verb, [how.company], _flipped(rest[end:], how, polite)) if verb.endswith("en") else ("", [], [])
    if subject in how.asked:
        rule = next((rule for rule in how.mine_of if rule.startswith(f"{subject} ")), "")
        old, _, ending = rule.partition(" ")[2].partition(":")
        mine = how.mine.get(verb) or (verb.removesuffix(old) + ending if old and verb.endswith(old) else "")
        return mine, [how.asked[subject]], _flipped(rest, how, polite)
    if subject == how.shared and not how.shared_verbs.isdisjoint((verb, *tail)):
        return verb, [subject], tail[1:]
    if subject in how.asking:
        near, _, far = how.asking[subject].partition("|")
        spoken = verb
        forms = how.yours.get(f"{verb} {subject}", "").partition("|")
        verb = (forms[2] or (verb if subject in how.same_form else "")) if polite else forms[0]
        if not verb and subject == how.shared and how.shared:
            return spoken, [subject], tail[1:]  # "nehmen wir einen neuen" means both
        return verb, [far if polite else near], _flipped(rest, how, polite)
    return verb, [], _flipped(tail, how, polite)


def _flipped(words: Sequence[str], how: Restate, polite: bool) -> list[str]:
    done = []
    for at, word in enumerate(words):
        small = word.lower() if not at and word.islower() else word
        near, bar, far = how.objects.get(small, word).partition("|")
        done.append(how.whom.get(word) or (far if polite and bar else near))
    return done


def plea(words: list[str], how: Restate, polite: bool) -> tuple[str, str]:
    """Return what a plea in the infinitive wants done, as L{deed} does: C{bis morgen korrigieren}."""
    if len(words) < 2 or not words[-1].islower() or not words[-1].endswith(how.verb_endings) or words[-1].endswith(
            tuple(how.no_deeds)):
        return "", ""
    rest = _flipped(words, how, polite)
    if not any(word[0].isupper() or word in how.pointing for word in words):
        rest = [how.this, *rest]  # what was spoken of: "bis morgen korrigieren"
    return fit(" ".join(_done(rest, how))), fit(" ".join([how.can, *rest[:-1], how.not_yet, rest[-1]]))


def deed(words: list[str], how: Restate, polite: bool) -> tuple[str, str]:
    """Return what a request wants done, with its verb in the first person, and that it cannot be done."""
    low, can = words[0].lower(), how.can
    if low in how.polite_requests:
        # "Sich die Heizung ansehen", but "sich melden".
        rest = _flipped([how.itself[follows not in how.determiners] if word in how.themselves else word
                         for word, follows in zip(words[2:], [*words[3:], ""])], how, polite)
        if words[2] in how.besides:
            rest = rest[1:]  # "könnte jemand anders die Führung machen" is for who reads it to do
        elif words[1] not in how.asked:
            return "", ""
        if not rest or not rest[-1].islower() or not rest[-1].endswith(how.verb_endings):
            return "", ""
        return fit(" ".join(_done(rest, how) or [can, *rest])), fit(" ".join([can, *rest[:-1], how.not_yet, rest[-1]]))
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


def _done(rest: list[str], how: Restate) -> list[str]:
    """What is to be done as one says that one does it: "schicke das Angebot raus"; nothing where that is not known."""
    for at, word in enumerate(rest[1:-2], 1):
        if word == how.also and rest[at - 1].islower() and rest[at - 1].endswith(how.verb_endings):
            # "Den Hamster füttern und die Tomaten gießen".
            both = _done(rest[:at], how), _done(rest[at + 1:], how)
            return [*both[0], word, *both[1]] if all(both) else []
    verb = rest[-1]
    prefix = "" if verb.startswith(how.inseparable) else max(
        (one for one in how.prefixes if verb.startswith(one) and len(verb) > len(one) + 3), key=len, default="")
    base = verb.removeprefix(prefix)
    if base in how.auxiliaries:
        return []
    for ending, own in how.first_person.items():
        if base.endswith(ending):
            return [how.mine.get(base) or base.removesuffix(ending) + own, *rest[:-1], *([prefix] if prefix else ())]
    return []
