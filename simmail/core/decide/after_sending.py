"""
What follows when a persona's mail goes out.

Promises in it are pledged and their fate is drawn; a question in it is asked
again should it stay unanswered; some people send a second mail right after
the first.  Source: decisions, section 8 step 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from msgspec.structs import replace

from simmail.core.decide import delay, promises, relationship, remarks
from simmail.core.decide.decision import (
    Drop, Engage, Follow, PlannedJob, Promise, Reaction, Reactions, Relate, Remember, about, job_id, who,
)
from simmail.core.language.promised import speaks_of
from simmail.core.message.mail import Mail
from simmail.core.records.conversation import Appointment, apart, booked
from simmail.core.records.job import Job, JobKind
from simmail.core.records.persona import Behaviors, Persona, temperament_named
from simmail.core.records.relationship import Dossier, OpenPromise, ThreadState
from simmail.core.records.settings import Pace
from simmail.core.rng import Dice
from simmail.core.time.instant import format_instant
from simmail.core.writer import Promised, Written

#: A question is asked again after some days, by those who mind.
ASK_AGAIN = timedelta(days=3)

#: A second mail comes this soon after the first.
AFTERTHOUGHT = timedelta(minutes=12)

#: Own mails of a thread that are kept in mind.
_MOST_OWN = 5

#: Kinds of mail that may promise and ask, and be followed by a second one.
_SPEAKING: frozenset[str] = frozenset(("reply", "initiate", "followup"))


def aftermath(
    job: Job, persona: Persona, mail: Mail, mails: Sequence[Mail], written: Written, dossier: Dossier,
    thread: ThreadState, dice: Dice, now: datetime, pace: Pace, appointments: tuple[Appointment, ...] = (),
) -> Reactions:
    """
    Everything that follows from a mail of the persona's own, in order.

    @param job: what was done; mail: what was sent; mails: what it answers.
    @param dossier: about whom the mail is for (C{PlannedJob.data}, C{key}); thread: of C{job.thread}.
    @param dice: keyed for the mail the job comes from.
    @param appointments: the persona's taken times.
    """
    own = dice.on("aftermath", job.kind, job.id)
    if job.kind == "ooo":
        # A notice is no contact, and must not count as an answer.
        return (Follow(_went_on(thread, mail, now), "the thread went on"),)
    after = relationship.wrote(dossier, persona, now)
    thread = _went_on(thread, mail, now)
    before = thread.remarks
    thread = replace(thread, own=(*thread.own, job.id)[-_MOST_OWN:],
                     remarks=remarks.kept(before, remarks.said(written, mail, now)))
    reactions: list[Reaction] = []
    reactions += _engaged(job, written, appointments, now)
    if job.kind in ("deliver", "nudge"):
        settled, after = _settled(job, persona, mail, after, own, now, pace)
        reactions += settled
    if job.kind == "correction" and written.promise is not None:
        after = _put_off(job, written.promise.due.astimezone(timezone.utc), after)
    if job.kind == "reply":
        thread = replace(thread, held=written.held)
    if written.unread and written.unread not in after.unread:
        after = replace(after, unread=(*after.unread, written.unread))
    if written.done:
        thread = replace(thread, done=thread.done | written.done)
    if job.kind in _SPEAKING:
        if written.attachments:
            brought, after = _brought(job, written, after, now)
            reactions += brought
        if written.promise is not None and remarks.wanted(written.promise.what, before):
            same = _promised_before(written.promise, after)
            if same is not None:
                # Said again, for another day: the same promise.
                later = max(same.due, written.promise.due.astimezone(timezone.utc))
                after = relationship.with_promise(after, same, replace(same, due=later))
            else:
                pledge, after = _pledged(job, persona, mail, written, after, own, now, pace)
                reactions.append(pledge)
        second = _second(job, persona, mail, own, now, pace)
        if second is not None:
            reactions.append(second)
        # Who writes first wants an answer, question mark or not.
        if (written.question is not None or job.kind == "initiate") and job.kind != "followup":
            again = _ask_again(job, persona, mail, written.question or "", own, now, pace)
            if again is not None:
                reactions.append(again)
                thread = replace(thread, followup=again.id, question=written.question or "")
    if job.kind == "followup" and thread.followup == job.id:
        thread = replace(thread, followup="")
    return (*reactions, Relate(after, f"wrote a {job.kind}: {relationship.told(after)}"), Follow(thread))


def _engaged(
    job: Job, written: Written, appointments: tuple[Appointment, ...], now: datetime
) -> tuple[Engage, ...]:
    """The persona's times with those that its mail gives away, in the place of what was agreed there before."""
    after = appointments
    if any(one.kind == "called_off" for one in written.remarks):
        after = apart(after, job.thread)
    for one in written.appointments:
        after = booked(after, replace(one, thread=job.thread), now)
    return (Engage(after, f"a {job.kind} says so"),) if after != appointments else ()


