"""
Flags of a folder's messages: noted at once, in the names of files a little later.

Where other processes serve the same mail, the files are renamed at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from simmail.core.records.folder import FolderChange
from simmail.errors import Invalid
from simmail.mailstore.delivery.changes import Restated
from simmail.mailstore.folder.changes import Changing
from simmail.mailstore.maildir.filename import packed, path_of
from simmail.mailstore.maildir.flags import MOST_KEYWORDS, SYSTEM, canonical_all, is_keyword
from simmail.mailstore.writer.requests import ClearFlagLog, DefineKeywords, RenameFiles

#: Files renamed in one go while nobody waits for it; changes of flags that are only noted.
PLACED, NOTED = 64, 5000
#: Real seconds between those while others wait for the writer, each for one of them at most.
_PAUSE = 0.01


class Flagging(Changing):
    """A folder whose messages' flags can be changed."""

    def flag(
        self, uids: Iterable[int], flags: Iterable[str], mode: str, unchangedsince: int | None = None,
        origin: object = None,
    ) -> Deferred[tuple[list[int], list[int]]]:
        """Add, remove or set flags; Deferred of (changed, failed)."""
        return Deferred.fromCoroutine(self._flag(uids, flags, mode, unchangedsince, origin))

    async def _flag(
        self, uids: Iterable[int], flags: Iterable[str], mode: str, unchangedsince: int | None, origin: object
    ) -> tuple[list[int], list[int]]:
        if mode not in ("+", "-", "="):
            raise Invalid("mode", "must be +, - or =")
        given, store = canonical_all(flags), self._store
        async with self._changing():
            if mode != "-":
                await self._define(given)
            mask = self._mask(given)
            changed: list[int] = []
            failed: set[int] = set()

            def new_mask(old: int) -> int:
                return old | mask if mode == "+" else old & ~mask if mode == "-" else mask

            def todo(uids: Sequence[int]) -> list[tuple[int, int]]:
                rows, result = self._rows, []
                for at in rows.positions(uids):
                    if unchangedsince is not None and rows.modseqs[at] > unchangedsince:
                        failed.add(rows.uids[at])
                    elif new_mask(rows.masks[at]) != rows.masks[at]:
                        result.append((rows.uids[at], new_mask(rows.masks[at])))
                return result

            async def do(items: list[tuple[int, int]]) -> list[int]:
                lost = await (self._restate if store.shared else self._note)(items, origin)
                changed.extend(uid for uid, _ in items if uid not in lost)
                return lost

            await self._in_slices(uids, todo, do, 0 if store.shared else NOTED)
            return sorted(changed), sorted(failed.difference(changed))

    async def _define(self, flags: Sequence[str]) -> None:
        keywords = [flag for flag in flags if is_keyword(flag)]
        if all(self._bit(keyword) for keyword in keywords):
            return
        used = 0
        for mask in set(self._rows.masks):
            used |= mask >> len(SYSTEM)
        await self._made()
        enough, table = await self._store.writer.call(
            DefineKeywords(self._store.at, self.mailbox, self.name, keywords, used))
        self._learn(table)
        if not enough:
            raise Invalid("flags", f"no more than {MOST_KEYWORDS} keywords in one folder")

    async def _note(self, items: Sequence[tuple[int, int]], origin: object) -> list[int]:
        """Flags of a slice, as (UID, bits), are noted; files are renamed later."""
        modseq = await self._mark(items, 1)
        self.require()
        rows, changed = self._rows, []
        for uid, mask in items:
            at = rows.find(uid)
            if at >= 0:
                rows.restate(at, mask, False)
                rows.modseqs[at] = modseq
                self._unplaced.add(uid)
                changed.append(uid)
        self.highestmodseq = max(self.highestmodseq, modseq)
        if changed:
            self._tell(FolderChange("flags", tuple(changed), modseq, origin))
        return []

    async def _restate(self, items: Sequence[tuple[int, int]], origin: object) -> list[int]:
        """Flags of a slice, as (UID, bits), in the names of files; the UIDs whose files were not there."""
        rows = self._rows
        items = [item for item in items if rows.find(item[0]) >= 0]
        renames = []
        for uid, mask in items:
            at = rows.find(uid)
            renames.append((rows.path(at), path_of(rows.key(at), uid, rows.sizes[at], mask, False)))
        done = await self._rename(renames, 1)
        self.require()
        rows = self._rows
        lost = {items[at][0] for at in done.failed}
        changed = []
        for uid, mask in items:
            at = rows.find(uid)
            if uid not in lost and at >= 0:
                rows.restate(at, mask, False)
                rows.place(at)
                rows.modseqs[at] = done.modseq
                changed.append(uid)
        self._did(done)
        if changed:
            self._tell(FolderChange("flags", tuple(changed), done.modseq, origin))
        return sorted(lost)

    def take_recent(self) -> Deferred[list[int]]:
        """Deferred of the messages that nobody had opened the folder for; they are not recent any more."""
        return Deferred.fromCoroutine(self._take_recent())

    async def _take_recent(self) -> list[int]:
        async with self._changing():
            taken: list[int] = []

            def todo(uids: Sequence[int]) -> list[tuple[int, int]]:
                rows = self._rows
                return [(uid, rows.masks[at]) for uid, at in zip(uids, map(rows.find, uids))
                        if at >= 0 and rows.recent[at]]

            async def do(items: list[tuple[int, int]]) -> list[int]:
                if not self._store.shared:
                    await self._mark(items, 0)
                self.require()
                rows = self._rows
                uids = []
                for uid, _ in items:
                    at = rows.find(uid)
                    if at >= 0:
                        rows.restate(at, rows.masks[at], False)
                        uids.append(uid)
                self._unplaced.update(uids)
                taken.extend(uids)
                self.dirty = True
                return await self._place(uids) if self._store.shared else []

            await self._in_slices(self._rows.having_recent(), todo, do, 0 if self._store.shared else NOTED)
            return sorted(taken)

    # Files that are to be renamed

    async def place(self) -> None:
        """
        Files get the names they should have.

        @raise Unavailable: the disk refused; to be asked again.
        """
        if self.gone:
            return
        todo, store = sorted(self._unplaced), self._store
        # Few at a time: nobody waits for it, but others wait for the disk meanwhile.
        for begin in range(0, len(todo), PLACED):
            if begin and store.idle.awaited:
                await deferLater(store.reactor, _PAUSE)
            async with self._changing():
                lost = await self._place(todo[begin:begin + PLACED])
                if lost:
                    await self._look()
                    await self._place(lost)
        async with self._changing():
            if self._noted and not self._unplaced:
                await self._store.writer.call(ClearFlagLog(self._store.at, self.mailbox, self.name))
                self._noted = False

    async def _place(self, uids: Sequence[int]) -> list[int]:
        """A slice of them; the UIDs whose files were not there."""
        rows = self._rows
        moves = [uid for uid, at in zip(uids, map(rows.find, uids)) if at >= 0 and not rows.is_placed(at)]
        if moves:
            renames = [(rows.path(at), rows.new_path(at)) for at in map(rows.find, moves)]
            done = await self._rename(renames, 0)
            self.require()
            rows = self._rows
            lost = {moves[at] for at in done.failed}
            for uid in moves:
                at = rows.find(uid)
                if uid not in lost and at >= 0:
                    rows.place(at)
            self._did(done)
            self.dirty = True
        else:
            lost = set()
        self._unplaced.difference_update(set(uids) - lost)
        return sorted(lost)

    def _rename(self, renames: Sequence[tuple[str, str]], changes: int) -> Deferred[Restated]:
        old, new = zip(*renames) if renames else ((), ())
        return self._store.writer.call(
            RenameFiles(self._store.at, self.mailbox, self.name, packed(old), packed(new), changes))
