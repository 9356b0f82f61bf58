"""
A folder that changes: one change at a time, each told; and what others do to its files is noticed.

State is in the reactor thread; a change is planned there from the state, done
by the writer as a slice of file operations, and its outcome applied
and told in the reactor thread, in the order the writer did it.  Deliveries
come in between.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from twisted.internet.defer import Deferred

from simmail.concurrency import Lock, unbroken
from simmail.core.records.folder import FolderChange
from simmail.errors import NotFound, Unavailable
from simmail.mailstore.delivery.changes import Restated, BumpModseq, NoteFlags
from simmail.mailstore.delivery.mailboxes import MakeStandardFolder, RenewUidvalidity
from simmail.mailstore.folder import load
from simmail.mailstore.folder.context import FolderContext
from simmail.mailstore.folder.load import FolderHead
from simmail.mailstore.folder.state import FolderState, Vanished
from simmail.mailstore.index import update
from simmail.mailstore.maildir.filename import Row


T = TypeVar("T")

#: File operations in one slice, and in the first of those that are begun ahead: the writer need not wait long for it.
SLICE, FIRST = 500, 125


async def in_slices(
    uids: Sequence[int], todo: Callable[[Sequence[int]], list[T]],
    do: Callable[[list[T]], Coroutine[Any, Any, list[int]]], size: int, ahead: int,
) -> list[int]:
    """
    Do something in slices.

    @param todo: what is to be done for UIDs, as the state is now.
    @param do: does a slice; answers the UIDs whose files were not there.
    @param size: of a slice, 0 for the usual one; ahead: slices that are begun while one is being done.
    @return: all that C{do} answered.
    """
    size = size or SLICE
    lost: list[int] = []
    begun: deque[Deferred[list[int]]] = deque()
    begin, count = 0, min(FIRST, size) if ahead else size
    try:
        while begin < len(uids):
            items = todo(uids[begin:begin + count])
            begin, count = begin + count, min(2 * count, size)
            if items:
                begun.append(Deferred.fromCoroutine(do(items)))
            if len(begun) > ahead:
                lost += await begun.popleft()
        while begun:
            lost += await begun.popleft()
    except Exception:
        # What was begun is done first.
        for one in begun:
            try:
                await one
            except Exception:
                continue
        raise
    return lost


class ChangingFolder(FolderState):
    """
    What all changes of a folder have in common.

    @ivar lock: held by who changes it.
    @ivar directory: below the universe's, None while it is not made.
    @ivar dirty: something is not in the index as it is here.
    @ivar early: messages that cannot be told yet: the folder is being loaded, or an earlier one is not known.
    @ivar stamp: of the UID file, (0, 0) when it was not seen.
    @ivar unplaced: UIDs of messages whose files do not have their flags in their names; noted: the flag log has some.
    """

    def __init__(self, context: FolderContext, mailbox: str, name: str) -> None:
        super().__init__(mailbox, name)
        self.context = context
        self.directory: str | None = None
        self.loaded = self.dirty = self.noted = False
        self.early: list[Row] = []
        self.times = (0, 0)
        self.stamp = (0, 0)
        self.unplaced: set[int] = set()
        self.expunges = Vanished()
        self.lock = Lock(context.reactor)

    # What the writer did

    def added(self, rows: Sequence[Row], table: tuple[str, ...]) -> None:
        """The writer has put messages in."""
        if self.gone:
            return
        self.table.learn(table)
        if self.directory is None:
            self.directory = self.context.layout.directory_of(self.mailbox, self.name)
        if not self.loaded:
            self.early += rows
        elif self.early or rows[0].uid > self.uidnext:
            # Another process may have been before us (or a UID was used up in vain).
            first = not self.early
            self.early += rows
            if first:
                self.context.keeper.catching_up(self.poll())
        else:
            self.append_rows(rows)

    def tell(self, change: FolderChange) -> None:
        self.dirty = True
        self.context.keeper.changed(self, change)
        super().tell(change)

    # One change at a time

    @asynccontextmanager
    async def changing(self) -> AsyncIterator[None]:
        """Make one change, after those that were asked for before.  @raise NotFound: the folder is gone."""
        async with self.lock:
            self.require()
            yield

    @property
    def busy(self) -> bool:
        """Whether a change is under way."""
        return bool(self.lock.locked)

    def did(self, restated: Restated) -> None:
        """Take over what the writer did to the folder."""
        if restated.before == self.times:
            self.times = restated.after
        self.highestmodseq = max(self.highestmodseq, restated.modseq)

    async def in_slices(
        self, uids: Iterable[int], todo: Callable[[Sequence[int]], list[T]],
        do: Callable[[list[T]], Coroutine[Any, Any, list[int]]], size: int = 0, ahead: int = 0,
    ) -> None:
        """Do something L{in_slices}; once more for messages whose files another program has renamed."""
        try:
            lost = await in_slices(sorted(set(uids)), todo, do, size, ahead)
            if lost:
                await self.notice()
                await in_slices(lost, todo, do, size, ahead)
        except Unavailable:
            # A slice may be half done.
            await self.notice()
            raise

    async def make(self) -> None:
        """The folder is there on disk."""
        if self.directory is None:
            self.directory = await self.context.writer.call(
                MakeStandardFolder(self.context.at, self.mailbox, self.name))

    # What others do

    def poll(self) -> Deferred[None]:
        """Deferred: what others changed is noticed."""
        return unbroken(self._poll())

    async def _poll(self) -> None:
        async with self.changing():
            await self.notice()

    async def notice(self) -> None:
        """Notice what others changed; a change is under way."""
        context = self.context
        directory = self.directory
        if directory is None:
            head: FolderHead = await context.reader.call(load.head, context.layout, self.mailbox, self.name)
            directory = self.directory = head.directory
        if directory is None:
            return
        self.require()
        try:
            found, table, self.stamp = await context.reader.call(
                load.look, context.layout, directory, self.rows,
                load.Seen(self.uidvalidity, self.stamp, self.times), self.uidnext)
        except NotFound as error:
            if isinstance(error, load.Another):
                context.layout.replaced(directory)
            if not self.gone:
                context.keeper.lost(self)
                # What is here now, or will be, has another UIDVALIDITY than what was told of: it is not the same.
                await context.writer.call(RenewUidvalidity(
                    context.at, self.mailbox, self.name, self.uidvalidity, self.uidnext, self.stamp[0]))
            raise
        if found is None:
            early, self.early = self.early, []
            self.append_rows(early)
            return
        bumped = 0
        # What our own writer put in is told by the writer; it may be seen here first.
        if found.gone or found.restated or any(self.rows.find(row.uid) < 0 for row in found.added):
            bumped = await context.writer.call(BumpModseq(context.at, self.mailbox, self.name, found.gone))
        self.require()
        self.table.learn(table)
        self.times = found.times
        early, self.early = self.early, []
        having = {row.uid for row in early}
        self.append_rows(sorted([*early, *(
            row._replace(modseq=bumped) for row in found.added if row.uid not in having)]))
        if found.gone:
            self.rows.remove([self.rows.find(uid) for uid in found.gone])
            self.unplaced.difference_update(found.gone)
            self.expunges.add(found.gone, bumped)
            self.highestmodseq = max(self.highestmodseq, bumped)
            self.tell(FolderChange("expunged", tuple(found.gone), bumped))
            context.journal.changed()
            update.expunged(context.index, self, found.gone)
        noted = self._restated(found.restated, bumped)
        if noted:
            await self.note_flags(noted, 0)
        if found.strays:
            await context.keeper.adopt(self.mailbox, self.name, found.strays)

    def expunged(self, uids: list[int], done: Restated) -> None:
        """The writer has removed the files of messages."""
        rows = self.rows
        rows.remove([at for at in map(rows.find, uids) if at >= 0])
        self.unplaced.difference_update(uids)
        self.expunges.add(uids, done.modseq)
        self.did(done)
        self.tell(FolderChange("expunged", tuple(uids), done.modseq))

    def _restated(self, restated: Sequence[tuple[int, int, bool]], modseq: int) -> list[tuple[int, int]]:
        """Another program has renamed files; what is noted besides has to be noted again."""
        rows, changed, noted = self.rows, [], []
        for uid, mask, in_new in restated:
            at = rows.find(uid)
            if at < 0:
                continue
            if rows.merge(at, mask, in_new):
                rows.modseqs[at] = modseq
                changed.append(uid)
            if rows.is_placed(at):
                self.unplaced.discard(uid)
            else:
                self.unplaced.add(uid)
                noted.append((uid, rows.masks[at]))
        if changed:
            self.highestmodseq = max(self.highestmodseq, modseq)
            self.tell(FolderChange("flags", tuple(changed), modseq))
        return noted

    async def note_flags(self, items: Iterable[tuple[int, int]], changes: int) -> int:
        """Note flags, as (UID, bits), that the names of files will have before long; return the MODSEQ."""
        groups: dict[int, list[int]] = {}
        for uid, mask in items:
            groups.setdefault(mask, []).append(uid)
        self.noted = True
        modseq = await self.context.writer.call(
            NoteFlags(self.context.at, self.mailbox, self.name, list(groups.items()), changes))
        self.context.renames.add(self)
        return modseq
