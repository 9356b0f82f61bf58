"""
What a reply says: each mail's intent, in the manner of the temperament, then every question it asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from msgspec import UNSET
from msgspec.structs import replace

from simmail.core.words import facts, intents
from simmail.core.words.acts import ACTS, Said
from simmail.core.words.findings import Question
from simmail.core.words.language import counted
from simmail.core.words.phrases import asks_for_something
from simmail.core.words.polish import long_forms
from simmail.core.words.scene import ABOUT, Read, Scene, about, mentions, without_determiner
from simmail.core.words.slots import Slot
from simmail.core.words.voices import Piece

#: Below this a person is low on trust, warmth or patience; above the other it is high.
LOW, HIGH = 0.25, 0.75

# What is asked instead of done when there is no trust.
_DISTRUST = {"document.attach": "document.ask", "document.promise": "document.ask", "invoice.pay": "invoice.doubt"}
# These intents are one matter as a whole: single questions in them are not answered one by one.
_WHOLE = frozenset({"sales", "newsletter", "code", "wrong", "feedback", "empty"})
# Mail that is answered with an opening and a last word.
_SERIOUS = frozenset({
    "question", "document", "meeting", "invoice", "redress", "complaint", "support", "chaser", "task",
})


def reply(scene: Scene) -> list[Said]:
    """Everything a reply says, in order."""
    body: list[Said] = []
    for number, read in enumerate(scene.read):
        body.extend(act for act in _to(scene, read, number) if act.act not in {one.act for one in body}
                    or act.act.startswith("answer."))
    said: list[Said] = []
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
    if scene.read and scene.read[-1].intent in _SERIOUS and (
        scene.length == "long" or scene.length == "medium" and scene.dice.chance(scene.manner.extra, "extra")
    ):
        asks = any(ACTS[act.act].asks for act in body)
        said.append(Said(act="extra.ask" if asks else "extra.close", values=scene.common))
    return said


def _opener(scene: Scene) -> Said | None:
    request = scene.request
    if request.patience < LOW and scene.dice.chance(0.8, "impatient"):
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
    if intent != "question":
        said.extend(_INTENTS.get(intent, _plain)(scene, read, number))
        left = [question for question in left if not _dealt_with(question, read, scene)]
    if intent not in _WHOLE and intent not in ("document", "support") and read.found.documents:
        said.extend(_document(scene, read, number))
        left = [question for question in left if not _is_request(question, scene)]
    said.extend(_answers(scene, read, left, number))
    return said or _plain(scene, read, number)


def _dealt_with(question: Question, read: Read, scene: Scene) -> bool:
    """Whether answering the mail's intent answers this question of it as well."""
    if read.intent in _WHOLE:
        return True
    asked = f" {question.text.lower()}"
    cues = scene.language.cues.get(read.intent, {})
    if any(f" {cue}" in asked for cue in cues):
        return True
    if read.intent == "meeting":
        return mentions(question.text, frozenset({"time", "times", "zeit", "uhr"})) or not question.topic
    if read.intent == "redress":
        return bool(read.found.options) and not question.topic or mentions(question.text, scene.language.choice_words)
    if read.intent in ("document", "task"):
        return _is_request(question, scene)
    return False


def _is_request(question: Question, scene: Scene) -> bool:
    # "Could you send us the contract?" is answered by sending it.
    return question.form in ("yes_no", "choice") and asks_for_something(question.text, scene.language)


def in_full(answer: str, scene: Scene) -> str:
    """A short answer as this writer says it: without contractions when formal."""
    if scene.formality != "formal":
        return answer
    return "".join(piece.text for piece in long_forms([Piece(answer, True)], scene.language))


def _does(scene: Scene, intent: str, number: int) -> list[str]:
    """The acts the temperament chooses for an intent."""
    table = scene.manner.does.get(intent) or (("ack", 1.0),)
    chosen = scene.dice.weighted(table, "does", intent, number)
    acts = [f"{intent}.{act}" for act in chosen.split("+")]
    if scene.request.trust < LOW:
        acts = [_DISTRUST.get(act, act) for act in acts]
    return acts


def _values(scene: Scene, read: Read) -> dict[str, str]:
    # The common values are those of the last mail; an earlier one of a batch has its own.
    if read is scene.read[-1]:
        return dict(scene.common)
    values = {name: value for name, value in scene.common.items() if name not in ABOUT}
    values.update(about(read, scene.request, scene.calendar, scene.language))
    return values


