"""
What a question leaves to the sentence before it to name: "you can have a new one or your money back.  Which would you
prefer?".
"""

from __future__ import annotations

from msgspec.structs import replace

from simmail.core.language.clause import question_types
from simmail.core.language.clause.tables import restating
from simmail.core.language.clause.choosing.times import either_time
from simmail.core.language.clause.choosing.ways import ways
from simmail.core.language.questions import MailQuestion, is_question, options, read_question
from simmail.core.language.tables import Language
from simmail.core.language.text import say

#: With so many words a question is about more than which.
_SHORT = 7
#: With fewer it names nothing: "which one?".
_BARE = 4
#: A plea to be told which has so many words, and which stands among so many at its end.
_PLEA, _BEHIND = 11, 5
_MARKS = ".,;:!?()"


def choice(
    sentence: str, asked: list[MailQuestion], before: str, listed: tuple[str, ...], language: Language
) -> MailQuestion | None:
    """
    Return the choice that a sentence leaves, None for one that leaves none.

    @param asked: the questions of the sentence; before: the sentence before it.
    @param listed: three or more things that were named not long before.
    """
    if not asked:
        # "It comes in leather or canvas.  Let me know which."
        offer = _named(before, language) if before and wants_which(sentence, language) else ()
        if not offer and question_types.mentions_any(sentence, restating(language.code).undecided) and len(
                both := ways(before, language)) > 1:
            offer = both  # "I can replace it or patch it.  Need to know today."
        if question_types.mentions_any(sentence, question_types.asking(language.code).free_choice):
            offer = either_time(sentence, language) or offer
            offer = both if len(both := ways(sentence, language)) > 1 else offer
        return _choice(read_question(sentence, language), offer) if offer else None
    if question_types.mentions_any(sentence, restating(language.code).proceeding) and len(
            both := ways(before, language)) > 1:
        return _choice(asked[0], both)
    if len(asked) > 1:
        return None
    if _asks_which(asked[0], language) and (offer := _named(before, language) or _other(before, language)):
        return _choice(asked[0], offer)
    if listed and _picks(asked[0], before, language):
        # "They come in black, silver or polished.  Which shall I put down for you?"
        return _choice(asked[0], listed)
    if _told_before(asked[0], language) and (offer := _pair(before, language)):
        # "She asks: oiled or waxed, what did you say?"
        return replace(_choice(asked[0], offer), recalls=True)
    return None


def offered_before(question: MailQuestion, before: str, language: Language) -> tuple[str, ...]:
    """Return what the sentence before a question offers where it asks for no more than which of it; C{()} else."""
    return _named(before, language) if before and not is_question(before) and _asks_which(question, language) else ()


def _choice(question: MailQuestion, offer: tuple[str, ...]) -> MailQuestion:
    return replace(question, form="choice", type="choice", options=offer)


def _named(before: str, language: Language) -> tuple[str, ...]:
    both = either_time(before, language) or ways(before, language)
    return (both if len(both) > 1 else ()) or _may(before, language) or options(
        f"{before}?", language, asked=True) or _pair(before, language)


def _asks_which(question: MailQuestion, language: Language) -> bool:
    """Whether a sentence asks for no more than which of two things that stand in the one before it."""
    words = question.text.lower().strip(" ?").split()
    return not question.options and question.form in ("what", "choice") and (
        len(words) < _SHORT and not language.choice_words.isdisjoint(words)
        or len(words) < _BARE and f"{' '.join(words)} ".startswith(tuple(f"{one} " for one in language.choosing_words)))


def picks_of_list(question: MailQuestion, language: Language) -> bool:
    """Return whether a question asks which of the things of a list: "which?", "what would you prefer?"."""
    low = question.text.lower().strip(" ?!.")
    words = low.split()
    proceeds = question_types.mentions_any(question.text, restating(language.code).proceeding)
    return proceeds or question.type in ("what", "choice") and low.startswith(language.choosing_words) and (
        len(words) < _BARE - 1 or not language.choice_words.isdisjoint(words)) and len(words) < _SHORT


