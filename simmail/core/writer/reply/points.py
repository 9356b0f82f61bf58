"""
What a mail asks of its reader, and which of it is settled by what is said of the mail as a whole.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from simmail.core.language.clause.question_types import asking, mentions_any, type_of
from simmail.core.language.clause.restate import deed
from simmail.core.language.clause.tables import restating
from simmail.core.language.phrases import documents
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language
from simmail.core.writer.answers.answer import answers
from simmail.core.writer.answers.yes_no import is_request
from simmail.core.writer.by_intent import DEALINGS, matter
from simmail.core.writer.context import Read, Scene, mentions
from simmail.core.writer.sources.answer_sources import AnswerSources
from simmail.core.writer.sources.known import known_answer, looked_up
from simmail.core.writer.sources.noted import noted
from simmail.core.writer.sources.said_words import content
from simmail.core.writer.sources.side import asks_price, seeks_help
from simmail.core.writer.speech_act import Said

#: These kinds are one matter as a whole: single questions in them are not answered one by one.
WHOLE = frozenset({
    "sales", "newsletter", "code", "wrong", "feedback", "empty", "closing", "alert", "recruiting", "news",
    "phishing", "injection", "data_request", "legal",
})
# Mail that asks for one decision, which settles all of it.
_DECIDING = frozenset({
    "access", "application", "approval", "bank", "beta", "data_request", "deletion", "ended", "invite", "legal",
    "payment", "renewal", "returns", "terms", "ticket", "webinar"})
# Mail between people: what is said to its news answers nothing that it asks.
_PERSONAL = frozenset({"private", "grief", "sick", "congrats"})
# A question with fewer words of its own only points to what the mail says.
_POINTING = 2
# What these ask for is no time.
_NO_TIMES = frozenset(("what", "who", "why", "how", "much", "many"))
# Of so many points a mail has some that no decision settles.
_MANY = 2


class PointedMail(NamedTuple):
    """
    One mail and its points.

    @ivar number: of the mail in its batch, for draws; intent: its kind, as it is answered.
    @ivar left, rest, told: all points that are left, those without courtesies, those that what is known answers.
    """

    scene: Scene
    read: Read
    number: int
    known: AnswerSources
    intent: str
    left: list[MailQuestion]
    rest: list[MailQuestion]
    told: list[MailQuestion]

    def answers(self, left: list[MailQuestion]) -> list[Said]:
        """Return an answer to each of some points."""
        return answers(self.scene, self.read, left, self.number, self.known)

    def beside(self, left: list[MailQuestion]) -> list[Said]:
        """Return what is said to some points beside another matter."""
        return beside(self.scene, self.read, left, self.number, self.known)


def of_its_type(scene: Scene, read: Read, question: MailQuestion, known: AnswerSources) -> MailQuestion:
    """Return a question that sounds as if it asked for an appointment, as one for what is known: "from when may we"."""
    if question.form != "time":
        return question
    if kind := _no_time(question, scene.language):
        return replace(question, form="what", type=kind)
    those = mentions_any(question.text.lower(), asking(scene.language.code).those_days)
    if those and scene.request.persona.org and not read.found.proposed:
        return replace(question, form="yes_no", type="yes_no")  # whether a house is free, and not to meet
    if type_of(question.text.lower(), scene.language) == "when":
        plain = replace(question, form="when", type="when")
        return question if looked_up(scene, read, plain, known) is None else plain
    plain = replace(question, form="yes_no", type="yes_no")
    told = scene.request.notes and noted(
        plain, scene.request.notes, read.base, scene.language, scene.request.meaning)
    return plain if told else question


def _no_time(question: MailQuestion, language: Language) -> str:
    """What a question asks for that names no time and is no choice: "what would it come to?"; C{""} for another."""
    how, low = asking(language.code), question.text.lower()
    kind, words = type_of(low, language), {word.strip("?,.") for word in low.split()}
    days = language.weekday_forms.keys() | language.near_days.keys() | language.choice_words
    return kind if how.time_words and kind in _NO_TIMES and not question.options and days.isdisjoint(
        words) and not mentions_any(f" {low}", how.time_words) else ""


def is_own(question: MailQuestion, scene: Scene) -> bool:
    """Return whether a request names what is to be done or sent: it is not done with whatever else is said."""
    return (question.type == "request" or is_request(question, scene)) and bool(
        documents(question.text, scene.language) or deed(question.text, scene.language, scene.far)[0])


def beside(
    scene: Scene, read: Read, left: list[MailQuestion], number: int, known: AnswerSources
) -> list[Said]:
    """Return what is said to the points that another matter leaves: papers are sent, the rest is answered."""
    papers = [one for one in left if is_own(one, scene) and documents(one.text, scene.language)]
    said = matter(scene, read, "document", number) if papers and read.found.documents else []
    return [*answers(scene, read, [one for one in left if not said or one not in papers], number, known), *said]


def dealt_with(question: MailQuestion, read: Read, scene: Scene, known: AnswerSources) -> bool:
    """Return whether answering the mail's intent answers this question of it as well."""
    if read.intent in WHOLE:
        return True
    if read.intent == "booked" and question.confirms and question.type == "request":
        return True  # "please reply YES to confirm"
    if len(read.found.points) > _MANY and read.intent in _DECIDING and len(
            content(question.text, scene.language.code)) >= _POINTING:
        return False  # a decision answers no list of questions
    if question.form == "time" and question.type in ("yes_no", "choice") and read.intent != "meeting":
        return False  # "could you start on Monday at eight?", beside an order
    if read.intent not in _DECIDING and known_answer(scene, read, question, known) is not None:
        return False  # what is known is told
    if read.intent == "ticket" and (question.options or question.behind):
        return False  # what asks for more before it is worked at
    several = len(read.found.points) > 1 and (read.intent not in _DECIDING or read.intent == "application")
    if read.intent in ("complaint", "bug") and (
            question.type == "request" or not question.options and seeks_help(question.text, scene.language)):
        # What is wanted for it is promised where it can be said.
        named = question.type == "request" and restating(scene.language.code).order != "inverted" and (
            deed(question.text, scene.language, scene.far)[0])
        return not (several and documents(question.text, scene.language) or named)
    told = known.sheet.telling(question.text, question.type)
    if told is not None and (told.private or read.intent in DEALINGS):
        return False
    if question.type == "request":
        return read.intent in ("support", *DEALINGS) and not several
    if read.intent in _PERSONAL:
        return False
    asked = f" {question.text.lower()}"
    cues = scene.language.cues.get(read.intent, {})
    if read.intent == "support" and several and question.behind:
        return False  # "we need the version, and whether the error shows up when cold": nothing is solved yet
    # Cues are written without hyphens: "avez-vous pu".
    if any(f" {cue}" in asked or f" {cue}" in asked.replace("-", " ") for cue in cues):
        return True
    # What points to the mail is settled with it: "is that all right?"
    pointing = len(content(question.text, scene.language.code)) < _POINTING
    if read.intent == "event":
        return question.form in ("yes_no", "either", "time") and told is None and (pointing or not several)
    if read.intent == "invoice" and not (scene.request.persona.org or scene.request.persona.role):
        return True
    if read.intent == "order":
        # "Is it in stock, and when could you start?"
        return question.type == "request" or not question.topic and question.type == "yes_no"
    if read.intent == "enquiry" and asks_price(question.text, scene.language):
        return True
    if read.intent == "missing" and question.form in ("yes_no", "choice", "either"):
        return pointing and not question.topic  # "is that all right?" is about what did not come
    if read.intent in DEALINGS:
        # What is done about it says yes or no, or what is chosen.
        return question.form in ("yes_no", "choice", "either", "time") and (pointing or not several) or (
            read.intent == "missing" and question.form == "opinion")
    if read.intent == "meeting":
        return question.form == "time" or pointing and not question.topic and not is_request(question, scene)
    if read.intent == "redress":
        return bool(read.found.options) and not question.topic or mentions(question.text, scene.language.choice_words)
    if read.intent in ("document", "task"):
        return is_request(question, scene)
    return False