def _plain(scene: Scene, read: Read, number: int) -> list[Said]:
    """Acts that need nothing but what is common, or a day."""
    said: list[Said] = []
    intent = read.intent if read.intent in intents.INTENTS and read.intent != "question" else "information"
    values = _values(scene, read)
    for act in _does(scene, intent, number):
        promise = None
        more: dict[str, str] = {}
        if act in ("complaint.sorry", "support.test", "task.do", "chaser.answer"):
            day = scene.due(scene.manner.days, read.found.deadlines)
            more = scene.by(day)
            promise = scene.promise(_what(scene, act, values), day)
        said.append(Said(act=act, values={**values, **more}, joins=bool(said), promise=promise))
    return said


def _what(scene: Scene, act: str, values: Mapping[str, str]) -> str:
    """What an act promises, as a phrase."""
    what = scene.language.what
    if act == "invoice.pay":
        return what.payment.format(ref=values["ref"]) if values.get("ref") else what.payment_plain
    if act == "task.do":
        return what.task
    if act == "answer.check":
        return what.answer.format(topic=values["topic"]) if values.get("topic") else what.answer_plain
    if act == "chaser.answer":
        return what.answer.format(topic=values["about"]) if values.get("about") else what.answer_plain
    topic = values.get("ref") or values.get("about", "")
    return what.news.format(topic=topic) if topic else what.answer_plain


def _invoice(scene: Scene, read: Read, number: int) -> list[Said]:
    values = _values(scene, read)
    known = facts.on_money(scene.facts, (*read.found.references, *read.found.amounts), scene.language)
    if known is not None:
        return [Said(act="invoice.known", values={**values, **known.values(scene.language)})]
    said: list[Said] = []
    for act in _does(scene, "invoice", number):
        if act == "invoice.pay":
            day = scene.due(scene.manner.days)
            said.append(Said(act=act, values={**values, **scene.by(day)}, joins=bool(said),
                             promise=scene.promise(_what(scene, act, values), day)))
        else:
            said.append(Said(act=act, values=values, joins=bool(said)))
    return said


def _document(scene: Scene, read: Read, place: int) -> list[Said]:
    values = _values(scene, read)
    docs = read.found.documents
    doc = docs[0] if docs else scene.language.what.document
    if len(docs) > 1:
        doc = f"{', '.join(docs[:-1])} {scene.language.and_} {docs[-1]}"
    values["doc"] = doc
    values.update(counted(doc, scene.language))
    if values.get("ref") and values["ref"].lower() in doc.lower():
        values.pop("ref")
    said: list[Said] = []
    for act in _does(scene, "document", place):
        if act == "document.promise":
            # Somebody who is hard to hurry does not hurry for a date either.
            day = scene.due(scene.manner.days, read.found.deadlines)
            said.append(Said(act=act, values={**values, **scene.by(day)}, joins=bool(said),
                             promise=scene.promise(doc, day)))
        else:
            said.append(Said(act=act, values=values, joins=bool(said),
                             documents=docs or (doc,) if act == "document.attach" else ()))
    return said


def _meeting(scene: Scene, read: Read, number: int) -> list[Said]:
    values = _values(scene, read)
    calendar, language = scene.calendar, scene.language
    proposed = [slot for slot in read.found.slots if slot.timed] or list(read.found.slots)
    open_slots = [slot for slot in proposed if calendar.suits(slot)]
    acts = _does(scene, "meeting", number)
    if open_slots:
        slot = open_slots[0]
        if not slot.timed:
            start = calendar.at_work(slot.start.date(), scene.dice.choice((0.15, 0.3, 0.65), "hour", number))
            slot = Slot(start=start, timed=True, halves=slot.halves)
        values["slot"] = calendar.appointment(slot, language)
        if scene.request.trust < LOW and "meeting.purpose" not in acts:
            acts = [*acts, "meeting.purpose"]
    else:
        first, second = _counters(scene, proposed, number)
        values["counter"] = calendar.appointment(first, language)
        values["counter2"] = calendar.appointment(second, language)
        acts = ["meeting.counter" if proposed else "meeting.open"] + [
            act for act in acts if act == "meeting.agenda" or act == "meeting.purpose" and not proposed
        ]
    return [Said(act=act, values=values, joins=place > 0) for place, act in enumerate(acts)]


