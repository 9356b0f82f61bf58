"""
What a sentence or the lines below it list of what is wanted: behind a colon, behind "please reply with", as (a), (b),
(c), or as indirect questions in a row.
"""

from __future__ import annotations

import re
from functools import cache

from msgspec.structs import replace

from simmail.core.language.clause import question_types
from simmail.core.language.clause.asked_for.items import item_phrase
from simmail.core.language.clause.opening import opens
from simmail.core.language.clause.tables import restating
from simmail.core.language.phrases import documents
from simmail.core.language.questions import MailQuestion, is_question
from simmail.core.language.tables import Language
from simmail.core.language.tables import language as known
from simmail.core.language.text import say

_MARKS = ".,;:!?()"
#: An item with more figures is a number to ring, and tells it.
_FIGURES = 5
#: What numbers the things in a sentence.
_NUMBERS = re.compile(r"\([1-9a-e]\)\s+")
#: So many indirect questions are several; words of the day by which they are to be answered.
_MORE, _BY_DAY = 2, 4
#: Letters of a word that asks for no more than to be told: "state", "specify".
_TELLS = 4
#: Characters by which it is told what an indirect question asks for.
_AHEAD = 40
#: What is said of something in brackets.
_ASIDE = re.compile(r"\s*\([^()]*\)")
#: Words of a demand before a list.
_FEW = 5
#: Marks at the end of what leads no list in.
_ENDED = ".!?…"


def lettered(sentence: str, language: Language) -> list[str]:
    """Return what a demand letters or numbers in one sentence: "I want (a) an explanation and (b) my money back"."""
    marks = list(_NUMBERS.finditer(sentence))
    head = sentence[:marks[0].start()].rstrip(" :") if len(marks) > 1 else ""
    if not head or is_question(sentence) or not (
            announces(f"{head}:", language) or demands(head, language)):
        return []
    ends = [*(one.start() for one in marks[1:]), len(sentence)]
    items = [f" {sentence[one.end():end].strip(_MARKS + ' ')}".removesuffix(f" {language.and_}").strip(_MARKS + " ")
             for one, end in zip(marks, ends)]
    knowing = question_types.asking(language.code).to_know
    return [one.removeprefix(knowing) for one in items] if all(items) else []  # "see (a) and (b)"


def numbered(sentence: str, language: Language) -> tuple[str, ...]:
    """Return the things to choose that a statement letters or numbers: "(a) keep it, or (b) leave"; C{()} for none."""
    marks = list(_NUMBERS.finditer(sentence))
    if len(marks) < 2 or is_question(sentence) or sentence[:marks[-1].start()].split()[-1:] != [language.or_]:
        return ()
    ends = [*(one.start() for one in marks[1:]), len(sentence)]
    things = [sentence[one.end():end].partition(",")[0].strip(_MARKS + " ").removesuffix(f" {language.or_}")
              for one, end in zip(marks, ends)]
    return tuple(say(" ".join(language.flips.get(word.lower(), word) for word in one.split()), 60) for one in things)


def day_of(question: MailQuestion, language: Language) -> MailQuestion:
    """Return a wish, one for "your preferred slot" as the question which of several days it is to be."""
    picks = question_types.mentions_any(f" {question.text.lower()}", question_types.asking(language.code).picking_days)
    return replace(question, form="when", type="when") if picks else question


def listed(sentence: str, language: Language) -> list[str]:
    """Return what a sentence lists behind a colon, each a phrase, "I need: the plan and the keys"; C{[]} for none."""
    several = _several(sentence, language)
    if several:
        return several
    head, colon, tail = sentence.rstrip(" .!").partition(": ")
    items = [one.strip() for part in tail.split(", ") for one in part.split(f" {language.and_} ")] if colon else []
    told = any(sum(map(str.isdigit, one)) > _FIGURES for one in items)  # "ring my husband: Glyn, 0191 555 0144"
    return items if not told and announces(f"{head}:", language) and all(
        item_phrase(one, language) for one in items) else []


def _several(sentence: str, language: Language) -> list[str]:
    """Three or more things that a plea wants, each with its article: "reply with your slot, the name and any notes"."""
    low, how = sentence.lower(), restating(language.code)
    cue = next((one for one in question_types.asking(language.code).listing if one in low), "")
    if not cue or is_question(sentence) or len(low) != len(sentence):
        return []
    tail = sentence[low.index(cue) + len(cue):].rstrip(" .!")
    items = [one.strip() for one in re.split(rf",\s+(?:{re.escape(language.and_)}\s+)?|\s{re.escape(language.and_)}\s",
                                             tail)]
    starts = language.determiners | how.determiners
    plain = all(one.partition(" ")[0].lower() in starts and " " in one and how.auxiliaries.isdisjoint(
        one.lower().split()) for one in items)
    # What else is listed is told or sent in one go.
    apart = any(one.partition(" ")[0].lower() in how.any_words or question_types.mentions_any(
        f" {one.lower()}", question_types.asking(language.code).picking_days) for one in items)
    apart = apart or not any(
        one.partition("(")[0].split()[-1].lower().endswith(tuple(language.details)) for one in items)
    return items if len(items) > _MORE and plain and apart else []


