"""
What a reply says: each mail's intent, in the manner of the temperament, then every question it asks.
"""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from simmail.core.language.phrases import say
from simmail.core.language.questions import MailQuestion
from simmail.core.writer.answers import answers, is_request
from simmail.core.writer.by_intent import HIGH, LOW, plain, settle
from simmail.core.writer.context import Read, Scene, mentions
from simmail.core.writer.dealings import DEALINGS, matter
from simmail.core.writer.speech_act import ACTS, Said

# These intents are one matter as a whole: single questions in them are not answered one by one.
_WHOLE = frozenset({
    "sales", "newsletter", "code", "wrong", "feedback", "empty", "closing", "alert", "event", "recruiting", "news",
})
# Mail that is answered with an opening and a last word.
_SERIOUS = frozenset({
    "question", "document", "meeting", "invoice", "redress", "complaint", "support", "chaser", "task", "offer",
    "enquiry", "order", "renewal",
})
# An apology in passing is taken before the matter is come to.
_FORGIVING = frozenset({"question", "document", "meeting", "received", "information", "task", "booked"})
# After these no courtesy is wanted.
_LIGHT = frozenset({"meeting.social", "meeting.interview"})
# These are a word or two in passing.
_PASSING = frozenset({"closing", "booked", "alert", "event", "congrats", "sick", "grief", "notice", "agenda"})


def reply(scene: Scene) -> list[Said]:
    """Everything a reply says, in order."""
    body: list[Said] = []
    held = settle(scene)
    for number, read in enumerate(scene.read):
        body.extend(act for act in _to(scene, read, number) if act.act not in {one.act for one in body}
                    or act.act.startswith("answer."))
    body = _as_clicked(body, scene)
    said: list[Said] = []
    if held is not None:
        body = [*held, *(act for act in body if act.act.startswith("answer."))]
    opener = _opener(scene)
    if opener is not None:
        said.append(opener)
    if len(scene.read) > 1 and len(body) > 1:
        said.append(Said(act="batch.lead", values=scene.common))
    if said and body and scene.length == "short" and not body[0].number and not body[0].quote:
        body[0] = replace(body[0], joins=True)
    said.extend(body)
    style = scene.request.persona.style
    if scene.read and style is not UNSET and style.access is not UNSET and scene.read[-1].found.unlabelled_images:
        said.append(Said(act="access.images", values=scene.common))
    if scene.request.broken:
        said.append(Said(act="link.broken", values={**scene.common, "link": say(scene.request.broken, 60)}))
    if scene.read and scene.read[-1].intent in _SERIOUS and not any(act.act in _LIGHT for act in body) and (
        scene.length == "long" or scene.length == "medium" and scene.dice.chance(scene.manner.extra, "extra")
    ):
        asks = any(ACTS[act.act].asks for act in body)
        said.append(Said(act="extra.ask" if asks else "extra.close", values=scene.common))
    return said


def _as_clicked(body: list[Said], scene: Scene) -> list[Said]:
    """The body without what the links of the mail have proved wrong."""
    if scene.request.broken:
        body = [act for act in body if act.act != "code.worked"]
    if scene.request.unsubscribed:
        body = [replace(act, act="newsletter.off") if act.act == "newsletter.like" else act for act in body]
    return body


def _opener(scene: Scene) -> Said | None:
    request = scene.request
    if scene.read and scene.read[-1].intent in _PASSING:
        return None
    if scene.read and scene.read[-1].intent in _FORGIVING and scene.read[-1].found.sorry:
        return Said(act="opener.forgive", values=scene.common)
    if request.patience < LOW and (request.own or request.nth > 1) and scene.dice.chance(0.8, "impatient"):
        return Said(act="opener.impatient", values=scene.common)
    if request.warmth > HIGH and scene.dice.chance(0.6, "warm"):
        return Said(act="opener.warm", values=scene.common)
    if scene.length == "long" and scene.manner.opener or scene.length == "medium" and scene.dice.chance(
        scene.manner.opener, "opener"
    ):
        if scene.read and scene.read[-1].intent in _SERIOUS and not request.own:
            return Said(act="opener.plain", values=scene.common)
    return None


def _to(scene: Scene, read: Read, number: int) -> list[Said]:
    """What is said to one mail."""
    intent = read.intent
    said: list[Said] = []
    left = list(read.found.questions)
    if intent == "cancelled" and any(question.form == "time" for question in left):
        intent = "meeting"
    if intent != "question":
        said.extend(matter(scene, read, intent, number))
        left = [question for question in left if not _dealt_with(question, read, scene)]
    if intent not in _WHOLE and intent not in ("document", "support", *DEALINGS) and read.found.documents:
        said.extend(matter(scene, read, "document", number))
        left = [question for question in left if not is_request(question, scene)]
    said.extend(answers(scene, read, left, number))
    return said or plain(scene, read, number)


def _dealt_with(question: MailQuestion, read: Read, scene: Scene) -> bool:
    """Whether answering the mail's intent answers this question of it as well."""
    if read.intent in _WHOLE:
        return True
    asked = f" {question.text.lower()}"
    cues = scene.language.cues.get(read.intent, {})
    if any(f" {cue}" in asked for cue in cues):
        return True
    if read.intent in DEALINGS:
        # What is done about it says yes or no, or what is chosen.
        return question.form in ("yes_no", "choice", "either", "time") and read.intent != "sick"
    if read.intent == "meeting" and question.form == "time":
        return True
    if read.intent == "meeting" and question.form == "yes_no" and any(slot.timed for slot in read.found.slots):
        return not question.topic or not question.needs
    if read.intent == "meeting":
        return mentions(question.text, scene.language.time_words) or not question.topic
    if read.intent == "redress":
        return bool(read.found.options) and not question.topic or mentions(question.text, scene.language.choice_words)
    if read.intent in ("document", "task"):
        return is_request(question, scene)
    return False