def copied(persona: Persona, colleagues: Sequence[str], dice: Dice) -> str | None:
    """
    Whom the persona puts in Cc of a reply, None for nobody (C{behaviors.cc_someone}).

    @param colleagues: addresses of others it may know: of its organisation or domain, or on the same case.
    """
    chance = persona.behaviors.cc_someone if isinstance(persona.behaviors, Behaviors) else 0.0
    others = sorted(set(colleagues).difference(persona.addresses))
    if not isinstance(chance, float) or not others or not dice.chance(chance, "cc"):
        return None
    return dice.choice(others, "cc whom")


def _went_on(thread: ThreadState, mail: Mail, now: datetime) -> ThreadState:
    kept = max(25, len(thread.recent))
    return replace(
        thread, messages=thread.messages + 1, recent=(*thread.recent, int(now.timestamp()))[-kept:],
        last_message_id=mail.message_id, wrote=mail.message_id, between=thread.between + 1 if thread.between else 0)


def _plan(
    job: Job, persona: Persona, mail: Mail, dice: Dice, kind: JobKind, due: datetime, plan: str, why: str,
    extra: dict[str, Any],
) -> PlannedJob:
    """A plan for one more mail to the same person in the same thread."""
    data = {
        "to": job.data["to"], "to_name": job.data.get("to_name", ""), "key": job.data.get("key"),
        "mails": job.data.get("mails", []), **extra,
    }
    if data["key"] is None:
        del data["key"]
    return PlannedJob(
        id=job_id(dice, persona.id, kind), kind=kind, due=due, plan=plan, thread=job.thread, data=data,
        case_id=job.case_id or "", message_id=mail.message_id, why=why)


def _to(job: Job) -> str:
    return who(job.data["to"], job.data.get("to_name", ""))


def _pledged(
    job: Job, persona: Persona, mail: Mail, written: Written, dossier: Dossier, dice: Dice, now: datetime, pace: Pace
) -> tuple[Promise, Dossier]:
    """A promise in the mail, with what becomes of it."""
    assert written.promise is not None
    what, due = written.promise.what, written.promise.due.astimezone(timezone.utc)
    fate = promises.fate(persona, due, pace, now, dice)
    deliver = None
    if fate.at is not None:
        deliver = _plan(
            job, persona, mail, dice, "deliver", fate.at,
            f"Send {what} to {_to(job)}, promised for {format_instant(due)}: {fate.fate}", fate.why,
            {"what": what, "promised_due": format_instant(due), "fate": fate.fate})
    kept = OpenPromise(
        "persona", what, now, due, deliver.id if deliver is not None else "", fate.fate, job.thread, job.case_id or "")
    return (
        Promise(job.data["to"], what, due, fate.fate == "kept", deliver, fate.why),
        replace(dossier, promises=(*dossier.promises, kept)[-50:]),
    )


def promised_in(dossier: Dossier, thread: str) -> OpenPromise | None:
    """The last thing a persona promised in a thread and has still to do."""
    own = [one for one in dossier.promises if one.by == "persona" and one.thread == thread]
    return own[-1] if own else None


def _put_off(job: Job, due: datetime, dossier: Dossier) -> Dossier:
    """The promise that a correction names another day for; what becomes of it stays as it was drawn."""
    old = promised_in(dossier, job.thread)
    return dossier if old is None else relationship.with_promise(dossier, old, replace(old, due=due))


def _promised_before(promise: Promised, dossier: Dossier) -> OpenPromise | None:
    """The promise that a mail gives again: of the same thing, and going to be done."""
    return next((one for one in dossier.promises
                 if one.by == "persona" and one.job_id and speaks_of(one.what, promise.what)), None)


