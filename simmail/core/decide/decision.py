"""
What a persona decides from, and what it can decide: values only.

A L{DecisionInput} is everything that can bear on one received mail;
L{Reaction}s are what follows, in order, as data: the universe turns them into
events, jobs and documents of one commit, or shows them as a preview.

Source: decisions, sections 6 to 8 and 23.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Union

from msgspec import Struct

from simmail.core.language.meaning import IMeaning
from simmail.core.message.mail import Mail
from simmail.core.records.bad_address import BadKind
from simmail.core.records.case import Case, How
from simmail.core.records.conversation import Appointment
from simmail.core.records.job import JobKind
from simmail.core.records.persona import Persona
from simmail.core.records.relationship import Dossier, ThreadState
from simmail.core.records.settings import LinkPolicy, Pace
from simmail.core.rng import Dice
from simmail.core.time.instant import format_instant


class LoopLimits(Struct, frozen=True):
    """
    What keeps mail from going round (C{people} of the configuration).

    @ivar between_personas: after so many mails in a row among personas a thread has come to its end.
    @ivar echoes: so many answers in a row that say the same were not written by a person.
    """

    replies_per_day: int = 100
    thread_messages_per_hour: int = 20
    between_personas: int = 6
    echoes: int = 3


class SpamVerdict(Struct, frozen=True):
    """The spam score the post office took before filing; C{threshold} None never files as junk."""

    score: float
    threshold: float | None
    why: str = ""

    @property
    def junk(self) -> bool:
        """Whether the mail went to the Junk folder."""
        return self.threshold is not None and self.score >= self.threshold


class PlannedReply(Struct, frozen=True):
    """A reply of the persona in the same thread that is planned and not yet written."""

    job_id: str
    due: datetime


class DecisionInput(Struct, frozen=True, kw_only=True):
    """
    Everything that can bear on one mail in one persona's mailbox.

    @ivar envelope_sender: reverse-path, C{""} for the null one; recipient: the persona's address it came to.
    @ivar dice: keyed for this message already: (seed, "react", sender, recipient, nth).
    @ivar dossier: about C{correspondent(mail, envelope_sender)}; None for the first contact.
    @ivar sender_id: the persona that wrote it, C{""} if none did.
    @ivar status: the mailbox's forced status, C{ok} for none.
    @ivar case: what C{case_match.match} found, and C{how}.
    @ivar notes: the persona's memory of that case, oldest first.
    @ivar spam: None when no score was taken (then it is not junk).
    @ivar planned: the reply to the same thread that batching looks for.
    @ivar links: the link policy in force; lab_hosts: test sites (C{host:port}) that may be opened wherever they are.
    @ivar place: where the copy is (JSON-able); put into the data of each plan for finding the mail again.
    @ivar appointments: the persona's taken times.
    @ivar meaning: whom to ask what the mail means where rules are unsure.
    @ivar dsn: what the sender asked of notifications (RFC 3461): C{notify}, C{ret}, C{envid}, C{orcpt}, where given.
    """

    mail: Mail
    envelope_sender: str
    recipient: str
    persona: Persona
    now: datetime
    dice: Dice
    thread: ThreadState
    dossier: Dossier | None = None
    sender_id: str = ""
    status: str = "ok"
    case: Case | None = None
    how: How = "none"
    notes: tuple[str, ...] = ()
    pace: Pace = Pace()
    limits: LoopLimits = LoopLimits()
    spam: SpamVerdict | None = None
    planned: PlannedReply | None = None
    links: LinkPolicy = LinkPolicy()
    lab_hosts: frozenset[str] = frozenset()
    place: dict[str, Any] = {}
    dsn: dict[str, Any] = {}
    appointments: tuple[Appointment, ...] = ()
    meaning: IMeaning | None = None

    @property
    def nth(self) -> int:
        """This is the n-th mail between the two, from 1."""
        return (self.dossier.received if self.dossier is not None else 0) + 1


def correspondent(mail: Mail, envelope_sender: str) -> str:
    """Whom a mail is from, lower case: its From, else the reverse-path, else C{""}."""
    return (mail.from_.address or envelope_sender).lower()


def keyed(dice: Dice, sender: str, recipient: str, nth: int) -> Dice:
    """The dice for the n-th message between two, from those of the universe (decisions, "Conventions")."""
    return dice.on("react", sender.lower(), recipient.lower(), nth)


# What can follow.  Each has C{why}: one sentence naming what decided, with its number.

class Bounce(Struct, frozen=True):
    """C{persona.bounced}: the mail is refused after acceptance; a L{PlannedJob} of kind C{bounce} goes with it."""

    kind: BadKind
    address: str
    to: str
    why: str


class Junk(Struct, frozen=True):
    """C{persona.junked}: it lies in the Junk folder and nothing else follows."""

    score: float
    threshold: float
    why: str


class Receive(Struct, frozen=True):
    """C{persona.received}: it is in the inbox; C{from_} is whom it is from."""

    case_id: str
    how: How
    why: str
    from_: str


class Ignore(Struct, frozen=True):
    """
    C{persona.ignored}: no reply follows.

    @ivar because: the same with all numbers and inputs, one sentence each, for preview and the log.
    """

    why: str
    because: tuple[str, ...] = ()


class PlannedJob(Struct, frozen=True):
    """
    C{job.scheduled}: something is planned.  The fields are those of C{core.records.job.Job}.

    C{data} is JSON-able.  In every kind it has:

      - C{to}, C{to_name}: whom the mail goes to (C{link} and C{world} have none)
      - C{key}: [sender, recipient, nth] of the mail it comes from: L{keyed} gives its dice again, and the
        dossier is the one about that sender (but for a C{forward}); without it the dossier is about C{to}
      - C{mails}: the mails it is about, oldest first, each C{{"place", "arrived", "message_id", "subject", "sender",
        "references"}} (C{place} as in C{DecisionInput.place}; C{arrived}: RFC 3339, by the simulated clock; the rest
        for when the copy is gone by then)

    and besides:

      - C{reply}: C{visited}: [{url, text, opened, broken, title, form, leaves, left}] once links were opened
        (C{title}, C{form}: of the page; C{leaves}: it is one to unsubscribe, C{left}: which was done); batching
        appends to C{mails}
      - C{ooo}: C{period}: {from, to, message}; C{to} is the reverse-path
      - C{bounce}: C{action}: failed or delivered; C{bounce}: the kind, None where it is delivered; C{address}: the
        recipient; C{to} is the reverse-path
      - C{forward}: C{forward_to} as the persona has it (id or address; C{to} is empty for an id); C{reply_to},
        C{reply_to_name}: the original sender; C{by}: addresses that forwarded it so far, to be named in the
        C{X-Service-Forwarded} field
      - C{link}: C{open}: [{url, text, why, broken, one_click, leaves}]; C{look_up}: a sender's domain or C{""}, for
        C{reason}
      - C{nudge}: C{what}, C{promised_due} (RFC 3339), C{nth_nudge}
      - C{deliver}: C{what}, C{promised_due}, C{fate}
      - C{followup}: C{question} (asked again), or C{afterthought}: true for a second mail right after a reply
      - C{correction}: C{of}: the Message-ID of the mail it corrects
      - C{initiate}: C{wants}

    @ivar id: unique in the universe; the same for the same message and seed.
    @ivar plan: one sentence for people.
    """

    id: str
    kind: JobKind
    due: datetime
    plan: str
    thread: str
    data: dict[str, Any]
    case_id: str = ""
    message_id: str = ""
    why: str = ""
    because: tuple[str, ...] = ()


class Batch(Struct, frozen=True):
    """C{persona.batched}: the reply job that is planned already gets one more of C{data["mails"]}, C{place}."""

    job_id: str
    place: dict[str, Any]
    why: str
    because: tuple[str, ...] = ()


class Remember(Struct, frozen=True):
    """A note for the memory of a case (C{""}: outside any)."""

    text: str
    case_id: str
    why: str = "everything read is remembered"


class Relate(Struct, frozen=True):
    """The dossier as it is now."""

    dossier: Dossier
    why: str


class Follow(Struct, frozen=True):
    """The thread's state as it is now."""

    thread: ThreadState
    why: str = "the thread went on"


