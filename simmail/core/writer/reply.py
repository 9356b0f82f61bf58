"""
What a reply says: each mail's intent, in the manner of the temperament, then an answer to every question it asks.
"""

from __future__ import annotations

from datetime import date

from msgspec import UNSET
from msgspec.structs import replace

from simmail.core.language import facts
from simmail.core.language.phrases import asks_for_something, say
from simmail.core.language.questions import MailQuestion, asks_to_do
from simmail.core.language.tables import counted
from simmail.core.rng import Dice
from simmail.core.writer.by_intent import DEALINGS, matter, meeting, without_ref
from simmail.core.writer.choice import HIGH, LOW, does, plain, values_of, what_for
from simmail.core.writer.context import Read, Scene, mentions, without_determiner
from simmail.core.writer.polish import long_forms
from simmail.core.writer.speech_act import ACTS, Said
from simmail.core.writer.voice import Piece
from simmail.core.writer.wishes import want_sentence

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
# Mail that may answer what the persona asked.
_SETTLING = frozenset({
    "information", "received", "confirmation", "support", "question", "redress", "news", "booked",
    "document", "invoice", "bill", "delay",
})


def reply(scene: Scene) -> list[Said]:
    """Return everything a reply says, in order."""
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
    return said or plain(scene, read, read.intent, number)


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


def settle(scene: Scene) -> list[Said] | None:
    """Return what follows when the persona's question has been answered: what it had put off; None when nothing was."""
    held = scene.request.held
    if not held or not scene.read or scene.read[-1].intent not in (*_SETTLING, held["act"]):
        return None
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


def answers(scene: Scene, read: Read, questions: list[MailQuestion], number: int) -> list[Said]:
    """Return an answer to each question, led in where there are several."""
    said: list[Said] = []
    layout = scene.manner.layout if len(questions) > 1 else ""
    for place, question in enumerate(questions):
        back = all(one.act != "answer.back" for one in said)  # nobody answers every question with another
        if question.form == "time":
            said.extend(meeting(scene, read, "meeting", number))
            continue
        act = _answer(scene, read, question, number * 100 + place, back)
        lead = None
        values = dict(act.values)
        if layout in ("topics", "bare", "numbered") and act.act not in ("answer.fact", "answer.flag"):
            ordinal = scene.language.ordinals[min(place, len(scene.language.ordinals) - 1)]
            if question.topic and question.form not in ("why", "either"):
                thing = without_determiner(question.topic, scene.language)
                lead = Said(act="lead.topic", values={"topic": question.topic, "thing": thing})
            elif layout != "numbered":
                lead = Said(act="lead.nth", values={"ordinal": ordinal})
            values.pop("topic", None)
        said.append(replace(
            act, values=values, lead=lead, number=place + 1 if layout == "numbered" else 0,
            quote=question.text if layout == "quoted" else "",
        ))
    return said


def _answer(scene: Scene, read: Read, question: MailQuestion, place: int, back: bool) -> Said:
    dice, language = scene.dice, scene.language
    values = values_of(scene, read)
    if question.topic and question.form != "why":
        values["topic"] = question.topic
    if question.form == "opinion":
        return Said(act="answer.opinion", values=values)
    fact = facts.answering(question.text, scene.facts, language)
    if fact is not None and question.form != "why":
        return Said(act=fact.act(), values={**values, **fact.values(language)})
    if question.form == "choice" and question.options:
        option = dice.choice(question.options, "which", place)
        act = "answer.option" if question.options[1].split()[0].lower() in language.determiners else "answer.way"
        return Said(act=act, values={**values, "option": option})
    if question.form == "either":
        answers = language.answers
        values.pop("topic", None)
        return Said(act="answer.either", values={
            **values, "option": dice.choice((answers.first, answers.second), "either", place)})
    promised = _promised_day(scene, question)
    if promised is not None:
        return Said(act="answer.when", values={
            **values, **counted(question.topic, language), **scene.by(promised)})
    own = _own(scene, question)
    if own:
        return Said(act="answer.own", values={**values, "value": own})
    asked_to_do = is_request(question, scene) and asks_to_do(question.text, language)
    bare = len(question.text.split()) < 3  # "ok?"
    if back and not asked_to_do and not bare and (
        dice.weighted(scene.manner.does["question"], "answers", place) == "back"
        or scene.request.trust < LOW and dice.chance(0.7, "trusts", place)
    ):
        return Said(act="answer.back", values=values)
    values.update(counted(question.topic, language))
    day = scene.due(scene.manner.days, read.found.deadlines)
    if question.form in ("yes_no", "choice"):
        return _yes_or_no(scene, question, values, day)
    values.update(scene.by(day))
    if question.form == "when" and question.needs:
        return Said(act="answer.need", values={**values, **scene.by(scene.calendar.workday(scene.manner.days + 4))})
    if question.form == "when":
        return Said(act="answer.when", values=values)
    return Said(act="answer.check", values=values, promise=scene.promise(what_for(scene, "answer.check", values), day))


