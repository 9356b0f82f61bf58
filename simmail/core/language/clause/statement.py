"""
A question said again as a statement by who was asked: C{it comes with both paddles} of "does it come with both
paddles?", C{which papers you need} of "which papers do we need?".

Only where the subject and the verb are told apart for certain: of another question nothing is said again.  Here are the
languages whose questions put the verb before the subject; the others have their own ways, in L{declarative}.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from simmail.core.language.clause.choosing.objects import with_object
from simmail.core.language.clause.declarative import languages as declarative
from simmail.core.language.clause.inverted import flipped, participle, past_tense, plain_of_past, third_person
from simmail.core.language.clause.subject import says, subject_end
from simmail.core.language.clause.tables import (
    STOPS, Restate, Sides, clause_words, cut, done, fit, led_in, restating, third,
)
from simmail.core.language.tables import Language
from simmail.core.language.text import calm

_ASIDE = re.compile(r"\s*\([^()]*\)")
#: Words of the longest statement; words behind which a clause's verb is not looked for.
_LONGEST, _NEAR = 20, 6
#: More words behind a question are a condition, or more of it.
_BEHIND = 4


class Statement(NamedTuple):
    """
    What a question is whether it is so, said as being so and as not being so; C{""} for what cannot be said.

    @ivar wished: it tells nothing, but wishes for what was offered: "please keep it", "let's go".
    @ivar nobody: where it is not so, it is of nobody or nothing, which is neither denied nor regretted.
    """

    yes: str
    no: str
    wished: bool = False
    nobody: bool = False


class _Clause(NamedTuple):
    """
    An asking clause: its first verb, its subject as its reader says it, and what stands behind.

    @ivar used: words behind the subject that the verb takes: behind "do" the one that is done, and "still" with it.
    """

    verb: str
    subject: tuple[str, ...]
    rest: tuple[str, ...]
    used: int


def stated(question: str, language: Language, sides: Sides = Sides()) -> Statement | None:
    """
    Return what a yes-or-no question asks, as a statement of its reader.

    @param sides: who asks and who is asked.
    @return: both sides of it without a full stop and without a capital; None for what cannot be said for certain.
    """
    how = restating(language.code)
    if (both := declarative.stated(question, language.code, sides.we, sides.far)) is not None:
        return Statement(*both)
    low = _as_said(question, how).lower().split()
    filled = low[:1] and low[0] in how.request_fillers and low[1:2] and low[1] not in how.auxiliaries
    if not _is_turned(question, how) or language.or_ in low[1:] or filled:
        return None
    words = _asking_words(question, how)
    return _stated(words, how, sides) if 1 < len(words) <= _LONGEST else None


def either_stated(question: str, language: Language, sides: Sides = Sides()) -> tuple[str, ...]:
    """
    Return the two things that a question asks which of them is so, each as a statement: "I can send just the shade",
    "the whole lamp has to go back".

    @return: one where the other cannot be said, C{()} for neither and where no clause or verb stands behind "or".
    """
    how = restating(language.code)
    question = _to_the_end(question, how, language)
    if not _is_turned(question, how):
        return declarative.either_stated(question, language.code, sides.we, sides.far)
    tokens = _as_said(question, how).strip(" ?!.").split()
    at = next((at for at, word in enumerate(tokens) if word.lower() == language.or_ and 1 < at < len(tokens) - 1), 0)
    if not at:
        return ()
    asked, other = " ".join(tokens[:at]).rstrip(","), " ".join(tokens[at + 1:])
    knowing = next((one for one in how.knowing if asked.lower().startswith(f"{one} ")), "")
    whether = asked[len(knowing):].split() if knowing else []
    if whether and whether[0].lower() in how.whether:
        return _yes(clause_stated(" ".join(whether[1:]), language, sides), stated(other, language, sides))
    left = _asking_words(asked, how)
    right = unfilled(without_lead_words(clause_words(other), how), how)
    if len(left) < 2 or not right:
        return ()
    if left[0].lower() == how.base and left[1].lower() in how.asking and left[1].lower() != how.offerer:
        left = [how.will, *left[1:]]  # what is done is decided
    first, low = _stated(left, how, sides), [word.lower() for word in right]
    if low[0] in how.auxiliaries and len(low) > 1:
        if low[1] in how.asking and (len(low) == 2 or low[0] in how.offering):
            if first is None:
                offered = fit(f"{how.please} {flipped(cut(right[2:], how), how, sides)}")
                return (offered,) if len(low) > 2 and low[0] in how.offering else ()
            # "Will you bring it, or shall we collect it?", "do you want to, or shall I?".
            deed = flipped(cut(right[2:], how), how, sides)
            return first.yes, how.you_do if len(low) == 2 else fit(f"{how.please} {deed}")
        if left[0].lower() in how.offering and low[0] == how.base and low[1] in how.asked:
            right = [how.will, *right[1:]]
        return with_object(_yes(first, _stated(cut(right, how), how, sides)), how)
    if other.partition(" ")[0].lower() in how.auxiliaries:
        return _yes(first)  # "or do you know somebody who'd have it"
    if low[0] == how.no_longer or low[0] in how.limiting:
        # "Does it apply already, or still the old one?", "are there used ones, or only new ones?".
        return (*_yes(first), fit(flipped(right, how, sides)))
    # What stands behind "or" has the subject of what stands before it.
    end = subject_end(left, how)
    plain = left[0].lower() in how.modals or left[0].lower() in (how.base, *how.based)
    if not end or not left[end:] or plain and not (
            done(low[0], how) and low[0] not in how.no_verbs and done(left[end].lower(), how)):
        return ()
    if left[1].lower() == how.there and low[0] in how.one:
        left = [how.singular.get(left[0].lower(), left[0]), *left[1:]]  # "are there any steps or a lift?"
    return with_object(_yes(first, _stated([*left[:end], *cut(right, how)], how, sides)), how)


def _to_the_end(question: str, how: Restate, language: Language) -> str:
    """A question without what is told behind it: "do you come or does he, he has a bike?"."""
    head, found, tail = question.partition(f" {language.or_} ")
    other, comma, told = tail.partition(", ")
    first = told.partition(" ")[0].lower()
    telling = comma and first in {*how.persons, *how.pronouns, *how.you, *how.speakers, *how.subjects, *map(
        str.lower, how.asked), *how.asking}
    return f"{head}{found}{other}?" if telling else question


def clause_stated(clause: str, language: Language, sides: Sides = Sides()) -> Statement | None:
    """
    Return what a clause behind "whether" says, as a statement of who is asked, and that it is not so.

    @return: None for a clause whose verb is not told for certain.
    """
    how = restating(language.code)
    if (both := declarative.clause_stated(clause, language.code, sides.we, sides.far)) is not None:
        return Statement(*both)
    if not _is_turned(clause, how):
        return None
    tokens = _as_said(clause, how).strip(" ?!.").split()
    # "There's any chance" is "there is".
    said = [word.replace("\u2019", "'") for word in tokens[:3]]
    head = [language.contractions.get(one.lower()) or language.contractions.get(one, word)
            for one, word in zip(said, tokens)]
    words = cut(unfilled(without_lead_words(clause_words(" ".join([*head, *tokens[3:]])), how), how), how)
    low = [word.lower() for word in words]
    if not 2 <= len(words) <= _LONGEST:
        return None
    if low[0] == how.to:
        deed = flipped(words[1:], how, sides)
        return Statement(how.would[0].format(deed=deed), how.would[1].format(deed=deed)) if done(low[1], how) else None
    near = range(1, min(len(low), _NEAR + 1))
    at = next((at for at in near if low[at] in how.auxiliaries), 0)
    if at > 1 and low[0] in {*how.asked, *how.asking, *how.pronouns} and plain_of_past(low[1], how):
        at = 0  # "I told you that it was £100"
    if at:
        behind = low[at + 1] if at + 1 < len(low) else ""
        does_so = low[at] in (how.base, *how.based) and behind and not done(behind, how) and behind not in (
            how.before_verbs) and behind != how.negation  # "you do Saturdays"
        if not does_so and (low[at] not in how.having or participle(behind, how) or behind in how.before_verbs):
            return _stated([words[at], *words[:at], *words[at + 1:]], how, sides)
    # Turned round it is the question that it would be: "Roy has a key" is "does Roy have a key".
    persons = {*how.asked, *how.asking, *how.plural}
    at = at or next((at for at in near if third(low[at], how) or done(low[at], how) and low[at] not in how.past.values(
    ) and (low[at - 1] in persons or low[at - 1] in how.before_verbs and low[at - 2] in persons)), 0)
    if not at:
        at = next((at for at in near if (low[at - 1] in how.pronouns or at > 1) and plain_of_past(low[at], how)), 0)
        plain = plain_of_past(low[at], how) if at else ""
        return _stated([how.past[how.base], *words[:at], plain, *words[at + 1:]], how, sides) if at else None
    plain = plain_form(low[at], how)
    does = how.third[how.base] if plain != low[at] else how.base
    return _stated([does, *words[:at], plain, *words[at + 1:]], how, sides)


def positive(clause: str, language: Language) -> str:
    """Return a clause that says that something is not so, as one that says it is; C{""} for another."""
    how = restating(language.code)
    words = clause.replace("\u2019", "'").split()
    for at, word in enumerate(words):
        if word.lower() == how.negation:
            return " ".join([*words[:at], *words[at + 1:]])
        plain = next((one for one, negated in how.negated.items() if negated == word.lower()), "")
        if plain:
            behind = [one for one in words[at + 1:] if one.lower() != how.negation]  # "tu n'es pas fâché"
            return " ".join([*words[:at], *([] if plain in (how.base, *how.based) else [plain]), *behind])
    return ""


def is_sound(statement: str, language: Language) -> bool:
    """
    Return whether a sentence that was turned round may be said: it begins with no verb that asks, shouts nothing, and
    has no mark inside that leaves it open.
    """
    how = restating(language.code)
    first = statement.partition(" ")[0].lower()
    asks = how.order == "inverted" and first in how.auxiliaries
    open_ = any(mark in f"{statement} " for mark in ("?", " - ", "...", ": ")) or statement.endswith((",", ";"))
    return not asks and not open_ and calm(statement) == statement


def bidden(request: str, language: Language, sides: Sides = Sides()) -> str:
    """Return what a plea in the imperative wants done, as it stands behind "I'll"; C{""} for what is none."""
    how, words = restating(language.code), clause_words(request)
    if how.order != "inverted" or not words or words[0].lower() not in how.request_fillers:
        return ""
    words = cut([word for word in words if word.lower() not in how.request_fillers], how)
    low = [word.lower() for word in words]
    if not 2 <= len(words) <= _LONGEST or not done(low[0], how) or low[0] in how.no_deeds or (
            not how.unbidden.isdisjoint(low)):
        return ""
    return fit(flipped([low[0], *words[1:]], how, sides))


def _yes(*statements: Statement | None) -> tuple[str, ...]:
    return tuple(one.yes for one in statements if one is not None and one.yes)


def _is_turned(text: str, how: Restate) -> bool:
    """Whether a text is of a language that is turned round here; what it quotes is not."""
    return how.order == "inverted" and not how.quoting.intersection(text)


def _as_said(text: str, how: Restate) -> str:
    low = text.lower()
    text, low = _ASIDE.sub("", text), _ASIDE.sub("", low)
    lead = max((one for one in how.roundabout if f" {one} " in f" {low}"), key=len, default="")
    if lead:
        at = f" {low}".index(f" {lead} ")
        text = f"{text[:at]}{how.roundabout[lead]}{text[at + len(lead):]}"
    for phrase, said in how.unsaid.items():
        text = text.replace(phrase, said)
    return text


def plain_form(verb: str, how: Restate) -> str:
    """Return a verb as it stands behind "does", from how "she" has it."""
    return next((plain for plain, form in how.third.items() if form == verb), "") or next(
        (one for one in (verb[:-1], verb[:-2]) if third(verb, how) and one in how.verbs), verb)


def _asking_words(question: str, how: Restate) -> list[str]:
    """The words of the last part of a question that begins as one, without what leads it in."""
    parts: list[list[str]] = [[]]
    for word in clause_words(_as_said(question, how)):
        if word in STOPS:
            parts.append([])
        else:
            parts[-1].append(word)
    for at in range(len(parts) - 1, 0, -1):
        # "The Thursday, Friday and Saturday off" is one.
        low = [word.lower() for word in parts[at][:3]]
        if how.also in low[1:3] and parts[at - 1] and low[0] not in how.auxiliaries:
            parts[at - 1:at + 1] = [[*parts[at - 1][:-1], f"{parts[at - 1][-1]},", *parts[at]]]
    for part in reversed(parts):
        words = cut(unfilled(without_lead_words(part, how), how), how)
        if len(words) > 1 and words[0].lower() in how.auxiliaries:
            behind = next((one for one in parts[parts.index(part) + 1:] if one), [])
            return words if len(parts[-1]) <= _BEHIND or part is parts[-1] or behind[0].lower() in (
                how.asking.keys() | how.theirs.keys() | how.subjects | how.determiners) else []
    return []


def unfilled(words: Sequence[str], how: Restate) -> list[str]:
    return [word for word in words if word.lower() not in how.fillers or word.lower() in how.when_words]


def without_lead_words(words: list[str], how: Restate) -> list[str]:
    before: list[str] = []
    while before != words:
        before, words = words, led_in(words, how)
        while words and words[0] in STOPS:
            words = words[1:]
    return words


def _stated(words: Sequence[str], how: Restate, sides: Sides) -> Statement | None:
    clause = parted(words, how, sides)
    if clause is None or not _may_be_said(clause, how):
        return None
    rest = clause.rest[clause.used:]
    wished = _wished(words, clause, flipped(rest, how, sides), how)
    if wished is not None:
        return wished
    verbs = verbs_of(clause, how)
    behind = flipped(rest, how, sides).split()
    # "Is it any better?"
    positive = [how.some.get(word.lower(), word) for word, after in zip(behind, [*behind[1:], ""]) if not (
        word.lower() in how.some and word.lower() in how.determiners and (
            after.lower().endswith(how.comparative) or after.lower() in how.any_good))]  # "is that any good?"
    yes = [*(how.some.get(word.lower(), word) for word in clause.subject), *verbs, *positive]
    said, no = " ".join(clause.subject).lower(), list[str]()
    nobody = how.none.get(said) or next((f"{none}{said[len(word):]}" for word, none in how.none_of.items() if (
        said.startswith(f"{word} "))), None)
    if nobody is not None:
        no = [nobody, *verbs, *positive] if rest[:1] != (how.no_longer,) else []
    elif clause.subject[0].lower() not in how.some:
        first = _agreeing(clause, how)
        negated = how.negated.get(how.can if first == how.will != clause.verb else first, "")
        denied = _denied(clause, flipped(rest, how, sides).split(), how)
        no = [*clause.subject, *negated.split(), *denied] if negated else []
    if max(len(yes), len(no)) > _LONGEST:
        return None
    return Statement(fit(_contracted(yes, clause, how)), fit(_contracted(no, clause, how)), nobody=nobody is not None)


def _may_be_said(clause: _Clause, how: Restate) -> bool:
    """Whether a clause asks for no more than whether it is so, and its parts are what they seem."""
    low, subject = [word.lower() for word in clause.rest], [word.lower() for word in clause.subject]
    told = [word for before, word in zip(["", *low], low) if word not in how.conditions or before in how.inquiring]
    finds = next((one.split() for one in how.finding if low[:len(one.split())] == one.split()), [])
    if finds and " ".join(low[len(finds):]).startswith(tuple(f"{one} " for one in how.question_starts)):
        told = told[len(finds) + 1:]  # "could you find out who has it?"
    if not how.unstated.isdisjoint((*told, *subject)) or not low and clause.verb not in how.being or (
            how.no_longer in low[4:]):
        return False
    tells = bool(low) and low[0] in how.telling
    if any(word.endswith("n't") or word in how.other_negations for word in low) and not tells:
        return False  # what is to be told somebody may be that something is not so
    if tells and not how.objects.keys().isdisjoint(low[1:2]) and low[2:3] != [how.let]:
        return False  # "could you tell me the price?", but "could you let me have it"
    if subject[0] in how.some and low and low[0] in how.prepositions and says(low[-1], how):
        return False  # "is anybody from your family coming"
    return not (clause.used and low[0] in how.before_verbs and low[0] not in (how.no_longer, *how.not_any))


def _wished(words: Sequence[str], clause: _Clause, deed: str, how: Restate) -> Statement | None:
    """What is wished for where it is offered: "shall I keep it warm?", "should I fetch your son?", "shall we go?"."""
    verb, who = words[0].lower(), words[1].lower()
    if verb == how.offering[0] and clause.subject == (how.themselves_all[0],):
        return Statement(fit(how.together[0].format(deed=deed)), fit(how.together[1].format(deed=deed)), True)
    theirs = not (how.yours | how.them).isdisjoint(word.lower() for word in clause.rest)
    if who not in how.asking or clause.subject == (how.themselves_all[0],) or verb not in how.offering or (
            verb != how.offering[0] and not theirs):
        return None
    return Statement(fit(f"{how.please} {deed}"), fit(how.needless.format(deed=deed)), True)


def _denied(clause: _Clause, rest: list[str], how: Restate) -> list[str]:
    """What stands behind the subject where it is not so: "still" is no longer, "already" not yet, "some" not any."""
    low = [word.lower() for word in clause.rest]
    last = low[-1] if low else ""
    late = [how.not_any[word] for at, word in enumerate(low) if word in how.late and (
        word not in how.last or at == len(low) - 1)]
    kept = [word for word in (*clause.rest[:clause.used], *rest) if word.lower() != how.no_longer and (
        word.lower() not in how.late or word.lower() in how.last and last not in how.last)]
    return [*(how.not_any.get(word.lower(), word) if word.lower() not in how.last else word for word in kept), *late,
            *((how.any_more,) if how.no_longer in low else ())]


def parted(words: Sequence[str], how: Restate, sides: Sides) -> _Clause | None:
    """A clause that asks, cut behind its subject; None where nothing tells where that ends."""
    verb = words[0].lower()
    verb = next((one for one, negated in how.negated.items() if negated == verb), verb)
    end = subject_end([verb, *words[1:]], how) if verb in how.auxiliaries and len(words) > 1 else 0
    subject = _subject(verb, words[1:end], words[end:], how, sides) if end else ()
    if not subject:
        return None
    rest, used = tuple(words[end:]), 0
    if verb == how.base or verb in how.based:
        # What is done follows, in its plain form: behind a pronoun any word may be that.
        used = next((at for at, word in enumerate(rest, 1) if word.lower() not in how.before_verbs), 0)
        deed = rest[used - 1].lower() if used else ""
        if not (done(deed, how) or end == 2 and deed.isalpha() and deed not in (
                how.determiners | how.prepositions | how.no_verbs)):
            return None
    return _Clause(verb, subject, rest, used)


def _subject(verb: str, subject: Sequence[str], rest: Sequence[str], how: Restate, sides: Sides) -> tuple[str, ...]:
    """A subject as its reader says it, C{()} where nothing tells who is meant."""
    low, behind = subject[0].lower(), [word.lower() for word in rest]
    if len(subject) == 1 and low in how.asked:
        one = verb in how.being and behind[:1] and behind[0] in how.one  # "are you a robot"
        alone = not sides.we or one or not how.mental.isdisjoint(behind[:2])
        return (how.asked[low] if alone else how.themselves_all[0],)
    if len(subject) == 1 and low in how.anybody and verb in (*how.asked_for, how.can) and behind[:1] and done(
            behind[0], how):
        return (how.themselves_all[0] if sides.we else next(iter(how.asked.values())),)  # "can someone look?"
    if len(subject) == 1 and low in how.asking:
        if low != how.offerer and verb in how.common and how.theirs.keys().isdisjoint(behind) and not sides.we:
            return ()  # "can we swap": nothing tells whether both are meant
        # "Shall we watch it at yours?" is done by both, unless a firm asks.
        both = verb == how.offering[0] and not (sides.we or sides.they)
        others = how.objects.keys() - how.theirs.keys() if both else how.theirs.keys() | how.objects.keys()
        own = low == how.offerer or not others.isdisjoint(one for one in behind if one not in how.asking) or (
            not how.needing.isdisjoint(behind[:1])) or verb in how.permitting and (
                sides.we or sides.they or verb not in how.offering)
        return (how.asking[low] if own else how.themselves_all[0],)
    if low in how.asked and subject[1:2]:
        return (how.themselves_all[0],)  # "you and Jakob"
    if not (how.asked.keys() | how.asking.keys()).isdisjoint(word.lower() for word in subject):
        return ()  # "Tom and I"
    said = flipped(subject, how, sides).split()
    small = said[0].lower() in how.determiners | how.subjects
    return (said[0].lower() if small else said[0], *said[1:])


def _agreeing(clause: _Clause, how: Restate) -> str:
    """The first verb as it goes with the subject of its reader: "are you" is "I am", "would you sign" "I will"."""
    who = clause.subject[0] if len(clause.subject) == 1 else ""
    mine, ours = who in how.asked.values(), who == how.themselves_all[0]
    if (mine or ours) and clause.verb in how.asked_for and clause.rest[0].lower() not in how.wished:
        return how.will
    if clause.verb in how.softened:
        return how.softened[clause.verb]
    if mine:
        return how.mine.get(clause.verb, clause.verb)
    return how.of_one.get(clause.verb, clause.verb) if ours or who in how.asking.values() else clause.verb


def verbs_of(clause: _Clause, how: Restate) -> list[str]:
    """The verb of a statement."""
    if not clause.used:
        return [_agreeing(clause, how)]
    *before, verb = clause.rest[:clause.used]
    if clause.verb == how.base:
        return [*before, verb.lower()]
    form = third_person if clause.verb == how.third.get(how.base) else past_tense
    return [*before, form(verb.lower(), how)]


def _contracted(words: Sequence[str], clause: _Clause, how: Restate) -> str:
    pair = how.contracted.get(" ".join(words[:2]))
    if words[1:2] and words[1] in how.having and not (
            clause.verb in how.having and words[2:3] and (participle(words[2], how) or words[2] in how.before_verbs)):
        pair = None  # "I have a key"
    # "Yes, I am", but "I'm ready".
    text = " ".join([pair, *words[2:]] if pair and len(words) > 2 else words)
    for phrase, said in how.unsaid.items():
        text = text.replace(said, phrase) if said else text
    return text
