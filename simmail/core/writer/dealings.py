"""
What is done about announcements, trade, office matters and news from people.

Most of it the temperament decides alone; where the mail leaves a choice (a day, one of two goods, whether anything
speaks against it), the choice is made here.
"""

from __future__ import annotations

import re
from functools import cache
from types import MappingProxyType

from simmail.core.language.names import is_person
from simmail.core.language.phrases import say
from simmail.core.language.tables import language
from simmail.core.writer.by_intent import LOW, does, matter as matters, plain, values_of
from simmail.core.writer.context import Read, Scene
from simmail.core.writer.speech_act import Said

#: Kinds of mail whose matter answers their yes-or-no questions as well.
DEALINGS = frozenset({
    "notice", "outage", "incident", "terms", "ended", "offer", "enquiry", "order", "alternatives", "delivery", "bank",
    "renewal", "returns", "approval", "access", "minutes", "agenda", "bug", "deletion", "webinar", "beta", "congrats",
    "sick", "grief", "introduced", "report", "payment", "invite",
})


def matter(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """What is said to a mail because of what it wants."""
    choose = _DEALINGS.get(intent)
    return choose(scene, read, intent, number) if choose else matters(scene, read, intent, number)


def _one(scene: Scene, read: Read, act: str, number: int, **more: str) -> list[Said]:
    return [Said(act=act, values={**values_of(scene, read), **more})]


def _times(scene: Scene, read: Read) -> dict[str, str]:
    """How lines name the day, and the hour, that a mail speaks of."""
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
    return _one(scene, read, act, number, **_times(scene, read))


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
    good = [slot for slot in read.found.slots if slot.timed and scene.calendar.suits(slot)]
    if not good:
        return matters(scene, read, "booked" if read.found.slots else "meeting", number)
    return _one(scene, read, "invite.accept", number, slot=scene.calendar.appointment(good[0], scene.language))


def _agenda(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    return _one(scene, read, does(scene, "agenda", number)[0], number, **_times(scene, read))


def _delivery(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """One of the days on offer, a working day if there is one."""
    # The day that was missed stands there without a time.
    timed = [slot for slot in read.found.slots if slot.timed]
    offered = timed if len({slot.start.date() for slot in timed}) > 1 else list(read.found.slots)
    days = sorted({slot.start.date() for slot in offered if slot.start.date() > scene.calendar.today})
    if not days:
        return plain(scene, read, number)
    day = scene.dice.choice([one for one in days if scene.calendar.working(one)] or days, "day", number)
    return _one(scene, read, "delivery.choose", number, day=scene.calendar.name(day, scene.language))


def _alternatives(scene: Scene, read: Read, intent: str, number: int) -> list[Said]:
    """One of two goods instead of the one that is not there."""
    act = does(scene, "alternatives", number)[0]
    if not read.found.options:
        act = "alternatives.ask" if act == "alternatives.choose" else act
        return _one(scene, read, act, number)
    option = read.found.options[scene.dice.below(2, "option", number)]
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


_DEALINGS = MappingProxyType({
    "notice": _notice, "agenda": _agenda, "delivery": _delivery, "alternatives": _alternatives, "bank": _bank,
    "terms": _terms,
    "payment": _payment, "invite": _invite, "approval": _asked_by, "access": _asked_by, "minutes": _minutes,
})
