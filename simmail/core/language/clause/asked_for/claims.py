"""
What a mail takes to have been said or promised by its reader, and what it wants to hear is so: "you said you'd pay
half", "please confirm that you still have the frame".
"""

from __future__ import annotations

from msgspec.structs import replace

from simmail.core.language.clause import question_types
from simmail.core.language.clause.asked_for.items import about
from simmail.core.language.clause.statement import clause_stated, positive
from simmail.core.language.clause.tables import clause_words, cut, restating
from simmail.core.language.questions import MailQuestion, is_question, read_question
from simmail.core.language.tables import Language
from simmail.core.language.text import capital

#: Among so many words behind "confirm" stands "that".
_BY_DAY = 4
#: Words of the longest clause that says who said what stands before it: "die Sie mir genannt".
_RELATIVE = 5


def claimed(sentence: str, answers: bool, language: Language) -> str:
    """
    Return what a sentence says that its reader said, C{""} for nothing.

    @param answers: whether that may be anything; else it is only what the reader would do.
    """
    how, low = question_types.asking(language.code), sentence.lower().replace("\u2019", "'")
    # What the writer has said itself is asked about only where it is to be confirmed: "..., didn't I?"
    cues = (*how.claiming, *(how.claiming_own if answers and low.rstrip().endswith("?") else ()))
    # "Sie haben gesagt" is said to its reader, "sie haben gesagt" of others.
    said = [one for one in cues if f" {one} " in f" {low if one.islower() else sentence}"]
    cue = max(said, key=len, default="").lower()
    if len(low) != len(sentence) or not cue and (not answers or sentence[-1:] != "?"):
        return ""
    if not cue or question_types.type_of(low, language):
        return taken_as_said(sentence, low, language) if answers and sentence[-1:] == "?" else ""
    start = low.index(f"{cue} ") + len(cue) + 1
    end = min((at for one in how.claim_ends if (at := low.find(one, start)) > 0), default=len(low))
    words = sentence[start:end].strip(" .?!").split()
    while words and words[0].lower() in how.claim_joints:
        words = words[1:]
    claim = " ".join(words)
    if cue.endswith(" to") and words:
        claim = f"you will {claim}"
    deed = f"{claim.lower()} ".startswith(tuple(f"{one} " for one in how.claimed_deeds))
    return claim if len(words) > 1 and (answers or deed) else ""


def taken_as_said(sentence: str, low: str, language: Language) -> str:
    """
    What a question takes to have been said or promised: "the gutter is green as we agreed, isn't it?", "is the discount
    that you gave us in it?"; C{""} for nothing, and for a request to do something.
    """
    how = question_types.asking(language.code)
    for cue in how.as_agreed:
        head, found, behind = low.partition(f" {cue}")
        words = sentence[:len(head)].strip(" ,").split()
        while words and words[0].lower().strip(",") in how.claim_leads:
            words = words[1:]
        relative = next((at for at in range(len(words) - 1, max(len(words) - _RELATIVE, 0), -1) if (
            words[at].lower() in how.claim_relatives)), 0)
        words = words[:relative] if relative and words[relative - 1].endswith(",") else words
        if found and not behind[:1].isalpha() and len(words) > 1:
            return "" if words[0].lower() in restating(language.code).modals else " ".join(words).rstrip(",")
    return ""


def claim_of(claim: str, answers: bool, language: Language) -> MailQuestion:
    """Return a claim as a question: whether it is so, or, of a promise that nothing was written of, to keep it."""
    how = question_types.asking(language.code)
    deed = next((one for one in how.claimed_deeds if f"{claim.lower()} ".startswith(f"{one} ")), "")
    if not answers and deed and how.claimed_asked:
        text = f"{how.claimed_asked} {claim[len(deed):].strip()}?"
        return read_question(capital(text), language)
    return replace(about(claim, claim, language, checks=True), recalls=answers, claims=True)


def as_claimed(one: MailQuestion, answers: bool, language: Language) -> MailQuestion:
    """Return a question that wants confirmed what was said in a thread as a claim: "you had allowed us 20 %, no?"."""
    says = answers and one.checks and not one.claims and question_types.mentions_any(
        f" {one.behind.lower()}", question_types.asking(language.code).claimed)
    return replace(one, claims=True, recalls=True) if says else one


def assured(sentence: str, language: Language) -> str:
    """Return the clause that a sentence wants to hear is so: "tell me it isn't on the press yet"; C{""} for none."""
    low = sentence.lower()
    cue = max((one for one in question_types.asking(language.code).assured if low.startswith(f"{one} ")), key=len,
              default="")
    rest = sentence[len(cue):].strip(" .!")
    if not cue or is_question(sentence) or question_types.type_inside(low, language) or not clause_stated(
            rest, language) and not clause_stated(positive(rest, language), language):
        return ""
    return rest


def to_confirm(sentence: str, language: Language) -> str:
    """Return the clause that is to be confirmed: "you still have the frame"; C{""} for a thing, and for none."""
    how, low = restating(language.code), sentence.lower()
    cue = next((one for one in question_types.asking(language.code).confirming if f" {one} " in f" {low}"), "")
    if not cue or how.order != "inverted" or len(low) != len(sentence):
        return ""
    rest = sentence[f" {low}".index(f" {cue} ") + len(cue):].strip(" .!?")
    words = cut(clause_words(rest), how)
    at = next((at for at, word in enumerate(words[:_BY_DAY + 1]) if word.lower() in how.reporting_that), -1)
    clause = " ".join(words[at + 1:])  # "by Friday that the hall is free"
    told = clause_stated(clause, language) if words and not question_types.type_of(rest.lower(), language) else None
    return clause if told is not None and told.yes else ""
