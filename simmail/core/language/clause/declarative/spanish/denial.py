"""
What is denied in Spanish: "no" goes before the verb and its pronouns, and somebody is "nadie".
"""

from __future__ import annotations

from simmail.core.language.clause.declarative.spanish.clause import SpanishClause
from simmail.core.language.clause.declarative.spanish.persons import SpanishSaid
from simmail.core.language.clause.declarative.spanish.verbs import Spanish, is_infinitive


def denied(clause: SpanishClause, told: SpanishSaid, how: Spanish) -> list[str]:
    """Return the words of a denial, none where it cannot be said."""
    low = [word.lower() for word in (*told.before, *told.rest)]
    still, already = not how.still.isdisjoint(low), not how.already.isdisjoint(low)
    verb = clause.form.verb
    if still and already or not how.undenied.isdisjoint(low) or verb in how.going_on:
        return []
    hints = how.still | how.already | how.also
    front = [word for word in told.before if word.lower() not in hints]
    kept = _less([word for word in told.rest if word.lower() not in hints], how)
    small = [word.lower() for word in kept]
    first = small[0] if small else ""
    if verb in how.have and first == how.that or verb in how.must and is_infinitive(first):
        return [] if told.clitics or front else [how.needless, *kept[first == how.that:]]
    if front and front[0] in how.nobody:
        return [] if still or already else [how.nobody[front[0]], *front[1:], *told.clitics, told.verb, *kept]
    not_ = how.not_yet if already else how.no_longer if still else how.not_
    for at, word in enumerate(small):
        if word not in how.nobody:
            continue
        if " ".join(small[at:at + 2]) in how.more or at and small[at - 1] == "un":
            return []
        kept[at] = how.nobody[word]
    last = small[-1] if small else ""
    if last in how.none_left and verb not in how.states:
        kept[-1] = how.none_left[last]
    elif verb in how.things and first in how.no_such and how.measures.isdisjoint(small[1:2]):
        kept[0] = how.no_such[first]
    return [*front, not_, *told.clitics, told.verb, *kept]


def _less(words: list[str], how: Spanish) -> list[str]:
    """Words without "un poco", which is not denied."""
    for at in range(len(words) - 1):
        if " ".join(words[at:at + 2]) == how.a_bit and how.comparing.isdisjoint(words[at + 2:at + 3]):
            return [*words[:at], *words[at + 2:]]
    return words
