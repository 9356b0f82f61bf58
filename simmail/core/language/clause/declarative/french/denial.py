"""
What is denied in French: "ne" and "pas" go around the verb, and of what there is not, there is "de".
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.language.clause.declarative.french.clause import FrenchClause
from simmail.core.language.clause.declarative.french.elision import joined, of_what
from simmail.core.language.clause.declarative.french.persons import FrenchSaid
from simmail.core.language.clause.declarative.french.verbs import (
    CONDITIONAL, PRESENT, French, is_infinitive, is_participle,
)


def denied(clause: FrenchClause, told: FrenchSaid, how: French) -> str:
    """Return a denial, C{""} where it cannot be said."""
    form, low = clause.form, [word.lower() for word in told.rest]
    if form.verb in how.obliged and form.tense in (PRESENT, CONDITIONAL):
        return how.needless
    first = told.subject[0]
    still, already = how.still.intersection(low), how.already.intersection(low)
    if first in how.nobody:
        return "" if still or already else joined([how.nobody[first], "ne", *told.clitics, told.verb, *told.rest], how)
    if first in how.something or first in how.indefinite and form.verb not in how.be or " ".join(
            told.subject) == how.everybody or _unclear(clause, told.subject, low, how):
        return ""
    kept = _kept(told.rest, form.verb, how)
    small = [word.lower() for word in kept]
    after = [how.no_longer] if still else [how.yet] if already else []
    for words, no in how.none.items():
        size = len(words.split())
        at = next((at for at in range(len(small)) if " ".join(small[at:at + size]) == words), -1)
        if at >= 0:
            return _none(told, kept, at, size, no, after, how)
    if not how.some.isdisjoint(small):
        return ""
    never = how.no_longer if still else how.nothing if form.verb == how.tell and first in how.it else how.not_
    kept = _without_article(clause, told, kept, how)
    return joined([*told.subject, "ne", *told.clitics, told.verb, never, *([how.yet] if already else []), *kept], how)


def _unclear(clause: FrenchClause, subject: Sequence[str], low: Sequence[str], how: French) -> bool:
    """Whether it is not certain what would be denied."""
    verb = clause.form.verb
    still = [word for word in low if word in how.still]
    for one, after in zip(low, [*low[1:], ""]):
        if one == "et" and after not in how.half or one in how.still and after in how.amounts:
            return True
        behind = after in how.prepositions | how.determiners or is_infinitive(after) or is_participle(after)
        if one in how.also and after and not behind:
            return True  # "aussi grand"
    if len(still) + sum(word in how.already for word in low) > 1:
        return True
    if not still:
        return False
    if still[0] != how.always and verb in how.auxiliaries and any(map(is_participle, low[1:2])) and verb not in how.be:
        return True  # "a-t-il encore changé": again
    return subject[0] in how.all or still[0] == how.always and verb not in how.lasting or verb == how.go and any(
        map(is_infinitive, low))


def _kept(rest: Sequence[str], verb: str, how: French) -> list[str]:
    """What is said still where it is denied: without "encore", "aussi", "un peu"."""
    kept = [word for word in rest if word.lower() not in how.still | how.already | how.also]
    if verb == how.want and kept and kept[0].lower() == how.well:
        kept = kept[1:]
    for at in range(len(kept) - 1):
        if kept[at:at + 2] == how.a_bit.split() and kept[at + 2:at + 3] != ["de"]:
            return [*kept[:at], *kept[at + 2:]]
    return kept


def _none(
    told: FrenchSaid, kept: Sequence[str], at: int, size: int, no: str, after: Sequence[str], how: French
) -> str:
    """A denial of something or somebody: "rien" goes before a participle, "personne" behind."""
    small = [word.lower() for word in kept]
    others = [*kept[:at], *kept[at + size:]]
    if size == 1:
        return joined([*told.subject, "ne", *told.clitics, told.verb, *(
            after if how.no_longer in after else ()), *kept[:at], no, *kept[at + 1:]], how)
    before = small[at - 1] if at else ""
    if at > 2 or at and (before in how.prepositions or not (is_participle(before) or is_infinitive(before))):
        return ""
    return joined([*told.subject, "ne", *told.clitics, told.verb, *after, no, *others], how)


def _without_article(clause: FrenchClause, told: FrenchSaid, kept: list[str], how: French) -> list[str]:
    """What stands behind "pas": "de place" instead of "une place"."""
    verb, small = clause.form.verb, [word.lower() for word in kept]
    compound = next((at for at, word in enumerate(small[:3]) if verb in how.auxiliaries and is_participle(word) and (
        how.adverbs.issuperset(small[:at]))), -1)
    if verb in how.unchanging and not (compound >= 0 and verb == "avoir"):
        return kept
    spot = compound + 1
    modal = next((at for at, word in enumerate(small[:4]) if is_infinitive(word)), -1)
    if modal >= 0 and verb in how.modals:
        spot = modal + 1
    while spot < len(small) and small[spot] in how.adverbs:
        spot += 1
    thing = small[spot] if spot < len(small) else ""
    if thing in how.one and ("en" in told.clitics or spot == len(small) - 1 or "en" in small[max(spot - 2, 0):spot]):
        return [*kept[:spot], *kept[spot + 1:]]  # "je n'en vois pas"
    if thing in how.one:
        measured = not how.measures.isdisjoint(small[spot + 1:spot + 2])
        return kept if measured else [*kept[:spot], of_what(small[spot + 1], how), *kept[spot + 1:]]
    partitive = " ".join(small[spot:spot + 2]) in how.partitive
    done = small[spot - 1] if spot and is_infinitive(small[spot - 1]) else verb
    if thing not in how.some_of and not partitive or done not in how.things or compound > 0 and (
            small[spot - 1] in how.intransitive):
        return kept
    behind = kept[spot + (2 if partitive else 1):]
    return [*kept[:spot], of_what(behind[0] if behind else "", how), *behind]
