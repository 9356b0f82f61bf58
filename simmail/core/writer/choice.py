"""
What the temperament chooses to do about a mail, what that promises and may name, and what is left out again: of two
things that cannot both be the less certain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timezone

from simmail.core.language import intents
from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.clause.restate import deed
from simmail.core.language.clause.tables import restating
from simmail.core.language.dates import Slot
from simmail.core.language.phrases import words
from simmail.core.language.tables import Language
from simmail.core.records.conversation import Remark, RemarkKind
from simmail.core.writer.context import ABOUT, Read, Scene, about
from simmail.core.writer.sources.limits import OwnLimits
from simmail.core.writer.sources.marks import Marks, marks
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

#: What is said of a matter as a whole, and taken back by nothing that is said beside it.
_REFUSING = frozenset((
    "document.refuse", "sales.decline", "redress.reject", "complaint.deny", "event.decline", "delay.object",
    "signature.refuse", "phishing.refuse", "injection.refuse", "offer.haggle", "answer.wont"))
_AGREEING = (".accept", ".solved", ".come", ".ok", ".agree", ".do", ".pay", ".sign", ".fine", ".choose", ".take")
#: Answers that leave open what is asked, and bare ones.
_OPEN = frozenset(("answer.unknown", "answer.open", "answer.think", "answer.back", "answer.past"))
_BARE = frozenset(("answer.yes", "answer.no", "answer.so", "answer.not_so", "answer.glad", "answer.sorry"))
#: Answers that deny.
_DENYING = frozenset(("answer.no", "answer.not_so", "answer.denied", "answer.gone"))
#: Answers in whole sentences.
_STATED = frozenset(("answer.stated", "answer.denied", "answer.own"))
#: What an answer tells, by the names of its values.
_TELLING = ("value", "option", "task")


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
        if act == "task.do" and not any(deed(point.text, scene.language, scene.far)[0] for point in read.found.points):
            act = "task.noted"  # nothing to report of by its name
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


def consistent(said: Sequence[Said], base: datetime, language: Language) -> list[Said]:
    """
    Return what is said without what contradicts something more certain beside it: another hour than the one that was
    taken, a bare no beside an agreement, a promise beside a refusal.

    @param base: the instant from which days are meant, aware.
    """
    taken = next((one for one in said if any(remark.kind == "agreed" for remark in one.remarks)), None)
    slot = marks(taken.values["slot"], base, language) if taken is not None and "slot" in taken.values else Marks()
    refuses = any(one.act in _REFUSING for one in said)
    agrees = any(one.act.endswith(_AGREEING) and not one.act.startswith("answer.") for one in said)
    kept: list[Said] = []
    for one in said:
        beside = [other for other in said if other is not one]
        if taken is not None and one is not taken and one.act.startswith("answer.") and (
                _differs(one, slot, base, language) or any(
                    map(OwnLimits((one.values.get("value", ""),)).prefers, slot.days))):
            continue  # which days suit was looked at, and one of them taken
        if taken is not None and one.act in _STATED and mentions_any(
                one.values.get("value", ""), asking(language.code).another_time):
            continue  # "confirm, or tell us if you need a different time"
        if one.remarks and any(other.remarks and {remark.when for remark in other.remarks}.isdisjoint(
                remark.when for remark in one.remarks) for other in kept):
            continue  # one mail names one time
        if one.act in _OPEN and one.asked is not None and any(
                other.asked is not None and other.act not in _OPEN and other.asked.text == one.asked.text
                for other in beside):
            continue
        if one.act in _BARE and "topic" not in one.values and (
                agrees if one.act in ("answer.no", "answer.not_so", "answer.sorry") else refuses):
            continue  # a no to nobody knows what, beside what was agreed to
        if one.act in ("answer.yes", "answer.confirm") and any(other.act == "answer.unsaid" for other in beside):
            continue  # "can you confirm?" what was never said
        if one.act == "answer.yes" and agrees and one.values.get("yes") == language.yes:
            continue  # "somebody has to be in": a day is agreed on beside it
        if one.act == "answer.denied" and any(other.act.endswith(".solved") for other in beside):
            continue  # "tell us whether everything works"
        if one.act in _BARE and any(
                other.act in _BARE and other.act != one.act and _same_thing(one, other) for other in kept):
            continue
        if one.asked is not None and any(
                other.act in _DENYING and _has_not(other, one, language) for other in kept):
            continue  # "have you still got the hat?  Could I borrow it?": who has none lends none
        if refuses and one.promise is not None and one.act not in _REFUSING and not one.act.startswith("answer."):
            continue
        kept.append(one)
    return kept


def _differs(one: Said, slot: Marks, base: datetime, language: Language) -> bool:
    """Whether an answer that was drawn, and is not known, names another day or hour than the one that was taken."""
    if one.act.startswith(("answer.fact", "answer.recall", "answer.piece")):
        return False
    told = marks(" ".join(one.values.get(name, "") for name in _TELLING if name in one.values), base, language)
    return bool(told.days and slot.days and told.days.isdisjoint(slot.days)
                or told.times and slot.times and told.times.isdisjoint(slot.times))


def _has_not(denied: Said, one: Said, language: Language) -> bool:
    """Whether an answer is about a thing by "it" that was denied to be there right before."""
    if denied.asked is None or one.asked is None or denied.asked.text == one.asked.text:
        return False
    low = f" {' '.join(words(denied.asked.text.lower()))} "
    how = restating(language.code)
    there = any(f" {word} " in low for word in (*how.having, *how.available)) and denied.asked.type == "yes_no"
    own = one.asked.text.lower()
    gone = any(f" {word} " in low for word in how.available) and any(map(own.__contains__, language.price_words))
    return there and (gone or not how.things.isdisjoint(words(own)))


def _same_thing(one: Said, other: Said) -> bool:
    topic = one.values.get("topic", "")
    return bool(topic) and topic == other.values.get("topic")
