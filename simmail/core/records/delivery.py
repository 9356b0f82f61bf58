"""
A message on its way into mailboxes, as plain values.

A L{Delivery} is what the post office hands to the mail store and what the
journal keeps; an L{Arrival} is what is left to be decided about one copy that
reached a persona.  Both survive a crash, so both are values that encode.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct

#: RFC 6154 special uses, in the order folders are shown; INBOX has none.
SPECIAL_FOLDERS: tuple[tuple[str, str], ...] = (
    ("INBOX", ""), ("Sent", "\\Sent"), ("Drafts", "\\Drafts"),
    ("Archive", "\\Archive"), ("Trash", "\\Trash"), ("Junk", "\\Junk"),
)


class Placement(Struct, frozen=True):
    """Where one copy goes.  Flags are IMAP flags (C{\\Seen}) and keywords."""

    mailbox: str
    folder: str = "INBOX"
    flags: tuple[str, ...] = ()


class Copy(Struct, frozen=True):
    """Where one copy is."""

    mailbox: str
    folder: str
    uid: int
    uidvalidity: int


class DeliveryPart(Struct, frozen=True, array_like=True):
    """One of several messages of a delivery: how many octets it has, and its own C{at}."""

    size: int
    at: datetime


class ReplacedMessage(Struct, frozen=True, array_like=True):
    """A message that is removed when another one is filed in its stead; C{path}: its file below the folder, by now."""

    mailbox: str
    folder: str
    uid: int
    path: str


class Delivery(Struct, frozen=True):
    """
    One message and all the places it goes to; or, with C{parts}, several messages that go into one folder, all of
    them or none.

    @ivar id: C{[A-Za-z0-9_-]{1,64}}; the base of the file names.  Placement the
        same id twice in one folder files it once.
    @ivar octets: the message, lines ended by CRLF.
    @ivar at: simulated instant, kept as INTERNALDATE.
    @ivar commit: what must be committed to the database for it, encoded by
        the post office (opaque to the store, C{b""}: nothing is owed).
    @ivar parts: of several messages, which stand one behind the other in C{octets}; each has a placement of its own.
    @ivar saved: when it was put there, where that is not C{at} (RFC 8514).
    @ivar replaces: what is gone once this is filed; both happen or neither does.
    """

    id: str
    universe: str
    placements: tuple[Placement, ...]
    octets: bytes
    at: datetime
    commit: bytes = b""
    parts: tuple[DeliveryPart, ...] = ()
    replaces: ReplacedMessage | None = None
    saved: datetime | None = None


class Arrival(Struct, frozen=True):
    """
    One copy that reached a persona and is not yet decided about.

    @ivar id: C{<delivery id>.<n>}; arrivals are decided in the order committed.
    @ivar kind: C{mail}, or the job kind when a persona wrote it.
    @ivar spam: C{{"score", "threshold", "why"}} when the score was taken.
    @ivar hints: what the sender asked of notifications: C{notify}, C{ret}, C{envid}, C{orcpt}, where given.
    """

    id: str
    mailbox: str
    persona_id: str
    sender: str
    at: datetime
    copy: Copy
    kind: str = "mail"
    spam: dict[str, Any] | None = None
    hints: dict[str, Any] = {}
