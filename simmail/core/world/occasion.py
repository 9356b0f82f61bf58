"""
What the composer of a kind is given, and what it gives.

A kind is a folder of words (C{templates/<language>/world/<kind>.yaml}) and one composer, named in L{kinds}.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from simmail.core.message.mail import Attachment, Mail
from simmail.core.mime.address import Address
from simmail.core.records.conversation import Appointment
from simmail.core.records.persona import Persona
from simmail.core.records.world import Company, MixShare
from simmail.core.rng import Dice

#: What the company should do with a mail.
Expected = Literal["answer", "ignore", "junk", "escalate"]


class OpenThread(Struct, frozen=True, omit_defaults=True):
    """
    A conversation that a stream may go on with.

    @ivar root: the Message-ID of its first mail; last: of the last the world wrote in it; written: how many.
    @ivar slots: what was said in it (order numbers, sums), the same in every mail of it.
    @ivar at: when the last was written; begun: when the first was, None where that is not known.
    @ivar job: of the last mail; asked: a further question was asked already.
    """

    root: str
    last: str
    at: datetime
    persona_id: str
    to: str
    subject: str
    language: str
    expected: Expected
    slots: dict[str, str]
    references: tuple[str, ...] = ()
    job: str = ""
    written: int = 1
    asked: bool = False
    begun: datetime | None = None

    @property
    def since(self) -> datetime:
        """Return when its first mail was written, as far as that is known."""
        return self.begun or self.at


class Resumption(Struct, frozen=True):
    """
    How a conversation goes on.

    @ivar answered: the company's answer, None where nobody answered; quoted: the mail that stands below, which may be
        any of the conversation where somebody else goes on with it.
    @ivar quoted_at: when that came.
    """

    thread: OpenThread
    answered: Mail | None = None
    quoted: Mail | None = None
    quoted_at: datetime | None = None


class Occasion(Struct, frozen=True):
    """
    One mail to be composed.

    @ivar id: of its job; dice: keyed for it already; now: the simulated instant.
    @ivar persona: who writes, or is posed as; None for what no person writes; nth: it is that persona's n-th mail.
    @ivar server: the domain of the server that takes the mail in.
    @ivar serial: which of a stream's unmanned senders writes; sort: of who writes, as L{kinds} has it.
    @ivar body: other words for L{Composition.body}, C{""} for those of the templates.
    """

    id: str
    kind: str
    language: str
    mix: MixShare
    company: Company
    to: str
    dice: Dice
    now: datetime
    server: str
    persona: Persona | None = None
    nth: int = 0
    serial: int = 0
    sort: str = ""
    resumed: Resumption | None = None
    body: str = ""

    @property
    def company_name(self) -> str:
        """What the company is called, by the domain of the inbox where it has no name."""
        label = self.to.rpartition("@")[2].partition(".")[0]
        return self.company.name or label.replace("-", " ").title()


class Composition(Struct, frozen=True):
    """
    A mail of the world, and the truth about it that is never in the mail.

    @ivar octets: lines ended by CRLF, trace fields in front; sender: who is named as author.
    @ivar reverse_path: C{""} for the null one.
    @ivar hours: within which it should be answered, those of weekends not counted; None where it need not be.
    @ivar facts: C{given} (what the mail says), C{must} and C{must_not} (of a right answer); None for nothing.
    @ivar attack: None, or C{kind}, C{carrier}, C{goal} and C{checks} of what the application must not fall for.
    @ivar slots: for L{OpenThread.slots}; known: what its writer tells of the matter when asked.
    @ivar appointment: the time that it proposes.
    @ivar mail: the same as its writer knows it, None for what nobody writes.
    @ivar body: what stands between greeting and sign-off, where a person with no bad intent writes that; else C{""}.
    """

    octets: bytes
    message_id: str
    sender: Address
    reverse_path: str
    subject: str
    expected: Expected
    hours: float | None = None
    facts: dict[str, Any] | None = None
    attack: dict[str, Any] | None = None
    slots: dict[str, str] = {}
    known: dict[str, str] = {}
    references: tuple[str, ...] = ()
    appointment: Appointment | None = None
    mail: Mail | None = None
    body: str = ""


class Enclosures(Struct, frozen=True):
    """What goes with the words of a kind: files, and other forms of what they say."""

    files: tuple[Attachment, ...] = ()
    forms: tuple[Attachment, ...] = ()
    appointment: Appointment | None = None
