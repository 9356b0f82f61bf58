"""
Where a persona decides: what it makes of a mail, as data.

L{react} is a pure function of its L{DecisionInput}; C{universe.people.inbox_worker} commits what it returns, the
preview call shows it and stores nothing.  The steps, with the numbers they have in decisions, section 8:

  1. the mailbox takes no mail: a bounce (C{bounce})
  2. the mail lies in Junk: nothing else follows
  3. it is received: relation, thread and memory change
  4. answering could go on for ever, or was done often enough today: no reply
  5. the persona is paused, or away: a notice
  6. everything goes on to somebody else
  7. the draw: whether a reply follows (C{reply_odds})
  8. a reply to the thread is planned already: it answers this too
  9. the reply is planned for its time (C{delay}); links are opened before (C{link_policy})
  10. what was promised (C{promises}) came, is expected, or is done late
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import NamedTuple

from msgspec.structs import replace

from simmail.core.decide import delay, link_policy, promises, relationship, remarks
from simmail.core.decide.bounce import bounced, notification, refused
from simmail.core.decide.decision import (
    Batch, DecisionInput, Drop, Engage, Expect, FORWARDED, Follow, Ignore, Junk, MOST_FORWARDS, PlannedJob, Reaction,
    Reactions, Receive, Relate, Remember, Skip, about, case_id, correspondent, item, planned, reply_address, who,
)
from simmail.core.decide.reply_odds import inclined, making, reasons
from simmail.core.language.intents import FRAUD, recognise
from simmail.core.language.promised import MailPromise, promised
from simmail.core.language.reader import Findings, read_mail
from simmail.core.message.auto_submitted import automatic, bulk, no_notices
from simmail.core.records.case import How
from simmail.core.records.conversation import Remark, apart, booked, taken
from simmail.core.records.persona import Behaviors, OutOfOffice, Persona, temperament_named
from simmail.core.records.relationship import Dossier, OpenPromise, ThreadState
from simmail.core.time.instant import format_instant, local_arrival
from simmail.core.writer.context import not_read, tongues


#: The time in which messages of a thread are counted, before pace.
LOOP = timedelta(hours=1)
DAY = timedelta(days=1)


def react(situation: DecisionInput) -> Reactions:
    """Everything that follows from one mail in one persona's mailbox, in order."""
    persona, mail = situation.persona, situation.mail
    sender = correspondent(mail, situation.envelope_sender)
    before = relationship.begun(situation.dossier or Dossier(sender), persona)

    # 1
    refusal = refused(persona, situation.status, situation.dice)
    if refusal is not None:
        return bounced(situation, before, refusal)
    # 2
    spam = situation.spam
    if spam is not None and spam.junk and spam.threshold is not None:
        return (
            Junk(spam.score, spam.threshold, f"spam score {spam.score:.1f} reaches {spam.threshold:.1f}: {spam.why}"
                 if spam.why else f"spam score {spam.score:.1f} reaches {spam.threshold:.1f}"),
            Relate(relationship.junked(before, persona), "got junk"),
            *notification(situation, "delivered"),
        )
    # 3
    found = read_mail(
        mail, local_arrival(situation.now, mail.date, delay.zone_of(persona)), meaning=situation.meaning)
    machine = automatic(mail, situation.envelope_sender)
    dossier, why = relationship.met(
        before, persona, mail.from_.name, situation.sender_id, found, bool(machine), situation.now)
    thread = _went_on(situation, found)
    reactions: list[Reaction] = [Receive(case_id(situation), situation.how, _why_received(situation), sender)]
    reactions += notification(situation, "delivered")
    if not machine:
        note = _note(situation, found)
        if note:
            reactions.append(Remember(note, case_id(situation)))
    if thread.followup and not machine:
        reactions.append(Drop(thread.followup, f"{sender} wrote"))
        thread = replace(thread, followup="", question="")
    made: Sequence[MailPromise] = ()
    if not machine:
        settled, dossier = _arrived(situation, found, dossier)
        made = promised(found)
        if made and recognise(found, False) in FRAUD:
            made = ()
        unwanted, off, dossier = _called_off(situation, found, dossier)
        reactions += [*settled, *unwanted]
        said = remarks.heard(found, made, thread.remarks, situation.now)
        thread = replace(thread, remarks=remarks.kept(thread.remarks, (*said, *off)))
        reactions += _engaged(situation, found, said)
    elif found.invited == "cancel":
        reactions += _engaged(situation, found, ())

    # 4 to 9
    decision = _decide(situation, before, dossier, thread, found, machine)
    reactions += decision.reactions
    dossier = decision.dossier
    # 10
    answered = decision.reply_due is not None or bool(thread.wrote)
    expected, dossier = _promised(situation, made, dossier, answered and not (
        bulk(situation.mail) or any(making(found, reply_address(situation)[0]))))
    if not _paused(persona):
        reactions += expected
        reactions += _links(situation, before, decision.reply_due)
    stance = relationship.stance(dossier, persona, found)
    if not machine and dossier.stances.get(case_id(situation)) != stance:
        dossier = replace(dossier, stances=dict(list(dossier.stances.items())[-49:]) | {case_id(situation): stance})
    return (*reactions, Relate(dossier, why), Follow(thread))