def _brought(job: Job, written: Written, dossier: Dossier, now: datetime) -> tuple[list[Reaction], Dossier]:
    """Promises that are kept by what came with a mail, before their own job was due."""
    reactions: list[Reaction] = []
    names = " ".join(one.filename.replace("-", " ").replace("_", " ") for one in written.attachments)
    for one in dossier.promises:
        if one.by == "persona" and speaks_of(one.what, names):
            if one.job_id:
                reactions.append(Drop(one.job_id, f"{one.what} went with another mail"))
            reactions.append(Remember(f"{now:%Y-%m-%d}: sent {one.what} to {_to(job)}", one.case_id))
            dossier = replace(dossier, promises=tuple(other for other in dossier.promises if other is not one))
    return reactions, dossier


def _settled(
    job: Job, persona: Persona, mail: Mail, dossier: Dossier, dice: Dice, now: datetime, pace: Pace
) -> tuple[list[Reaction], Dossier]:
    """A promise that the mail keeps, or asks for."""
    reactions: list[Reaction] = []
    for one in dossier.promises:
        if one.job_id != job.id:
            continue
        if job.kind == "deliver":
            left = tuple(other for other in dossier.promises if other is not one)
            reactions.append(Remember(f"{now:%Y-%m-%d}: sent {one.what} to {_to(job)}", one.case_id))
            return reactions, replace(dossier, promises=left)
        dossier = relationship.broken(dossier, persona)
        nudged = one.nudged + 1
        if nudged >= promises.MOST_NUDGES:
            reactions.append(Remember(f"{now:%Y-%m-%d}: {one.what} never came from {_to(job)}", one.case_id))
            return reactions, replace(dossier, promises=tuple(p for p in dossier.promises if p is not one))
        at = promises.nudge_at(persona, now, pace, dice, nudged + 1)
        nudge = _plan(
            job, persona, mail, dice, "nudge", at, f"Ask {_to(job)} for {one.what} again", "asked for once already",
            {"what": one.what, "promised_due": format_instant(one.due), "nth_nudge": nudged + 1})
        reactions.append(nudge)
        return reactions, relationship.with_promise(dossier, one, replace(one, job_id=nudge.id, nudged=nudged))
    return reactions, dossier


def _second(job: Job, persona: Persona, mail: Mail, dice: Dice, now: datetime, pace: Pace) -> PlannedJob | None:
    """The afterthought or the correction of those who send before they have finished (C{behaviors.double_reply})."""
    chance = persona.behaviors.double_reply if isinstance(persona.behaviors, Behaviors) else 0.0
    if not isinstance(chance, float) or job.kind != "reply":
        return None
    draw = dice.uniform("double")
    if draw >= chance:
        return None
    kind: JobKind = "correction" if dice.chance(0.5, "double kind") else "followup"
    after = delay.drawn(AFTERTHOUGHT, 1.7, pace, dice, "double delay")
    at = delay.due(persona, pace, now, after, dice.on("double")).at
    extra: dict[str, Any] = {"of": mail.message_id}
    if kind == "followup":
        extra["afterthought"] = True
    sentence = "Correct" if kind == "correction" else "Add a thought to"
    return _plan(job, persona, mail, dice.on("double"), kind, at, f"{sentence} {about(mail)} to {_to(job)}",
                 f"double reply draw {draw:.2f} under {chance:.2f}", extra)


def _ask_again(
    job: Job, persona: Persona, mail: Mail, question: str, dice: Dice, now: datetime, pace: Pace
) -> PlannedJob | None:
    """The persona's own question, should it stay unanswered; who seldom answers, or minds little, seldom asks again."""
    rate = min(delay.reply_rate(persona)[0], temperament_named(persona.temperament).nudges)
    draw = dice.uniform("again")
    if draw >= rate:
        return None
    after = delay.drawn(ASK_AGAIN, 1.5, pace, dice, "again delay")
    at = delay.due(persona, pace, now, after, dice.on("again")).at
    return _plan(job, persona, mail, dice.on("again"), "followup", at,
                 f"Ask {_to(job)} again: {question[:80]}" if question else f"Ask {_to(job)} again about {about(mail)}",
                 f"follow-up draw {draw:.2f} under {rate:.2f}", {"question": question, "of": mail.message_id})
