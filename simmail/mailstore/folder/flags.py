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
from simmail.mailstore.delivery.changes import Restated, ClearFlagLog, DefineKeywords, RenameFiles
from simmail.mailstore.folder.changes import ChangingFolder
from simmail.mailstore.maildir.filename import packed, path_of
from simmail.mailstore.maildir.flags import MOST_KEYWORDS, SYSTEM, canonical_all, is_keyword

#: Files renamed in one go while nobody waits for it; changes of flags that are only noted.
PLACED, NOTED = 64, 5000
#: Real seconds between those while others wait for the writer, each for one of them at most.
_PAUSE = 0.01


async def flag(
    folder: ChangingFolder, uids: Iterable[int], flags: Iterable[str], mode: str, unchangedsince: int | None,
    origin: object,
) -> tuple[list[int], list[int]]:
    """
    Add, remove or set flags.

    @param mode: C{"+"}, C{"-"} or C{"="}.
    @param unchangedsince: messages with a greater MODSEQ are left as they are (RFC 7162).
    @return: UIDs of messages that have changed, and of those that were left.
    """
    if mode not in ("+", "-", "="):
        raise Invalid("mode", "must be +, - or =")
    given, context = canonical_all(flags), folder.context
    async with folder.changing():
        if mode != "-":
            await _define(folder, given)
        mask = folder.table.mask(given)
        changed: list[int] = []
        failed: set[int] = set()

        def new_mask(old: int) -> int:
            return old | mask if mode == "+" else old & ~mask if mode == "-" else mask

        def todo(uids: Sequence[int]) -> list[tuple[int, int]]:
            rows, result = folder.rows, []
            for at in rows.positions(uids):
                if unchangedsince is not None and rows.modseqs[at] > unchangedsince:
                    failed.add(rows.uids[at])
                elif new_mask(rows.masks[at]) != rows.masks[at]:
                    result.append((rows.uids[at], new_mask(rows.masks[at])))
            return result

        async def do(items: list[tuple[int, int]]) -> list[int]:
            lost = await (_restate if context.shared else _note)(folder, items, origin)
            changed.extend(uid for uid, _ in items if uid not in lost)
            return lost

        await folder.in_slices(uids, todo, do, 0 if context.shared else NOTED)
        return sorted(changed), sorted(failed.difference(changed))


async def _define(folder: ChangingFolder, flags: Sequence[str]) -> None:
    keywords = [flag for flag in flags if is_keyword(flag)]
    if all(folder.table.bit(keyword) for keyword in keywords):
        return
    used = 0
    for mask in set(folder.rows.masks):
        used |= mask >> len(SYSTEM)
    await folder.make()
    enough, table = await folder.context.writer.call(
        DefineKeywords(folder.context.at, folder.mailbox, folder.name, keywords, used))
    folder.table.learn(table)
    if not enough:
        raise Invalid("flags", f"no more than {MOST_KEYWORDS} keywords in one folder")


async def _note(folder: ChangingFolder, items: Sequence[tuple[int, int]], origin: object) -> list[int]:
    """Flags of a slice, as (UID, bits), are noted; files are renamed later."""
    modseq = await folder.note_flags(items, 1)
    folder.require()
    folder.unplaced.update(_restated(folder, items, modseq, False, origin))
    return []


def _restated(
    folder: ChangingFolder, items: Iterable[tuple[int, int]], modseq: int, placed: bool, origin: object
) -> list[int]:
    """Messages have these flags now, C{placed}: so have their files; the UIDs of those that are there."""
    rows, changed = folder.rows, []
    for uid, mask in items:
        at = rows.find(uid)
        if at >= 0:
            rows.restate(at, mask, False)
            if placed:
                rows.place(at)
            rows.modseqs[at] = modseq
            changed.append(uid)
    folder.highestmodseq = max(folder.highestmodseq, modseq)
    if changed:
        folder.tell(FolderChange("flags", tuple(changed), modseq, origin))
    return changed


