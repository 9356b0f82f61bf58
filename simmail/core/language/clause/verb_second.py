"""
Requests of languages with the verb in the second place of a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.language.clause.tables import Restate, fit


def _first_person(verb: str, asked: str, how: Restate) -> str:
    """Return a verb as who was asked says it, C{""} where its form is not known."""
    rule = next((rule for rule in how.mine_of if rule.startswith(f"{asked} ")), "")
    old, _, ending = rule.partition(" ")[2].partition(":")
    return how.mine.get(verb) or (verb.removesuffix(old) + ending if old and verb.endswith(old) else "")


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
        verb, rest = _first_person(verb, rest[0], how), _flipped(rest[1:], how, polite)
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
