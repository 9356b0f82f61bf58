"""A folder is loaded, from what the index has of it and from the disk; and what the index is to have of it."""

from __future__ import annotations

from simmail.mailstore.folder import load as loading
from simmail.mailstore.folder.changes import ChangingFolder
from simmail.mailstore.folder.load import FolderHead, Loaded
from simmail.mailstore.folder.vanished import Vanished
from simmail.mailstore.index.index import Index, Snapshot
from simmail.mailstore.writer.requests import BumpModseq, RenewUidvalidity


async def load(folder: ChangingFolder) -> None:
    """
    Load a folder; called once.

    @raise NotFound: it is not there.
    """
    context, mailbox, name = folder.context, folder.mailbox, folder.name
    head: FolderHead = await context.reader.call(loading.head, context.layout, mailbox, name)
    last, snapshot = await context.index.ask(Index.recall, mailbox, name, head.uidvalidity) or (0, None)
    if last > head.uidvalidity or (snapshot is not None and snapshot.uidnext > head.uidnext):
        # Somebody has put an older one in its place, or removed it: UIDs would be given twice.
        await context.writer.call(
            RenewUidvalidity(context.at, mailbox, name, max(last, head.uidvalidity), 0, 0))
        head, snapshot = await context.reader.call(loading.head, context.layout, mailbox, name), None
    found: Loaded = await context.reader.call(loading.load, context.layout, head, snapshot)
    bumped = 0
    if found.noticed or found.gone:
        bumped = await context.writer.call(BumpModseq(context.at, mailbox, name, found.gone))
    _install(folder, head, found, bumped)
    if found.strays:
        await context.keeper.adopt(mailbox, name, found.strays)
    folder.require()


def _install(folder: ChangingFolder, head: FolderHead, found: Loaded, bumped: int) -> None:
    folder.directory, folder.stamp = head.directory, head.stamp
    folder.uidvalidity, folder.objectid, folder.special_use = head.uidvalidity, head.objectid, head.special_use
    folder.uidnext, folder.highestmodseq = head.uidnext, max(head.highestmodseq, bumped)
    folder.table.learn(head.keywords)
    rows = found.rows
    rows.notice(found.noticed, bumped)
    folder.rows = rows
    if rows.uids:
        folder.uidnext = max(folder.uidnext, rows.uids[-1] + 1)
    folder.times = found.times
    folder.expunges = Vanished([*found.vanished, *((bumped, uid) for uid in found.gone)], found.vanished_from)
    if found.marked:
        folder.noted = True
        folder.unplaced = {uid for at, uid in enumerate(rows.uids) if not rows.is_placed(at)}
        folder.context.renames.add(folder)
    folder.dirty = bool(found.noticed or found.gone)
    folder.loaded = True
    early, folder.early = folder.early, []
    if early:
        folder.added(early, folder.table.places)


def snapshot_of(folder: ChangingFolder) -> Snapshot:
    """Return the folder as it is, for the index."""
    settled = max(folder.times) / 1e9 < folder.context.layout.wall() - loading.SETTLED
    return Snapshot(
        folder.uidvalidity, folder.uidnext, folder.highestmodseq, folder.times if settled else (0, 0),
        folder.expunges.since, list(folder.expunges.known), folder.rows.packed())
