"""
What comes before the kind of a mail: what moves people, what is taken back, put right or bargained for, what it tells.
"""

from __future__ import annotations

from operator import itemgetter

from msgspec.structs import replace

from simmail.core.language.agreements import thing
from simmail.core.language.clause.question_types import only_asks_to_be_told
from simmail.core.language.questions import is_question, stands_in
from simmail.core.language.tables import counted
from simmail.core.writer.answers.answer import exchanged
from simmail.core.writer.answers.yes_no import is_request
from simmail.core.writer.by_intent import matter, meeting, times
from simmail.core.writer.choice import values_of
from simmail.core.writer.context import Read, Scene
from simmail.core.writer.exchanges import recognition
from simmail.core.writer.life import is_ill, is_of_another, kind_words, moved
from simmail.core.writer.reply.points import WHOLE, PointedMail, beside, is_own
from simmail.core.writer.sources.side import takes_order_back
from simmail.core.writer.speech_act import Said
from simmail.core.writer.wishes import bargain, refund, remedy

# What is said to wishes that are no deeds.
_NOTED = frozenset({"taken.told", "answer.noted", "answer.wish"})
# Mail in which something is put right.
_CORRECTED = frozenset({
    "information", "order", "task", "question", "alternatives", "enquiry", "introduced", "private", "document",
    "agenda", "contact", "details"})
# Mail in which prices may be named.
_BARGAINED = frozenset({
    "offer", "question", "redress", "terms", "renewal", "details", "information", "sales", "order", "enquiry", "task",
    "approval", "alternatives", "confirmation"})
# Questions with which something is offered.
_OFFERING = frozenset({"yes_no", "choice", "either", "what", "how", "request"})
# Mail that has words of its own for what is taken back, or is about something else.
_TAKING_BACK = WHOLE | {"meeting", "booked", "invite", "sick", "grief", "congrats", "offer", "alternatives"}
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


def _parcel(mail: PointedMail) -> list[Said] | None:
    scene, read = mail.scene, mail.read
    low = read.found.prose.body.lower()
    house = scene.request.persona.org or scene.request.persona.role
    taken_in = any(map(low.__contains__, kind_words(scene.language.code).parcels))
    if taken_in and read.found.sender.first and not (house or mail.rest):
        return [Said(act="parcel.fetch", values=values_of(scene, read))]
    ahead = {slot.start.date() for slot in read.found.slots if slot.start.date() > scene.calendar.today}
    if read.found.of_a_parcel and not mail.told and len(ahead) < 2:
        return [Said(act="delivery.noted", values={**values_of(scene, read), **times(scene, read)})]
    return None


def _touched(mail: PointedMail) -> list[Said] | None:
    scene, read, left = mail.scene, mail.read, mail.left
    feels = moved(scene, read)
    if not feels:
        return None
    if read.found.moving.what == "joke" or feels[-1].act == "moved.funeral":
        left = [one for one in left if read.found.moving.what != "joke" and one.type != "yes_no"]
    # Nobody denies anything to who is in such a place.
    kind = replace(scene, manner=replace(scene.manner, yes=1.0))
    # What it wishes or tells besides is not noted like an order; who is cross is told that it is seen to.
    noted = _NOTED - ({"answer.wish"} if read.found.moving.what == "reproach" else frozenset())
    return [*feels, *(one for one in beside(kind, read, left, mail.number, mail.known) if one.act not in noted)]


def _other_times(mail: PointedMail) -> list[Said] | None:
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
            *mail.beside([one for one in mail.left if one.form != "time" and not only_asks_to_be_told(
                one.text, scene.language)])]


def _of_another(mail: PointedMail) -> list[Said] | None:
    scene, read = mail.scene, mail.read
    later = len(set(read.found.dates)) > 1
    if not (mail.intent == "sick" or mail.intent in ("cancelled", "delay") and later) or not is_of_another(
            read, scene.language):
        return None
    return [Said(act="moved.other", values=values_of(scene, read)),
            *(matter(scene, read, "delay", mail.number) if later else ()),
            *mail.beside([one for one in mail.left if not later or one.form not in _OFFERING])]


