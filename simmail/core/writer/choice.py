"""
What the temperament chooses to do about a mail, what that promises, and what it may name.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timezone

from simmail.core.language import intents
from simmail.core.language.dates import Slot
from simmail.core.records.conversation import Remark, RemarkKind
from simmail.core.writer.context import ABOUT, Read, Scene, about
from simmail.core.writer.speech_act import Said

#: Below this a person is low on trust, warmth or patience; above the other it is high.
LOW, HIGH = 0.25, 0.75

# What is asked instead of done when there is no trust.
_DISTRUST = {"document.attach": "document.ask", "document.promise": "document.ask", "invoice.pay": "invoice.doubt"}
#: Acts that promise something for a day.
_PROMISING = frozenset({
    "complaint.sorry", "support.test", "task.do", "chaser.answer", "account.do", "offer.decide", "enquiry.promise",
    "order.accept", "returns.do", "bug.look", "deletion.do", "invoice.pay", "bill.pay", "document.promise",
})


def values_of(scene: Scene, read: Read) -> dict[str, str]:
    """Return what lines may name: that of the last mail is common, an earlier one of a batch has its own."""
    if read is scene.read[-1]:
        return dict(scene.common)
    values = {name: value for name, value in scene.common.items() if name not in ABOUT}
    values.update(about(read, scene.request, scene.calendar, scene.language))
    return values


def what_for(scene: Scene, act: str, values: Mapping[str, str]) -> str:
    """Return what an act promises, as a phrase."""
    what = scene.language.what
    if act == "enquiry.promise":
        return what.quote
    if act == "order.accept":
        return what.order.format(ref=values["ref"]) if values.get("ref") else what.order_plain
    if act in ("invoice.pay", "bill.pay"):
        return what.payment.format(ref=values["ref"]) if values.get("ref") else what.payment_plain
    if act in ("task.do", "account.do", "deletion.do", "minutes.do", "returns.do"):
        return what.task
    if act == "chaser.answer" and values.get("owed"):
        return values["owed"]
    if act == "offer.decide" and values.get("ref"):
        return what.answer.format(topic=values["ref"])
    if act == "chaser.answer":
        return what.answer.format(topic=values["about"]) if values.get("about") else what.answer_plain
    topic = values.get("ref") or values.get("about", "")
    return what.news.format(topic=topic) if topic else what.answer_plain


def does(scene: Scene, intent: str, number: int) -> list[str]:
    """Return the acts the temperament chooses for an intent."""
    table = scene.manner.does.get(intent) or (("ack", 1.0),)
    chosen = scene.dice.weighted(table, "does", intent, number)
    acts = [f"{intent}.{act}" for act in chosen.split("+")]
    if scene.request.trust < LOW:
        acts = [_DISTRUST.get(act, act) for act in acts]
    return acts


def plain(
    scene: Scene, read: Read, intent: str, number: int, values: Mapping[str, str] | None = None,
    day: date | None = None, what: str = "", documents: tuple[str, ...] = (),
) -> list[Said]:
    """
    Return the acts chosen for an intent, with a day for those that promise something.

    @param values: what they may name, when that is more than what is common.
    @param day: when what they promise is due, and C{what} it is; C{documents}: what they may attach.
    """
    said: list[Said] = []
    values = values_of(scene, read) if values is None else values
    for act in does(scene, intent if intent in intents.INTENTS and intent != "question" else "information", number):
        promise, more = None, dict[str, str]()
        if act in _PROMISING:
            due = day or scene.due(scene.manner.days, read.found.deadlines)
            more, promise = scene.by(due), scene.promise(what or what_for(scene, act, values), due)
        said.append(Said(
            act=act, values={**values, **more}, joins=bool(said), promise=promise,
            documents=documents if act == "document.attach" else ()))
    return said


def timed(scene: Scene, kind: RemarkKind, slot: Slot) -> Remark:
    """Return a time that the persona names, as it is kept with the thread."""
    at = slot.start
    return Remark(
        kind, "persona", "appointment", scene.request.now, f"{at:%Y-%m-%d %H:%M}" if slot.timed else f"{at:%Y-%m-%d}",
        at.astimezone(timezone.utc), slot.timed, language=scene.language.code)