def _counters(scene: Scene, proposed: list[Slot], number: int) -> tuple[Slot, Slot]:
    """Two times of the persona's own, near what was proposed."""
    calendar = scene.calendar
    after = calendar.workday(1 + scene.dice.below(2, "after", number))
    ahead = [slot.start.date() for slot in proposed if slot.start.date() > calendar.today]
    first_day = max(after, ahead[0]) if ahead and (ahead[0] - calendar.today).days < 60 else after
    while not calendar.working(first_day):
        first_day += timedelta(days=1)
    second_day: date = first_day + timedelta(days=1)
    while not calendar.working(second_day):
        second_day += timedelta(days=1)
    halves = any(slot.halves for slot in proposed)
    shares = scene.dice.shuffled((0.15, 0.3, 0.65, 0.8), "shares", number)
    return (Slot(start=calendar.at_work(first_day, shares[0]), timed=True, halves=halves),
            Slot(start=calendar.at_work(second_day, shares[1]), timed=True, halves=halves))


def _redress(scene: Scene, read: Read, number: int) -> list[Said]:
    values = _values(scene, read)
    acts = _does(scene, "redress", number)
    if read.found.options:
        chosen = scene.dice.below(2, "option", number)
        values["option"], values["other"] = read.found.options[chosen], read.found.options[1 - chosen]
    else:
        acts = ["redress.accept" if act == "redress.choose" else act for act in acts]
    return [Said(act=act, values=values, joins=place > 0) for place, act in enumerate(acts)]


def _chaser(scene: Scene, read: Read, number: int) -> list[Said]:
    for sentence in read.found.prose.sentences[:10]:
        fact = facts.answering(sentence, scene.facts, scene.language)
        if fact is not None:
            return [Said(act=fact.act(), values={**_values(scene, read), **fact.values(scene.language)})]
    return _plain(scene, read, number)


_INTENTS = {
    "invoice": _invoice, "document": _document, "meeting": _meeting, "redress": _redress, "chaser": _chaser,
}


def _answers(scene: Scene, read: Read, questions: list[Question], number: int) -> list[Said]:
    """An answer to each question, led in where there are several."""
    said: list[Said] = []
    layout = scene.manner.layout if len(questions) > 1 else ""
    for place, question in enumerate(questions):
        back = all(one.act != "answer.back" for one in said)  # nobody answers every question with another
        act = _answer(scene, read, question, number * 100 + place, back)
        lead = None
        values = dict(act.values)
        if layout in ("topics", "bare", "numbered") and act.act not in ("answer.fact", "answer.flag"):
            ordinal = scene.language.ordinals[min(place, len(scene.language.ordinals) - 1)]
            if question.topic and question.form != "why":
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


def _answer(scene: Scene, read: Read, question: Question, place: int, back: bool) -> Said:
    dice, language = scene.dice, scene.language
    values = _values(scene, read)
    if question.topic and question.form != "why":
        values["topic"] = question.topic
    fact = facts.answering(question.text, scene.facts, language)
    if fact is not None and question.form != "why":
        return Said(act=fact.act(), values={**values, **fact.values(language)})
    if question.form == "choice" and question.options:
        return Said(act="answer.option", values={**values, "option": dice.choice(question.options, "which", place)})
    if back and (dice.weighted(scene.manner.does["question"], "answers", place) == "back" or (
        scene.request.trust < LOW and dice.chance(0.7, "trusts", place)
    )):
        return Said(act="answer.back", values=values)
    if question.form in ("yes_no", "choice"):
        yes, no = (in_full(answer, scene) for answer in question.short)
        # Who asks to have something confirmed mostly gets it confirmed.
        likely = max(scene.manner.yes, 0.95) if _is_request(question, scene) else scene.manner.yes
        act = "answer.yes" if dice.chance(likely, "yes", place) else "answer.no"
        return Said(act=act, values={**values, "yes": yes, "no": no})
    day = scene.due(scene.manner.days, read.found.deadlines)
    values.update(scene.by(day))
    if question.form == "when":
        return Said(act="answer.when", values=values)
    return Said(act="answer.check", values=values, promise=scene.promise(_what(scene, "answer.check", values), day))