def clauses_listed(sentence: str, language: Language) -> list[str]:
    """
    Return the indirect questions, and the things beside them, that a sentence lists behind a word that asks for them;
    C{[]} for fewer than two.
    """
    sentence = _ASIDE.sub("", sentence)
    low = sentence.lower()
    if "," not in low and f" {language.and_} " not in low:
        return []
    cues = [match.end() for match in _telling(language.code).finditer(low)]
    if not cues:
        return []
    # Behind a cue, a mark or "and" one begins: with a question word or "whether", or a thing with its article.
    begins = sorted({*(_behind_day(low, at + 1, language) for at in cues if low[at:at + 1] == " "), *(
        match.start(1) for match in _begin(language.and_, language.or_).finditer(low, cues[0]))})
    asking = [at for at in begins if asks_inside(low[at:at + _AHEAD], language)]
    if not asking:
        return []  # things alone are told in one go
    if is_question(sentence) and restating(language.code).order == "inverted" and (
            len(asking) < _MORE or low[:asking[0]].rstrip()[-1:] == "," or any(
                opens(sentence[at:], language) for at in begins if at not in asking)):
        return []  # "can you tell me the price, and do you deliver?"
    things = [at for at in begins if low[at:].partition(" ")[0] in language.determiners]
    starts = sorted({*asking, *([] if documents(sentence, language) else things)})
    found = [sentence[begin:end].strip(" ,.;:!?") for begin, end in zip(starts, [*starts[1:], len(sentence)])]
    plain = [one.removesuffix(f" {language.and_}").removesuffix(f", {language.or_}").strip(" ,") for one in found]
    # "Votre présence ou de nous indiquer à quel voisin"
    return [one if asks_inside(one.lower(), language) else one.partition(f" {language.or_} ")[0] for one in plain]


def _behind_day(low: str, at: int, language: Language) -> int:
    """A place behind the day by which something is to be told: "let me know by Friday whether ..."."""
    words = low[at:].split(" ", _BY_DAY + 1)
    if words[0] not in language.due_words:
        return at
    spots = (at + len(" ".join(words[:size])) + 1 for size in range(2, min(len(words), _BY_DAY + 1)))
    return next((spot for spot in spots if asks_inside(low[spot:spot + _AHEAD], language)), at)


@cache
def _telling(code: str) -> re.Pattern[str]:
    """What asks to be told something."""
    how = question_types.asking(code)
    # What is checked or found out is done, and not told.
    telling = (one for one in how.telling if len(one) > _TELLS and one not in restating(code).reported)
    cues = sorted({cue.rstrip() for cue in (
        *known(code).ask_words, *how.wanting, *how.reported, *telling)}, key=len)[::-1]
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, cues))})(?!\w)" if cues else r"(?!)")


@cache
def _begin(and_: str, or_: str) -> re.Pattern[str]:
    """The place behind a mark, "and", or "or" behind a mark."""
    joint = f"(?:{re.escape(and_)}|{re.escape(or_)})"
    return re.compile(rf"(?:[,:]\s+(?:{joint}\s+)?|\s{re.escape(and_)}\s)(\S)")


def asks_inside(clause: str, language: Language) -> bool:
    """Return whether lower-case words begin an indirect question: with a question word, "whether" or "if"."""
    whether = question_types.asking(language.code).whether
    return clause.startswith(tuple(f"{one} " for one in whether)) or question_types.type_of(clause, language) not in (
        "", "yes_no")


def announces(sentence: str, language: Language) -> bool:
    """Return whether a sentence says that what is listed behind it is wanted: "I need the following:"."""
    low = f" {sentence.lower()}"
    chooses = question_types.mentions_any(low, question_types.asking(language.code).picking)  # "choose one of these:"
    return sentence.endswith(":") and not chooses and any(
        f" {cue}" in low for cue in (*language.ask_words, *question_types.asking(language.code).wanting,
                                     *question_types.asking(language.code).reported))


def picks_day(sentence: str, language: Language) -> bool:
    """Return whether a plea wants to be told which of several days: "please reply with the date you want"."""
    how, low = question_types.asking(language.code), f" {sentence.lower()}"
    return question_types.mentions_any(low, how.picking_days) and question_types.mentions_any(
        low, (*how.replying, *how.telling))


def demands(sentence: str, language: Language) -> bool:
    """Return whether a few words before a list say that it is wanted: "I want", "we need"."""
    low, how = sentence.lower().strip(_MARKS + " "), question_types.asking(language.code)
    if sentence[-1:].isalnum() and low.endswith(how.reported):
        return True  # "I paid at once, but I want to know", and a list
    return len(low.split()) <= _FEW and sentence[-1:] not in _ENDED and any(
        f" {low} ".find(f" {cue.strip()} ") >= 0 for cue in (*how.demanding, *how.wanting))