class Engage(Struct, frozen=True):
    """The persona's taken times as they are now."""

    appointments: tuple[Appointment, ...]
    why: str


class Expect(Struct, frozen=True):
    """C{persona.waiting}: something was promised to the persona; C{nudge} asks for it should it not come."""

    from_: str
    what: str
    due: datetime
    nudge: PlannedJob
    why: str


class Promise(Struct, frozen=True):
    """C{persona.promised}: the persona promised; C{deliver} does it, None when it is going to be forgotten."""

    to: str
    what: str
    due: datetime
    will_keep: bool
    deliver: PlannedJob | None
    why: str


class Drop(Struct, frozen=True):
    """A pending job is not needed any more: it is skipped (C{job.updated}); one that is gone already is left alone."""

    job_id: str
    why: str


class Skip(Struct, frozen=True):
    """C{link.skipped}: a link that will not be opened (or, with C{domain}, a sender not looked up)."""

    url: str
    why: str
    domain: str = ""


Reaction = Union[
    Bounce, Junk, Receive, Ignore, PlannedJob, Batch, Remember, Relate, Follow, Engage, Expect, Promise, Drop, Skip,
]
Reactions = tuple[Reaction, ...]


#: The header field a forwarded mail carries, and the most persons it passes.
FORWARDED = "X-Service-Forwarded"
MOST_FORWARDS = 5

