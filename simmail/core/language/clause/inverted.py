"""
Clauses of languages whose questions put the verb before the subject: C{do you like it}, C{I like it}.
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.language.clause.tables import Restate, Statement, fit, past, third


def clause(head: list[str], rest: list[str], how: Restate) -> str:
    """Return the clause of a question, C{""} when it cannot be told: its question word and what follows that."""
    first, second = rest[0].lower(), rest[1].lower() if len(rest) > 1 else ""
    own = [*(one.lower() if n == 0 else one for n, one in enumerate(head)), flipped(rest, how, objects=True)]
    if second in how.auxiliaries and (first in how.asked or first in how.asking or first in how.subjects):
        rest, first, second = [rest[1], rest[0], *rest[2:]], second, first  # "tell me what you have stored"
    if first not in how.auxiliaries:
        # Its subject is the question word: "who signs the contract".
        return " ".join(own) if first in how.verbs or third(first, how) or past(first, how) else ""
    if head[-1].lower() in how.doers and first in how.having and second not in {*how.asked, *how.asking, *how.subjects}:
        return " ".join(own)  # "who has the key"
    if head[-1].lower() in how.who_words and first in how.linking and second.endswith(how.verb_endings) and (
            second not in how.no_verbs):
        return " ".join(own)  # "what is stored there"
    if head[-1].lower() in how.doers and first in how.modals and second in how.verbs:
        return " ".join(own)  # "who would like to come"
    subject = _subject(rest[1:], how, first in how.supports or first in how.modals)
    if not subject and first in how.linking and second in how.determiners and len(rest) < 7:
        subject = len(rest) - 1  # "where is the insurance certificate"
    if not subject:
        if first in how.supports and (head[-1].lower() not in how.doers or second not in how.determiners):
            return ""  # "what did Hall bid" has a subject that cannot be told
        plain = second in how.verbs or second.endswith(how.verb_endings) or second in how.verb_starts
        return " ".join(own) if second and (plain or head[0].lower() in how.who_words) else ""
    tail = rest[1 + subject:]
    who, person = _person(rest[1:1 + subject], tail, how)
    verb = _verb(first, person, tail, how)
    if verb is None:
        return ""
    head = [*(one.lower() if n == 0 else one for n, one in enumerate(head))]
    return " ".join(part for part in (
        flipped(head, how, objects=True), who, *verb[0], flipped(verb[1], how, objects=True)) if part)


def _subject(words: list[str], how: Restate, supported: bool = False) -> int:
    """How many words the subject of an inverted sentence has, up to its verb; 0 when that cannot be told."""
    if not words:
        return 0
    low = [word.lower() for word in words]
    if low[0] in how.no_subjects:
        return 0
    if low[0] in how.asked and low[1:2] == [how.also] and words[2:4]:
        # "You and Ifan", "you and your husband".
        return 3 if words[2][0].isupper() else 4 if low[2] in how.determiners else 0
    if low[0] in how.subjects and low[1:2] and low[1] in how.besides:
        return 2  # "could somebody else take it"
    # "Has somebody from your side seen it?"
    joined = low[0] in how.subjects and how.joining.intersection(low[1:2]) and how.determiners.intersection(low[2:3])
    if (low[0] in how.subjects or low[0] in how.asked or low[0] in how.asking) and not joined:
        return 1
    if words[0][0].isupper() and low[0] not in how.determiners:
        # "Lowri", "Ms Parry", "Ifan and Gwen", up to what is surely a verb, where no "is" went before.
        end = next((at for at, word in enumerate(words) if not (word[0].isupper() or word == how.also)), len(words))
        sure = low[end:end + 1] and (not supported or low[end] in how.verbs or low[end] in how.adverbs)
        return end if sure and words[end - 1][0].isupper() else 0
    for at in range(3 if joined else 1, min(len(words), 7)):
        one = low[at]
        if one in how.asked or one in how.asking:
            return 0  # "the invoices you sent"
        if one in how.adverbs and at > 1:
            return at
        if at > 1 or low[0] not in how.determiners:
            # "Will the stock take be finished?"
            if one in how.no_verbs or low[at - 1] in how.before_nouns or how.past.get(
                    "".join(low[at + 1:at + 2])) in how.linking:
                continue
            if not supported and one in how.between and any(word.endswith(how.verb_endings) for word in low[at + 1:]):
                return 0  # "is the man from the garage coming"
            # "Is the key in the box", but "are the twins allergic to nuts".
            short = at == 2 or one not in how.between
            if one in how.verbs or not supported and short and (
                    one in how.verb_starts or len(one) > 4 and one.endswith(how.verb_endings)):
                return at
    return 0


def _person(subject: list[str], tail: list[str], how: Restate) -> tuple[str, str]:
    """The subject as the answering side says it, and whether it is C{me}, C{you}, C{us} or C{""}."""
    low = subject[0].lower()
    if len(subject) > 1 and low in how.asked:
        return how.company, "us"
    if len(subject) == 1 and low in how.asked:
        verb = next((word.lower() for word in tail), "")
        if verb in how.company_verbs or not how.together.isdisjoint(word.lower() for word in tail[:2]):
            return how.company, "us"
        return how.asked[low], "me"
    if len(subject) == 1 and low == how.shared and not how.shared_verbs.isdisjoint(word.lower() for word in tail):
        return how.shared, "us"
    if len(subject) == 1 and low in how.asking:
        return how.asking[low], "you"
    return flipped(subject, how, objects=False), ""


def _verb(first: str, person: str, tail: list[str], how: Restate) -> tuple[list[str], list[str]] | None:
    """The verb of a statement, and what follows it."""
    if first in how.supports:
        if not tail:
            return None
        if tail[0].lower() in how.adverbs:
            # "When did you last have it" is about "when I last had it".
            found = _verb(first, person, tail[1:], how)
            return found and ([tail[0], *found[0]], found[1])
        base = tail[0].lower()
        if base not in how.verbs:
            return None
        match how.supports[first]:
            case "past":
                return [how.past.get(base) or (f"{base}d" if base.endswith("e") else f"{base}ed")], tail[1:]
            case "third":
                return [_third_person(base, how)], tail[1:]
        return [tail[0]], tail[1:]
    if person == "me":
        return [how.mine.get(first, first)], tail
    return [how.yours.get(first, first) if person in ("you", "us") else first], tail


def _third_person(base: str, how: Restate) -> str:
    if base in how.third:
        return how.third[base]
    if base.endswith(("s", "sh", "ch", "x")):
        return f"{base}es"
    return f"{base[:-1]}ies" if base.endswith("y") and base[-2:-1] not in "aeiou" else f"{base}s"


def statement(words: list[str], how: Restate) -> Statement:
    """Return a yes-or-no question as a yes and a no in full."""
    first = words[0].lower()
    if first not in how.auxiliaries:
        return Statement("", "")
    supported = first in how.supports or first in how.modals
    subject = _subject(words[1:], how, supported)
    if not subject and not supported and len(words) == 4 and words[1].lower() in how.determiners:
        subject = 2  # "is your knee better"
    if not subject:
        return Statement("", "")
    tail = words[1 + subject:]
    who, person = _person(words[1:1 + subject], tail, how)
    if person == "us" and tail and tail[0].lower() in how.lot:
        tail = tail[1:]  # "you lot"
    if not tail and person == "me" and first in how.modals:
        return Statement(f"{who} {how.mine.get(first, first)}", f"{who} {how.negated.get(first, '')}")  # "or will you?"
    verb = _verb(first, person, tail, how)
    if verb is None or not tail:
        return Statement("", "")
    if tail[-1].lower() in how.adverbs:
        return Statement("", "")  # "that is still"
    low_tail = [how.polarity.get(word.lower(), word) for word in verb[1]]
    who_said = " ".join(how.polarity.get(word.lower(), word) for word in who.split())
    said = " ".join(part for part in (
        who_said, *(how.polarity.get(one, one) for one in verb[0]), flipped(low_tail, how, objects=True)) if part)
    aux = how.mine.get(first, first) if person == "me" else how.yours.get(first, first) if person == "you" else first
    negated = how.negated.get(aux, "")
    lasts = next((word for word in tail[:2] if word.lower() in how.lasting), "")
    if lasts:
        # "Do you still play", "I don't play any more".
        tail = [*(word for word in tail if word != lasts), how.lasting[lasts.lower()]]
    tail = [how.denials.get(word.lower(), word) for word in tail]
    denied = " ".join(part for part in (who, negated, flipped(tail, how, objects=True)) if part) if negated else ""
    one, _, other = who.lower().partition(" ")
    if one in how.somebody:
        nobody = f"{how.somebody[one]} {other}".strip()
        verb = _verb(first, person, tail, how) or verb
        denied = " ".join((nobody, *verb[0], flipped(verb[1], how, objects=True)))
    return Statement(fit(_shortened(said, how)), fit(_shortened(denied, how)))


def _shortened(text: str, how: Restate) -> str:
    for long, short in how.shorter.items():
        if text.startswith(f"{long} "):
            return short + text[len(long):]
    return text


def flipped(words: Sequence[str], how: Restate, objects: bool) -> str:
    """Return words as the other side says them: "my flat" is "your flat", "call you" is "call me"."""
    done: list[str] = []
    for at, word in enumerate(words):
        low = word.lower()
        following = words[at + 1].lower() if at + 1 < len(words) else ""
        if low in how.theirs:
            second = words[at + 2].lower() if at + 2 < len(words) else ""
            ours = following in how.ours or second in how.ours
            new = how.theirs[low] if not ours else how.theirs.get(f"{low} ours", how.theirs[low])
        elif low in how.objects and objects:
            # "The order you sent": a subject stands before its verb.
            verb = following in how.auxiliaries or following in how.verbs or following in how.past.values() \
                or following in how.negated.values()
            before = words[at - 1].lower() if at else ""
            made = before in how.verbs or past(before, how) or third(before, how)  # "what made you leave"
            new = {**how.asking, **how.asked}.get(low, how.objects[low]) if verb and at and not made else how.objects[
                low]
        else:
            new = word
        done.append(new)
    return " ".join(done)
