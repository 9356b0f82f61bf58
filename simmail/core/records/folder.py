"""What the mail store says of folders and messages, as plain values."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import compress
from typing import Any, Literal, NamedTuple

#: UIDs, and for each field that was asked for one value for each of them.
Columns = tuple[list[int], list[list[Any]]]


class Entry(NamedTuple):
    """
    One message of a folder, as far as IMAP's cheap items go.

    C{date}: INTERNALDATE.  C{recent}: nobody has opened the folder for it or stored a flag on it.
    """

    uid: int
    flags: frozenset[str]
    size: int
    date: datetime
    modseq: int
    recent: bool


class FolderStatus(NamedTuple):
    """One folder, counted.  C{size} in octets; C{objectid}: RFC 8474, kept when it is renamed."""

    name: str
    special_use: str
    total: int
    unseen: int
    recent: int
    uidvalidity: int
    uidnext: int
    highestmodseq: int
    size: int
    objectid: str = ""


class MailboxCounts(NamedTuple):
    """How many messages a mailbox has in all its folders, and how many unread; C{folders}: of those that hold any."""

    total: int
    unread: int
    folders: Mapping[str, tuple[int, int]]


def counted(folders: Mapping[str, tuple[int, int]]) -> MailboxCounts:
    """A mailbox whose folders hold so many messages, and so many unread."""
    total = unread = 0
    for one, new in folders.values():
        total += one
        unread += new
    return MailboxCounts(total, unread, folders)


class FolderChange(NamedTuple):
    """
    What changed in a folder.

    C{added}: new UIDs, ascending.  C{expunged}: UIDs gone.  C{flags}: UIDs whose
    flags changed; C{origin} is what the caller of C{flag} passed on, so that a session can be
    silent about its own.  C{reset}: UIDVALIDITY changed or the folder is gone.
    """

    kind: Literal["added", "expunged", "flags", "reset"]
    uids: tuple[int, ...]
    modseq: int = 0
    origin: object = None


class FolderEvent(NamedTuple):
    """
    What happened to a folder of a mailbox, loaded or not.

    C{added}, C{expunged}, C{flags}: to messages in it, and C{changed}: one or more of these, by another program.
    C{made}, C{gone}, C{renamed} (C{old}: what it was called), C{subscribed}, C{unsubscribed}: to the name.
    """

    kind: Literal["added", "expunged", "flags", "changed", "made", "gone", "renamed", "subscribed", "unsubscribed"]
    name: str
    old: str = ""


def by_uid(uids: Iterable[int], columns: Sequence[Sequence[Any]]) -> dict[int, tuple[Any, ...]]:
    """Columns as rows."""
    return dict(zip(uids, zip(*columns))) if columns else dict.fromkeys(uids, ())


def as_columns(uids: Iterable[int], rows: Mapping[int, Sequence[Any]], names: Sequence[str]) -> Columns:
    """Those rows that are there as columns."""
    found = [uid for uid in dict.fromkeys(uids) if uid in rows]
    return found, [[rows[uid][at] for uid in found] for at in range(len(names))]


def only(uids: Sequence[int], wanted: Container[int], columns: Sequence[Sequence[Any]]) -> Columns:
    """What columns say of some of their UIDs."""
    stay = list(map(wanted.__contains__, uids))
    return list(compress(uids, stay)), [list(compress(column, stay)) for column in columns]
