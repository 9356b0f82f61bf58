"""
What a reply says: each mail's intent, in the manner of the temperament, then an answer to every question it asks.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from simmail.core.language.agreements import thing
from simmail.core.language.clause.question_types import is_courtesy, type_of
from simmail.core.language.clause.restate import deed
from simmail.core.language.phrases import asks_for_something, documents
from simmail.core.language.questions import MailQuestion, asks_to_do, stands_in
from simmail.core.language.tables import counted
from simmail.core.language.text import say
from simmail.core.language_data import WRITTEN, tongue
from simmail.core.writer import by_facts
from simmail.core.writer.answers.answer import CLOSE, answers, exchanged
from simmail.core.writer.answers.suggestions import suggested
from simmail.core.writer.answers.yes_no import is_request
from simmail.core.writer.by_intent import DEALINGS, matter, meeting, times, without_ref
from simmail.core.writer.choice import HIGH, LOW, consistent, does, plain, values_of, what_for
from simmail.core.writer.context import Read, Scene, mentions, tongues
from simmail.core.writer.exchanges import recognition
from simmail.core.writer.life import is_ill, is_of_another, moved
from simmail.core.writer.sources.answer_sources import AnswerSources
from simmail.core.writer.sources.known import is_proposal, is_told, known_answer, looked_up, sources
from simmail.core.writer.sources.noted import noted
from simmail.core.writer.sources.said_words import content, shared
from simmail.core.writer.sources.side import asks_price, seeks_help, takes_order_back
from simmail.core.writer.speech_act import Said, act_named
from simmail.core.writer.voice import habits
from simmail.core.writer.wishes import bargain, refund, remedy

# These intents are one matter as a whole: single questions in them are not answered one by one.
_WHOLE = frozenset({
    "sales", "newsletter", "code", "wrong", "feedback", "empty", "closing", "alert", "recruiting", "news",
    "phishing", "injection", "data_request", "legal",
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
_PASSING = frozenset({
    "closing", "booked", "alert", "event", "congrats", "sick", "grief", "notice", "agenda", "greeting", "private",
    "phishing", "injection", "ticket", "missing",
})
# Mail whose requests and questions are the matter, where they can be answered; mail in which one that asks for what was
# said before is.
_ANSWERED = frozenset({"question", "task", "information", "details", "status"})
_RECALLED = frozenset({
    "meeting", "booked", "confirmation", "chaser", "received", "order", "delivery", "delay", "status", "redress",
    "document", "invoice", "bill", "private", "event", "support",
})
# Mail between people: what is said to its news answers nothing that it asks.
_PERSONAL = frozenset({"private", "grief", "sick", "congrats"})
# Mail in which something is put right.
_CORRECTED = frozenset({
    "information", "order", "task", "question", "alternatives", "enquiry", "introduced", "private", "document",
    "agenda", "contact", "details"})
# Mail whose own words are but the answer to what it asks.
_ANSWERING = frozenset({
    "agenda", "confirmation", "contact", "delivery", "details", "document", "enquiry", "information",
    "introduced", "meeting", "minutes", "notice", "received", "report", "signature", "status",
    "support", "task"})
# Mail that asks for one decision, which settles all of it.
_DECIDING = frozenset({
    "access", "application", "approval", "bank", "beta", "data_request", "deletion", "ended", "invite", "legal",
    "payment", "renewal", "returns", "terms", "ticket", "webinar"})
# Acts that give nothing yet: what else is asked to be done with it waits as well.
_WITHHELD = frozenset({"document.ask", "document.refuse", "document.noted"})
# Mail in which prices may be named.
_BARGAINED = frozenset({
    "offer", "question", "redress", "terms", "renewal", "details", "information", "sales", "order", "enquiry", "task",
    "approval", "alternatives", "confirmation"})
# Questions with which something is offered.
_OFFERING = frozenset({"yes_no", "choice", "either", "what", "how", "request"})
# Mail that has words of its own for what is taken back, or is about something else.
_TAKING_BACK = _WHOLE | {"meeting", "booked", "invite", "sick", "grief", "congrats", "offer", "alternatives"}
# Answers that tell nothing of the state of a thing.
_NO_NEWS = frozenset({"answer.unknown", "answer.open", "answer.think", "answer.yes",
                      "answer.no", "answer.so", "answer.not_so", "answer.find_out", "answer.back", "answer.when",
                      "answer.why"})
# Mail that tells or offers something; mail that is not answered with what is known alone.
_TELLING = frozenset({"information", "news", "confirmation", "received", "delivery", "notice", "sales", "recruiting"})
_UNTOLD = (_WHOLE - _TELLING - {"data_request"}) | (CLOSE - {"greeting"}) | {"meeting", "redress", "question"}
# A question with fewer words of its own only points to what the mail says.
_POINTING = 2
# What a question asks for stands among its first words.
_ASKED_FOR = 6
# Mail that may answer what the persona asked.
_SETTLING = frozenset({
    "information", "received", "confirmation", "support", "question", "redress", "news", "booked",
    "document", "invoice", "bill", "delay",
})
# Mail whose links are the matter itself, or are nothing to speak of.
_CLICKED = frozenset({"code", "phishing", "injection", "legal", "data_request", "grief", "closing", "empty"})
# Mail in which money may be asked back.
_MONEY = frozenset({
    "invoice", "bill", "redress", "complaint", "task", "question", "information", "returns", "received", "payment",
    "order", "status", "chaser", "delay"})
# Mail in which what each sentence says counts for more than what kind of mail it is.
_OPEN_KINDS = frozenset({
    "question", "information", "private", "greeting", "event", "task", "thanks", "congrats", "sick", "grief", "closing",
    "news", "feedback", "complaint", "delay", "details", "notice", "received", "confirmation", "cancelled", "support",
    "agenda", "contact", "introduced", "status", "bug", "alternatives", "approval", "ended", "access", "returns",
    "delivery", "terms", "minutes", "report", "chaser", "enquiry", "offer", "recruiting", "sales"})
# How often a page that asks for something is spoken of, and one that does not; letters that make a name of a title.
_FORM_TOLD, _TITLE_TOLD, _NAMED_BY = 0.8, 0.5, 4


def reply(scene: Scene) -> list[Said]:
    """Return everything a reply says, in order."""
    if scene.unread:
        return [_unread(scene)]
    body: list[Said] = []
    held = settle(scene)
    for number, read in enumerate(scene.read):
        acts = consistent(_to_the_point(scene, _to(scene, read, number)), read.base, scene.language)
        acts = [*acts, *suggested(scene, read, acts)]
        body.extend(act for act in acts if act.act not in {one.act for one in body}
                    or act.act.startswith("answer."))
    body = _labelled(_as_clicked(body, scene))
    said: list[Said] = []
    if held is not None:
        body = [*held, *(act for act in body if act.act.startswith("answer."))]
    opener = None if any(act.act == "answer.told" for act in body) and _apologises(scene) else _opener(scene)
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
    said.extend(_of_links(scene))
    serious = scene.read and scene.read[-1].intent in _SERIOUS and not _is_private(scene)
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
    if request.warmth > HIGH and scene.dice.chance(0.6, "warm"):
        return Said(act="opener.warm", values=scene.common)
    if scene.length == "long" and scene.manner.opener or scene.length == "medium" and scene.dice.chance(
        scene.manner.opener * habits(request.persona.id, scene.language.code).opens, "opener"
    ):
        if scene.read and scene.read[-1].intent in _SERIOUS and not request.own and not _is_private(scene):
            return Said(act="opener.plain", values=scene.common)
    return None


def _to_the_point(scene: Scene, said: list[Said]) -> list[Said]:
    """What is said, without what answers nothing beside it: a guess at a phrase, a day unknown beside a promise."""
    told = [one for one in said if one.act not in _NO_NEWS]
    words = _values(told, scene)
    quoted = any(one.act.startswith("enquiry.") for one in said)
    promised = any(one.promise is not None or one.documents for one in told)
    invited = any(one.is_exchange or one.act.startswith(("event.", "meeting.social")) for one in said)
    return [one for one in said if one in told or one.asked is None or not (
        # "Poor thing, isn't she?"
        len(said) > 1 and one.asked.checks and not any(map(str.isdigit, one.asked.text))
        # "Who's in, and who brings a cake?" is asked of all.
        or invited and one.asked.type == "who" and one.act == "answer.unknown"
        or promised and one.asked.type == "when" or quoted and one.asked.type == "much"
        or _within(one.asked, words, scene))]


def _values(told: Iterable[Said | None], scene: Scene) -> frozenset[str]:
    """The words of the values that are told."""
    return content(" ".join(one.values.get("value", "") for one in told if one is not None), scene.language.code)


def _within(question: MailQuestion, words: frozenset[str], scene: Scene) -> bool:
    """Whether what a question asks for stands among some words: which extension, in "Ms Prior, extension 344"."""
    thing = " ".join(question.text.split()[:_ASKED_FOR])
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
    # To "Friday at 14:30 then, all right?" the time is the answer.
    left = [_of_its_type(scene, read, one, known) for one in read.found.points
            if intent != "meeting" or one.recalls or not one.checks]
    rest = [one for one in left if not is_courtesy(one.text, scene.language)]
    asked = [one for one in rest if not one.checks or one.recalls] or rest
    briefed = _briefed(scene, read, rest, number, known) if intent not in _WHOLE else []
    if briefed:
        return briefed
    told = _told(scene, read, asked, known) if intent not in _UNTOLD else []
    chooses = intent == "delivery" and bool(read.found.slots)
    if told and (len(told) == len(asked) or intent in _TELLING and not chooses):
        intent = "question"  # whatever it looks like: what it asks for is known
    left = (rest if intent not in CLOSE else left) or left
    mail = _Mail(scene, read, number, known, intent, left, rest, told)
    for rule in (_parcel, _touched, _other_times, _of_another, _money_back, _put_right, _no_such_day, _unwanted,
                 _order_taken_back, _remedied, _bargained, _exchanged):
        said = rule(mail)
        if said is not None:
            return said
    return _by_kind(mail)


class _Mail(NamedTuple):
    """One mail, and its points: all that are left, those without courtesies, those that what is known answers."""

    scene: Scene
    read: Read
    number: int
    known: AnswerSources
    intent: str
    left: list[MailQuestion]
    rest: list[MailQuestion]
    told: list[MailQuestion]

    def answers(self, left: list[MailQuestion]) -> list[Said]:
        return answers(self.scene, self.read, left, self.number, self.known)

    def beside(self, left: list[MailQuestion]) -> list[Said]:
        return _beside(self.scene, self.read, left, self.number, self.known)


# What comes before the kind of a mail, the first that applies; None where it does not.


def _parcel(mail: _Mail) -> list[Said] | None:
    scene, read = mail.scene, mail.read
    ahead = {slot.start.date() for slot in read.found.slots if slot.start.date() > scene.calendar.today}
    if read.found.of_a_parcel and not mail.told and len(ahead) < 2:
        return [Said(act="delivery.noted", values={**values_of(scene, read), **times(scene, read)})]
    return None


def _touched(mail: _Mail) -> list[Said] | None:
    scene, read, left = mail.scene, mail.read, mail.left
    feels = moved(scene, read)
    if not feels:
        return None
    if read.found.moving.what == "joke" or feels[-1].act == "moved.funeral":
        left = [one for one in left if read.found.moving.what != "joke" and one.type != "yes_no"]
    # Nobody denies anything to who is in such a place.
    kind = replace(scene, manner=replace(scene.manner, yes=1.0))
    return [*feels, *_beside(kind, read, left, mail.number, mail.known)]


def _other_times(mail: _Mail) -> list[Said] | None:
    scene, read, number = mail.scene, mail.read, mail.number
    if mail.intent not in ("sick", "cancelled", "delay", "meeting") or not read.found.proposed:
        return None
    # Whoever is ill is wished well, and told which of the new times suits.
    ill = mail.intent in ("sick", "meeting") and is_ill(read, scene.language)
    if mail.intent == "sick" and all(one.form != "time" for one in mail.left) and not any(
            slot.timed for slot in read.found.proposed):
        return None  # the days it names are those it is away
    return [*(matter(scene, read, "sick", number) if ill else ()),
            *meeting(scene, read, "meeting", number)[:1 if ill else None],
            *mail.beside([one for one in mail.left if one.form != "time"])]


def _of_another(mail: _Mail) -> list[Said] | None:
    scene, read = mail.scene, mail.read
    later = len(set(read.found.dates)) > 1
    if not (mail.intent == "sick" or mail.intent in ("cancelled", "delay") and later) or not is_of_another(
            read, scene.language):
        return None
    return [Said(act="moved.other", values=values_of(scene, read)),
            *(matter(scene, read, "delay", mail.number) if later else ()),
            *mail.beside([one for one in mail.left if not later or one.form not in _OFFERING])]


def _money_back(mail: _Mail) -> list[Said] | None:
    # Who may choose its money or something else chooses.
    if mail.intent not in _MONEY or any(one.options for one in mail.left):
        return None
    said = refund(mail.scene, mail.read)
    return [*said, *mail.answers([one for one in mail.left if one.type != "request" and not is_request(
        one, mail.scene)])] if said else None


def _put_right(mail: _Mail) -> list[Said] | None:
    scene, found = mail.scene, mail.read.found
    if not found.correction or mail.intent not in _CORRECTED:
        return None
    own = scene.request.persona.org or found.requests  # else nobody here has anything to change
    values = {**values_of(scene, mail.read), "item": found.correction}
    return [Said(act="change.noted" if own else "change.heard", values=values), *mail.beside([
        one for one in mail.left if one.text != found.correction and (
            _is_own(one, scene) or one.type != "request" and not is_request(one, scene))])]


def _no_such_day(mail: _Mail) -> list[Said] | None:
    impossible = mail.read.found.impossible
    if not impossible or mail.intent in _WHOLE:
        return None
    # On a day that there is none of nothing can be agreed.
    return [Said(act="date.none", values={**values_of(mail.scene, mail.read), "value": impossible[0]}),
            *mail.answers([one for one in mail.left if one.form not in ("time", "yes_no") and one.type != "request"])]


def _unwanted(mail: _Mail) -> list[Said] | None:
    found = mail.read.found
    if not (mail.scene.request.own and found.unwanted) or mail.intent in _TAKING_BACK or (
            mail.intent == "cancelled" and found.takes_back):
        return None
    unwanted = {one.lower() for one in found.unwanted}
    return [dropped(mail.scene, mail.read), *mail.answers(
        [one for one in mail.left if one.text.lower() not in unwanted])]


def _order_taken_back(mail: _Mail) -> list[Said] | None:
    scene, read = mail.scene, mail.read
    if mail.intent != "cancelled" or not takes_order_back(read.found, scene.language):
        return None
    # An order, and no appointment; what was paid for it is asked back, and it is not asked to be taken off.
    return [dropped(scene, read), *(refund(scene, read) or mail.answers(
        [one for one in mail.left if one.type != "request"]))]


def _remedied(mail: _Mail) -> list[Said] | None:
    if mail.intent not in ("redress", "sales", "cancelled") and (mail.intent in _WHOLE or not any(
            one.type in _OFFERING for one in mail.left)):
        return None
    said = remedy(mail.scene, mail.read)
    return [*said, *mail.answers([one for one in mail.left if one.type not in _OFFERING])] if said else None


def _bargained(mail: _Mail) -> list[Said] | None:
    return bargain(mail.scene, mail.read) or None if mail.intent in _BARGAINED else None


def _exchanged(mail: _Mail) -> list[Said] | None:
    """Where sentences of a mail begin exchanges: to those that tell something, and to what it asks."""
    scene, read, points = mail.scene, mail.read, mail.rest
    if mail.intent not in _OPEN_KINDS or read.found.proposed:
        return None
    sentences = read.found.prose.sentences
    told = recognition.told(scene, read, [one for one in sentences if not any(
        stands_in(point, one) for point in points)])
    if not told and not any(exchanged(scene, read, point) for point in points):
        return None
    asked = mail.answers(points)
    if not told and not any(act.is_exchange for act in asked):
        return None

    def place(act: Said) -> int:
        return next((at for at, one in enumerate(sentences) if act.asked is not None and stands_in(act.asked, one)),
                    len(sentences))

    placed = [*((sentences.index(sentence), act) for sentence, act in told.items()),
              *((place(act), act) for act in asked)]
    return [act for _, act in sorted(placed, key=itemgetter(0))] or None


def _by_kind(mail: _Mail) -> list[Said]:
    """What is said by the kind of a mail, and to what it asks beside that."""
    scene, read, number, known, intent, left, _, told = mail
    said: list[Said] = []
    listed = any(one.form == "request" and not asks_for_something(one.text, scene.language) for one in left)
    if intent == "document" and left and (listed or not read.found.documents and not scene.request.own):
        intent = "question"  # none is named
    sends = intent == "document" or intent not in _WHOLE and intent not in (
        "support", "sick", "grief", "congrats", *DEALINGS)
    papers = [one for one in left if sends and one not in told and (
        one.type == "request" or is_request(one, scene)) and documents(one.text, scene.language)]
    if intent == "event" and any(is_request(one, scene) and asks_to_do(one.text, scene.language) for one in left):
        intent = "question"  # a favour is asked, and nobody invited
    if any(is_proposal(one, scene) for one in left) or intent in ("cancelled", "event") and any(
            one.form == "choice" and one.options for one in left):
        intent = "question"  # whatever else is written about the order
    remembered = bool(scene.request.own) and bool(left) and intent not in _WHOLE and all(
        is_told(scene, one, known) for one in left)
    if remembered or intent in _ANSWERED or intent in _RECALLED and (
            any(one.recalls or one.checks for one in left) or bool(scene.request.own) and any(
                is_told(scene, one, known) for one in left)):
        # What was agreed is asked for, and not to be agreed again.
        said.extend(answers(scene, read, [one for one in left if one not in papers], number, known))
        if intent == "status" and all(act.act in _NO_NEWS for act in said):
            said = []  # where an order is can be found out
        left = []
    if intent in _ANSWERING and len(left) > 1 and (intent == "signature" or not any(
            _dealt_with(one, read, scene, known) for one in left)):
        intent = "question"  # what the kind of mail is answered with answers nothing of it
    if intent != "question" and not said:
        said.extend(matter(scene, read, intent, number))
        left = [question for question in left if not _dealt_with(question, read, scene, known)]
    if sends and intent != "document" and read.found.documents and (
            papers or not told and not listed and not read.found.questions):
        said.extend(matter(scene, read, "document", number))
        left = [question for question in left if not is_request(question, scene)]
    if any(act.act in _WITHHELD for act in said):
        left = [one for one in left if one.type != "request"]
    said.extend(answers(scene, read, [one for one in left if one not in papers], number, known))
    return said or plain(scene, read, intent if read.intent == "document" else read.intent, number)


def _briefed(
    scene: Scene, read: Read, points: list[MailQuestion], number: int, known: AnswerSources
) -> list[Said]:
    """What is said where facts of the case answer something of a mail: those, and to the rest what is known of it."""
    if len(points) == 1 and (several := looked_up(scene, read, points[0], known)) and several.act == "answer.details":
        return []  # one sentence lists all it asks for, and is answered with a list
    found = by_facts.told(scene, read, points, known)
    if not found:
        return []
    told = [fact for one in found for fact in one.facts]
    sorry = read.found.complaint or read.intent in ("complaint", "bug") or by_facts.amends(told, scene.language)
    private = read.intent == "grief" or not scene.common.get("org")
    said = (moved(scene, read) if private else []) or (
        [Said(act="answer.regret", values=scene.common)] if sorry else [])
    known = known.without(told)
    left = [one for one in points if not any(by_facts.covers(its, one) for its in found) or all(
        one != its.point for its in found) and looked_up(scene, read, one, known) is not None]

    def settled(one: MailQuestion) -> bool:
        return looked_up(scene, read, one, known) is not None or exchanged(scene, read, one) is not None

    open_ = [one for one in left if one.type in by_facts.OPEN and not settled(one)]
    if len(told) > 1 and known.facts:
        # What nothing tells is not drawn by who knows more of it than was found.
        left = [one for one in left if one.type not in ("yes_no", "choice", "either") or is_request(
            one, scene) or settled(one)]
    # Facts stand in no list, and nothing beside them does.
    scene = replace(scene, manner=replace(scene.manner, layout="topics"))
    beside = _beside(scene, read, [one for one in left if one not in open_ and (
        one.form != "time" or read.intent == "meeting")], number, known)
    order = [one.text for one in points]
    at, placed = -1.0, list[tuple[float, Said]]()
    for one, act in zip(found, by_facts.acts(scene, found, len(points) - len(left) + len(beside))):
        at = order.index(one.point.text) if one.point is not None else at + 0.5
        placed.append((at, act))
    placed += [(order.index(act.asked.text) if act.asked is not None and act.asked.text in order else len(order), act)
               for act in beside]
    return [*said, *(act for _, act in sorted(placed, key=itemgetter(0))), *(
        [Said(act="answer.rest", values=scene.common)] if open_ else [])]


def _of_its_type(scene: Scene, read: Read, question: MailQuestion, known: AnswerSources) -> MailQuestion:
    """A question that sounds as if it asked for an appointment, as one for what is known: "from when may we"."""
    if question.form != "time":
        return question
    if type_of(question.text.lower(), scene.language) == "when":
        plain = replace(question, form="when", type="when")
        return question if looked_up(scene, read, plain, known) is None else plain
    plain = replace(question, form="yes_no", type="yes_no")
    told = scene.request.notes and noted(
        plain, scene.request.notes, read.base, scene.language, scene.request.meaning)
    return plain if told else question


def _is_own(question: MailQuestion, scene: Scene) -> bool:
    """Whether a request names what is to be done or sent: it is not done with whatever else is said."""
    return (question.type == "request" or is_request(question, scene)) and bool(
        documents(question.text, scene.language) or deed(question.text, scene.language, scene.far)[0])


def _beside(
    scene: Scene, read: Read, left: list[MailQuestion], number: int, known: AnswerSources
) -> list[Said]:
    """What is said to the points that another matter leaves: papers are sent, the rest is answered."""
    papers = [one for one in left if _is_own(one, scene) and documents(one.text, scene.language)]
    said = matter(scene, read, "document", number) if papers and read.found.documents else []
    return [*answers(scene, read, [one for one in left if not said or one not in papers], number, known), *said]


def dropped(scene: Scene, read: Read) -> Said:
    """Return what is said to who does not want something any more: that it is off, by its name."""
    values = {name: value for name, value in values_of(scene, read).items() if name != "what"}
    what = next(filter(None, (thing(one, scene.language) for one in read.found.unwanted)), "")
    if what:
        values.update(what=what, **counted(what, scene.language))
    return Said(act="dropped.ok", values=values)


def _dealt_with(question: MailQuestion, read: Read, scene: Scene, known: AnswerSources) -> bool:
    """Whether answering the mail's intent answers this question of it as well."""
    if read.intent in _WHOLE:
        return True
    if question.form == "time" and question.type in ("yes_no", "choice") and read.intent != "meeting":
        return False  # "could you start on Monday at eight?", beside an order
    if read.intent not in _DECIDING and known_answer(scene, read, question, known) is not None:
        return False  # what is known is told
    several = len(read.found.points) > 1 and read.intent not in _DECIDING
    if read.intent in ("complaint", "bug") and (
            question.type == "request" or seeks_help(question.text, scene.language)):
        return not (several and documents(question.text, scene.language))
    told = known.sheet.telling(question.text, question.type)
    if told is not None and (told.private or read.intent in DEALINGS):
        return False
    if question.type == "request":
        return read.intent in ("support", *DEALINGS) and not several
    if read.intent in _PERSONAL:
        return False
    asked = f" {question.text.lower()}"
    cues = scene.language.cues.get(read.intent, {})
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


