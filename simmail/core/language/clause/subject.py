"""
Where the subject of an asking clause ends: "does [the whole lamp] have to go back", "is [the side door code] the same".

Told by what may begin what is said of it: behind "do" and "can" a verb, behind "has" a participle, behind "is" an
adjective, a participle, an article or a preposition.
"""

from __future__ import annotations

from collections.abc import Sequence

from simmail.core.language.clause.inverted import participle
from simmail.core.language.clause.tables import Restate, done


def subject_end(words: Sequence[str], how: Restate) -> int:
    """Return the place behind the subject that stands behind a clause's first verb, 0 where nothing tells it."""
    low = [word.lower() for word in words]
    if low[1] not in how.asked and low[1] not in how.asking and low[1] not in how.subjects:
        return _phrase_end(words, low, how)
    follows = low[2] if len(low) > 2 else ""
    if low[1] in how.asked and follows == how.also and len(low) > 4 and words[3][0].isupper():
        return 4  # "you and Jakob"
    if follows in how.besides or follows in how.joined and low[1] not in how.pointing_words:
        return 0  # "you two", "you or Tom"
    if follows and low[1] in how.pointing_words and follows not in how.determiners and not _may_follow(low, 2, how):
        return _phrase_end(words, low, how)  # "is this seat taken"
    return 2


def _phrase_end(words: Sequence[str], low: Sequence[str], how: Restate) -> int:
    """The place behind a phrase: of a name, a plural, or an article and what goes with it."""
    article = low[1] in how.determiners
    if article and low[0] in how.having and low[2:3] and low[2] in how.perfect:
        return 2  # "have any been sold"
    if low[1][0].isdigit() and low[2:3] and low[2] in how.theirs:
        return 2  # "is 350 your last price"
    named = (words[1][0].isupper() or words[1][0].isdigit()) and not article
    if not (named or article or low[1].endswith("s")):
        return 0
    at, noun = (2, True) if named else (1 + article, False)
    while at < len(low):
        if low[at] in how.joined and low[at] in how.noun_joints:
            # "Tom and my sister"
            noun = False
            at += 1 + (low[at + 1:at + 2] != [] and low[at + 1] in how.determiners)
            continue
        if noun and _follows(low, at, how):
            return _behind_preposition(low, at, how) or at
        noun = noun or low[at] not in how.predicates  # adjectives stand before it: "the new kitchen"
        at += 1
    return 0


def _behind_preposition(low: Sequence[str], at: int, how: Restate) -> int:
    """Where what is said begins, if a phrase with a preposition belongs to the subject: "the invoice for March"."""
    if low[at] not in how.prepositions or low[0] not in how.being:
        return 0
    if low[-1] == how.there and len(low) > at + 3:
        return len(low) - 2  # "the moulds from there in there"
    return next((
        one for one in range(at + 1, len(low)) if says(low[one], how) and low[one - 1] not in how.determiners and (
            one == len(low) - 1 or low[one + 1] in how.prepositions or low[one + 1] in how.when_words)), 0)


def _follows(low: Sequence[str], at: int, how: Restate) -> bool:
    """Whether a word begins what is said of the words before it, and goes with none of these."""
    return low[at - 1] not in how.determiners | how.prepositions | how.noun_joints and _may_follow(low, at, how)


def _may_follow(low: Sequence[str], at: int, how: Restate) -> bool:
    """Whether a word may begin what is said of a subject, by the first verb of the clause."""
    verb, word, after = low[0], low[at], low[at + 1] if at + 1 < len(low) else ""
    if word in how.before_verbs:
        return bool(after)
    if verb == how.base or verb in how.based or verb in how.modals:
        # Of two verbs the first is a noun ("does the test run need"), unless it helps the other one.
        later = low[at + 2] if at + 2 < len(low) else ""
        if after in how.before_verbs and later in how.verbs and word not in how.helping:
            return False  # "does the fire lane plan still count"
        two = after in how.verbs - how.prepositions - how.predicates and after != how.alike and word not in how.helping
        return done(word, how) and word not in how.no_verbs and not two
    if verb in how.having:
        return participle(word, how)
    return says(word, how) or word in how.determiners or word in how.prepositions or word in how.other_predicates


def says(word: str, how: Restate) -> bool:
    """Return whether a lower-case word tells by itself how something is: "free", "sent", "working"."""
    return word in how.predicates or participle(word, how) or word not in how.no_verbs and (
        word.endswith(how.predicate_endings) or word.endswith("ing") and any(
            done(one, how) for one in (word[:-3], f"{word[:-3]}e", word[:-4])))