_SUBJECT = 200


def item(situation: DecisionInput) -> dict[str, Any]:
    """What C{data["mails"]} says of the mail at hand."""
    mail = situation.mail
    return {
        "place": situation.place, "arrived": format_instant(situation.now), "message_id": mail.message_id,
        "subject": mail.subject[:_SUBJECT], "sender": correspondent(mail, situation.envelope_sender),
        "references": list(mail.references[-20:]),
    }


def reply_address(situation: DecisionInput) -> tuple[str, str]:
    """
    Address and name that a reply goes to: Reply-To, else From, else the reverse-path (decisions, section 23).

    A Reply-To that is the persona itself is passed over.
    """
    mail, own = situation.mail, situation.persona.addresses
    for one in (*mail.reply_to, mail.from_):
        if one.address and one.address.lower() not in own:
            return one.address.lower(), one.name
    return situation.envelope_sender.lower(), ""


def job_id(dice: Dice, persona_id: str, kind: JobKind, nth: int = 0) -> str:
    """The id of a job about the message that C{dice} is keyed for; C{nth} of this kind."""
    return "j_" + dice.token(16, "job", persona_id, kind, nth)


def planned(
    situation: DecisionInput, kind: JobKind, due: datetime, plan: str, why: str, extra: dict[str, Any] | None = None,
    to: tuple[str, str] | None = None, nth: int = 0, because: tuple[str, ...] = (),
) -> PlannedJob:
    """A plan about the mail at hand; C{to} is its reply address unless given."""
    address, name = reply_address(situation) if to is None else to
    data: dict[str, Any] = {
        "to": address, "to_name": name, "key": key(situation), "mails": [item(situation)], **(extra or {}),
    }
    return PlannedJob(
        id=job_id(situation.dice, situation.persona.id, kind, nth), kind=kind, due=due, plan=plan,
        thread=situation.thread.key, data=data, case_id=case_id(situation), message_id=situation.mail.message_id,
        why=why, because=because,
    )


def key(situation: DecisionInput) -> list[str | int]:
    """What the dice of this mail were keyed with."""
    return [correspondent(situation.mail, situation.envelope_sender), situation.recipient, situation.nth]


def case_id(situation: DecisionInput) -> str:
    """The case of the mail, C{""} for none."""
    return situation.case.id if situation.case is not None else ""


def about(mail: Mail) -> str:
    """A mail in a plan's sentence."""
    subject = " ".join(mail.subject.split())
    return f'"{subject[:60]}{"..." if len(subject) > 60 else ""}"' if subject else "a mail without a subject"


def who(address: str, name: str) -> str:
    """A person in a plan's sentence."""
    return f"{name} <{address}>" if name else address
