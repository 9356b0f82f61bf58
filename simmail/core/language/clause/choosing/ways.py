"""
What may be done, by a sentence that offers it: "we can send yellow ones, or you wait", "I can do it on the 28th or
leave it until the week after".
"""

from __future__ import annotations

import re

from simmail.core.language.clause.declarative import languages as declarative
from simmail.core.language.clause.inverted import flipped
from simmail.core.language.clause.question_types import asking
from simmail.core.language.clause.tables import Restate, Sides, clause_words, cut, done, fit, restating
from simmail.core.language.tables import Language

#: Words of the longest way.
_LONGEST = 14
_PRICE = re.compile(r"[£$€]\s?\d[\d.,]*\s+to\s+")
_ASIDE = re.compile(r"\s*\([^()]*\)")


def ways(sentence: str, language: Language) -> tuple[str, ...]:
    """
    Return what may be done, as its reader asks for it: "please send yellow ones", "I'll wait", of "we can send yellow
    ones, or you wait"; C{()} for a sentence that offers nothing.
    """
    how, found = restating(language.code), list[str]()
    free = min((at for one in asking(language.code).free_choice if (
        at := sentence.lower().find(f", {one}")) > 0), default=len(sentence))
    sentence, before, named, bidden = _ASIDE.sub("", sentence[:free]), "", False, False
    for part in _parts(sentence.strip(" .!?"), language):
        low = part.lower()
        lead = max((one for one in how.ways if low.startswith(f"{one} ")), key=len, default="")
        deed = clause_words(part[len(lead):])
        if how.order != "inverted":
            way = how.ways.get(lead, "")
            both = _way(part, way, part[len(lead):].split(), language)
            # "We can send it in sacks of 6 kg, or cancel it": what may be done stands before the first alone.
            found.extend(both or (_way(part, before, part.split(), language) if before else []))
            before = way or before
            continue
        if not (lead or found) and deed and how.order == "inverted" and done(deed[0].lower(), how):
            lead, bidden = next(iter(how.ways)), True  # "do the whole side or patch it"
            deed = [deed[0].lower(), *deed[1:]]
        price = _priced(low)
        if not lead and price:
            # "£380 to put a new one in, or I can patch it": what it costs is not asked for.
            lead, deed = next(iter(how.ways)), clause_words(part[price:])
        ready = next((one for one in how.readiness if f" {one} " in low), "")
        if not lead and ready:
            # "The owner is happy to extend it for a year, or you can go month to month."
            lead, deed = next(iter(how.ways)), clause_words(part[low.index(f" {ready} ") + len(ready) + 2:])
        goes_on = bool(found) and not lead and bool(before) and not low.startswith(how.if_leads)
        asked = how.ways.get(lead, before if goes_on else "")
        if goes_on and named and _is_named(deed, how):
            found.append(fit(" ".join(deed)))  # "we can do oak at £40 or ash for £35"
        elif asked and deed and (done(deed[0].lower(), how) or goes_on and _acts(deed, how) or " " in lead and (
                _may_act(deed[0], how))):
            deed = cut(deed, how)
            named = not bidden and asked == next(iter(how.ways.values())) and (
                deed[0].lower() in how.offered_by) and _is_named(deed[1:], how)
            found.append(_asked_for(asked, deed, named, how))
        # Only behind "we can" another verb goes on without it.
        before = asked if " " in lead or goes_on else ""
    return tuple(one for one in found if one) if len(found) > 1 or how.order != "inverted" else ()


def _parts(sentence: str, language: Language) -> list[str]:
    """A sentence cut at its "or", and before the verbs that are listed before that."""
    how, found = restating(language.code), list[str]()
    for part in re.split(rf"[,;]?\s+{language.or_}\s+(?:{how.or_so}\s+)?|;\s+", sentence):
        pieces = part.split(", ") if how.order == "inverted" else [part]
        for at, piece in enumerate(pieces):
            if at and not done(piece.partition(" ")[0].lower(), how):
                found[-1] = f"{found[-1]}, {piece}"
            else:
                found.append(piece)
    return found


def _is_named(words: list[str], how: Restate) -> bool:
    """Whether words name a thing that is offered, and no deed: "oak at £40 a metre"."""
    return bool(words) and len(words) <= _LONGEST and words[0].lower() not in (
        how.prepositions | how.pronouns | how.auxiliaries | how.pointing) and not done(words[0].lower(), how) and (
        how.pronouns.isdisjoint(map(str.lower, words)))


def _priced(low: str) -> int:
    """Where a deed begins behind what it costs, 0 for none: "£380 to put a new steel in"."""
    found = _PRICE.match(low)
    return found.end() if found is not None else 0


def _asked_for(asked: str, deed: list[str], named: bool, how: Restate) -> str:
    """A deed as one asks for it; C{named}: of what is offered only its name, "Michelins at £2 more"."""
    said = flipped(deed, how, Sides())
    if named and len(deed) <= _LONGEST:
        return fit(said.partition(" ")[2])
    return fit(f"{asked} {said}") if len(deed) <= _LONGEST else ""


def _may_act(word: str, how: Restate) -> bool:
    """Whether a word behind "we can" may be what is done: "patch"."""
    return word.isalpha() and word.islower() and word not in (
        how.determiners | how.prepositions | how.pronouns | how.auxiliaries | how.fillers | how.before_verbs) and (
        word != how.negation)


def _acts(deed: list[str], how: Restate) -> bool:
    """Whether words behind "or" go on with a deed that no verb is known of: "part ship the rest now"."""
    first, second = deed[0].lower(), deed[1].lower() if len(deed) > 1 else ""
    return bool(second) and first.isalpha() and first.islower() and first not in (
        how.determiners | how.prepositions | how.pronouns | how.auxiliaries) and (
        second in how.determiners or second in how.handled or bool(deed[2:]) and done(second, how) and (
            deed[2].lower() in how.determiners))


def _way(part: str, lead: str, deed: list[str], language: Language) -> list[str]:
    """One of several ways in a language that asks for none of them with a verb: "bitte die Pumpe ersetzen"."""
    if lead:
        ends = restating(language.code).ways_ends
        deed = [next((f"{word[:-len(end)]}{own}" for end, own in ends.items() if word.endswith(end)), word) if (
            not at) else word for at, word in enumerate(deed)]
        # "Al" is not "el" behind a verb.
        kept = [word if language.flips.get(word.lower()) in language.definite else language.flips.get(
            word.lower(), word) for word in deed]
        return [fit(f"{lead} {' '.join(kept)}")]
    both = declarative.clause_stated(part, language.code, False, True)
    said = both[0].split() if both is not None else []
    # In "er kommen könnte Freitag" the verb stands where it cannot.
    turned = len(said) > 2 and said[2] in restating(language.code).auxiliaries
    return [" ".join(said)] if said and not turned else []
