"""
What a reply says: each mail's intent, in the manner of the temperament, then an answer to every question it asks.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET
from msgspec.structs import replace

from simmail.core.language.clause.question_types import is_courtesy, says_only
from simmail.core.language.questions import MailQuestion
from simmail.core.language.text import say
from simmail.core.language_data import WRITTEN, tongue
from simmail.core.writer.answers.answer import CLOSE
from simmail.core.writer.answers.suggestions import suggested
from simmail.core.writer.choice import HIGH, LOW, consistent
from simmail.core.writer.context import Read, Scene, tongues
from simmail.core.writer.recall.remembered import remembered
from simmail.core.writer.reply.by_facts import briefed
from simmail.core.writer.reply.by_kind import NO_NEWS, by_kind
from simmail.core.writer.reply.causes import grounded
from simmail.core.writer.reply.overrides import overridden
from simmail.core.writer.reply.points import WHOLE, PointedMail, of_its_type
from simmail.core.writer.reply.settled import settle
from simmail.core.writer.reply.taken_up import with_matter
from simmail.core.writer.sources.answer_sources import AnswerSources
from simmail.core.writer.sources.known import known_answer, sources
from simmail.core.writer.sources.said_words import content, shared
from simmail.core.writer.speech_act import Said, act_named, is_grave
from simmail.core.writer.voice import habits

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
_PASSING = frozenset({
    "closing", "booked", "alert", "event", "congrats", "sick", "grief", "notice", "agenda", "greeting", "private",
    "phishing", "injection", "ticket", "missing",
})
# Mail that tells or offers something; mail that is not answered with what is known alone.
_TELLING = frozenset({"information", "news", "confirmation", "received", "delivery", "notice", "sales", "recruiting"})
_UNTOLD = (WHOLE - _TELLING - {"data_request"}) | (CLOSE - {"greeting"}) | {"meeting", "redress", "question"}
# What a question asks for stands among its first words.
_ASKED_FOR = 6
# Mail whose links are the matter itself, or are nothing to speak of.
_CLICKED = frozenset({"code", "phishing", "injection", "legal", "data_request", "grief", "closing", "empty"})
# How often a mail in a thread ends with a courtesy, where the first one would.
_AGAIN = 0.2
# How often a page that asks for something is spoken of, and one that does not; letters that make a name of a title.
_FORM_TOLD, _TITLE_TOLD, _NAMED_BY = 0.8, 0.5, 4


def reply(scene: Scene) -> list[Said]:
    """Return everything a reply says, in order."""
    if scene.unread:
        return [_unread(scene)]
    scene = replace(scene, read=tuple(grounded(scene, one) for one in scene.read))
    body: list[Said] = []
    held = settle(scene)
    for number, read in enumerate(scene.read):
        acts = consistent(_to_the_point(scene, _to(scene, read, number)), read.base, scene.language)
        acts = [*acts, *suggested(scene, read, acts)]
        body.extend(act for act in acts if act.act not in {one.act for one in body}
                    or act.act.startswith("answer.") or act.values.get("doc") and act.values["doc"] not in {
                        one.values.get("doc") for one in body})
    body = _labelled(_as_clicked(body, scene))
    said: list[Said] = []
    if held is not None:
        body = [*held, *(act for act in body if act.act.startswith("answer."))]
    opener = None if any(act.act == "answer.told" for act in body) and _apologises(scene) else _opener(scene)
    if opener is not None and not (opener.act == "opener.plain" and is_grave(body)):
        said.append(opener)
    if len(scene.read) > 1 and len(body) > 1:
        said.append(Said(act="batch.lead", values=scene.common))
    if said and body and scene.length == "short" and not body[0].number and not body[0].quote:
        body[0] = replace(body[0], joins=True)
    said.extend(body)
    style = scene.request.persona.style
    if scene.read and style is not UNSET and style.access is not UNSET and scene.read[-1].found.unlabelled_images:
        said.append(Said(act="access.images", values=scene.common))
    said.extend(_of_links(scene))
    # In a thread nobody ends each mail as if it were the first.
    serious = scene.read and scene.read[-1].intent in _SERIOUS and not _is_private(scene) and (
        not scene.request.own or scene.dice.chance(_AGAIN, "again"))
    if serious and not any(act.act in _LIGHT for act in body) and (
        scene.length == "long" or scene.length == "medium" and scene.dice.chance(
            scene.manner.extra * habits(scene.request.persona.id, scene.language.code).adds, "extra")
    ):
        asks = any(act_named(act.act).asks for act in body)
        said.append(Said(act="extra.ask" if asks else "extra.close", values=scene.common))
    return said


def _is_private(scene: Scene) -> bool:
    """Whether somebody writes of its own life, or to a friend: nobody files or copies such mail."""
    persona = scene.request.persona
    return scene.friends or not (persona.org or persona.role)


def _unread(scene: Scene) -> Said:
    """What is said to a mail in a language that nobody here reads: which one it is asked for in, in full but once."""
    code = scene.language.code
    own = [tongue(one, code) for one in dict.fromkeys((code, WRITTEN[0])) if one in tongues(scene.request.persona)]
    return Said(act="tongue.again" if scene.unread in scene.request.unread else "tongue.unread", values={
        **scene.common, "own": f" {scene.language.or_} ".join(own), "tongue": tongue(scene.unread, code)})


def _of_links(scene: Scene) -> list[Said]:
    """What the links of the mail led to: a page that does not come, one that asks for something, one with a name."""
    broken, page = scene.request.broken, scene.request.seen
    if broken:
        return [Said(act="link.broken", values={**scene.common, "link": say(broken, 60)})]
    if page is None or scene.read and scene.read[-1].intent in _CLICKED:
        return []
    values = {**scene.common, "link": say(page.link, 60), "title": say(page.title, 60)}
    if page.form:
        return [Said(act=f"link.{page.form}", values=values)] if scene.dice.chance(_FORM_TOLD, "page") else []
    named = sum(map(str.isalpha, page.title)) >= _NAMED_BY and scene.length != "short"
    return [Said(act="link.title", values=values)] if named and scene.dice.chance(_TITLE_TOLD, "page") else []


def _labelled(body: list[Said]) -> list[Said]:
    """The body with a fact that is all of it, that stands below its question or names itself told without its label."""
    return [replace(one, act="answer.piece", values={
        **one.values, "value": f"{one.values['value'][:1].upper()}{one.values['value'][1:]}"})
        if one.act == "answer.fact" and (len(body) == 1 or one.quote or one.values["label"].lower() in one.values[
            "value"].lower()) else one for one in body]


def _as_clicked(body: list[Said], scene: Scene) -> list[Said]:
    """The body without what the links of the mail have proved wrong."""
    if scene.request.broken:
        body = [act for act in body if act.act != "code.worked"]
    if scene.request.unsubscribed:
        body = [replace(act, act="newsletter.off") if act.act == "newsletter.like" else act for act in body]
    return body


def _apologises(scene: Scene) -> bool:
    """Whether the writer says sorry in passing; who asks for facts does so for asking."""
    return bool(scene.read) and scene.read[-1].found.sorry


def _opener(scene: Scene) -> Said | None:
    request = scene.request
    if scene.read and scene.read[-1].intent in _PASSING:
        return None
    # A stranger's "sorry to bother you" is forgiven without a word.
    known = bool(request.own) or request.nth > 0 or bool(scene.read) and scene.read[-1].intent in ("meeting", "booked")
    if known and scene.read and scene.read[-1].intent in _FORGIVING and scene.read[-1].found.sorry:
        return Said(act="opener.forgive", values=scene.common)
    if request.patience < LOW and (request.own or request.nth > 1) and scene.dice.chance(0.8, "impatient"):
        return Said(act="opener.impatient", values=scene.common)
    if request.warmth > HIGH and not request.own and scene.dice.chance(0.6, "warm"):
        return Said(act="opener.warm", values=scene.common)
    if scene.length == "long" and scene.manner.opener or scene.length == "medium" and scene.dice.chance(
        scene.manner.opener * habits(request.persona.id, scene.language.code).opens, "opener"
    ):
        if scene.read and scene.read[-1].intent in _SERIOUS and not request.own and not _is_private(scene):
            return Said(act="opener.plain", values=scene.common)
    return None


def _to_the_point(scene: Scene, said: list[Said]) -> list[Said]:
    """What is said, without what answers nothing beside it: a guess at a phrase, a day unknown beside a promise."""
    told = [one for one in said if one.act not in NO_NEWS]
    words = _values(told, scene)
    quoted = any(one.act.startswith("enquiry.") for one in said)
    promised = any(one.promise is not None or one.documents for one in told)
    invited = any(one.is_exchange or one.act.startswith(("event.", "meeting.social")) for one in said)
    return [one for one in said if one in told or one.asked is None or not (
        # "Poor thing, isn't she?"
        len(said) > 1 and one.asked.checks and not any(map(str.isdigit, one.asked.text)) and not says_only(
            one.asked.text, scene.language)
        # "Who's in, and who brings a cake?" is asked of all.
        or invited and one.asked.type == "who" and one.act == "answer.unknown"
        or promised and one.asked.type == "when" or quoted and one.asked.type == "much"
        or _within(one.asked, words, scene))]


def _values(told: Iterable[Said | None], scene: Scene) -> frozenset[str]:
    """The words of the values that are told."""
    return content(" ".join(one.values.get("value", "") for one in told if one is not None), scene.language.code)


def _within(question: MailQuestion, words: frozenset[str], scene: Scene) -> bool:
    """Whether what a question asks for stands among some words: which extension, in "Ms Prior, extension 344"."""
    thing = " ".join(question.text.split()[:_ASKED_FOR]) if question.topic else ""
    return question.type == "what" and bool(shared(content(thing, scene.language.code), words))


def _told(scene: Scene, read: Read, asked: list[MailQuestion], source: AnswerSources) -> list[MailQuestion]:
    """Those of some questions that are answered by what is known."""
    known = [known_answer(scene, read, one, source) for one in asked]
    if read.intent == "data_request" and not any(
            act is not None and act.act.startswith("answer.fact") for act in known):
        return []  # what is on the sheet are no data that somebody holds
    words = _values(known, scene)
    return [one for one, act in zip(asked, known) if act is not None or _within(one, words, scene)]


def _to(scene: Scene, read: Read, number: int) -> list[Said]:
    """What is said to one mail."""
    intent, known = read.intent, sources(scene)
    recalled = remembered(scene, read, known)
    if recalled:
        return recalled
    # To "Friday at 14:30 then, all right?" the time is the answer.
    left = [of_its_type(scene, read, one, known) for one in read.found.points
            if intent != "meeting" or one.recalls or not one.checks]
    rest = [one for one in left if not is_courtesy(one.text, scene.language)]
    asked = [one for one in rest if not one.checks or one.recalls] or rest
    found = briefed(scene, read, rest, number, known) if intent not in WHOLE else []
    if found:
        return found
    told = _told(scene, read, asked, known) if intent not in _UNTOLD else []
    chooses = intent == "delivery" and bool(read.found.slots)
    if told and (len(told) == len(asked) or intent in _TELLING and not chooses):
        intent = "question"  # whatever it looks like: what it asks for is known
    left = (rest if intent not in CLOSE else left) or left
    mail = PointedMail(scene, read, number, known, intent, left, rest, told)
    said = overridden(mail)
    return with_matter(scene, read, by_kind(mail) if said is None else said)
