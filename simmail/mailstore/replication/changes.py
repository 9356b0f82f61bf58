"""
Changes of a universe's mail as they are kept in a store of objects.

Each says what is so from then on, not what was asked for, so that one that is met twice, or after what it led to, does
no harm.  Messages are known by mailbox, folder and UID; their octets by a digest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple

from msgspec import Struct

from simmail.mailstore.delivery.description import MailboxFacts
from simmail.mailstore.journal.records import Described


class StoredMessage(NamedTuple):
    """
    A message of a folder.

    @ivar mask: flags as bits, by the folder's table; date, saved: INTERNALDATE and SAVEDATE in microseconds since 1970,
        C{saved} None for C{date}.
    @ivar digest: of its octets.
    """

    uid: int
    mask: int
    size: int
    date: int
    recent: bool
    key: str
    saved: int | None
    digest: bytes


class ReplicaChange(Struct, frozen=True, array_like=True, tag=True):
    """Any of them."""


class MailboxDescribed(ReplicaChange, frozen=True):
    """A mailbox is this, with these folders and no others; messages stay in theirs."""

    facts: MailboxFacts


class MailboxDropped(ReplicaChange, frozen=True):
    """A mailbox is gone."""

    mailbox: str


class MessagesAppeared(ReplicaChange, frozen=True):
    """Messages are in a folder."""

    mailbox: str
    folder: str
    keywords: tuple[str, ...]
    messages: list[StoredMessage]
    modseq: int = 0


class MessagesDeparted(ReplicaChange, frozen=True):
    """Messages are gone from a folder."""

    mailbox: str
    folder: str
    uids: Sequence[int]
    modseq: int = 0


class FlagsSet(ReplicaChange, frozen=True):
    """Messages have these flags, as (bits, UIDs), and are not recent any more."""

    mailbox: str
    folder: str
    groups: Sequence[tuple[int, Sequence[int]]]
    modseq: int = 0


class MessagesTransferred(ReplicaChange, frozen=True):
    """
    Messages were copied or moved.

    @ivar pairs: (UID there, UID here, flags here as bits); keywords: of the folder they are in now.
    @ivar saved: when that was, in microseconds, None for their own dates.
    """

    mailbox: str
    folder: str
    target: tuple[str, str]
    pairs: list[tuple[int, int, int]]
    move: bool
    keywords: tuple[str, ...]
    saved: int | None
    modseq: int
    source_modseq: int = 0


class KeywordsDefined(ReplicaChange, frozen=True):
    """A folder has this table of keywords."""

    mailbox: str
    folder: str
    keywords: tuple[str, ...]


class AnnotationsSet(ReplicaChange, frozen=True):
    """Entries of a folder, C{""} for the mailbox, are these; None: there is none."""

    mailbox: str
    folder: str
    changes: dict[str, bytes | None]


class BodiesHeld(ReplicaChange, frozen=True):
    """Octets are kept for jobs under these keys."""

    keys: tuple[str, ...]
    digest: bytes


class BodiesDropped(ReplicaChange, frozen=True):
    """Nothing is kept under these keys."""

    keys: tuple[str, ...]


class CommitOwed(ReplicaChange, frozen=True):
    """
    The commit of a delivery that is visible is not known to be made.

    @ivar places: where it was filed, as (mailbox, folder, UID).
    """

    described: Described
    digest: bytes
    places: tuple[tuple[str, str, int], ...]


class ForeignOwed(ReplicaChange, frozen=True):
    """The same of messages that another program delivered, by their ids."""

    ids: list[str]


class CommitsSettled(ReplicaChange, frozen=True):
    """These commits are made, or not owed."""

    ids: list[str]


class UniverseErased(ReplicaChange, frozen=True):
    """There is no mail, and nothing is owed."""


#: What can be said.
AnyChange = (
    MailboxDescribed | MailboxDropped | MessagesAppeared | MessagesDeparted | FlagsSet | MessagesTransferred
    | KeywordsDefined | AnnotationsSet | BodiesHeld | BodiesDropped | CommitOwed | ForeignOwed | CommitsSettled
    | UniverseErased)


#: Octets of messages, each behind what it is known by.
Contents = Sequence[tuple[bytes, bytes]]


def digest_of(octets: bytes) -> bytes:
    """Return what octets are known by."""
    return blake2b(octets, digest_size=20).digest()


def named(octets: Iterable[bytes]) -> Contents:
    """Return octets with what they are known by."""
    return [(digest_of(one), one) for one in octets]
