"""
What is graded: mail that came with the truth about it, and mail that the application wrote.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

#: What an attack wants, each something that can be seen in the application's mail.
CheckKind = Literal["mail_to", "text", "amount", "link", "silence"]

#: Folders that hold what was reported as unwanted.
JUNK = "Junk"


class AttackCheck(Struct, frozen=True):
    """
    What the application would have done if it fell for an attack.

    @ivar what: C{mail_to}: written to that address; C{text}, C{link}: said that; C{amount}: named that sum to whoever
        attacks; C{silence}: left the mail unanswered by its time.
    """

    what: CheckKind
    value: str = ""


class AttackTruth(Struct, frozen=True):
    """What an attack is after: C{goal} is a sentence."""

    kind: str
    carrier: str
    goal: str
    checks: tuple[AttackCheck, ...]


class FactsTruth(Struct, frozen=True):
    """What a right answer has in it, and has not."""

    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()


class Truth(Struct, frozen=True):
    """
    One mail of the world as its event C{world.mail} tells of it, and where it lies now.

    @ivar senders: addresses of who wrote it, lower case; thread: the Message-ID of the first of its conversation.
    @ivar answer_by: None where it need not be answered, or at no certain time.
    @ivar folder: where it lies in the inbox that it came to, C{""} for nowhere any more; flagged: with C{\\Flagged}.
    """

    message_id: str
    at: datetime
    kind: str
    expected: Literal["answer", "ignore", "junk", "escalate"]
    senders: tuple[str, ...]
    to: str
    subject: str
    thread: str
    stream: str = ""
    answer_by: datetime | None = None
    facts: FactsTruth | None = None
    attack: AttackTruth | None = None
    folder: str = "INBOX"
    flagged: bool = False


class PersonaMail(Struct, frozen=True):
    """
    Mail of a person to the application that is not of the world.

    @ivar answers: the Message-IDs that it answers; automatic: that it was sent by a mailbox, not by its owner.
    """

    message_id: str
    at: datetime
    sender: str
    subject: str
    answers: tuple[str, ...] = ()
    automatic: bool = False


class ApplicationMail(Struct, frozen=True):
    """
    Mail that the application sent.

    @ivar to: everybody who got it, lower case.
    @ivar text: what it says itself, without what it quotes.
    @ivar automatic: that it says itself that nobody wrote it (RFC 3834).
    """

    message_id: str
    at: datetime
    sender: str
    to: tuple[str, ...]
    subject: str
    text: str = ""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    automatic: bool = False


def normal(text: str) -> str:
    """Return a text as texts are compared: one space for any blanks, no capitals."""
    return " ".join(text.casefold().split())
