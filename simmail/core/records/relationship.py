"""
What a persona keeps between mails: of a correspondent the L{Dossier}, of a thread the L{ThreadState}.

Both are loaded and stored as JSON by whoever decides.  Source: API contract, "Personas"; decisions, sections 6 to 8
and 23.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

from simmail.core.records.case import How
from simmail.core.records.conversation import Remark

Fate = Literal["", "kept", "late", "forgotten"]


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
    @ivar unread: languages that they were told are not read.
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
    unread: tuple[str, ...] = ()


class RelationPromise(Struct, frozen=True):
    """
    An open promise.

    @ivar by: who promised; what: a phrase that fits behind "to"; due: by when, in simulated time.
    """

    by: Literal["persona", "correspondent"]
    what: str
    due: datetime


class Relation(Struct, frozen=True):
    """
    What a persona holds about one correspondent.

    @ivar address: the correspondent's; name: as their mail gives it.
    @ivar persona_id: the correspondent's, where it is a persona itself; else null.
    @ivar warmth: how much the persona likes them, 0 to 1; trust: how much it believes them, 0 to 1.
    @ivar patience: how much it still bears, 0 to 1.
    @ivar last_contact: when mail last went between them, in simulated time; null before the first.
    @ivar open_promises: what was promised and is not yet settled.
    """

    address: str
    name: str
    persona_id: str | None
    warmth: float
    trust: float
    patience: float
    last_contact: datetime | None
    open_promises: tuple[RelationPromise, ...]


class Stance(Struct, frozen=True):
    """How a persona sees somebody in one case.  C{address}: the correspondent's; C{text}: one sentence."""

    address: str
    case_id: str
    text: str


class ThreadState(Struct, frozen=True, omit_defaults=True):
    """
    What a persona keeps of one thread.

    @ivar key: C{core.message.conversations.thread_key}: the document's key beside the persona's id.
    @ivar case_id: the case it was linked to and C{how}, C{""} while it is not.
    @ivar messages: both ways; recent: Unix seconds of the latest of them.
    @ivar followup: the job that will ask again, C{""} for none; question: what it asks.
    @ivar between: the latest messages in a row that went from persona to persona.
    @ivar own: ids of the jobs of the persona's latest mails in it, oldest first (their copies in Sent bear them).
    @ivar held: what the last of its mails put off until its question is answered; done: what its mails have brought
        (both of C{writer.WordsRequest}).
    @ivar remarks: what was said in it, both ways, oldest first.
    @ivar stream: of the world, that has begun it, C{""} for none; part: what the persona then is in it (C{customer},
        C{supplier} ...); facts: what it knows of the matter, by name.
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
    remarks: tuple[Remark, ...] = ()
    stream: str = ""
    part: str = ""
    facts: dict[str, str] = {}