def _money_back(mail: PointedMail) -> list[Said] | None:
    # Who may choose its money or something else chooses.
    if mail.intent not in _MONEY or any(one.options for one in mail.left):
        return None
    said = refund(mail.scene, mail.read)
    if len(mail.left) > 1 and any(one.act == "refund.ask" for one in said):
        return None  # each of several wishes is answered
    return [*said, *mail.answers([one for one in mail.left if one.type != "request" and not is_request(
        one, mail.scene)])] if said else None


def _put_right(mail: PointedMail) -> list[Said] | None:
    scene, found = mail.scene, mail.read.found
    if not found.correction or mail.intent not in _CORRECTED or any(
            found.correction in one.text and found.correction != one.text for one in found.points):
        return None  # "a note on how many could be repaired rather than replaced" is asked for
    own = scene.request.persona.org or found.requests  # else nobody here has anything to change
    values = {**values_of(scene, mail.read), "item": found.correction}
    return [Said(act="change.noted" if own else "change.heard", values=values), *mail.beside([
        one for one in mail.left if one.text != found.correction and (
            is_own(one, scene) or one.type != "request" and not is_request(one, scene))])]


def _no_such_day(mail: PointedMail) -> list[Said] | None:
    impossible = mail.read.found.impossible
    if not impossible or mail.intent in WHOLE:
        return None
    # On a day that there is none of nothing can be agreed.
    return [Said(act="date.none", values={**values_of(mail.scene, mail.read), "value": impossible[0]}),
            *mail.answers([one for one in mail.left if one.form not in ("time", "yes_no") and one.type != "request"])]


def _unwanted(mail: PointedMail) -> list[Said] | None:
    found = mail.read.found
    if not (mail.scene.request.own and found.unwanted) or mail.intent in _TAKING_BACK or (
            mail.intent == "cancelled" and found.takes_back):
        return None
    if not any(thing(one, mail.scene.language) for one in found.unwanted) and (
            mail.left or all(map(is_question, found.unwanted))):
        return None  # "how long can we call it off?", "never mind, see you on the 21st, and may I ...?"
    unwanted = {one.lower() for one in found.unwanted}
    return [dropped(mail.scene, mail.read), *mail.answers(
        [one for one in mail.left if one.text.lower() not in unwanted])]


def _order_taken_back(mail: PointedMail) -> list[Said] | None:
    scene, read = mail.scene, mail.read
    if mail.intent != "cancelled" or not takes_order_back(read.found, scene.language):
        return None
    # An order, and no appointment; what was paid for it is asked back, and it is not asked to be taken off.
    return [dropped(scene, read), *(refund(scene, read) or mail.answers(
        [one for one in mail.left if one.type != "request"]))]


def _remedied(mail: PointedMail) -> list[Said] | None:
    if mail.intent not in ("redress", "sales", "cancelled") and (mail.intent in WHOLE or not any(
            one.type in _OFFERING for one in mail.left)):
        return None
    if mail.intent != "redress" and any(len(one.options) > 1 for one in mail.left):
        return None  # "you can accept the return, offer a part of it or decline: which?"
    said = remedy(mail.scene, mail.read)
    return [*said, *mail.answers([one for one in mail.left if one.type not in _OFFERING])] if said else None


def _bargained(mail: PointedMail) -> list[Said] | None:
    return bargain(mail.scene, mail.read) or None if mail.intent in _BARGAINED else None


def _exchanged(mail: PointedMail) -> list[Said] | None:
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


def dropped(scene: Scene, read: Read) -> Said:
    """Return what is said to who does not want something any more: that it is off, by its name."""
    values = {name: value for name, value in values_of(scene, read).items() if name != "what"}
    what = next(filter(None, (thing(one, scene.language) for one in read.found.unwanted)), "")
    if what:
        values.update(what=what, **counted(what, scene.language))
    return Said(act="dropped.ok", values=values)


def overridden(mail: PointedMail) -> list[Said] | None:
    """Return what is said to a mail whatever kind it is of, by the first rule that applies; None where none does."""
    return next((said for rule in (
        _parcel, _touched, _other_times, _of_another, _money_back, _put_right, _no_such_day, _unwanted,
        _order_taken_back, _remedied, _bargained, _exchanged) if (said := rule(mail)) is not None), None)
