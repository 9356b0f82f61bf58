"""
What is kept of a conversation: the things said in it, by mails that come and by the persona's own.

Everything is taken from the findings of a mail and from what an answer was written to say; nothing is read twice.
Source: API contract, "Personas" (memory); L{records.conversation}.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta, timezone
from types import MappingProxyType
from typing import Literal

from simmail.core.language import agreements, dates
from simmail.core.language.dates import Slot
from simmail.core.language.promised import MailPromise, speaks_of
from simmail.core.language.prose import read_prose
from simmail.core.language.reader import Findings
from simmail.core.language.tables import every
from simmail.core.language.tables import language as known_language
from simmail.core.language.text import say
from simmail.core.message.mail import Mail
from simmail.core.records.conversation import MOST_REMARKS, USUAL, Appointment, Remark, RemarkKind
from simmail.core.records.relationship import OpenPromise
from simmail.core.writer import Written
from simmail.core.writer.sources.cut.thread_table import as_agreed

#: Characters that are kept of what something is about, and of what was said of it.
_LONGEST_WHAT, _LONGEST_VALUE, _LONGEST_SENTENCE = 80, 120, 200

#: Things taken from one mail, of each sort.
_MOST = 4
#: Sentences kept of one mail as they stand, and how many words each has.
_MOST_SENTENCES, _WORDS = 8, range(3, 41)
_FIGURE = re.compile(r"[0-9]")
#: What goes first where there is too much, and what last; all else is 1.
_LASTING = MappingProxyType({"said": 0, "agreed": 2, "called_off": 2})


def heard(
    found: Findings, promises: Iterable[MailPromise], before: tuple[Remark, ...], at: datetime
) -> tuple[Remark, ...]:
    """
    Return what a mail that came says.

    @param promises: those it makes; before: what was said in its thread so far; at: when it came.
    """
    remarks: list[Remark] = []
    mail, language = found.mail, found.language.code

    def note(kind: RemarkKind, what: str, value: str = "", when: datetime | None = None, timed: bool = False) -> None:
        remarks.append(Remark(
            kind, "correspondent", say(what, _LONGEST_WHAT), at, say(value, _LONGEST_VALUE),
            None if when is None else when.astimezone(timezone.utc), timed, mail.message_id, language))

    for reference, named in list(zip(found.references, found.named))[:_MOST]:
        note("stated", named.removesuffix(reference).strip() or "reference", reference)
    # A time that somebody asks to be told again, or whether it was so, is not proposed.
    meant_before = {slot.start for one in found.repeating for slot in dates.find(
        one, found.base, found.language).slots}
    for amount in found.amounts[:_MOST]:
        note("stated", "amount", amount)
    for place in found.places:
        note("stated", "place", place)
    for address in found.addresses:
        note("stated", "address", address)
    slots = as_agreed(found.slots, found.prose.body, before, found.language, found.base.tzinfo)
    agreed = _agreed(found, slots, before)
    for slot in agreed:
        note("agreed", "appointment", _told(slot), slot.start, slot.timed)
    proposed = [slot for slot in slots if slot not in agreed and slot.start not in meant_before and (
        slot.timed or slot.start > found.base)]
    for slot in proposed[:_MOST]:
        note("proposed", "appointment", _told(slot), slot.start, slot.timed)
    for day in dict.fromkeys(found.deadlines):
        note("stated", "deadline", f"{day:%Y-%m-%d}", _at(day, found))
    meant = {slot.start.date() for slot in (*agreed, *proposed)}.union(found.deadlines)
    for day in dict.fromkeys(day for day in found.dates if day not in meant):
        note("stated", "date", f"{day:%Y-%m-%d}", _at(day, found))
    for question in found.questions[:_MOST]:
        note("asked", question.topic or "question", question.text)
    for document in found.documents:
        note("requested", document)
    for filename in found.attachments[:_MOST]:
        note("sent", filename)
    for promise in promises:
        note("promised", promise.what, "", promise.due, promise.dated)
    off = _appointment(before)
    if off is not None and (found.takes_back or _drops(found, off)):
        note("called_off", "appointment", off.value, off.when, off.timed)
    # In a first mail nothing is taken back.
    for sentence in found.unwanted if before else ():
        what = agreements.thing(sentence, found.language)
        if what and not (off is not None and agreements.is_appointment(what)):
            note("called_off", what, say(sentence, _LONGEST_VALUE))
    telling = [one for one in found.prose.sentences if one not in found.repeating]
    remarks += _sentences(telling, "correspondent", at, mail.message_id, language)
    return tuple(remarks)


def _sentences(
    sentences: Iterable[str], by: Literal["persona", "correspondent"], at: datetime, message_id: str, language: str
) -> list[Remark]:
    """What a mail says in its own words: what nothing else is found in may be asked for as well."""
    whole = [one for one in sentences if len(one) <= _LONGEST_SENTENCE and (
        len(one.split()) in _WORDS or len(one.split()) > 1 and _FIGURE.search(one))]
    return [Remark("said", by, "", at, say(one, _LONGEST_SENTENCE), None, False, message_id, language)
            for one in whole[:_MOST_SENTENCES]]


def unwanted(one: OpenPromise, found: Findings, thread: str, last: bool) -> bool:
    """
    Return whether a mail says that something promised is not wanted any more.

    @param last: it is what was promised last in the thread, by whomever: "please cancel it" means that.
    """
    for sentence in found.unwanted:
        what = agreements.thing(sentence, found.language)
        if what and _is_of(one.what, what):
            return True
        if last and one.thread == thread and not agreements.keeps(found.new) and (
                not what or agreements.names_nothing(sentence)):
            return True
    return False


def _is_of(promised: str, named: str) -> bool:
    """Whether something promised is meant by a name: of a payment, any word for money back."""
    return speaks_of(promised, named) or promised.lower().startswith(every("payment_things")) and any(
        map(named.lower().__contains__, every("money_words")))


def wanted(what: str, remarks: tuple[Remark, ...]) -> bool:
    """Return whether something is still wanted: it was not called off, or was asked for again after that."""
    for one in reversed(remarks):
        if one.by == "correspondent" and one.kind in ("called_off", "requested") and _is_of(what, one.what):
            return one.kind == "requested"
    return True


def said(written: Written, mail: Mail, at: datetime) -> tuple[Remark, ...]:
    """Return what a mail of the persona's own says: what its words were written to say, and what came of that."""
    remarks = list(written.remarks)
    known = {(one.kind, one.what.lower()) for one in remarks}

    def note(kind: RemarkKind, what: str, value: str = "", when: datetime | None = None) -> None:
        if (kind, what.lower()) not in known:
            remarks.append(Remark(
                kind, "persona", say(what, _LONGEST_WHAT), at, say(value, _LONGEST_VALUE),
                None if when is None else when.astimezone(timezone.utc), when is not None, mail.message_id,
                written.language))

    if written.promise is not None:
        note("promised", written.promise.what, "", written.promise.due)
    for attachment in written.attachments:
        note("sent", attachment.filename)
    for what in written.done.values():
        note("sent", what)
    if written.question:
        note("asked", "question", written.question)
    text = read_prose(written.text, known_language(written.language))
    # Of its own what it says again says nothing that could be asked for.
    again = [" ".join(one.lower().split()) for one in written.again]
    telling = [one for one in text.sentences if not one.rstrip().endswith("?") and not any(
        said_again in one.lower() or one.lower() in said_again for said_again in again)]
    remarks += _sentences(telling, "persona", at, mail.message_id, written.language)
    return tuple(
        one if one.message_id else Remark(
            one.kind, one.by, one.what, at, one.value, one.when, one.timed, mail.message_id, one.language)
        for one in remarks)


