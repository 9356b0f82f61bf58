"""
What is asked of the words, and what comes back.

The request holds everything a text may depend on, so the same request always
gives the same text; the answer is the new text only: quoting, HTML, headers and
attachments' encoding are C{core.compose}'s matter.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

from msgspec import Struct

from simmail.core.html.page import PageForm
from simmail.core.language.meaning import IMeaning
from simmail.core.message.mail import Attachment, Mail
from simmail.core.mime.address import Address
from simmail.core.records.conversation import Appointment, Remark
from simmail.core.records.persona import OutOfOffice, Persona
from simmail.core.rng import Dice

Kind = Literal["reply", "followup", "correction", "ooo", "initiate", "deliver", "nudge", "forward"]


class Promised(NamedTuple):
    """Something promised: C{what} as a phrase that fits after "to send", and the instant it is due (aware)."""

    what: str
    due: datetime


class SeenPage(NamedTuple):
    """A page that a link led to: the words (or address) of the C{link}, and the C{title} and C{form} of the page."""

    link: str
    title: str
    form: PageForm


class WordsRequest(Struct, frozen=True, kw_only=True):
    """
    One mail to be worded.

    @ivar kind: C{reply} answers C{mails}; C{followup} asks again what C{own} or C{question} asked; C{correction}
        puts C{own} right; C{ooo} is the notice of C{ooo}; C{initiate} writes first, from C{persona.wants} and
        C{case_title}; C{deliver} brings C{promise}; C{nudge} asks for C{promise}, made by the correspondent;
        C{forward} is the note above the forwarded C{mails}.
    @ivar mails: the mails answered (or forwarded), oldest first; several when they were batched.
    @ivar arrived: the simulated instants at which C{mails} came, in their order; what they call tomorrow is meant from
        there.
    @ivar remarks: what was said in the thread so far, oldest first; appointments: the persona's taken times.
    @ivar correspondent: who reads it: the sender of C{mails}, or the person it is forwarded to.
    @ivar now: the simulated instant of sending.
    @ivar dice: keyed for this mail already.
    @ivar facts: what the persona may say of the case; never a secret.
    @ivar part: what it is in the thread (C{customer}, C{supplier} ...), C{""} where nothing says so; matter: what it
        knows of what the thread is about, which answers nothing but what asks for it by name.
    @ivar notes: its memory of the case, oldest first.
    @ivar warmth: from 0 to 1, as C{trust} and C{patience}; 0.5 is neutral.
    @ivar own: the persona's earlier mails of the thread, oldest first: their sentences are not said again.
    @ivar question: its question that stayed unanswered, for C{followup}.
    @ivar held: what the persona would not do before its last question of the thread was answered: the C{act}
        and the values it needs.
    @ivar owed: what it promised in the thread and has still to do, C{""} for nothing.
    @ivar owes: all that it promised this correspondent and has still to do.
    @ivar done: what it has done in the thread: the C{document} it sent, the C{payment} it made.
    @ivar broken: the words (or the address) of a link in C{mails} that it could not open, C{""} for none.
    @ivar seen: the page behind a link in C{mails} that it opened, None for none.
    @ivar unsubscribed: it followed a link to unsubscribe.
    @ivar nth: how many mails it wrote to this correspondent before.
    @ivar unread: languages that the correspondent was told are not read.
    @ivar meaning: whom to ask what C{mails} mean where rules are unsure.
    """

    kind: Kind
    persona: Persona
    correspondent: Address
    now: datetime
    dice: Dice
    mails: tuple[Mail, ...] = ()
    arrived: tuple[datetime, ...] = ()
    remarks: tuple[Remark, ...] = ()
    appointments: tuple[Appointment, ...] = ()
    facts: dict[str, str] = {}
    case_title: str = ""
    notes: tuple[str, ...] = ()
    warmth: float = 0.5
    trust: float = 0.5
    patience: float = 0.5
    promise: Promised | None = None
    ooo: OutOfOffice | None = None
    own: tuple[Mail, ...] = ()
    question: str = ""
    held: dict[str, str] = {}
    owed: str = ""
    owes: tuple[Promised, ...] = ()
    done: dict[str, str] = {}
    broken: str = ""
    seen: SeenPage | None = None
    unsubscribed: bool = False
    nth: int = 0
    unread: tuple[str, ...] = ()
    meaning: IMeaning | None = None
    part: str = ""
    matter: dict[str, str] = {}


class Written(Struct, frozen=True, kw_only=True):
    """
    The words for one mail.

    @ivar subject: complete, with at most one C{Re:} or C{Fwd:}.
    @ivar text: the new text, LF lines, signature included, nothing quoted.
    @ivar promise: what the text promises its reader, if it does; question: what it asks back, None if it does not
        ask, C{""} when it asks and the question cannot be said again by itself.
    @ivar held: what it will not do before its question is answered, for L{WordsRequest.held}; done: what it does,
        for L{WordsRequest.done}.
    @ivar remarks: what the mail says, for the thread; appointments: times it gives away.
    @ivar again: what of the text was said before and only said again.
    @ivar intent: what the (last) answered mail was taken for, C{""} when there was none.
    @ivar language: of the text, C{en} or C{de}.
    @ivar unread: the language of the mail, where the text says that it is not read.
    @ivar by: who worded it; failed: why a model did not, where it was asked to.
    """

    subject: str
    text: str
    attachments: tuple[Attachment, ...] = ()
    promise: Promised | None = None
    question: str | None = None
    held: dict[str, str] = {}
    done: dict[str, str] = {}
    remarks: tuple[Remark, ...] = ()
    appointments: tuple[Appointment, ...] = ()
    again: tuple[str, ...] = ()
    intent: str = ""
    language: str = "en"
    unread: str = ""
    by: str = "templates"
    failed: str = ""
