"""
What is done about each kind of mail, in the manner of the temperament.

Most of it the temperament decides alone; where the mail leaves a choice (a slot, a day, one of two goods, whether
anything speaks against it), the choice is made here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from types import MappingProxyType

from msgspec.structs import replace

from simmail.core.language import facts
from simmail.core.language.dates import Slot
from simmail.core.language.names import is_person
from simmail.core.language.phrases import pieces
from simmail.core.language.tables import counted, language
from simmail.core.language.text import say
from simmail.core.records.conversation import USUAL, Remark
from simmail.core.writer.agenda import plain_date
from simmail.core.writer.choice import LOW, does, plain, timed, values_of, what_for
from simmail.core.writer.context import Read, Scene
from simmail.core.writer.life import LIFE, is_visit, kind_words
from simmail.core.writer.sources.fault import fault, phone
from simmail.core.writer.sources.noted import liked
from simmail.core.writer.sources.side import asks_to_come, is_urgent
from simmail.core.writer.sources.cut.thread_table import as_agreed
from simmail.core.writer.speech_act import Said

#: Kinds of mail whose matter answers their yes-or-no questions as well.
DEALINGS = frozenset({
    "notice", "outage", "incident", "terms", "ended", "offer", "enquiry", "order", "alternatives", "delivery", "bank",
    "renewal", "returns", "approval", "access", "minutes", "agenda", "bug", "deletion", "webinar", "beta",
    "introduced", "report", "payment", "invite", "application", "data_request", "signature", "legal",
    "missing", "ticket",
})


def matter(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """Return what is said to a mail because of what it wants."""
    return (_INTENTS.get(intent) or LIFE.get(intent) or plain)(scene, read, intent, number)


def _invoice(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    values, persona = values_of(scene, read), scene.request.persona
    if not (persona.org or persona.role):
        # Nobody at home has an accounts department.
        day = scene.due(scene.manner.days, read.found.deadlines)
        return [Said(act="debt.pay", values={**values, **scene.by(day)},
                     promise=scene.promise(what_for(scene, "invoice.pay", values), day))]
    known = facts.on_money(scene.facts, (*read.found.references, *read.found.amounts),
                           read.found.prose.body, scene.language)
    if known is not None:
        return [Said(act="invoice.known", values={**values, **known.values(scene.language)})]
    return plain(scene, read, "invoice", number, values, scene.due(scene.manner.days))


def without_ref(values: dict[str, str], doc: str) -> dict[str, str]:
    """Return the values without a reference that a document names already: "the order (PO-7781) for PO-7781"."""
    twice = values.get("ref", "").lower() in doc.lower()
    return {name: value for name, value in values.items() if name != "ref"} if twice else values


def _document(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    values = values_of(scene, read)
    docs = read.found.documents
    doc = docs[0] if docs else scene.language.what.document
    if len(docs) > 1:
        doc = f"{', '.join(docs[:-1])} {scene.language.and_} {docs[-1]}"
    values["doc"] = doc
    values.update(counted(doc, scene.language))
    values = without_ref(values, doc)
    if any(word in doc.lower() for word in scene.language.contracts):
        values["contract"] = values.get("ref") or doc
    # Somebody who is hard to hurry does not hurry for a date either.
    return plain(scene, read, "document", number, values, what=doc, documents=docs or (doc,))


def meeting(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """The time that suits of those it is asked to meet at, as its writer named it; where none does, others."""
    values = values_of(scene, read)
    calendar, language = scene.calendar, scene.language
    proposed = as_agreed(
        read.found.proposed or _named(scene, read), read.found.prose.body, _before(scene, read), scene.language,
        calendar.zone)
    open_slots = [slot for slot in proposed if calendar.suits(slot, span_of(read))]
    acts = does(scene, "meeting", number)
    # Only of a talk at work one asks what it is about.
    about = talks(scene, read)
    wants = [act for act in acts[1:] if about and not scene.has_said(act)]
    if open_slots:
        best = [one for one in open_slots if scene.limits.prefers(one.start.date())] or [
            one for one in open_slots if one.timed] or open_slots
        slot = read.found.preferred if read.found.preferred in best else scene.dice.weighted(
            [(one, 1.0 / (2 + place)) for place, one in enumerate(best)], "slot", number)
        values["slot"] = calendar.appointment(slot, language)
        if len(proposed) > 1:
            values["times"] = language.day.times
        asked = " ".join((read.mail.subject, *(one.text for one in read.found.points if one.form == "time"))).lower()
        low = f" {read.mail.subject} {read.found.prose.body}".lower()
        act = "meeting.accept"
        if any(map(f" {asked}".__contains__, language.social)):
            act = "meeting.social"
        elif any(map(low.__contains__, language.interview)) and any(map(low.__contains__, language.applying)):
            act = "meeting.interview"
        elif is_visit(read, language) and not serves(scene, read):
            # "Can I come round tomorrow?": no fitter does, but a friend.
            act = "answer.suits" if read.intent in ("private", "grief") else "meeting.visit"
        if act != "meeting.accept" or (slot.start.date() - calendar.today).days <= 1:
            wants = []  # no agenda can be written by then
        elif scene.request.trust < LOW and about and not wants:
            wants = ["meeting.purpose"]
        remarks = [timed(scene, "agreed", slot)]
    else:
        first, second = counters(scene, proposed, number)
        values["counter"] = calendar.appointment(first, language)
        values["counter2"] = calendar.appointment(second, language)
        gone = bool(proposed) and all(slot.start <= calendar.now for slot in proposed)
        act = "meeting.late" if gone else "meeting.counter" if proposed else "meeting.open"
        wants = [one for one in wants if one == "meeting.agenda" or not proposed]
        remarks = [timed(scene, "proposed", first), timed(scene, "proposed", second)]
    return [Said(act=act, values=values, remarks=tuple(remarks)), *(
        Said(act=one, values=values, joins=True) for one in wants)]


def _before(scene: Scene, read: Read) -> list[Remark]:
    """What was said in the thread before a mail: "an hour later" is one later than that."""
    return [one for one in scene.request.remarks if not one.message_id or one.message_id != read.mail.message_id]


def _named(scene: Scene, read: Read) -> tuple[Slot, ...]:
    """The days that a mail names beside "when can you come?": "Mr Anand is here Tuesdays, Thursdays and Saturdays"."""
    if not any(one.form == "time" for one in read.found.points):
        return ()
    ahead = tuple(slot for slot in read.found.slots if slot.start.date() > scene.calendar.today)
    return ahead if len({slot.start.date() for slot in ahead}) > 1 else ()


def talks(scene: Scene, read: Read) -> bool:
    """Return whether somebody at work is asked to talk about something that the thread has not told yet."""
    low = f" {read.mail.subject} {read.found.prose.body}".lower()
    return bool(scene.request.persona.org) and not scene.request.own and not serves(scene, read) and any(
        map(low.__contains__, kind_words(scene.language.code).meetings))


def serves(scene: Scene, read: Read) -> bool:
    """Return whether somebody is asked to come as one who sells or does something."""
    persona = scene.request.persona
    return bool(persona.org) and asks_to_come(read.found, scene.language) and not scene.friends


def span_of(read: Read) -> timedelta:
    """Return how long what a mail proposes takes."""
    minutes = read.found.minutes
    return read.found.invitation.span or (timedelta(minutes=int(minutes)) if minutes else USUAL)


def counters(scene: Scene, proposed: Sequence[Slot], number: int) -> tuple[Slot, Slot]:
    """Return two times of the persona's own, near what was proposed."""
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


