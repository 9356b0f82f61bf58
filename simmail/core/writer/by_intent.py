"""
What is done about each kind of mail, in the manner of the temperament.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from types import MappingProxyType

from msgspec.structs import replace

from simmail.core.language import facts, intents
from simmail.core.language.dates import Slot
from simmail.core.language.tables import counted
from simmail.core.language.phrases import pieces
from simmail.core.writer.agenda import plain_date
from simmail.core.writer.context import ABOUT, Read, Scene, about
from simmail.core.writer.speech_act import Said

#: Below this a person is low on trust, warmth or patience; above the other it is high.
LOW, HIGH = 0.25, 0.75

# What is asked instead of done when there is no trust.
_DISTRUST = {"document.attach": "document.ask", "document.promise": "document.ask", "invoice.pay": "invoice.doubt"}
#: Acts that promise something for a day.
_PROMISING = frozenset({
    "complaint.sorry", "support.test", "task.do", "chaser.answer", "account.do", "offer.decide", "enquiry.promise",
    "order.accept", "returns.do", "bug.look", "deletion.do",
})
# Mail that may answer what the persona asked.
_SETTLING = frozenset({
    "information", "received", "confirmation", "support", "question", "redress", "news", "booked",
    "document", "invoice", "bill", "delay",
})


def matter(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """What is said to a mail because of what it wants."""
    return _INTENTS.get(intent, plain)(scene, read, number)


def values_of(scene: Scene, read: Read) -> dict[str, str]:
    # The common values are those of the last mail; an earlier one of a batch has its own.
    if read is scene.read[-1]:
        return dict(scene.common)
    values = {name: value for name, value in scene.common.items() if name not in ABOUT}
    values.update(about(read, scene.request, scene.calendar, scene.language))
    return values


def what_for(scene: Scene, act: str, values: Mapping[str, str]) -> str:
    """What an act promises, as a phrase."""
    what = scene.language.what
    if act == "enquiry.promise":
        return what.quote
    if act == "order.accept":
        return what.order.format(ref=values["ref"]) if values.get("ref") else what.order_plain
    if act == "invoice.pay":
        return what.payment.format(ref=values["ref"]) if values.get("ref") else what.payment_plain
    if act in ("task.do", "account.do", "deletion.do", "minutes.do", "returns.do"):
        return what.task
    if act == "chaser.answer" and values.get("owed"):
        return values["owed"]
    if act == "offer.decide" and values.get("ref"):
        return what.answer.format(topic=values["ref"])
    if act == "answer.check":
        return what.answer.format(topic=values["topic"]) if values.get("topic") else what.answer_plain
    if act == "chaser.answer":
        return what.answer.format(topic=values["about"]) if values.get("about") else what.answer_plain
    topic = values.get("ref") or values.get("about", "")
    return what.news.format(topic=topic) if topic else what.answer_plain


def settle(scene: Scene) -> list[Said] | None:
    """What follows when the persona's question has been answered: what it had put off; None when nothing was."""
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
                **_without_ref(values, doc), "doc": doc, **counted(doc, scene.language), **by},
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


def _without_ref(values: dict[str, str], doc: str) -> dict[str, str]:
    # "The order (PO-7781) for PO-7781" says it twice.
    twice = values.get("ref", "").lower() in doc.lower()
    return {name: value for name, value in values.items() if name != "ref"} if twice else values


def does(scene: Scene, intent: str, number: int) -> list[str]:
    """The acts the temperament chooses for an intent."""
    table = scene.manner.does.get(intent) or (("ack", 1.0),)
    chosen = scene.dice.weighted(table, "does", intent, number)
    acts = [f"{intent}.{act}" for act in chosen.split("+")]
    if scene.request.trust < LOW:
        acts = [_DISTRUST.get(act, act) for act in acts]
    return acts


def plain(scene: Scene, read: Read, number: int) -> list[Said]:
    """Acts that need nothing but what is common, or a day."""
    said: list[Said] = []
    intent = read.intent if read.intent in intents.INTENTS and read.intent != "question" else "information"
    values = values_of(scene, read)
    for act in does(scene, intent, number):
        promise = None
        more: dict[str, str] = {}
        if act in _PROMISING:
            day = scene.due(scene.manner.days, read.found.deadlines)
            more = scene.by(day)
            promise = scene.promise(what_for(scene, act, values), day)
        said.append(Said(act=act, values={**values, **more}, joins=bool(said), promise=promise))
    return said


