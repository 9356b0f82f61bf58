"""
Whether a mail gives cause for what is said to mail of its kind.

A kind is told by cues, of which one may stand in any mail; what is said to some kinds is absurd to others (a student
locked out of its account is no swindler, a freezer that died nobody's loss).  Each of those asks for more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from msgspec.structs import replace

from simmail.core.language.clause.question_types import is_courtesy
from simmail.core.language.intents import score
from simmail.core.language.phrases import words
from simmail.core.language.questions import is_question
from simmail.core.writer.context import CLOSELY, PRESUMING, Read, Scene
from simmail.core.writer.life import kind_words
from simmail.core.writer.reply.taken_up import insists, is_trouble
from simmail.core.writer.sources.side import side_words, tells

#: Sentences that are looked at.
_SENTENCES = 12


def grounded(scene: Scene, read: Read) -> Read:
    """Return a mail as of its kind, or as one that asks or tells something where it gives no cause for what is said."""
    cause = _CAUSES.get(read.intent)
    # In a thread most is about what was said before, and a model that goes by meaning alone is astray there.
    shown = not scene.request.own or read.intent not in PRESUMING or score(read.found, False)[read.intent] > 0
    if shown and (cause is None or cause(scene, read)):
        return read
    return replace(read, intent="question" if read.found.points else "information")


def _lures(scene: Scene, read: Read) -> bool:
    """Whether a mail has a link, or wants a secret or money: what a swindler comes for."""
    mail = read.mail
    low = f" {mail.subject} {read.found.new}".lower()
    return bool(mail.attachments) or "http" in low or "href" in mail.html or any(
        map(low.__contains__, kind_words(scene.language.code).lures))


def _mourns(scene: Scene, read: Read) -> bool:
    """Whether somebody has died, and no machine."""
    lifeless, cues = kind_words(scene.language.code).lifeless, scene.language.cues["grief"]
    if read.found.moving.what not in ("", *CLOSELY):
        return True
    asked = " ".join(filter(is_question, read.found.prose.sentences[:_SENTENCES])).lower()
    for sentence in (read.mail.subject[:200], *read.found.prose.sentences[:_SENTENCES]):
        low = f" {' '.join(words(sentence.lower()))} "
        for cue in () if is_question(sentence) else cues:
            if cue in asked:
                continue  # "are you going to Ted's funeral?"
            head, found, _ = low.partition(f" {cue}")
            if found and lifeless.isdisjoint(head.split()[-2:]):
                return True
    return False


def _answers_by_itself(scene: Scene, read: Read) -> bool:
    """Whether a program says that a mail arrived: one that asks for something waits for an answer."""
    return bool(read.mail.header("Auto-Submitted")) or not [
        one for one in read.found.points if not is_courtesy(one.text, scene.language)]


def _appoints(scene: Scene, read: Read) -> bool:
    """Whether an appointment is what a mail is about, and not what went wrong."""
    return not is_trouble(read, scene.language)


def _is_answered_for(scene: Scene, read: Read) -> bool:
    """Whether a complaint is to a house that answers for something: what an office misses is told it by who applies."""
    lacks = side_words(scene.language.code).lacking
    if any(one.endswith(":") and tells(one, lacks) for one in read.found.prose.sentences) and read.found.points:
        return False  # "the following data are missing:" asks for them
    return bool(scene.request.persona.org) or not read.found.points


def _calls_off(scene: Scene, read: Read) -> bool:
    """Whether something is called off: who insists on what went wrong does not."""
    return not insists(read, scene.language)


def _is_to_pay(scene: Scene, read: Read) -> bool:
    """Whether a bill is to be paid: nobody pays one that was sent twice, and is to be credited."""
    low = f" {read.found.new}".lower()
    return not read.found.points or not any(map(low.__contains__, kind_words(scene.language.code).undoing))


def _is_of_house(scene: Scene, read: Read) -> bool:
    """Whether a house is written to: nobody applies to a person, or orders of it."""
    return bool(scene.request.persona.org or scene.request.persona.role)


#: What each of these kinds needs besides its cues.
_CAUSES: Mapping[str, Callable[[Scene, Read], bool]] = MappingProxyType({
    "phishing": _lures, "grief": _mourns, "ticket": _answers_by_itself, "booked": _appoints,
    "application": _is_of_house, "order": _is_of_house, "complaint": _is_answered_for,
    "cancelled": _calls_off, "invoice": _is_to_pay, "bill": _is_to_pay})
