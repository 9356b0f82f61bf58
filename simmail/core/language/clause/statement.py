"""
A question said again as a statement by who was asked: C{it comes with both paddles} of "does it come with both
paddles?", C{which papers you need} of "which papers do we need?".

Only of languages whose questions put the verb before the subject, and only where the subject and the verb are told
apart for certain: of another question nothing is said again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from simmail.core.language.clause.tables import MOST_WORDS, STOPS, Restate, clause_words, cut, fit, led_in, restating
from simmail.core.language.tables import Language

#: Words of the longest statement.
_LONGEST = 15
#: Letters up to which a word in "-ed" may be a noun: "shed", "speed".
_SHORT_PAST = 5


class Statement(NamedTuple):
    """
    What a question is whether it is so, said as being so and as not being so; C{""} for what cannot be said.

    @ivar wished: it tells nothing, but wishes for what was offered: "please keep it", "let's go".
    """

    yes: str
    no: str
    wished: bool = False


class _Clause(NamedTuple):
    """An asking clause: its first verb, its subject as its reader says it, and what stands behind."""

    verb: str
    subject: tuple[str, ...]
    rest: tuple[str, ...]


def stated(question: str, language: Language, we: bool = False) -> Statement | None:
    """
    Return what a yes-or-no question asks, as a statement of its reader.

    @param we: its reader speaks for others as well.
    @return: both sides of it without a full stop and without a capital; None for what cannot be said for certain.
    """
    how = restating(language.code)
    if how.order != "inverted":
        return None
    if how.quoting.intersection(question):
        return None
    words = _asking_words(question, how)
    return _stated(words, how, language, we) if 1 < len(words) <= MOST_WORDS else None


def either_stated(question: str, language: Language, we: bool = False) -> tuple[str, ...]:
    """
    Return the two things that a question asks which of them is so, each as a statement: "I can send just the shade",
    "the whole lamp has to go back".

    @return: one where the other cannot be said, C{()} for neither and where no clause or verb stands behind "or".
    """
    how = restating(language.code)
    if how.order != "inverted" or how.quoting.intersection(question):
        return ()
    for phrase, said in how.unsaid.items():
        question = question.replace(phrase, said)
    tokens = question.strip(" ?!.").split()
    at = next((at for at, word in enumerate(tokens) if word.lower() == language.or_ and 1 < at < len(tokens) - 1), 0)
    if not at:
        return ()
    left = _asking_words(" ".join(tokens[:at]), how)
    right = _unfilled(_led_in(clause_words(" ".join(tokens[at + 1:])), how), how)
    while left and left[-1] in STOPS:
        left = left[:-1]
    if len(left) < 2 or not right:
        return ()
    first = _stated(left, how, language, we)
    low = [word.lower() for word in right]
    if low[0] in how.auxiliaries and len(low) > 1:
        if len(low) == 2 and low[1] in how.asking:
            return tuple(filter(None, (first.yes if first else "", how.you_do))) if first else ()
        if left[0].lower() in how.offering and low[0] == how.base and low[1] in how.asked:
            right = [how.will, *right[1:]]
        second = _stated(cut(right, how), how, language, we)
    else:
        end = _subject_end(left, left[0].lower(), how)
        rest = left[end:] if end else []
        modal = left[0].lower() in how.modals or left[0].lower() in (how.base, *how.based)
        if not rest or modal and not (low[0] in how.verbs and low[0] not in how.no_verbs and rest[0].lower() in how.verbs):
            return ()
        second = _stated([*left[:end], *cut(right, how)], how, language, we)
    return tuple(one.yes for one in (first, second) if one is not None and one.yes)


def wondered(question: str, language: Language, we: bool = False) -> str:
    """
    Return what a question with a question word asks as a clause behind "I don't know": C{which papers you need}.

    @return: C{""} for what cannot be said for certain.
    """
    how = restating(language.code)
    if how.order != "inverted":
        return ""
    words = _led_in(clause_words(question), how)
    low = [word.lower() for word in words]
    start = next((one for one in how.question_starts if " ".join(low).startswith(f"{one} ")), "")
    if not start:
        return ""
    words = cut(_unfilled(words, how), how)
    size = len(start.split())
    at = next((at for at in range(size, min(len(words), size + 6)) if words[at].lower() in how.auxiliaries), 0)
    if not at:
        # "Who signs for it": the question word is the subject.
        verb = words[size].lower() if len(words) > size else ""
        third_person = verb.endswith("s") and not {verb[:-1], verb[:-2]}.isdisjoint(how.verbs)
        return fit(" ".join(_flipped([low[0], *words[1:]], how, we))) if third_person and len(words) <= _LONGEST else ""
    head = _flipped([words[0].lower(), *words[1:at]], how, we)
    clause = _parted(words[at:], how, language, we)
    if clause is None:
        # "Who will be there", "what is the price": what stands behind the verb is all there is.
        rest = words[at + 1:]
        if at == size and words[at].lower() in how.being and rest and rest[0].lower() in how.determiners and (
                len(rest) < 6 and low[0] not in how.place_words):
            return fit(" ".join([*head, *_flipped(rest, how, we), words[at].lower()]))
        return ""
    verbs = [how.mine.get(clause.verb, clause.verb)] if clause.verb in how.asked_for and clause.subject == ("I",) else (
        _verbs(clause, how))
    said = [*head, *clause.subject, *verbs, *_flipped(clause.rest[_used(clause, how):], how, we)]
    return fit(" ".join(said)) if len(said) <= _LONGEST else ""


def _asking_words(question: str, how: Restate) -> list[str]:
    """The words of the last part of a question that begins as one, without what leads it in."""
    for phrase, said in how.unsaid.items():
        question = question.replace(phrase, said)
    parts: list[list[str]] = [[]]
    for word in clause_words(question):
        if word in STOPS:
            parts.append([])
        else:
            parts[-1].append(word)
    for part in reversed(parts):
        words = cut(_unfilled(_led_in(part, how), how), how)
        if len(words) > 1 and words[0].lower() in how.auxiliaries:
            if part is not parts[-1] and any(parts[-1]) and len(parts[-1]) > 4:
                return []  # a condition, or more of it, stands behind
            return words
    return []


def _unfilled(words: Sequence[str], how: Restate) -> list[str]:
    return [word for word in words if word.lower() not in how.fillers or word.lower() in how.when_words]


def _led_in(words: list[str], how: Restate) -> list[str]:
    before: list[str] = []
    while before != words:
        before, words = words, led_in(words, how)
        while words and words[0] in STOPS:
            words = words[1:]
    return words


def _stated(words: Sequence[str], how: Restate, language: Language, we: bool) -> Statement | None:
    clause = _parted(words, how, language, we)
    if clause is None:
        return None
    low = [word.lower() for word in clause.rest]
    if not how.unstated.isdisjoint((*low, *(word.lower() for word in clause.subject))) or not clause.rest and clause.verb not in how.being or (
            how.no_longer in low[4:]) or any(word.endswith("n't") for word in low):
        return None
    if clause.subject[0].lower() in how.some and low[0] in how.prepositions and any(_says(word, how) for word in low):
        return None  # "is anybody from your family coming"
    if _used(clause, how) and low[0] in how.before_verbs and low[0] not in (how.no_longer, *how.not_any):
        return None
    low = [word if word not in how.last or at == len(low) - 1 else "" for at, word in enumerate(low)]
    rest = clause.rest[_used(clause, how):]
    if words[1].lower() == how.offerer and (words[0].lower() == how.offering[0] or words[0].lower() in how.offering and (
            not {*how.theirs, *how.asked}.isdisjoint(word.lower() for word in rest))):
        # "Shall I keep it warm?"
        deed = " ".join(_flipped(rest, how, we))
        return Statement(fit(f"{how.please} {deed}"), fit(how.needless.format(deed=deed)), True)
    if words[0].lower() == how.offering[0] and clause.subject == ("we",):
        deed = " ".join(_flipped(rest, how, we))
        return Statement(fit(how.together[0].format(deed=deed)), fit(how.together[1].format(deed=deed)), True)
    yes_subject = tuple(how.some.get(word.lower(), word) for word in clause.subject)
    positive = [how.some.get(word.lower(), word) for word in _flipped(rest, how, we)]
    negative = _flipped(rest, how, we)
    taken = list(clause.rest[:_used(clause, how)])
    if how.no_longer in low:
        taken = [word for word in taken if word.lower() != how.no_longer]
        negative = [*(word for word in negative if word.lower() != how.no_longer), how.any_more]
    taken = [word for word in taken if word.lower() not in how.late]
    late = [how.not_any[word] for word in low if word in how.late]
    negative = [*(word if word.lower() in how.last else how.not_any.get(word.lower(), word) for word in negative if not (
        word.lower() in how.late and (word.lower() not in how.last or word.lower() == low[-1]))), *late]
    yes = [*yes_subject, *_verbs(clause, how), *positive]
    nobody = how.none.get(" ".join(clause.subject).lower())
    if nobody is not None:
        no = [nobody, *_verbs(clause, how), *positive] if low[:1] != [how.no_longer] else []
    elif clause.subject[0].lower() in how.some:
        no = []  # "any of them aren't"
    else:
        agreeing = _agreeing(clause, how)
        not_ = how.negated.get(how.can if agreeing == how.will != clause.verb else agreeing)
        no = [] if not_ is None else [*clause.subject, *not_.split(), *taken, *negative]
    if max(len(yes), len(no)) > _LONGEST:
        return None
    return Statement(fit(_contracted(yes, clause, how)), fit(_contracted(no, clause, how)))


def _parted(words: Sequence[str], how: Restate, language: Language, we: bool) -> _Clause | None:
    """A clause that asks, cut behind its subject; None where nothing tells where that ends."""
    verb = words[0].lower()
    if verb.endswith("n't"):
        verb = next((one for one, negated in how.negated.items() if negated == verb), "")
    if verb not in how.auxiliaries or len(words) < 2:
        return None
    end = _subject_end(words, verb, how)
    if not end:
        return None
    rest = tuple(words[end:])
    subject = tuple(words[1:end])
    low = subject[0].lower()
    if len(subject) == 1 and low in how.asked:
        mental = not how.mental.isdisjoint(word.lower() for word in rest[:2])
        subject = ("we" if we and not mental else "I",)
    elif len(subject) == 1 and low in how.asking:
        if low != "i" and verb in how.common and how.theirs.keys().isdisjoint(
                word.lower() for word in rest):
            return None  # "can we swap": nothing tells whether both are meant
        theirs = not {*how.theirs, *how.objects}.isdisjoint(word.lower() for word in rest)
        own = low == "i" or theirs or verb in how.permitting and (we or verb not in how.offering) or not how.needing.isdisjoint(word.lower() for word in rest[:1])
        subject = ("you" if own else "we",)
    else:
        subject = tuple(_flipped(subject, how, we))
        if subject[0].lower() in how.determiners | how.subjects:
            subject = (subject[0][:1].lower() + subject[0][1:], *subject[1:])
    clause = _Clause(verb, subject, rest)
    if verb == how.base or verb in how.based:
        # What is done follows, in its plain form: behind a pronoun any word may be that.
        done = [word.lower() for word in rest if word.lower() not in how.before_verbs][:1]
        known = done and (done[0] in how.verbs or end == 2 and done[0].isalpha() and not (
            done[0] in how.determiners or done[0] in how.prepositions or done[0] in how.no_verbs))
        return clause if known else None
    return clause


def _subject_end(words: Sequence[str], verb: str, how: Restate) -> int:
    """The place behind the subject that stands behind a first verb, 0 where nothing tells it."""
    low = [word.lower() for word in words]
    based = verb == how.base or verb in how.based or verb in how.modals
    if low[1] in how.asked or low[1] in how.asking or low[1] in how.subjects:
        if len(low) > 2 and (low[2] in how.besides or low[2] in how.joined):
            return 0  # "you two", "you or Tom"
        if low[1] in how.pointing_words and len(low) > 2 and not (
                _predicate(low, 2, verb, based, how) or low[2] in how.determiners):
            return _phrase_end(words, low, verb, based, how)  # "is this seat taken"
        return 2
    return _phrase_end(words, low, verb, based, how)


def _phrase_end(words: Sequence[str], low: Sequence[str], verb: str, based: bool, how: Restate) -> int:
    named = words[1][0].isupper() and low[1] not in how.determiners
    if not named and low[1] not in how.determiners and not low[1].endswith("s"):
        return 0
    # A phrase has a noun: behind its article the first word that is no adjective.
    at, noun = (2, True) if named else (1 + (low[1] in how.determiners), False)
    end = 0
    while at < len(low):
        if low[at] in how.joined:
            noun = False
            at += 1
            if at < len(low) and low[at] in how.determiners:
                at += 1
            continue
        if noun and _follows(low, at, verb, based, how):
            if low[at] in how.prepositions and not based:
                # "Is the invoice for March paid": what stands last is what is said of it.
                later = next((one for one in range(at + 1, len(low)) if _says(low[one], how) and (
                    one == len(low) - 1 or low[one + 1] in how.prepositions or low[one + 1] in how.when_words)
                    and low[one - 1] not in how.determiners), 0)
                return later or at
            return at
        noun = noun or not (low[at] in how.predicates or low[at].endswith("er") and low[at] in how.predicates)
        at += 1
    return end


def _follows(low: Sequence[str], at: int, verb: str, based: bool, how: Restate) -> bool:
    """Whether a word may begin what is said of a subject."""
    before = low[at - 1]
    return not (before in how.determiners or before in how.prepositions or before in how.noun_joints) and _predicate(
        low, at, verb, based, how)


def _predicate(low: Sequence[str], at: int, verb: str, based: bool, how: Restate) -> bool:
    word = low[at]
    if word in how.before_verbs:
        return at + 1 < len(low)
    if based:
        return (word in how.verbs or word in ("be", "have")) and word not in how.no_verbs and not (
            at + 1 < len(low) and low[at + 1] in how.verbs - how.prepositions and low[at + 1] != how.alike and word not in how.helping)
    if verb in how.having:
        return _participle(word, how)
    return _says(word, how) or word in how.determiners or word in how.prepositions or word in ("to", "not", "there")


def _says(word: str, how: Restate) -> bool:
    return word in how.predicates or word.endswith(how.predicate_endings) and word not in how.no_verbs or _participle(word, how) or word.endswith("ing") and word not in how.no_verbs and (
        not {word[:-3], f"{word[:-3]}e", word[:-4]}.isdisjoint(how.verbs))


def _participle(word: str, how: Restate) -> bool:
    return word in how.participles or word.endswith("ed") and len(word) > _SHORT_PAST or word.endswith("ed") and not {word[:-2], word[:-1], word[:-3], (
        f"{word[:-3]}y")}.isdisjoint(how.verbs)


def _used(clause: _Clause, how: Restate) -> int:
    """How many words behind the subject the verb takes: behind "do" the one that is done, "still" with it."""
    if clause.verb != how.base and clause.verb not in how.based:
        return 0
    return next(at for at, word in enumerate(clause.rest, 1) if word.lower() not in how.before_verbs)


def _agreeing(clause: _Clause, how: Restate) -> str:
    """The first verb as it goes with the subject of its reader: "are you" is "I am"."""
    who = clause.subject[0].lower() if len(clause.subject) == 1 else ""
    if who in ("i", "we") and clause.verb in how.asked_for and not clause.rest[0].lower() in how.wished:
        return how.will
    if clause.verb in how.softened:
        return how.softened[clause.verb]
    if who == "i":
        return how.mine.get(clause.verb, clause.verb)
    if who in ("you", "we") and clause.verb in ("am", "was"):
        return {"am": "are", "was": "were"}[clause.verb]
    return clause.verb


def _verbs(clause: _Clause, how: Restate) -> list[str]:
    """The verb of a statement."""
    if not _used(clause, how):
        return [_agreeing(clause, how)]
    *before, verb = clause.rest[:_used(clause, how)]
    form = {"does": _third, "did": _past}.get(clause.verb, _plain)
    return [*before, form(verb.lower(), how)]


def _plain(verb: str, how: Restate) -> str:
    return verb


def _third(verb: str, how: Restate) -> str:
    if verb in how.third:
        return how.third[verb]
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else f"{verb}s"


def _past(verb: str, how: Restate) -> str:
    if verb in how.past:
        return how.past[verb]
    if verb.endswith("e"):
        return f"{verb}d"
    return f"{verb[:-1]}ied" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else f"{verb}ed"


def _contracted(words: Sequence[str], clause: _Clause, how: Restate) -> str:
    pair = how.contracted.get(" ".join(words[:2]))
    if words[1:2] and words[1] in how.having and clause.verb not in how.having:
        pair = None  # "I have a key"
    # "Yes, I am", but "I'm ready".
    return " ".join([pair, *words[2:]] if pair and len(words) > 2 else words)


def _flipped(words: Sequence[str], how: Restate, we: bool) -> list[str]:
    """Words as the other side says them; "you" before a verb is a subject, and the verb goes with the new one."""
    done: list[str] = []
    for at, word in enumerate(words):
        low = word.lower()
        before, after = (words[spot].lower() if 0 <= spot < len(words) else "" for spot in (at - 1, at + 1))
        if low in how.asked:
            done.append(("we" if we else "I") if _is_subject(before, after, how) else ("us" if we else "me"))
        elif low in how.theirs:
            ours = we or not how.ours.isdisjoint(one.lower() for one in words[at + 1:at + 3])
            done.append(how.theirs.get(f"{low} ours") or how.theirs[low] if ours else how.theirs[low])
        elif before in how.asking and low in ("am", "was"):
            done.append({"am": "are", "was": "were"}[low])
        elif before in how.asked and done[-1] == "I":
            done.append(how.mine.get(low, word))
        else:
            done.append(how.objects.get(low, word))
    return done


def _is_subject(before: str, after: str, how: Restate) -> bool:
    """Whether "you" between two words is a subject: "the price you named", but not "help you decide"."""
    if after in how.auxiliaries:
        return after not in how.verbs or before not in how.verbs
    if after in how.verbs and after not in how.no_verbs:
        return before not in how.verbs and before not in how.prepositions
    return _participle(after, how) and before not in how.verbs and before not in how.prepositions or (
        after in how.past.values())