def settle(scene: Scene) -> list[Said] | None:
    """Return what follows when the persona's question has been answered: what it had put off; None when nothing was."""
    held = scene.request.held
    if not held or not scene.read or scene.read[-1].intent not in (*_SETTLING, held["act"]):
        return None
    if scene.read[-1].found.unwanted:
        return None  # what was put off is not wanted any more
    read = scene.read[-1]
    values = {**values_of(scene, read), **{name: value for name, value in held.items() if name != "act"}}
    if does(scene, "settle", 0) == ["settle.still"]:
        return [Said(act="settle.still", values=values)]
    day = scene.due(scene.manner.days, read.found.deadlines)
    by, thanks = scene.by(day), Said(act="settle.thanks", values=values)
    match held["act"]:
        case "document":
            doc = held.get("doc") or scene.language.what.document
            return [thanks, Said(act="document.promise", values={
                **without_ref(values, doc), "doc": doc, **counted(doc, scene.language), **by},
                joins=True, promise=scene.promise(doc, day))]
        case "invoice" | "bill":
            what = what_for(scene, "invoice.pay", values)
            return [thanks, Said(act="invoice.paid", values={**values, **by}, joins=True,
                                 promise=scene.promise(what, day))]
        case "complaint":
            return [thanks, Said(act="complaint.sorry", values={**values, **by}, joins=True,
                                 promise=scene.promise(what_for(scene, "complaint.sorry", values), day))]
        case "task":
            return [thanks, Said(act="task.do", values={**values, **by}, joins=True,
                                 promise=scene.promise(scene.language.what.task, day))]
        case _:
            return [Said(act="redress.accept", values=values)]