class _Decision(NamedTuple):
    reactions: Sequence[Reaction]
    dossier: Dossier
    reply_due: datetime | None = None


def _decide(
    s: DecisionInput, before: Dossier, dossier: Dossier, thread: ThreadState, found: Findings, machine: str
) -> _Decision:
    """Steps 4 to 9: whether a reply follows, and when."""
    # 4
    loop = _loop(s, thread, machine)
    if loop:
        return _Decision((Ignore("loop", (loop,)),), dossier)
    replies = tuple(at for at in dossier.replies if at > (s.now - DAY).timestamp())
    dossier = replace(dossier, replies=replies)
    if len(replies) >= s.limits.replies_per_day:
        address, _ = reply_address(s)
        why = f"{len(replies)} replies to {address} within a day, the cap is {s.limits.replies_per_day}"
        return _Decision((Ignore(why, (why,)),), dossier)
    # 5
    if _paused(s.persona):
        return _Decision((Ignore("paused", ("the persona is paused",)),), dossier)
    notice: list[Reaction] = []
    gone = delay.absence(s.persona, s.now)
    if gone is not None:
        notice, dossier = _notice(s, dossier, gone[0], gone[2])
    # 6
    behaviors = s.persona.behaviors
    if isinstance(behaviors, Behaviors) and isinstance(behaviors.forward_to, str):
        if _informed(s):
            # Passed on, somebody would answer once more what a colleague has answered.
            passed: Reaction = Ignore("informed", ("a copy of what a colleague wrote to somebody else",))
        else:
            passed = _forward(s, behaviors.forward_to, gone is not None)
        return _Decision((*notice, passed), dossier)
    # 7
    replies_follow, why = _draw(s, before, dossier, found)
    if not replies_follow:
        because = (why,) if gone is None else (why, f"away until {format_instant(gone[2])}")
        return _Decision((*notice, Ignore(why, because)), replace(dossier, unanswered=before.unanswered + 1))
    # 8 and 9
    reply = _reply(s, replace(dossier, unanswered=0), found, why)
    return reply._replace(reactions=(*notice, *reply.reactions))


# 3

def _why_received(s: DecisionInput) -> str:
    if s.spam is None:
        return "in the inbox"
    if s.spam.threshold is None:
        return f"in the inbox: spam score {s.spam.score:.1f}, nothing is filtered"
    return f"in the inbox: spam score {s.spam.score:.1f} under {s.spam.threshold:.1f}"


def _went_on(s: DecisionInput, found: Findings) -> ThreadState:
    """The thread with this message counted."""
    kept = max(25, s.limits.thread_messages_per_hour + 5)
    echo, echoes = s.thread.echo, s.thread.echoes
    if s.thread.wrote and s.mail.in_reply_to == s.thread.wrote:
        echo = _digest(found.new)
        echoes = echoes + 1 if echo == s.thread.echo else 1
    return replace(
        s.thread, messages=s.thread.messages + 1, recent=(*s.thread.recent, int(s.now.timestamp()))[-kept:],
        last_message_id=s.mail.message_id, case_id=case_id(s) or s.thread.case_id,
        how=_how(s), between=s.thread.between + 1 if s.sender_id else 0,
        echo=echo, echoes=echoes,
    )


def _how(s: DecisionInput) -> How:
    """How the thread came to its case: what a later message of it is matched by, C{thread}, is no news."""
    if s.case is None or s.how == "thread" and s.thread.how != "none":
        return s.thread.how
    return s.how


