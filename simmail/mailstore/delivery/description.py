"""
All that a mailbox is besides its messages, as it is between two things that the writer does.
"""

from __future__ import annotations

from msgspec import Struct

from simmail.errors import NotFound
from simmail.mailstore.delivery.folders import OpenFolders
from simmail.mailstore.delivery.request import FolderRequest
from simmail.mailstore.maildir.annotations import read
from simmail.mailstore.maildir.layout import ABSENT, Layout, SUBSCRIPTIONS


class FolderFacts(Struct, frozen=True, array_like=True):
    """A folder that is made.  C{expunged}: the MODSEQ of the last expunge; keywords: by their places in the table."""

    name: str
    objectid: str
    uidvalidity: int
    uidnext: int
    highestmodseq: int
    expunged: int
    special_use: str = ""
    keywords: tuple[str, ...] = ()
    annotations: dict[str, bytes] = {}


class MailboxFacts(Struct, frozen=True, array_like=True):
    """
    A mailbox.

    @ivar subscriptions: None for those that everybody has; absent: standard folders that were renamed.
    """

    mailbox: str
    folders: tuple[FolderFacts, ...]
    subscriptions: tuple[str, ...] | None = None
    absent: tuple[str, ...] = ()
    annotations: dict[str, bytes] = {}


class DescribeMailbox(FolderRequest[MailboxFacts | None], frozen=True):
    """Describe the mailbox in a directory; answers None when there is none."""

    box: str

    def do(self, folders: OpenFolders) -> MailboxFacts | None:
        return described(folders.layout, self.box)


def described(layout: Layout, box: str) -> MailboxFacts | None:
    """Return what the mailbox in a directory is, None when there is none."""
    mailbox = layout.name_of(box)
    if mailbox is None or not layout.has_box(box):
        return None
    facts = []
    for name, (_, directory) in sorted(layout.folders(box).items()):
        if directory is None:
            continue
        try:
            uids = layout.read_uids(directory)
        except NotFound:
            continue
        facts.append(FolderFacts(
            name, uids.objectid, uids.uidvalidity, uids.uidnext, uids.highestmodseq, uids.expunged, uids.special_use,
            uids.keywords, read(layout, box, name)))
    subscriptions = f"{box}/{SUBSCRIPTIONS}"
    return MailboxFacts(
        mailbox, tuple(facts), tuple(layout.lines(subscriptions)) if layout.has(subscriptions) else None,
        tuple(layout.lines(f"{box}/{ABSENT}")), read(layout, box, ""))