def _invoice(scene: Scene, read: Read, number: int) -> list[Said]:
    values = values_of(scene, read)
    known = facts.on_money(scene.facts, (*read.found.references, *read.found.amounts),
                           read.found.prose.body, scene.language)
    if known is not None:
        return [Said(act="invoice.known", values={**values, **known.values(scene.language)})]
    said: list[Said] = []
    for act in does(scene, "invoice", number):
        if act == "invoice.pay":
            day = scene.due(scene.manner.days)
            said.append(Said(act=act, values={**values, **scene.by(day)}, joins=bool(said),
                             promise=scene.promise(what_for(scene, act, values), day)))
        else:
            said.append(Said(act=act, values=values, joins=bool(said)))
    return said


def _document(scene: Scene, read: Read, place: int) -> list[Said]:
    values = values_of(scene, read)
    docs = read.found.documents
    doc = docs[0] if docs else scene.language.what.document
    if len(docs) > 1:
        doc = f"{', '.join(docs[:-1])} {scene.language.and_} {docs[-1]}"
    values["doc"] = doc
    values.update(counted(doc, scene.language))
    values = _without_ref(values, doc)
    if any(word in doc.lower() for word in scene.language.contracts):
        values["contract"] = values.get("ref") or doc
    said: list[Said] = []
    for act in does(scene, "document", place):
        if act == "document.promise":
            # Somebody who is hard to hurry does not hurry for a date either.
            day = scene.due(scene.manner.days, read.found.deadlines)
            said.append(Said(act=act, values={**values, **scene.by(day)}, joins=bool(said),
                             promise=scene.promise(doc, day)))
        else:
            said.append(Said(act=act, values=values, joins=bool(said),
                             documents=docs or (doc,) if act == "document.attach" else ()))
    return said


