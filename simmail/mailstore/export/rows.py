"""
What the lists of an export say of mail that the names of files cannot say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from simmail.mailstore.maildir.filename import bit_of, bit_of_keyword
from simmail.mailstore.maildir.flags import SYSTEM

#: Where mail is, and what is kept for jobs, below an export.
MAIL, KEPT = "mail", "held"


class ExportedMailbox(Struct, frozen=True, forbid_unknown_fields=True):
    """
    A mailbox.

    @ivar directory: where it is, below the export; subscriptions: null for those that everybody has.
    @ivar absent: standard folders that were renamed; annotations: of the mailbox, in base 64 by the names of entries.
    """

    mailbox: str
    directory: str
    subscriptions: list[str] | None = None
    absent: list[str] = []
    annotations: dict[str, str] = {}


class ExportedFolder(Struct, frozen=True, forbid_unknown_fields=True):
    """
    A folder, of the mailbox before.

    @ivar expunged: the MODSEQ of the last expunge; objectid: RFC 8474.
    @ivar keywords: by their letters in the names of files, from C{a}; C{""} for a letter that has none.
    """

    mailbox: str
    folder: str
    directory: str
    uidvalidity: int
    uidnext: int
    highestmodseq: int
    expunged: int
    objectid: str
    special_use: str = ""
    keywords: list[str] = []
    annotations: dict[str, str] = {}


class ExportedMessage(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """
    A message of a folder, in the order of UIDs.

    @ivar file: its name in C{cur/} or C{new/} without the flags; flags: of IMAP; recent: nobody was told of it.
    @ivar date, saved: INTERNALDATE and SAVEDATE, in microseconds since 1970; C{saved} null for C{date}.
    """

    mailbox: str
    folder: str
    uid: int
    file: str
    sha256: str
    date: int
    flags: list[str] = []
    recent: bool = False
    saved: int | None = None


class ExportedHeld(Struct, frozen=True, forbid_unknown_fields=True):
    """A message that a job will need, in C{held/}; or with the name C{.owed}, what is owed for mail that came."""

    file: str
    sha256: str


#: The lists of mail, in the order they are read.
LISTS: Mapping[str, Any] = {
    "mailboxes": ExportedMailbox, "folders": ExportedFolder, "messages": ExportedMessage, "held": ExportedHeld}


def bits_of(keywords: Iterable[str]) -> dict[str, int]:
    """Return the bit of each flag that a folder with a table of keywords has a name for."""
    return {**{flag: bit_of(flag, ()) for flag, _ in SYSTEM},
            **{keyword: bit_of_keyword(at) for at, keyword in enumerate(keywords) if keyword}}
