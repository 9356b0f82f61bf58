"""What the mail store says of folders and messages, as plain values."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple


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