def _redress(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    values = values_of(scene, read)
    acts = does(scene, "redress", number)
    if read.found.options:
        options = read.found.options
        values["option"] = liked(options, scene.request.notes, scene.language) or options[
            scene.dice.below(2, "option", number)]
        values["other"] = next(one for one in options if one != values["option"])
    else:
        acts = ["redress.accept" if act == "redress.choose" else act for act in acts]
    return [Said(act=act, values=values, joins=place > 0) for place, act in enumerate(acts)]


def _feedback(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """A mark where one is asked for, else whatever the temperament says to surveys."""
    top = read.found.rating
    if not top:
        return plain(scene, read, intent, number)
    mark = max(1, min(top, round(top * scene.manner.mark)))
    return [Said(act="feedback.rate", values={**values_of(scene, read), "rating": str(mark)})]


def _bill(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """A new invoice: paid when it is due."""
    ahead = [day for day in (*read.found.deadlines, *read.found.dates) if day > scene.calendar.today]
    return plain(scene, read, "bill", number, day=ahead[0] if ahead else scene.calendar.workday(10))


def _booked(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """An appointment that stands: fine, unless it lies outside working hours."""
    values, calendar = values_of(scene, read), scene.calendar
    named = [slot for slot in as_agreed(
        read.found.slots, read.found.prose.body, _before(scene, read), scene.language, calendar.zone) if slot.timed]
    good = [slot for slot in named if calendar.suits(slot, span_of(read))]
    if not read.found.slots:
        # Which one that is was said before.
        return [Said(act="closing.bye", values=values)]
    if good or not named:
        slot = (good or list(read.found.slots))[0]
        return [Said(act="booked.ok", values={**values, "slot": calendar.appointment(slot, scene.language)},
                     remarks=(timed(scene, "agreed", slot),))]
    first, second = counters(scene, named, number)
    return [Said(act="booked.move", values={
        **values, "counter": calendar.appointment(first, scene.language),
        "counter2": calendar.appointment(second, scene.language)}, remarks=(
            timed(scene, "proposed", first), timed(scene, "proposed", second)))]


def _closing(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """Taking leave; where a meeting was agreed on, until then."""
    return [Said(act="closing.bye", values=values_of(scene, read))]


def _account(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """Something about an account; where a payment failed there is nothing to decide."""
    said = plain(scene, read, intent, number)
    low = read.found.prose.body.lower()
    if said[0].act in ("account.leave", "account.ask") and scene.manner.does["account"] != (("ask", 1.0),) and any(
        word in low for word in scene.language.failed_payment
    ):
        day = scene.due(scene.manner.days, read.found.deadlines)
        return [Said(act="account.do", values={**values_of(scene, read), **scene.by(day)},
                     promise=scene.promise(scene.language.what.task, day))]
    return said


def _confirmation(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """A confirmation is compared with what was agreed; that money arrived is not."""
    low = f"{read.mail.subject} {read.found.prose.body}".lower()
    if any(word in low for word in scene.language.paid):
        return [Said(act="confirmation.paid", values=values_of(scene, read))]
    return plain(scene, read, intent, number)


def _delay(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """A delay: of all days that are named, the latest is the new one, in whatever order they stand."""
    ahead = [day for day in read.found.dates if day > scene.calendar.today]
    return [replace(act, values={**act.values, "date": plain_date(max(ahead), scene.language)}) if ahead else act
            for act in plain(scene, read, intent, number)]


def _chaser(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    request = scene.request
    if not request.owed and request.done:
        values = values_of(scene, read)
        if "document" in request.done:
            what = request.done["document"]
            return [Said(act="chaser.sent", values={**values, "what": what, **counted(what, scene.language)},
                         documents=pieces(what, scene.language))]
        return [Said(act="chaser.paid", values={**values, "what": request.done["payment"]})]
    for sentence in read.found.prose.sentences[:10]:
        fact = facts.answering(sentence, scene.facts, scene.language, scene.request.meaning)
        if fact is not None:
            return [Said(act="answer.fact", values={**values_of(scene, read), **fact.values(scene.language)})]
    return plain(scene, read, intent, number)


def _one(scene: Scene, read: Read, act: str, number: int, **more: str) -> list[Said]:
    return [Said(act=act, values={**values_of(scene, read), **more})]


def times(scene: Scene, read: Read) -> dict[str, str]:
    """Return how lines name the day, and the hour, that a mail speaks of."""
    slots = read.found.slots
    if not slots:
        return {}
    slot = next((one for one in slots if one.timed), slots[0])
    day = slot.start.date()
    values = {"day": scene.calendar.name(day, scene.language), "when": scene.calendar.when(day, scene.language)}
    if slot.timed:
        values["slot"] = scene.calendar.appointment(slot, scene.language)
    return values


def _notice(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """An announcement; asked whether anything speaks against it, people say so, else only the difficult object."""
    act = does(scene, "notice", number)[0]
    asked = any(f" {cue}" in f" {question.text.lower()}" for question in read.found.questions
                for cue in scene.language.objecting)
    if asked and act == "notice.ack":
        act = "notice.agree"
    return _one(scene, read, act, number, **times(scene, read))


def _trouble(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """What is broken, missing or fails is looked after by its name; where none is named it is asked for."""
    thing = fault(read.found, scene.language, scene.distant)
    if not thing:
        return plain(scene, read, intent, number)
    values = values_of(scene, read)
    day = scene.due(0 if is_urgent(read.found, scene.language) else scene.manner.days, read.found.deadlines)
    called = phone(read.found, scene.language)
    return [Said(act="trouble.look", values={**values, "fault": thing, "phone": called, **scene.by(day)},
                 promise=scene.promise(what_for(scene, "complaint.sorry", values), day))]


def _terms(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """New terms; of prices people speak otherwise than of small print."""
    act = does(scene, "terms", number)[0]
    low = read.found.prose.body.lower()
    if read.found.figure or any(word in low for word in scene.language.price_words):
        act = act.replace("terms.", "prices.")
    return _one(scene, read, act, number)


def _payment(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """Something to be paid by way of a link, in time."""
    act = does(scene, "payment", number)[0]
    if act != "payment.pay":
        return _one(scene, read, act, number)
    values = values_of(scene, read)
    day = scene.due(1, read.found.deadlines)
    what = scene.language.what.payment_plain
    return [Said(act=act, values={**values, **scene.by(day)}, promise=scene.promise(what, day))]


def _invite(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """A calendar invitation: accepted where it suits, else another time is asked for."""
    whole = read.found.invitation.day is not None
    good = [slot for slot in read.found.slots if (whole or slot.timed) and scene.calendar.suits(slot, span_of(read))]
    if not good:
        return matter(scene, read, "booked" if read.found.slots and not whole else "meeting", number)
    said = _one(scene, read, "invite.accept", number, slot=scene.calendar.appointment(good[0], scene.language))
    return [replace(one, remarks=(timed(scene, "agreed", good[0]),)) for one in said]


def _event(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """An event is declined where its hour is given away, or it lies on a day that is none for others."""
    slots, values = read.found.slots, values_of(scene, read)
    free = [slot for slot in slots if (
        scene.calendar.free(slot.start, span_of(read)) if slot.timed else scene.limits.works(slot.start.date()))]
    if slots and not free:
        return [Said(act="event.decline", values=values)]
    agreed = tuple(timed(scene, "agreed", slot) for slot in free[:1] if slot.timed)
    return [replace(act, remarks=agreed) if act.act == "event.come" else act for act in plain(
        scene, read, intent, number)]


def _agenda(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    return _one(scene, read, does(scene, "agenda", number)[0], number, **times(scene, read))


def _delivery(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """One of the days on offer, a working day if there is one."""
    # The day that was missed stands there without a time.
    timed = [slot for slot in read.found.slots if slot.timed]
    offered = timed if len({slot.start.date() for slot in timed}) > 1 else list(read.found.slots)
    days = sorted({slot.start.date() for slot in offered if slot.start.date() > scene.calendar.today})
    if not days:
        return plain(scene, read, "information", number)
    if len(days) == 1:
        # Nothing to choose: when it comes is told.
        slot = next(one for one in offered if one.start.date() == days[0])
        return _one(scene, read, "meeting.visit", number, slot=scene.calendar.appointment(slot, scene.language))
    day = scene.dice.choice([one for one in days if scene.calendar.working(one)] or days, "day", number)
    return _one(scene, read, "delivery.choose", number, day=scene.calendar.name(day, scene.language))


def _information(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """News: nobody asks what they mean but of figures, and who has no firm tells no team."""
    values = values_of(scene, read)
    act = does(scene, "information", number)[0]
    if act == "information.ask" and not values.get("figure") or scene.friends or not values.get("org"):
        act = "information.seen"
    return [Said(act=act, values=values)]


def _alternatives(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """One of two goods instead of the one that is not there."""
    act = does(scene, "alternatives", number)[0]
    if not read.found.options:
        act = "alternatives.ask" if act == "alternatives.choose" else act
        return _one(scene, read, act, number)
    option = liked(read.found.options, scene.request.notes, scene.language) or read.found.options[
        scene.dice.below(2, "option", number)]
    return _one(scene, read, act, number, option=option)


def _bank(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """Nobody who has lost trust, and nobody careful, changes where money goes because of a mail."""
    act = "bank.check" if scene.request.trust < LOW else does(scene, "bank", number)[0]
    return _one(scene, read, act, number)


def _asked_by(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """A program passes on what somebody wants approved or opened."""
    asker = _asker(read, scene)
    more = {"asker": asker} if asker else {}
    return _one(scene, read, does(scene, intent, number)[0], number, **more)


def _asker(read: Read, scene: Scene) -> str:
    for sentence in (read.mail.subject[:200], *read.found.prose.sentences[:6]):
        head = next((sentence.partition(cue)[0] for cue in scene.language.asks_of if cue in sentence), "")
        for name in (head, _after(sentence, scene.language.from_words)):
            name = " ".join(name.split()[:2]) if name else ""
            if " " in name and len(name) < 50 and is_person(name, scene.language):
                return say(name, 50)
    return ""


def _after(sentence: str, words: tuple[str, ...]) -> str:
    return next((sentence.partition(word)[2] for word in words if word in sentence), "")


def _minutes(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """Minutes with a task for the reader are answered with a promise."""
    act = does(scene, "minutes", number)[0]
    item = _item(read, scene)
    if not item:
        return _one(scene, read, act, number)
    values = values_of(scene, read)
    ahead = [day for day in (*read.found.deadlines, *read.found.dates) if day > scene.calendar.today]
    named = [day for day in ahead if f"{day.day}" in item]
    day = named[0] if named else scene.due(scene.manner.days)
    item = _by(scene.language.code).sub("", item, count=1)
    return [Said(act="minutes.do", values={**values, "item": say(item, 80).rstrip(" .,;"), **scene.by(day)},
                 promise=scene.promise(scene.language.what.task, day))]


def _item(read: Read, scene: Scene) -> str:
    """What a list of tasks gives the reader to do: "Maria: get three quotes by 13 March"."""
    name = scene.request.persona.name.lower()
    named = (name.split(" ")[0], name, *scene.language.task_for)
    for sentence in read.found.prose.sentences:
        head, colon, tail = sentence.partition(":")
        if colon and tail and head.lower().strip(" -*@") in named:
            return tail.strip()
    return ""


@cache
def _by(code: str) -> re.Pattern[str]:
    # "By 13 March", at the end or at the head of what is to be done.
    known = language(code)
    joints, days = ("|".join(map(re.escape, words)) for words in (known.task_by, known.day_endings))
    return re.compile(
        rf"(?:^| )(?:{joints}) (?:[0-9]{{1,2}}\.? \w+|\w+(?:{days})|\w+ [0-9]{{1,2}})(?: |$|[.,;])", re.IGNORECASE)


_INTENTS: Mapping[str, Callable[[Scene, Read, str, int], list[Said]]] = MappingProxyType({
    "invoice": _invoice, "document": _document, "meeting": meeting, "redress": _redress, "chaser": _chaser,
    "feedback": _feedback, "bill": _bill, "booked": _booked, "closing": _closing,
    "account": _account, "confirmation": _confirmation, "delay": _delay,
    "complaint": _trouble, "bug": _trouble,
    "notice": _notice, "event": _event, "agenda": _agenda, "delivery": _delivery, "alternatives": _alternatives,
    "bank": _bank, "terms": _terms, "information": _information,
    "payment": _payment, "invite": _invite, "approval": _asked_by, "access": _asked_by, "minutes": _minutes,
})