def meeting(scene: Scene, read: Read, number: int) -> list[Said]:
    values = values_of(scene, read)
    calendar, language = scene.calendar, scene.language
    proposed = [slot for slot in read.found.slots if slot.timed] or list(read.found.slots)
    open_slots = [slot for slot in proposed if calendar.suits(slot)]
    acts = [act for act in does(scene, "meeting", number) if act == "meeting.accept" or not scene.has_said(act)]
    if open_slots:
        slot = open_slots[0]
        if not slot.timed:
            start = calendar.at_work(slot.start.date(), scene.dice.choice((0.15, 0.3, 0.65), "hour", number))
            slot = Slot(start=start, timed=True, halves=slot.halves)
        values["slot"] = calendar.appointment(slot, language)
        if len(proposed) > 1:
            values["times"] = language.day.times
        low = f" {read.mail.subject.lower()} {read.found.prose.body.lower()}"
        if any(map(low.__contains__, language.social)):
            return [Said(act="meeting.social", values=values)]
        if any(map(low.__contains__, language.interview)) and any(map(low.__contains__, language.applying)):
            return [Said(act="meeting.interview", values=values)]
        if scene.request.trust < LOW and "meeting.purpose" not in acts:
            acts = [*acts, "meeting.purpose"]
    else:
        first, second = _counters(scene, proposed, number)
        values["counter"] = calendar.appointment(first, language)
        values["counter2"] = calendar.appointment(second, language)
        gone = bool(proposed) and all(slot.start <= calendar.now for slot in proposed)
        acts = ["meeting.late" if gone else "meeting.counter" if proposed else "meeting.open"] + [
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
    values = values_of(scene, read)
    acts = does(scene, "redress", number)
    if read.found.options:
        chosen = scene.dice.below(2, "option", number)
        values["option"], values["other"] = read.found.options[chosen], read.found.options[1 - chosen]
    else:
        acts = ["redress.accept" if act == "redress.choose" else act for act in acts]
    return [Said(act=act, values=values, joins=place > 0) for place, act in enumerate(acts)]


def _feedback(scene: Scene, read: Read, number: int) -> list[Said]:
    """A mark where one is asked for, else whatever the temperament says to surveys."""
    top = read.found.rating
    if not top:
        return plain(scene, read, number)
    mark = max(1, min(top, round(top * scene.manner.mark)))
    return [Said(act="feedback.rate", values={**values_of(scene, read), "rating": str(mark)})]


def _bill(scene: Scene, read: Read, number: int) -> list[Said]:
    """A new invoice: paid when it is due."""
    values = values_of(scene, read)
    ahead = [day for day in (*read.found.deadlines, *read.found.dates) if day > scene.calendar.today]
    day = ahead[0] if ahead else scene.calendar.workday(10)
    said: list[Said] = []
    for act in does(scene, "bill", number):
        if act == "bill.pay":
            said.append(Said(act=act, values={**values, **scene.by(day)}, joins=bool(said),
                             promise=scene.promise(what_for(scene, "invoice.pay", values), day)))
        else:
            said.append(Said(act=act, values=values, joins=bool(said)))
    return said


def _booked(scene: Scene, read: Read, number: int) -> list[Said]:
    """An appointment that stands: fine, unless it lies outside working hours."""
    values, calendar = values_of(scene, read), scene.calendar
    timed = [slot for slot in read.found.slots if slot.timed]
    good = [slot for slot in timed if calendar.suits(slot)]
    if good or not timed:
        slot = (good or list(read.found.slots))[0]
        return [Said(act="booked.ok", values={**values, "slot": calendar.appointment(slot, scene.language)})]
    first, second = _counters(scene, timed, number)
    return [Said(act="booked.move", values={
        **values, "counter": calendar.appointment(first, scene.language),
        "counter2": calendar.appointment(second, scene.language)})]


def _closing(scene: Scene, read: Read, number: int) -> list[Said]:
    """Taking leave; where a meeting was agreed on, until then."""
    return [Said(act="closing.bye", values=values_of(scene, read))]


def _account(scene: Scene, read: Read, number: int) -> list[Said]:
    """Something about an account; where a payment failed there is nothing to decide."""
    said = plain(scene, read, number)
    low = read.found.prose.body.lower()
    if said[0].act in ("account.leave", "account.ask") and scene.manner.does["account"] != (("ask", 1.0),) and any(
        word in low for word in scene.language.failed_payment
    ):
        day = scene.due(scene.manner.days, read.found.deadlines)
        return [Said(act="account.do", values={**values_of(scene, read), **scene.by(day)},
                     promise=scene.promise(scene.language.what.task, day))]
    return said


def _confirmation(scene: Scene, read: Read, number: int) -> list[Said]:
    """A confirmation is compared with what was agreed; that money arrived is not."""
    low = f"{read.mail.subject} {read.found.prose.body}".lower()
    if any(word in low for word in scene.language.paid):
        return [Said(act="confirmation.paid", values=values_of(scene, read))]
    return plain(scene, read, number)


def _delay(scene: Scene, read: Read, number: int) -> list[Said]:
    """A delay: of all days that are named, the last is the new one."""
    ahead = [day for day in read.found.dates if day > scene.calendar.today]
    return [replace(act, values={**act.values, "date": plain_date(ahead[-1], scene.language)}) if ahead else act
            for act in plain(scene, read, number)]


def _chaser(scene: Scene, read: Read, number: int) -> list[Said]:
    request = scene.request
    if not request.owed and request.done:
        values = values_of(scene, read)
        if "document" in request.done:
            what = request.done["document"]
            return [Said(act="chaser.sent", values={**values, "what": what, **counted(what, scene.language)},
                         documents=pieces(what, scene.language))]
        return [Said(act="chaser.paid", values={**values, "what": request.done["payment"]})]
    for sentence in read.found.prose.sentences[:10]:
        fact = facts.answering(sentence, scene.facts, scene.language)
        if fact is not None:
            return [Said(act=fact.act(), values={**values_of(scene, read), **fact.values(scene.language)})]
    return plain(scene, read, number)


_INTENTS = MappingProxyType({
    "invoice": _invoice, "document": _document, "meeting": meeting, "redress": _redress, "chaser": _chaser,
    "feedback": _feedback, "bill": _bill, "booked": _booked, "closing": _closing,
    "account": _account, "confirmation": _confirmation, "delay": _delay,
})