def kept(before: tuple[Remark, ...], new: Iterable[Remark]) -> tuple[Remark, ...]:
    """
    Return the remarks of a thread with some more.

    What is said again stands where it was said last.  Of too many the oldest sentences go, and last of all what was
    agreed.
    """
    found = {_same(one): one for one in before}
    for one in new:
        found.pop(_same(one), None)
        found[_same(one)] = one
    remarks = list(found.values())
    over = len(remarks) - MOST_REMARKS
    if over > 0:
        gone = sorted(range(len(remarks)), key=lambda n: (_LASTING.get(remarks[n].kind, 1), n))[:over]
        remarks = [one for n, one in enumerate(remarks) if n not in gone]
    return tuple(remarks)


def appointment(one: Remark, with_: str, thread: str, minutes: str = "") -> Appointment | None:
    """Return the time that an agreement takes, None for anything else, and where it names no hour."""
    if one.kind != "agreed" or one.when is None or not one.timed:
        return None
    span = timedelta(minutes=int(minutes)) if minutes else USUAL
    return Appointment(one.when, one.when + span, one.what, (with_,), thread)


def _same(one: Remark) -> tuple[str, str, str, str, datetime | None]:
    return one.kind, one.by, one.what.lower(), one.value.lower(), one.when


def _agreed(found: Findings, slots: Sequence[Slot], before: tuple[Remark, ...]) -> list[Slot]:
    """The times that a mail agrees to: those the persona proposed, or the only one that it names and likes."""
    if not before:
        return []
    proposed = [one for one in before if one.kind == "proposed" and one.by == "persona" and one.when is not None]
    times = {one.when for one in proposed}
    named = [slot for slot in slots if slot.timed]
    chosen = [slot for slot in named if slot.start.astimezone(timezone.utc) in times]
    if found.called_off and not chosen:
        return []
    if len(chosen) == 1 and not found.questions:
        return chosen
    if not found.agrees:
        return []
    if len(named) == 1:
        return named
    # "Wednesday works for me", of an hour named before; "that works", of the only one.
    days = {slot.start.date() for slot in slots}
    open_ones = [one for one in proposed if one.when is not None and (not days or one.when.date() in days)]
    if len(open_ones) == 1 and open_ones[0].when is not None:
        return [Slot(open_ones[0].when, open_ones[0].timed)]
    return []


def _appointment(before: tuple[Remark, ...]) -> Remark | None:
    """The appointment that was agreed last, else the one that was proposed last."""
    for kind in ("agreed", "proposed"):
        for one in reversed(before):
            if one.kind == kind and one.when is not None:
                return one
    return None


def _drops(found: Findings, appointment: Remark) -> bool:
    """Whether a mail wants no more of a day: "let's forget about Friday"."""
    if appointment.when is None:
        return False
    day = appointment.when.astimezone(found.base.tzinfo).date()
    for sentence in found.unwanted:
        said = dates.find(sentence, found.base, found.language)
        if day in said.dates or day in [slot.start.date() for slot in said.slots]:
            return True
    return False


def _told(slot: Slot) -> str:
    """A time as it stands in its own zone."""
    return f"{slot.start:%Y-%m-%d %H:%M}" if slot.timed else f"{slot.start:%Y-%m-%d}"


def _at(day: date, found: Findings) -> datetime:
    return datetime.combine(day, time(), found.base.tzinfo)