def _digest(text: str) -> str:
    """A text in short, its letters only: what auto-responders put in of times and numbers makes no difference."""
    letters = "".join(filter(str.isalpha, text[:2000].lower()))
    return blake2b(letters.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _note(s: DecisionInput, found: Findings) -> str:
    """One line to remember the mail by."""
    name = s.mail.from_.name or correspondent(s.mail, s.envelope_sender)
    first = next((line for line in (" ".join(one.split()) for one in found.new.split("\n")) if len(line) > 24), "")
    said = first[:137] + "..." if len(first) > 140 else first
    return f"{s.now:%Y-%m-%d}: {name} wrote about {about(s.mail)}" + (f": {said}" if said else "")


def _arrived(s: DecisionInput, found: Findings, dossier: Dossier) -> tuple[list[Reaction], Dossier]:
    """What this mail brings of what was promised to the persona."""
    reactions: list[Reaction] = []
    for one in dossier.promises:
        if promises.fulfilled(one, found, s.thread.key):
            if one.job_id:
                reactions.append(Drop(one.job_id, f"{one.what} arrived"))
            dossier = replace(dossier, promises=tuple(left for left in dossier.promises if left is not one))
            late = s.now > one.due
            reactions.append(Remember(
                f"{s.now:%Y-%m-%d}: {one.what} came, {'late' if late else 'in time'}", one.case_id))
            if not late:
                dossier = relationship.kept(dossier, s.persona)
        elif promises.arrived(one, found, s.thread.key):
            if one.job_id:
                reactions.append(Drop(one.job_id, f"{one.what} is there already, they say"))
            dossier = replace(dossier, promises=tuple(left for left in dossier.promises if left is not one))
    return reactions, dossier


def _called_off(
    s: DecisionInput, found: Findings, dossier: Dossier
) -> tuple[list[Reaction], tuple[Remark, ...], Dossier]:
    """What this mail says is not wanted any more, of all that was promised: nothing is done or asked for then."""
    reactions: list[Reaction] = []
    off: list[Remark] = []
    if not dossier.promises or not found.unwanted:
        return reactions, (), dossier
    here = [one for one in dossier.promises if one.thread == s.thread.key]
    for one in dossier.promises:
        if remarks.unwanted(one, found, s.thread.key, bool(here) and one is here[-1]):
            if one.job_id:
                reactions.append(Drop(one.job_id, f"{one.what} is not wanted any more"))
            dossier = replace(dossier, promises=tuple(left for left in dossier.promises if left is not one))
            reactions.append(Remember(f"{s.now:%Y-%m-%d}: {one.what} was called off", one.case_id))
            off.append(Remark(
                "called_off", "correspondent", one.what, s.now, message_id=s.mail.message_id,
                language=found.language.code))
    return reactions, tuple(off), dossier


def _engaged(s: DecisionInput, found: Findings, said: Sequence[Remark]) -> list[Reaction]:
    """What this mail makes of the persona's times: one is taken that it proposed, or one is free again."""
    before, thread = s.appointments, s.thread.key
    if found.invited == "cancel":
        after, why = apart(before, "" if found.invitation.uid else thread, found.invitation.uid), "it was cancelled"
    elif any(one.kind == "called_off" and one.when is not None for one in said):
        after, why = apart(before, thread), "it was called off"
    else:
        after, why = before, "it was agreed"
        for one in said:
            new = remarks.appointment(one, correspondent(s.mail, s.envelope_sender), thread, found.minutes)
            if new is not None and not taken(apart(after, thread), new.start, new.end):
                after = booked(after, new, s.now)
    return [Engage(after, why)] if after != before else []


def _promised(
    s: DecisionInput, made: Sequence[MailPromise], dossier: Dossier, answered: bool
) -> tuple[list[Reaction], Dossier]:
    """
    What this mail promises to the persona (step 10).

    @param answered: the persona has written in the thread, or is going to, and a person wrote the mail; else
        nobody asks for anything.
    """
    reactions: list[Reaction] = []
    address, name = reply_address(s)
    if _paused(s.persona) or not address:
        return reactions, dossier
    for nth, one in enumerate(made):
        before = next((old for old in dossier.promises if old.by == "correspondent" and old.what == one.what
                       and old.thread == s.thread.key), None)
        if before is not None:
            if not one.dated or one.due <= before.due:
                continue
            # Put off: what was asked for already has not been forgotten.
            reactions.append(Drop(before.job_id, f"{one.what} was put off until {format_instant(one.due)}"))
            dossier = replace(dossier, promises=tuple(old for old in dossier.promises if old is not before))
        if not answered or not promises.asks_after(s.persona, s.dice.on("promise", nth)):
            # What nobody waits for stays a remark of the thread.
            continue
        at = promises.nudge_at(s.persona, one.due, s.pace, s.dice.on("promise", nth))
        nudge = planned(
            s, "nudge", max(at, delay.later(s.now, timedelta())),
            f"Ask {who(address, name)} for {one.what}, promised for {format_instant(one.due)}",
            "promised, not yet here",
            {"what": one.what, "promised_due": format_instant(one.due),
             "nth_nudge": before.nudged + 1 if before is not None else 1}, nth=nth)
        reactions.append(Expect(
            address, one.what, one.due, nudge,
            f"promised {one.what} {'for' if one.dated else 'without a time, taken as'} {format_instant(one.due)}"))
        dossier = replace(dossier, promises=(*dossier.promises, OpenPromise(
            "correspondent", one.what, s.now, one.due, nudge.id, thread=s.thread.key, case_id=case_id(s),
            nudged=before.nudged if before is not None else 0))[-50:])
    return reactions, dossier


# 4

def _loop(s: DecisionInput, thread: ThreadState, machine: str) -> str:
    """Why answering could go on for ever, or C{""}."""
    if machine:
        return f"automatic mail: {machine}"
    if correspondent(s.mail, s.envelope_sender) in s.persona.addresses:
        return "the persona's own mail"
    most = s.limits.thread_messages_per_hour
    since = (s.now - LOOP * s.pace.scale).timestamp()
    count = sum(1 for at in thread.recent if at > since)
    if count > most:
        return f"{count} messages in this thread within 1h x pace {s.pace.scale:g}, the limit is {most}"
    if thread.echoes >= s.limits.echoes:
        return f"{thread.echoes} answers in a row say the same, the limit is {s.limits.echoes}"
    if thread.between > s.limits.between_personas:
        return f"{thread.between} mails in a row between personas, the limit is {s.limits.between_personas}"
    passed = s.mail.header(FORWARDED).lower()
    if passed and isinstance(s.persona.behaviors, Behaviors) and isinstance(s.persona.behaviors.forward_to, str):
        by = [one.strip() for one in passed.split(",")]
        if set(by).intersection(s.persona.addresses) or len(by) >= MOST_FORWARDS:
            return f"forwarded {len(by)} times already"
    return ""


# 5

def _paused(persona: Persona) -> bool:
    return persona.paused is True


def _notice(
    s: DecisionInput, dossier: Dossier, period: OutOfOffice, back: datetime
) -> tuple[list[Reaction], Dossier]:
    """The out-of-office notice, once for each correspondent and period."""
    mark = delay.period_key(period)
    if mark in dossier.ooo or no_notices(s.mail, s.persona.addresses):
        return [], dossier
    after = delay.drawn(timedelta(seconds=20), 1.6, s.pace, s.dice, "ooo delay")
    # RFC 3834 section 4: to the reverse-path, never to Reply-To.
    address = s.envelope_sender.lower()
    name = s.mail.from_.name if s.mail.from_.address.lower() == address else ""
    plan = planned(
        s, "ooo", delay.later(s.now, after),
        f"Tell {who(address, name)} about being away until {format_instant(back)}",
        f"away from {period.from_} to {period.to}",
        {"period": {"from": period.from_, "to": period.to, "message": period.message}}, to=(address, name),
    )
    return [plan], replace(dossier, ooo=(*dossier.ooo, mark)[-50:])


# 6

def _forward(s: DecisionInput, to: str, away: bool) -> PlannedJob:
    """Somebody else is to answer: forwarded by a rule at once while away, by hand in working hours otherwise."""
    after = delay.delay(s.persona, s.pace, s.dice) / 4
    whole = timedelta(seconds=round(after.total_seconds()))
    at = (delay.later(s.now, min(whole, timedelta(minutes=1))) if away
          else delay.due(s.persona, s.pace, s.now, whole, s.dice).at)
    passed = [one.strip() for one in s.mail.header(FORWARDED).lower().split(",") if one.strip()]
    sender, name = reply_address(s)
    return planned(
        s, "forward", at, f"Forward {about(s.mail)} to {to}", f"everything goes on to {to}",
        {"forward_to": to, "reply_to": sender, "reply_to_name": name, "by": [*passed, s.persona.address]},
        to=(to if "@" in to else "", ""), because=(f"forward_to {to}",),
    )


# 7

def _copy(s: DecisionInput) -> bool:
    """Whether the persona is in Cc and not in To."""
    own = set(s.persona.addresses)
    return (
        not own.intersection(one.address.lower() for one in s.mail.to)
        and bool(own.intersection(one.address.lower() for one in s.mail.cc))
    )


def _informed(s: DecisionInput) -> bool:
    """Whether it is a copy of what a colleague wrote to somebody else."""
    return bool(s.sender_id) and _copy(s)


def _spoken_to(s: DecisionInput, found: Findings) -> bool:
    """Whether the text names the persona: "Tom, could you check?"."""
    return any(len(part) > 2 and part in found.new for part in s.persona.name.split())


def _minds_unread(s: DecisionInput, before: Dossier, found: Findings) -> float:
    """How readily the persona reminds of a language that it does not read, 0 where that has not been said before."""
    said = before.unread and not_read(
        f"{s.mail.subject[:200]}\n{s.mail.text}", found.language.code, tongues(s.persona))
    return temperament_named(s.persona.temperament).nudges if said and said in before.unread else 0.0


def _draw(s: DecisionInput, before: Dossier, dossier: Dossier, found: Findings) -> tuple[bool, str]:
    """Whether a reply follows, and why."""
    copy, informed = _copy(s), _informed(s)
    made = making(found, reply_address(s)[0])
    plain = copy and not informed and not _spoken_to(s, found)
    base, label = delay.reply_rate(s.persona)
    rate, told = inclined(base, label, reasons(
        question=found.asks_question and not copy, known=before.received > 0 or before.sent > 0,
        case=s.case is not None, promise=any(one.by == "persona" for one in dossier.promises),
        bulk=bulk(s.mail) or made.bulk, copy=copy and not informed and not plain, informed=informed,
        unwanted="cc only" if plain else made.unwanted,
        dossier=before, farewell=found.farewell and bool(s.thread.wrote), notice=found.informs_many,
        unread=_minds_unread(s, before, found),
    ))
    draw = s.dice.uniform("reply")
    return draw < rate, f"reply draw {draw:.2f} {'under' if draw < rate else 'over'} reply rate {rate:.2f} ({told})"


# 8 and 9

def _reply(s: DecisionInput, dossier: Dossier, found: Findings, why: str) -> _Decision:
    """The reply, or the one that is planned already; with it comes what was forgotten and is asked for."""
    if s.planned is not None:
        batch = Batch(
            s.planned.job_id, item(s),
            f"a reply to this thread is planned for {format_instant(s.planned.due)} and answers this too", (why,))
        return _Decision((batch,), dossier, s.planned.due)
    due = delay.due(s.persona, s.pace, s.now, delay.delay(s.persona, s.pace, s.dice), s.dice)
    reactions: list[Reaction] = [planned(
        s, "reply", due.at, f"Reply to {who(*reply_address(s))} about {about(s.mail)}, {due.why}", why,
        because=(why, f"due {format_instant(due.at)}, {due.why} ({s.persona.temperament}, pace {s.pace.scale:g})"),
    )]
    asked = [one for one in dossier.promises if promises.asked_for(one, found, s.thread.key)]
    dossier = replace(
        dossier, replies=(*dossier.replies, int(due.at.timestamp()))[-s.limits.replies_per_day:])
    for nth, one in enumerate(asked):
        if one.fate == "forgotten" and not one.job_id:
            deliver = _deliver_late(s, one, due.at, nth)
            reactions.append(deliver)
            dossier = relationship.with_promise(dossier, one, replace(one, job_id=deliver.id, fate="late"))
    return _Decision(reactions, dossier, due.at)


# 9

def _links(s: DecisionInput, before: Dossier, reply_due: datetime | None) -> list[Reaction]:
    """The link job at reading time, never later than the reply, or what is not opened and why."""
    stranger = before.received == 0 and before.sent == 0 and not s.sender_id
    choice = link_policy.decide(s.mail, s.persona, s.links, s.dice, stranger, s.lab_hosts)
    reactions: list[Reaction] = [Skip(one.url, one.why, one.domain) for one in choice.skip]
    if choice.open or choice.look_up:
        at = delay.reading(s.persona, s.pace, s.now, reply_due, s.dice)
        reactions.append(planned(
            s, "link", at, choice.told(), choice.why,
            {"open": [{"url": one.url, "text": one.text, "why": one.why, "broken": one.broken,
                       "one_click": one.one_click, "leaves": one.leaves} for one in choice.open],
             "look_up": choice.look_up, "reason": choice.reason}))
    return reactions


# 10

def _deliver_late(s: DecisionInput, promise: OpenPromise, after: datetime, nth: int) -> PlannedJob:
    """A forgotten promise that somebody asked for is done after all, once the reply is out."""
    address, name = reply_address(s)
    more = delay.drawn(timedelta(hours=2), 1.8, s.pace, s.dice, "asked")
    at = delay.due(s.persona, s.pace, after, more, s.dice.on("asked", nth)).at
    return planned(
        s, "deliver", at, f"Send {promise.what} to {who(address, name)}, which was forgotten", "asked for it",
        {"what": promise.what, "promised_due": format_instant(promise.due), "fate": "late"}, nth=nth)