def wants_which(sentence: str, language: Language) -> bool:
    """Return whether a statement of a few words wants to be told which: "let me know which"."""
    # "Just reply and tell us which one you'd like, or ring if you are leaving."
    plain = sentence.lower().partition(f", {language.or_} ")[0].strip(_MARKS + " ")
    which = language.choice_words.union(language.choosing_words)
    if which.isdisjoint(plain.split()):
        return False
    cue = max((at for one in question_types.asking(language.code).telling if (at := plain.rfind(f" {one} ")) > 0),
              default=-1)
    words = plain[cue + 1:].split()
    # "Which way you want to go by the end of next week"
    words = words[:next((at for at, one in enumerate(words) if at > _BARE and one in language.due_words), None)]
    how, spots = restating(language.code), range(max(0, len(words) - _BEHIND), len(words) - 1)
    bare = any(words[at] in language.choosing_words and (words[at + 1] in how.pronouns or (
        words[at + 1] in language.counts)) and (
        words[at - 1] not in language.question_prepositions) for at in spots)
    last = words[-1:] and words[-1] in language.choosing_words
    asks = len(words) < _SHORT and not which.isdisjoint(words[-2:]) or len(words) <= _PLEA and bool(bare or last)
    return asks and question_types.mentions_any(sentence, question_types.asking(language.code).wanting)


def _picks(question: MailQuestion, before: str, language: Language) -> bool:
    """Whether a question asks which of what was listed before it, and names nothing: "which shall I take?"."""
    first, second, *_ = (*question.text.lower().split(), "", "")
    # "Which colour shall we take?", unless it is asked beside another choice.
    named = second in question_types.asking(language.code).picked and not is_question(before)
    return not (question.options or question.recalls) and first in language.choosing_words and (
        named or second in restating(language.code).auxiliaries or second in language.of_words)


def _told_before(question: MailQuestion, language: Language) -> bool:
    """Whether a question of a few words asks what was said, and names nothing."""
    words = question.text.lower().strip(" ?").split()
    return question.form == "what" and not question.options and len(words) < _SHORT and not (
        question.topic or restating(language.code).past_words.isdisjoint(words))


def _other(sentence: str, language: Language) -> tuple[str, ...]:
    """The second of two things that stand in two sentences: "Or everything together on the 21st.", C{()} for none."""
    first, _, rest = sentence.rstrip(" .!").partition(" ")
    how = restating(language.code)
    clause = rest.partition(" ")[0].lower().replace("\u2019", "'")
    if clause in how.asking or clause in how.asked or clause in how.objects:
        return ()  # "Or I've a reconditioned one here"
    return (say(rest, 60),) * 2 if first.lower() == language.or_ and rest else ()


def _pair(sentence: str, language: Language) -> tuple[str, ...]:
    """Two words that end alike on both sides of "or": "it can be had oiled or waxed, at no cost", C{()} for none."""
    words = sentence.split()
    for before, joint, after in zip(words, words[1:], words[2:]):
        pair = before.strip(_MARKS), after.strip(_MARKS)
        if joint.lower() == language.or_ and all(map(str.isalpha, pair)) and pair[0][-2:] == pair[1][-2:]:
            return pair
    return ()


def _may(sentence: str, language: Language) -> tuple[str, ...]:
    """The first of two things that may be done: "you can come on Friday or have it sent", C{()} for none."""
    cue = next((one for one in language.may_choose if one in f"{sentence.lower()} "), "")
    start = sentence.lower().find(cue) + len(cue)
    if cue and sentence[:start].lower().endswith(f" {language.or_} {cue}"):
        # "He would do it, or you can borrow it if you'd rather."
        words = sentence[start:].split(",")[0].strip(" .!").split()
        ends = restating(language.code).conditions
        first = " ".join(words[:next((at for at, word in enumerate(words) if word.lower() in ends), None)])
        return (say(_flipped(first.split(), language), 60),) if first else ()
    first, _, other = sentence[start:].partition(f" {language.or_} ") if cue else ("", "", "")
    if other and ", " in first:
        first = first.partition(", ")[0]  # "extend it, buy it, or have us collect it"
    if not other or other.split()[0].lower() in language.determiners | language.choice_prepositions:
        return ()
    return (say(_flipped(first.split(), language), 60),)


def _flipped(words: list[str], language: Language) -> str:
    """Words as the other side says them."""
    return " ".join(language.flips.get(word.lower(), word) for word in words)
