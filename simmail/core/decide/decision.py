"""
What a persona decides from, and what it can decide: values only.

A L{DecisionInput} is everything that can bear on one received mail;
L{Reaction}s are what follows, in order, as data: the universe turns them into
events, jobs and documents of one commit, or shows them as a preview.

Two documents persist between mails, both loaded and stored by the caller as
JSON: the L{Dossier} of (persona, correspondent) and the L{ThreadState} of
(persona, thread).  Source: decisions, sections 6 to 8 and 23.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, Union

from msgspec import Struct

from simmail.core.decide.link_policy import LinkPolicy
from simmail.core.message.mail import Mail
from simmail.core.records.case import Case, How
from simmail.core.records.job import JobKind
from simmail.core.records.persona import Persona
from simmail.core.rng import Dice

BounceKind = Literal["unknown", "domain", "full", "disabled", "blocked"]
Fate = Literal["", "kept", "late", "forgotten"]


class Pace(Struct, frozen=True):
    """The C{pace} setting: delays times C{factor} (0 counts as 1); C{ignore_hours}: at any hour and day."""

    factor: float = 1.0
    ignore_hours: bool = False

    @property
    def scale(self) -> float:
        """What delays are multiplied by."""
        return self.factor or 1.0


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


class OpenPromise(Struct, frozen=True, omit_defaults=True):
    """
    Something promised and not yet settled.

    @ivar by: who promised, the C{persona} or the C{correspondent}.
    @ivar what: a phrase that fits after "to send" or "to do"; due: when it was promised for.
    @ivar job_id: its C{deliver} or C{nudge} job, C{""} for none (a forgotten one waits to be asked).
    @ivar fate: of a promise of the persona: what was drawn.
    @ivar nudged: how often it was asked for.
    """

    by: Literal["persona", "correspondent"]
    what: str
    made: datetime
    due: datetime
    job_id: str = ""
    fate: Fate = ""
    thread: str = ""
    case_id: str = ""
    nudged: int = 0


class Dossier(Struct, frozen=True, omit_defaults=True):
    """
    What a persona holds about one correspondent.

    @ivar address: of the correspondent, lower case: the document's key beside the persona's id.
    @ivar persona_id: the correspondent's, when it is a persona itself.
    @ivar warmth, trust, patience: from 0 to 1; None until the first contact (then the temperament's).
    @ivar received: mails decided about so far; sent: mails written to them.
    @ivar unanswered: their mails in a row that drew no reply.
    @ivar ooo: keys of out-of-office periods they were told about.
    @ivar replies: Unix seconds of the replies planned or sent in the last day before the latest (for the cap).
    @ivar stances: case id to a sentence on how the persona sees them there, C{""} outside any case.
    """

    address: str
    name: str = ""
    persona_id: str = ""
    warmth: float | None = None
    trust: float | None = None
    patience: float | None = None
    last_contact: datetime | None = None
    received: int = 0
    sent: int = 0
    unanswered: int = 0
    ooo: tuple[str, ...] = ()
    replies: tuple[int, ...] = ()
    promises: tuple[OpenPromise, ...] = ()
    stances: dict[str, str] = {}


class RelationPromise(Struct, frozen=True):
    """An open promise, as the API shows it."""

    by: Literal["persona", "correspondent"]
    what: str
    due: datetime


class Relation(Struct, frozen=True):
    """A dossier, as the API shows it (C{relations} of a persona)."""

    address: str
    name: str
    persona_id: str | None
    warmth: float
    trust: float
    patience: float
    last_contact: datetime | None
    open_promises: tuple[RelationPromise, ...]


class Stance(Struct, frozen=True):
    """How a persona sees somebody in one case, as the API shows it (C{stances})."""

    address: str
    case_id: str
    text: str


class ThreadState(Struct, frozen=True, omit_defaults=True):
    """
    What a persona keeps of one thread.

    @ivar key: C{core.threads.thread_key}: the document's key beside the persona's id.
    @ivar case_id: the case it was linked to and C{how}, C{""} while it is not.
    @ivar messages: both ways; recent: Unix seconds of the latest of them.
    @ivar followup: the job that will ask again, C{""} for none; question: what it asks.
    @ivar between: the latest messages in a row that went from persona to persona.
    @ivar own: ids of the jobs of the persona's latest mails in it, oldest first (their copies in Sent bear them).
    @ivar held: what the last of its mails put off until its question is answered; done: what its mails have brought
        (both of C{words.WordsRequest}).
    @ivar wrote: the Message-ID of the last of its mails; echo: what the last answer to one of them said, in short;
        echoes: how many answers in a row have said that.
    """

    key: str
    case_id: str = ""
    how: How = "none"
    messages: int = 0
    recent: tuple[int, ...] = ()
    last_message_id: str = ""
    followup: str = ""
    question: str = ""
    between: int = 0
    own: tuple[str, ...] = ()
    wrote: str = ""
    echo: str = ""
    echoes: int = 0
    held: dict[str, str] = {}
    done: dict[str, str] = {}


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
    @ivar case: what C{cases.match} found, and C{how}.
    @ivar notes: the persona's memory of that case, oldest first.
    @ivar spam: None when no score was taken (then it is not junk).
    @ivar planned: the reply to the same thread that batching looks for.
    @ivar links: the link policy in force; lab_hosts: test sites (C{host:port}) that may be opened wherever they are.
    @ivar place: where the copy is (JSON-able); put into the data of each plan for finding the mail again.
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

    kind: BounceKind
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
    C{job.scheduled}: something is planned.  The fields are those of C{core.jobs.Job}.

    @ivar id: unique in the universe; the same for the same message and seed.
    @ivar plan: one sentence for people.
    @ivar data: JSON-able; what it holds for each kind is told in C{core.plans}.
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
    Bounce, Junk, Receive, Ignore, PlannedJob, Batch, Remember, Relate, Follow, Expect, Promise, Drop, Skip,
]
Reactions = tuple[Reaction, ...]
