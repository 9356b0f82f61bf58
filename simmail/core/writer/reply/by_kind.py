"""
What is said by the kind of a mail, and to what it asks beside that.
"""

from __future__ import annotations

from simmail.core.language.phrases import asks_for_something, documents
from simmail.core.language.questions import asks_to_do
from simmail.core.writer.answers.answer import answers
from simmail.core.writer.answers.yes_no import is_request
from simmail.core.writer.by_intent import DEALINGS, matter
from simmail.core.writer.choice import plain
from simmail.core.writer.reply.points import WHOLE, PointedMail, dealt_with
from simmail.core.writer.sources.known import is_proposal, is_told
from simmail.core.writer.speech_act import Said

#: Answers that tell nothing of the state of a thing.
NO_NEWS = frozenset({
    "answer.unknown", "answer.open", "answer.think", "answer.yes", "answer.no", "answer.so", "answer.not_so",
    "answer.find_out", "answer.back", "answer.when", "answer.why",
})
# Mail whose requests and questions are the matter, where they can be answered; mail in which one that asks for what was
# said before is.
_ANSWERED = frozenset({"question", "task", "information", "details", "status"})
_RECALLED = frozenset({
    "meeting", "booked", "confirmation", "chaser", "received", "order", "delivery", "delay", "status", "redress",
    "document", "invoice", "bill", "private", "event", "support",
})
# Mail whose own words are but the answer to what it asks.
_ANSWERING = frozenset({
    "agenda", "confirmation", "contact", "delivery", "details", "document", "enquiry", "information",
    "introduced", "meeting", "minutes", "notice", "received", "report", "signature", "status",
    "support", "task"})
# Mail with words of its own for what it tells, which leave what it gives to choose.
_LEFT_OPEN = frozenset({
    "cancelled", "event", "delay", "notice", "bill", "invoice", "renewal", "terms", "payment", "account",
    "returns"})
# Acts that give nothing yet: what else is asked to be done with it waits as well.
_WITHHELD = frozenset({"document.ask", "document.refuse", "document.noted"})


def by_kind(mail: PointedMail) -> list[Said]:
    """Return what is said by the kind of a mail, and to what it asks beside that."""
    scene, read, number, known, intent, left, _, told = mail
    said: list[Said] = []
    if intent == "signature" and any(one.options for one in left):
        # What is to be signed is, whatever else is chosen.
        return [*answers(scene, read, [one for one in left if one.type != "request"], number, known),
                *matter(scene, read, intent, number)]
    listed = any(one.form == "request" and not asks_for_something(one.text, scene.language) for one in left)
    if intent == "document" and left and (listed or not read.found.documents and not scene.request.own):
        intent = "question"  # none is named
    sends = intent == "document" or intent not in WHOLE and intent not in (
        "support", "sick", "grief", "congrats", *DEALINGS)
    # Where the mail as a whole names none, each is answered for itself.
    papers = [one for one in left if sends and read.found.documents and one not in told and (
        one.type == "request" or is_request(one, scene)) and documents(one.text, scene.language)]
    if intent == "event" and any(is_request(one, scene) and asks_to_do(one.text, scene.language) for one in left):
        intent = "question"  # a favour is asked, and nobody invited
    if any(is_proposal(one, scene) for one in left) or (
            intent in _LEFT_OPEN or intent == "redress" and not read.found.options) and any(
            one.form == "choice" and one.options for one in left):
        intent = "question"  # whatever else is written about the order
    remembered = bool(scene.request.own) and bool(left) and intent not in WHOLE and all(
        is_told(scene, one, known) for one in left)
    if remembered or intent in _ANSWERED or intent in _RECALLED and (
            any(one.recalls or one.checks for one in left) or bool(scene.request.own) and any(
                is_told(scene, one, known) for one in left)):
        # What was agreed is asked for, and not to be agreed again.
        said.extend(answers(scene, read, [one for one in left if one not in papers], number, known))
        if intent == "status" and all(act.act in NO_NEWS for act in said):
            said = []  # where an order is can be found out
        left = []
    if intent == "enquiry" and len(left) > 1 and any(
            one.options or one.type == "yes_no" and not is_request(one, scene) for one in left):
        intent = "question"  # no quote answers whether there is room
    if intent in _ANSWERING and len(left) > 1 and (intent == "signature" or not any(
            dealt_with(one, read, scene, known) for one in left)):
        intent = "question"  # what the kind of mail is answered with answers nothing of it
    if intent != "question" and not said:
        said.extend(matter(scene, read, intent, number))
        left = [question for question in left if not dealt_with(question, read, scene, known)]
    if sends and intent != "document" and read.found.documents and (
            papers or not told and not listed and not read.found.questions):
        said.extend(matter(scene, read, "document", number))
        left = [question for question in left if not is_request(question, scene)]
    if not any(act.act.startswith("document.") for act in said):
        papers = []  # nothing was said of them yet
    if any(act.act in _WITHHELD for act in said):
        left = [one for one in left if one.type != "request"]
    said.extend(answers(scene, read, [one for one in left if one not in papers], number, known))
    return said or plain(scene, read, intent if read.intent == "document" else read.intent, number)
