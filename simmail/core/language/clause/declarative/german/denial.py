"""
What is denied in German: "nicht" goes behind what is known and behind times, before what is said of it and before the
verbs at the end; of what there is some of, there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from simmail.core.language.clause.declarative.german.phrases import Phrase, phrases
from simmail.core.language.clause.declarative.german.verbs import German, is_infinitive, is_participle

#: Phrases that "kein" denies, and those that say what something is like.
_THINGS = frozenset(("some", "indefinite", "bare"))
_SAID = frozenset(("word", "quantity"))


class _Said(NamedTuple):
    """What is said of a subject: its phrases, the verbs at its end, and what it hangs on."""

    middle: list[Phrase]
    closing: list[str]
    verb: str
    said: str
    fronted: bool

    def predicated(self, how: German) -> bool:
        """Return whether it says what something is."""
        return self.verb in how.being and not (self.closing and is_participle(self.closing[-1]))


def denied_clause(subject: Sequence[str], said: str, rest: Sequence[str], verb: str, how: German) -> list[str]:
    """
    Return the words of a denial, none where it cannot be said.

    @param said: the verb as it is said; verb: as it was asked; rest: what stands behind.
    """
    first, hedged = subject[0], not {*how.already, *how.still, *how.also}.isdisjoint(rest)
    if first in how.nobody and len(subject) < 3:
        return [] if hedged else [how.nobody[first], *subject[1:], said, *rest]
    if first in how.all:
        return [] if hedged else [how.it, said, how.not_, *subject, *rest]
    if first in how.none_left and len(subject) == 1 or first in how.each or subject[-1] in how.of_them:
        return []
    there = first in how.indefinite and verb not in how.enough_verbs and not (
        verb in how.being and (hedged or how.there.isdisjoint(rest)))
    if first in how.indefinite and (hedged and (verb not in how.being or not how.already.isdisjoint(rest))):
        return []
    if there:
        # "Es ist kein Parkplatz dabei", but "ein Rücktritt ist nicht mehr möglich".
        return [how.it, said, how.indefinite[first], *subject[1:], *rest] if how.pronouns.isdisjoint(rest) else []
    told = denied(rest, verb, said, how)
    return [*subject, said, *told] if told else []


def denied(rest: Sequence[str], verb: str, said: str, how: German, fronted: bool = False) -> list[str]:
    """
    Return what is said of a subject, denied; C{[]} where it cannot be said.

    @param fronted: its subject is among it.
    """
    end = _closing(rest, verb, how)
    middle = phrases(rest[:end], verb, how)
    kinds = [one.kind for one in middle]
    still, already = kinds.count("still"), kinds.count("already")
    if still + already > 1 or any(one.words == (how.and_,) or one.words[0] in how.at_least for one in middle):
        return []
    if already or still:
        spot = kinds.index("already" if already else "still")
        after = middle[spot + 1] if spot + 1 < len(middle) else None
        if after is not None and already and after.words[0] in how.again:
            return [*_spelt(middle[:spot]), how.never, *_spelt(middle[spot + 2:]), *rest[end:]]
        if after is not None and (after.kind == "number" or already and after.kind == "time" or (
                after.words[0] in how.lasting)):
            return []
    # "Immer noch": what is left is "nicht mehr".
    middle = [one for at, one in enumerate(middle) if one.kind not in ("still", "already", "also", "a_bit") and not (
        one.words == (how.always,) and middle[at + 1:at + 2] and middle[at + 1].kind == "still")]
    clause = _Said(middle, list(rest[end:]), verb, said, fronted)
    none = _none(clause, bool(still), bool(already), how)
    if none is not None:
        return none
    place = _place(clause, how)
    not_ = how.not_yet if already else how.no_longer if still else how.not_
    return [] if place is None else [*_spelt(middle[:place]), not_, *_spelt(middle[place:]), *clause.closing]


def _closing(rest: Sequence[str], verb: str, how: German) -> int:
    """The place of the verbs, or of what stands apart from one, at the end of a clause."""
    end = len(rest)
    last = rest[-1] if rest else ""
    if verb in how.modals | how.becoming and is_infinitive(last) or (
            verb in how.having | how.being | how.becoming and is_participle(last)):
        end -= 1
        while end and (rest[end - 1] == "zu" or rest[end] in how.helping and is_participle(rest[end - 1])):
            end -= 1
    elif last in how.prefixes and verb not in how.being | how.modals:
        end -= 1
    return end


def _none(clause: _Said, still: bool, already: bool, how: German) -> list[str] | None:
    """A denial of what there is some of, C{[]} where it cannot be said, None where there is nothing of that kind."""
    middle, predicated = clause.middle, clause.predicated(how)
    for at, one in enumerate(middle):
        none = _none_of(one, how)
        if one.kind in _THINGS and not (predicated and one.kind == "bare" and not none):
            if one.kind == "bare" and none and (predicated or clause.fronted and clause.verb in how.being):
                return None
            if not none or how.and_ in one.words or any(
                    before.kind in ("indefinite", "some", "quantity") for before in middle[:at]):
                return []
            if still:
                noun = next((spot for spot, word in enumerate(none, 1) if word[0].isupper()), len(none))
                none = [*none[:noun], how.more, *none[noun:]]
            head = sorted(how.still) if already else []
            return [*_spelt(middle[:at]), *head, *none, *_spelt(middle[at + 1:]), *clause.closing]
        counted = one.kind == "time" and how.prepositions.isdisjoint(one.words) and any(
            word in how.numbers or word in how.indefinite or word.isdigit() for word in one.words)
        if one.kind == "number" or counted:
            return []
    return None


def _place(clause: _Said, how: German) -> int | None:
    """Before which phrase "nicht" stands, None where that is not certain."""
    middle, closing = clause.middle, clause.closing
    predicated, spot = clause.predicated(how), 0
    for at, one in enumerate(middle):
        later = [other.kind for other in middle[at + 1:]]
        if one.kind == "quantity" or predicated and one.kind == "word" and "word" not in later:
            break
        if one.kind == "place":
            goes = _behind_place(clause, at, spot, later, how)
            if goes is None:
                return None
            spot = at + 1 if goes else spot
        elif one.kind == "bare" and not predicated:
            return None
        elif one.kind == "time":
            here = not later and one.words[0] in how.places and (predicated or not closing or closing[-1] == "sein")
            behind = not closing and any(before.kind == "place" for before in middle[spot:at])
            until = one.words[0] == "bis" and not (at and middle[at - 1].kind == "time")
            spot = spot if until or here or behind else at + 1
        elif one.kind == "pronoun" or one.kind in ("definite", "person") and one.words[0] not in how.quantities and (
                not predicated or clause.fronted):
            spot = at + 1
    return spot


def _behind_place(clause: _Said, at: int, spot: int, later: Sequence[str], how: German) -> bool | None:
    """Whether "nicht" stands behind a place, and not before it; None where that is not certain."""
    one, closing = clause.middle[at], clause.closing
    first = one.words[0]
    done = bool(closing) and closing[0] not in how.locating
    if first == "bei" and not at and one.words[-1] in how.pronouns and (done or "word" in later):
        return True
    if spot != at:
        return False
    if _is_local(one, how) and later[:1] != ["place"] and (done or not _SAID.isdisjoint(later)):
        return True
    if at and clause.middle[at - 1].kind == "definite" and not clause.predicated(how):
        # "Die Formel in der Tabelle nicht ansehen", but "die Mail nicht an sie weitergeben".
        if first in how.goals and not _is_local(one, how) and how.toward.isdisjoint((clause.said, *closing)):
            return None
        return first in how.staying or first in how.directions and (
            one.words[1] not in how.accusatives and one.words[1][0].islower())
    return False


def _is_local(phrase: Phrase, how: German) -> bool:
    """Whether a phrase says where something is done: "im Garten", "auf der Tagung", but not "in Raten"."""
    first = phrase.words[0]
    if first not in how.local or len(phrase.words) < 2:
        return False
    second = phrase.words[1]
    return first in ("im", "beim") or second.endswith(("em", "er")) and (second[0].islower() or second in how.polite)


def _none_of(phrase: Phrase, how: German) -> list[str]:
    """What denies a phrase: "keine Zeit", "nichts"; C{[]} where that is not known."""
    first, *others = phrase.words
    if phrase.kind == "some":
        return [how.nobody[first], *others]
    if phrase.kind == "indefinite":
        return [how.indefinite[first], *others] if others else [how.none_left[first]]
    no = how.none_of(first)
    return [no, first] if no and not others else []


def _spelt(found: Sequence[Phrase]) -> list[str]:
    return [word for one in found for word in one.words]
