"""
A question with a question word said again by who does not know the answer: C{which papers you need} of "which papers do
we need?".
"""

from __future__ import annotations

import re

from simmail.core.language.clause.declarative import languages as declarative
from simmail.core.language.clause.inverted import flipped
from simmail.core.language.clause.question_types import asking, type_of
from simmail.core.language.clause.statement import parted, unfilled, verbs_of, without_lead_words
from simmail.core.language.clause.subject import says
from simmail.core.language.clause.tables import Restate, Sides, clause_words, cut, done, fit, past, restating, third
from simmail.core.language.tables import Language

_ASIDE = re.compile(r"\s*\([^()]*\)")
#: Words of the longest clause; words behind which its verb is not looked for, and of a thing behind "is".
_LONGEST, _NEAR, _RATHER_NEAR = 20, 6, 9
#: Words of "who was first" behind its question word; words among which stands who is asked whether it knows.
_WHO, _KNOWN = 2, 9


def wondered(question: str, language: Language, sides: Sides = Sides()) -> str:
    """
    Return what a question with a question word asks as a clause behind "I don't know": C{which papers you need}.

    @return: C{""} for what cannot be said for certain.
    """
    how, question = restating(language.code), _as_asked(question, language)
    first, _, behind = _ASIDE.sub("", question).replace("\u2019", "'").partition(" ")
    plain = f"{language.contractions.get(first.lower(), first)} {behind}"
    words = [part for word in clause_words(plain) for part in (
        language.contractions.get(word.lower(), word) if word.lower().partition("'")[0] in how.asked else word).split()]
    words = unfilled(without_lead_words(words, how), how) if how.order == "inverted" else []
    low = [word.lower() for word in words]
    start = next((one for one in how.question_starts if " ".join(low).startswith(f"{one} ")), "")
    if not start:
        return declarative.wondered(question, language.code, sides.we, sides.far)
    whole = [low[0], *words[1:]]
    words = cut(whole, how)
    if len(whole) == len(words) + 1 and whole[-1].lower() in how.prepositions:
        words = whole  # "which tap did we end up with?"
    low = [word.lower() for word in words]
    if low[1:2] and low[1] in how.unasked or len(low) < _NEAR and not how.repeating.isdisjoint(low):
        return ""  # "what about the cones?", "where was it again?"
    size = len(start.split())
    if low[size:size + 1] == [how.to] and start in how.priced and len(words) <= _LONGEST:
        return fit(f"{start} {how.priced[start]} {flipped(words[size:], how, sides)}")  # "how much to true a wheel?"
    at = next((at for at in range(size, min(len(words), size + _NEAR)) if low[at] in how.auxiliaries), 0)
    told = next((spot for spot in range(size, at or len(words)) if low[spot].partition("'")[0] in how.pronouns or (
        spot > size and third(low[spot], how))), 0)
    behind = low[at + 1] if 0 < at < len(low) - 1 else ""
    if told and at != size or at > size and done(behind, how) and behind not in how.no_verbs:
        # "Which gate we should use", "what one drawing would cost"
        return fit(flipped(words, how, sides)) if len(words) <= _LONGEST else ""
    denied = any(word in how.negated.values() for word in low[size + 1:size + _NEAR])
    if (at > size or denied) and low[size] in how.determiners and start == low[0]:
        return fit(flipped(words, how, sides)) if len(words) <= _LONGEST else ""  # "what the extra £132 is for"
    if not at:
        # "Who signs for it", "who paid": the question word is the subject.
        alone = size < len(words) <= _LONGEST and (third(low[size], how) or past(low[size], how))
        near = range(size, min(len(words), size + _WHO + 1))
        named = next((spot for spot in near if low[spot] in how.determiners), -1)
        if named >= 0 and any(done(one, how) for one in low[named + _WHO:]) and len(words) <= _LONGEST:
            return fit(flipped(words, how, sides))  # "at what times your deliveries take place"
        # "Where Dad's sextant went": nobody else can have done it.
        tells = low[0] in how.place_words and words[size:] and (
            low[size] in how.determiners or words[size].endswith("'s") or words[size].istitle())
        went = tells and next((spot for spot in range(size + 1, min(len(words), size + _NEAR)) if past(
            low[spot], how)), 0)
        return fit(flipped(words, how, sides)) if alone or went and len(words) <= _LONGEST else ""
    if at == size == len(low) - 2 and low[at] in how.having and behind in how.subjects:
        return fit(flipped(words, how, sides))  # "who had it?"
    if at == size and behind and (size > 1 or low[0] not in how.place_words) and _tells(behind, low[at], how):
        return fit(flipped(words, how, sides)) if len(words) <= _LONGEST else ""  # "who is right", "what is missing"
    one = at == size or at == size + 1 and low[size] in language.counts
    if one and low[at] in how.being and len(low) == at + _WHO and low[0] in how.choosing and behind not in {
            *how.asked, *how.asking, *how.pronouns, *how.determiners}:
        return fit(flipped(words, how, sides))  # "which one is right", "who was first"
    head = flipped(words[:at], how, sides)
    ordered = at == size and low[at] in how.being and len(low) > at + 2 and low[at + 2] in language.ordering
    if ordered and low[-1] not in how.prepositions and not says(low[-1], how) and len(words) <= _LONGEST:
        return fit(f"{head} {flipped(words[at + 1:], how, sides)} {low[at]}")  # "when is the next free slot?"
    clause = parted(words[at:], how, sides)
    if clause is None:
        # "What is the price": what stands behind the verb is all there is.
        rest = words[at + 1:]
        simple = not any(says(one.lower(), how) or one.lower() in how.prepositions | how.when_words for one in rest)
        alone = at == size and low[at] in how.being and 0 < len(rest) < _RATHER_NEAR and (
            rest[0].lower() in how.determiners and (simple or low[0] not in how.place_words))
        return fit(f"{head} {flipped(rest, how, sides)} {low[at]}") if alone else ""
    if clause.verb in how.being and any(word.lower() in how.verbs for word in clause.subject[1:]):
        rest = words[at + 1:]
        if how.to in low or not 1 < len(rest) < _RATHER_NEAR:
            return ""  # "what's the committee want to do?"
        return fit(f"{head} {flipped(rest, how, sides)} {low[at]}")  # "what's your lead time on doors?"
    # Nothing is promised by it: "which way would you go".
    verbs = [how.mine.get(clause.verb, clause.verb)] if clause.verb in how.asked_for else verbs_of(clause, how)
    said = [head, *clause.subject, *verbs, flipped(clause.rest[clause.used:], how, sides)]
    return fit(" ".join(said)) if len(words) <= _LONGEST else ""


def _as_asked(question: str, language: Language) -> str:
    """A question without what only leads it in: "if so", "do you happen to know"."""
    asks, low = asking(language.code), f"{question.lower()} "
    lead = next((one for one in asks.if_so if low.startswith((f"{one} ", f"{one},"))), "")
    question = question[len(lead):].lstrip(" ,") if lead else question
    words = question.split()
    if type_of(question.lower(), language):
        return question
    knows = next((at for at in range(1, min(len(words), _KNOWN)) if words[at - 1].lower() in asks.knowing_ends and (
        type_of(" ".join(words[at:]).lower(), language))), 0)
    return " ".join(words[knows:])


def _tells(word: str, verb: str, how: Restate) -> bool:
    """Whether a word behind a first verb is said of the question word before that, so that it has no other subject."""
    if word == how.there and verb in how.being:
        return True
    if word in how.asked or word in how.asking or word in how.subjects or word in how.determiners:
        return False
    if verb in how.modals:
        return done(word, how)
    return (verb in how.being or verb in how.having) and (says(word, how) or word == how.to)