async def _restate(folder: ChangingFolder, items: Sequence[tuple[int, int]], origin: object) -> list[int]:
    """Flags of a slice, as (UID, bits), in the names of files; the UIDs whose files were not there."""
    rows = folder.rows
    items = [item for item in items if rows.find(item[0]) >= 0]
    renames = []
    for uid, mask in items:
        at = rows.find(uid)
        renames.append((rows.path(at), path_of(rows.key(at), uid, rows.sizes[at], mask, False)))
    done = await _rename(folder, renames, 1)
    folder.require()
    lost = {items[at][0] for at in done.failed}
    folder.did(done)
    _restated(folder, [item for item in items if item[0] not in lost], done.modseq, True, origin)
    return sorted(lost)


async def take_recent(folder: ChangingFolder) -> list[int]:
    """Take C{\\Recent} from the messages that nobody had opened the folder for; return their UIDs."""
    async with folder.changing():
        taken: list[int] = []

        def todo(uids: Sequence[int]) -> list[tuple[int, int]]:
            rows = folder.rows
            return [(uid, rows.masks[at]) for uid, at in zip(uids, map(rows.find, uids)) if at >= 0 and rows.recent[at]]

        async def do(items: list[tuple[int, int]]) -> list[int]:
            if not folder.context.shared:
                await folder.note_flags(items, 0)
            folder.require()
            rows = folder.rows
            uids = []
            for uid, _ in items:
                at = rows.find(uid)
                if at >= 0:
                    rows.restate(at, rows.masks[at], False)
                    uids.append(uid)
            folder.unplaced.update(uids)
            taken.extend(uids)
            folder.dirty = True
            return await _place(folder, uids) if folder.context.shared else []

        await folder.in_slices(folder.rows.having_recent(), todo, do, 0 if folder.context.shared else NOTED)
        return sorted(taken)


async def place(folder: ChangingFolder) -> None:
    """Files get the names they should have.  @raise Unavailable: the disk refused; to be asked again."""
    if folder.gone:
        return
    todo, context = sorted(folder.unplaced), folder.context
    # Few at a time: nobody waits for it, but others wait for the disk meanwhile.
    for begin in range(0, len(todo), PLACED):
        if begin and context.index.background.is_awaited:
            await deferLater(context.reactor, _PAUSE)
        async with folder.changing():
            lost = await _place(folder, todo[begin:begin + PLACED])
            if lost:
                await folder.notice()
                await _place(folder, lost)
    async with folder.changing():
        if folder.noted and not folder.unplaced:
            await folder.context.writer.call(ClearFlagLog(folder.context.at, folder.mailbox, folder.name))
            folder.noted = False


async def _place(folder: ChangingFolder, uids: Sequence[int]) -> list[int]:
    """A slice of them; the UIDs whose files were not there."""
    rows = folder.rows
    moves = [uid for uid, at in zip(uids, map(rows.find, uids)) if at >= 0 and not rows.is_placed(at)]
    if moves:
        renames = [(rows.path(at), rows.new_path(at)) for at in map(rows.find, moves)]
        done = await _rename(folder, renames, 0)
        folder.require()
        rows = folder.rows
        lost = {moves[at] for at in done.failed}
        for uid in moves:
            at = rows.find(uid)
            if uid not in lost and at >= 0:
                rows.place(at)
        folder.did(done)
        folder.dirty = True
    else:
        lost = set()
    folder.unplaced.difference_update(set(uids) - lost)
    return sorted(lost)


def _rename(folder: ChangingFolder, renames: Sequence[tuple[str, str]], changes: int) -> Deferred[Restated]:
    old, new = zip(*renames) if renames else ((), ())
    return folder.context.writer.call(
        RenameFiles(folder.context.at, folder.mailbox, folder.name, packed(old), packed(new), changes))