def _promised_day(scene: Scene, question: MailQuestion) -> date | None:
    """The day that something asked after was promised for, if it is still to come."""
    if question.form != "when" or question.needs:
        return None
    low = question.text.lower()
    days = (one.due.astimezone(scene.calendar.zone).date() for one in scene.request.owes
            if without_determiner(one.what, scene.language).lower() in low)
    return next((day for day in days if day >= scene.calendar.today), None)


def _yes_or_no(scene: Scene, question: MailQuestion, values: dict[str, str], day: date) -> Said:
    """A yes or a no; to a request a promise, an agreement or a refusal."""
    # Somebody who says yes in a thread goes on saying yes in it, and does not contradict itself in one mail.
    mood = Dice(scene.request.persona.id).on("yes", values.get("subject", "").lower())
    asked = is_request(question, scene)
    # Who asks to have something done or confirmed mostly gets it.
    agrees = mood.chance(max(scene.manner.yes, 0.95) if asked else scene.manner.yes, "yes")
    if asked and question.confirms:
        return Said(act="answer.confirm" if agrees else "answer.dont", values=values)
    if asked and asks_to_do(question.text, scene.language):
        if not agrees:
            return Said(act="answer.dont", values=values)
        return Said(act="answer.do", values={**values, **scene.by(day)},
                    promise=scene.promise(scene.language.what.task, day))
    if any(word in question.text.lower() for word in scene.language.pleased):
        return Said(act="answer.glad" if agrees else "answer.sorry", values=values)
    yes, no = (in_full(answer, scene) for answer in question.short)
    return Said(act="answer.yes" if agrees else "answer.no", values={**values, "yes": yes, "no": no})


def _own(scene: Scene, question: MailQuestion) -> str:
    """What somebody knows of itself, as a sentence; the same person answers the same question alike."""
    if question.form not in ("what", "why", "many", "choice", "yes_no"):
        return ""
    low, persona, language = question.text.lower(), scene.request.persona, scene.language
    wants = "" if persona.wants is UNSET else say(persona.wants, 200)
    if wants and any(cue in low for cue in language.wish_asked):
        return want_sentence(wants, language)
    for own in language.own:
        if any(cue in low for cue in own.cues):
            return Dice(persona.id).on("own", own.cues[0]).choice(own.says, language.code)
    counted_things = question.needs or any(word in low for word in language.counted_words)
    if question.form == "many" and counted_things and question.topic and low.startswith(language.answers.many_words):
        return f"{how_many(persona.id, question.topic)}."
    return ""


def how_many(persona_id: str, topic: str) -> int:
    """Return how many of something a person says it is; asked twice, the same."""
    return 2 + Dice(persona_id).on("invented", topic.lower()).below(30, "many")


def is_request(question: MailQuestion, scene: Scene) -> bool:
    # "Could you send us the contract?" is answered by sending it.
    return question.form in ("yes_no", "choice") and asks_for_something(question.text, scene.language)


def in_full(answer: str, scene: Scene) -> str:
    """Return a short answer as this writer says it: without contractions when formal."""
    if scene.formality != "formal":
        return answer
    return "".join(piece.text for piece in long_forms([Piece(answer, True)], scene.language))
