"""
Words of languages whose questions put the verb before the subject, as the other side says them, and the forms of their
verbs.
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.language.clause.tables import Restate, Sides, done

#: Letters up to which a word in "-ed" may be a noun: "shed", "speed".
_SHORT_PAST = 5


def flipped(words: Sequence[str], how: Restate, sides: Sides = Sides()) -> str:
    """
    Return words as the other side says them: "my flat" is "your flat", "call you" is "call me", and "you" before a
    verb is a subject, with which the verb goes.

    @param sides: who speaks to whom.
    """
    said: list[str] = []
    for at, word in enumerate(words):
        low = word.lower()
        before, after = (words[spot].lower() if 0 <= spot < len(words) else "" for spot in (at - 1, at + 1))
        if low in how.asked:
            subject = _is_subject(before, after, how)
            mine = how.asked[low] if subject else how.objects[low]
            several = sides.we or before in how.noun_joints and not subject and before not in how.determiners
            said.append(how.themselves_all[not subject] if several else mine)  # "how many of you"
        elif low in how.theirs:
            ours = sides.we or sides.house and not how.ours.isdisjoint(one.lower() for one in words[at + 1:at + 3])
            said.append(how.theirs.get(f"{low} ours", how.theirs[low]) if ours else how.theirs[low])
        elif before in how.asking and low in how.of_one:
            said.append(how.of_one[low])
        elif before in how.asked and said[-1] == how.asked[before]:
            said.append(how.mine.get(low, word))
        else:
            said.append(how.objects.get(low, word))
    return " ".join(said)


def _is_subject(before: str, after: str, how: Restate) -> bool:
    """Whether "you" between two words is a subject: "the price you named", but not "help you decide"."""
    if after in how.auxiliaries:
        return after not in how.verbs or before not in how.verbs
    if done(after, how) and after not in how.no_verbs:
        return before not in how.verbs and before not in how.prepositions
    return before in how.conjunctions or after in how.past.values() or participle(after, how) and before not in (
        how.verbs | how.prepositions)


def participle(word: str, how: Restate) -> bool:
    """Return whether a lower-case word may stand behind "has": "sent", "arrived"."""
    return word in how.participles or word.endswith("ed") and (len(word) > _SHORT_PAST or any(
        done(one, how) for one in (word[:-2], word[:-1], word[:-3])))


def plain_of_ing(form: str, how: Restate) -> str:
    """Return the plain form of a verb that goes on, C{""} for what is none: "bringing", "having", "putting"."""
    if not form.endswith("ing"):
        return ""
    stem = form[:-3]
    return next((one for one in (stem, f"{stem}e", stem[:-1]) if done(one, how)), "")


def third_person(verb: str, how: Restate) -> str:
    """Return a verb in its plain form as "she" has it."""
    if verb in how.third:
        return how.third[verb]
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else f"{verb}s"


def plain_of_past(form: str, how: Restate) -> str:
    """Return the plain form of a verb of the past, C{""} for what is none: "bought", "arrived"."""
    plain = next((verb for verb, past in how.past.items() if past == form and verb != form), "")
    if plain or not form.endswith("ed"):
        return plain
    return next((one for one in (form[:-1], form[:-2], form[:-3], f"{form[:-3]}y") if done(one, how) and (
        past_tense(one, how) == form)), "")


def past_tense(verb: str, how: Restate) -> str:
    """Return a verb in its plain form as it stands of the past."""
    if verb in how.past:
        return how.past[verb]
    if verb.endswith("e"):
        return f"{verb}d"
    return f"{verb[:-1]}ied" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else f"{verb}ed"
