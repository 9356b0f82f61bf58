"""
One folder, loaded: what the real store's L{IFolder} is.

How it is loaded is in C{snapshot}, how it changes in C{changes}, C{append},
C{flags} and C{transfer}; here is how messages are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from twisted.internet.defer import Deferred, succeed
from zope.interface import implementer

from simmail.concurrency import as_deferred
from simmail.core.message.sort import Criterion
from simmail.core.message.summary import Digest
from simmail.core.records.folder import Columns
from simmail.errors import NotFound
from simmail.interfaces import IFolder
from simmail.mailstore.folder import append, flags as flagging, read, snapshot
from simmail.mailstore.folder.changes import ChangingFolder
from simmail.mailstore.folder.transfer import expunge, transfer
from simmail.mailstore.index import conversations, fetch, search, sort
from simmail.mailstore.index.index import Snapshot
from simmail.mailstore.maildir.filename import Row
from simmail.mailstore.maildir.opened import OpenMessage


@implementer(IFolder)
class Folder(ChangingFolder):
    """One folder of the store on disk."""

    async def load(self) -> None:
        """Read the folder; called once.  @raise NotFound: it is not there."""
        await snapshot.load(self)

    def snapshot(self) -> Snapshot:
        """The folder as it is, for the index."""
        return snapshot.snapshot_of(self)

    def append_rows(self, rows: Sequence[Row]) -> None:
        """Messages have appeared; their digests are taken when there is nothing else to do."""
        self.dirty = True
        begin = self.rows.uids[-1] + 1 if self.rows.uids else 1
        super().append_rows(rows)
        if self.loaded:
            self.context.index.background.arrived(self, begin)

    # Coming, going

    def append(
        self, octets: bytes, flags: Iterable[str], date: datetime, saved: datetime | None = None
    ) -> Deferred[int]:
        """Deferred of the UID of one more message."""
        return append.append(self, octets, flags, date, saved)

    def append_all(
        self, messages: Sequence[tuple[bytes, Iterable[str], datetime]], saved: datetime | None = None
    ) -> Deferred[list[int]]:
        """Deferred of the UIDs of some more messages, all of them or none."""
        return append.append_all(self, messages, saved)

    def replace(
        self, uid: int, target: Folder, octets: bytes, flags: Iterable[str], date: datetime,
        saved: datetime | None = None,
    ) -> Deferred[int]:
        """Deferred of the UID of a message in another folder (or this one) that takes the place of one here."""
        return Deferred.fromCoroutine(append.replace(self, uid, target, octets, tuple(flags), date, saved))

    def copy(
        self, uids: Iterable[int], target: Folder, saved: datetime | None = None
    ) -> Deferred[list[tuple[int, int]]]:
        """Deferred of (source, target) UIDs: also in another folder."""
        return Deferred.fromCoroutine(transfer(self, uids, target, False, saved))

    def move(
        self, uids: Iterable[int], target: Folder, saved: datetime | None = None
    ) -> Deferred[list[tuple[int, int]]]:
        """Deferred of (source, target) UIDs: now in another folder."""
        return Deferred.fromCoroutine(transfer(self, uids, target, True, saved))

    def expunge(self, uids: Iterable[int]) -> Deferred[list[int]]:
        """Deferred of the UIDs removed."""
        return Deferred.fromCoroutine(expunge(self, uids))

    @as_deferred
    async def vanished(self, since: int) -> list[int] | None:
        """Deferred of the UIDs expunged after a modseq, None when they are not known so far back."""
        self.require()
        return self.expunges.after(since)

    # Flags

    def flag(
        self, uids: Iterable[int], flags: Iterable[str], mode: str, unchangedsince: int | None = None,
        origin: object = None,
    ) -> Deferred[tuple[list[int], list[int]]]:
        """Add, remove or set flags; Deferred of (changed, failed)."""
        return Deferred.fromCoroutine(flagging.flag(self, uids, flags, mode, unchangedsince, origin))

    def take_recent(self) -> Deferred[list[int]]:
        """Deferred of the messages that nobody had opened the folder for; they are not recent any more."""
        return Deferred.fromCoroutine(flagging.take_recent(self))

    # Reading

    def saved(self, uids: Sequence[int]) -> Deferred[list[datetime | None]]:
        """Deferred of when messages were put here, None for those that are gone."""
        return Deferred.fromCoroutine(read.saved(self, uids))

    @as_deferred
    async def read(self, uid: int) -> bytes:
        """Deferred of the octets of a message."""
        found = await read.reads(self, [uid])
        if not found:
            raise NotFound(f"message {uid} is gone")
        return found[0][1]

    def open(self, uid: int) -> Deferred[OpenMessage | None]:
        """Deferred of a message to be read piece by piece."""
        return self.context.messages.open(self, uid)

    def reads(self, uids: Sequence[int]) -> Deferred[list[tuple[int, bytes]]]:
        """Deferred of the octets of those messages that are there."""
        return Deferred.fromCoroutine(read.reads(self, uids))

    def digests(self, uids: Iterable[int]) -> Deferred[dict[int, Digest]]:
        """Deferred of the digests of those messages that are there."""
        return Deferred.fromCoroutine(fetch.digests(self.context.index, self, uids))

    def digested(self, uids: Iterable[int], names: Sequence[str]) -> Deferred[dict[int, tuple[Any, ...]]]:
        """Deferred of some fields of their digests."""
        return Deferred.fromCoroutine(fetch.digested(self.context.index, self, uids, names))

    def kept_text(self, uid: int) -> Deferred[str | None]:
        """Deferred of the text of a message if the index has it."""
        if self.context.index.background.is_behind(self, uid):
            return succeed(None)
        return Deferred.fromCoroutine(fetch.kept_text(self.context.index, self, uid))

    def columns(self, uids: Iterable[int], names: Sequence[str]) -> Deferred[Columns]:
        """Deferred of the same in columns."""
        return Deferred.fromCoroutine(fetch.columns(self.context.index, self, uids, names))

    def threaded(self, uids: Sequence[int], names: Sequence[str]) -> Deferred[tuple[Columns, bool]]:
        """Deferred of what messages are threaded by, in columns, and whether that stays so."""
        return Deferred.fromCoroutine(conversations.threaded(self.context.index, self, uids, names))

    def ordered(self, uids: Sequence[int], criteria: Sequence[Criterion]) -> Deferred[list[int]]:
        """Deferred of those messages that are there, in an order."""
        return Deferred.fromCoroutine(sort.ordered(self.context.index, self, uids, criteria))

    def containing(self, names: Sequence[str], text: str) -> Deferred[list[int]]:
        """Deferred of the UIDs of messages that have a text in one of some fields."""
        return Deferred.fromCoroutine(search.holding(self.context.scanning, self, names, text))
