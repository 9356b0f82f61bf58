"""Messages are appended to a folder, copied or moved to another one, or expunged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from twisted.internet.defer import Deferred, fail, succeed

from simmail.core.records.delivery import Delivery, DeliveryPart, Placement, ReplacedMessage
from simmail.core.time.instant import microseconds
from simmail.errors import NotFound, Refusal
from simmail.mailstore.delivery.changes import RemoveFiles
from simmail.mailstore.delivery.copymove import Sources, Transfer
from simmail.mailstore.delivery.folders import SYSTEM_MASK
from simmail.mailstore.delivery.maildir_delivery import DeliveryResult
from simmail.mailstore.folder.changes import ChangingFolder
from simmail.mailstore.index import update
from simmail.mailstore.maildir.filename import Row, packed
from simmail.mailstore.maildir.flags import canonical_all


async def transfer(
    folder: ChangingFolder, uids: Iterable[int], target: ChangingFolder, move: bool, saved: datetime | None
) -> list[tuple[int, int]]:
    """Copy or move messages; return their UIDs as (here, there)."""
    context = folder.context
    target.require()
    context.index.background.note_waiting()
    pairs: list[tuple[int, int]] = []
    try:
        async with folder.changing():
            await target.make()
            await _transfer_to(folder, target, uids, move, pairs, microseconds(saved) if saved is not None else None)
    except BaseException:
        if not move and pairs:
            # All or nothing (RFC 3501 section 6.4.7).
            await _undo(target, [uid for _, uid in pairs])
            pairs.clear()
        raise
    finally:
        # Last, because the disk and the processor are shared.
        pairs.sort()
        if move:
            context.journal.changed()
        update.transferred(context.index, folder, target, pairs, move)
    return pairs


async def _transfer_to(
    folder: ChangingFolder, target: ChangingFolder, uids: Iterable[int], move: bool, pairs: list[tuple[int, int]],
    saved: int | None,
) -> None:
    """Add to C{pairs} the (source, target) UIDs of what was copied or moved."""
    context = folder.context

    async def do(positions: list[int]) -> list[int]:
        rows = folder.rows.rows(positions)
        done = await context.writer.call(Transfer(
            context.at, folder.mailbox, folder.name, _sources(folder, positions, rows, saved),
            (target.mailbox, target.name), move))
        lost = [rows[at].uid for at in done.missing]
        arrived = done.rows(rows)
        if arrived:
            context.keeper.arrived(target.mailbox, target.name, arrived, done.table)
        uids = [row.uid for row in rows]
        if lost:
            uids = [uid for uid in uids if uid not in lost]
        pairs.extend(zip(uids, [row.uid for row in arrived]))
        folder.require()
        if done.source is not None and uids:
            folder.expunged(uids, done.source)
        return lost

    await folder.in_slices(uids, lambda uids: folder.rows.positions(uids), do, ahead=2)


def _sources(folder: ChangingFolder, positions: Sequence[int], rows: Sequence[Row], saved: int | None) -> Sources:
    """Return what is to be copied or moved."""
    _, masks, sizes, _, _, _, keys = zip(*rows)
    held = set(map((~SYSTEM_MASK).__and__, masks))
    return Sources(
        packed(folder.rows.paths(positions)), packed(keys), list(sizes), list(masks),
        {mask: folder.table.keywords_of(mask) for mask in held}, saved)


async def _undo(target: ChangingFolder, uids: list[int]) -> None:
    """Remove copies of a command that failed half way."""
    if not target.gone:
        async with target.changing():
            # Those behind UIDs that were used up in vain are not told yet.
            await target.notice()
            await _unlink(target, uids)
            _removed(target, uids)


async def expunge(folder: ChangingFolder, uids: Iterable[int]) -> list[int]:
    """Remove messages; return the UIDs of those that were there."""
    async with folder.changing():
        removed: list[int] = []

        def todo(uids: Sequence[int]) -> list[int]:
            return [folder.rows.uids[at] for at in folder.rows.positions(uids)]

        async def do(uids: list[int]) -> list[int]:
            lost = await _unlink(folder, uids)
            removed.extend(uid for uid in uids if uid not in lost)
            return lost

        try:
            await folder.in_slices(uids, todo, do, ahead=2)
        finally:
            if removed:
                _removed(folder, removed)
        return sorted(removed)


async def _unlink(folder: ChangingFolder, uids: list[int]) -> list[int]:
    rows = folder.rows
    positions = [at for at in map(rows.find, uids) if at >= 0]
    uids = [rows.uids[at] for at in positions]
    done = await folder.context.writer.call(
        RemoveFiles(folder.context.at, folder.mailbox, folder.name, packed(map(rows.path, positions))))
    folder.require()
    lost = {uids[at] for at in done.failed}
    gone = [uid for uid in uids if uid not in lost]
    if gone:
        folder.expunged(gone, done)
    return sorted(lost)


def _removed(folder: ChangingFolder, uids: Sequence[int]) -> None:
    folder.context.journal.changed()
    update.expunged(folder.context.index, folder, uids)


def append(
    folder: ChangingFolder, octets: bytes, flags: Iterable[str], date: datetime, saved: datetime | None
) -> Deferred[int]:
    """Append a message; Deferred of its UID."""
    context = folder.context
    try:
        folder.require()
        microseconds(date)
        placement = Placement(folder.mailbox, folder.name, canonical_all(flags))
    except Refusal:
        return fail()
    context.index.background.note_waiting()
    delivery = Delivery(
        context.keeper.unique(), context.at.universe, (placement,), octets, date,
        saved=saved if saved != date else None)

    def appended(filed: DeliveryResult) -> int:
        return context.keeper.filed(filed)[0].uid

    return context.journal.accept(delivery, context.into).addCallback(appended)


def append_all(
    folder: ChangingFolder, messages: Sequence[tuple[bytes, Iterable[str], datetime]], saved: datetime | None
) -> Deferred[list[int]]:
    """Append some messages, all of them or none (RFC 3502); Deferred of their UIDs."""
    context = folder.context
    try:
        folder.require()
        for _, _, date in messages:
            microseconds(date)
        placements = tuple(Placement(folder.mailbox, folder.name, canonical_all(flags)) for _, flags, _ in messages)
    except Refusal:
        return fail()
    if not messages:
        return succeed([])
    context.index.background.note_waiting()
    delivery = Delivery(
        context.keeper.unique(), context.at.universe, placements, b"".join([octets for octets, _, _ in messages]),
        messages[0][2], parts=tuple(DeliveryPart(len(octets), date) for octets, _, date in messages), saved=saved)

    def appended(filed: DeliveryResult) -> list[int]:
        return [copy.uid for copy in context.keeper.filed(filed)]

    return context.journal.accept(delivery, context.into).addCallback(appended)


async def replace(
    folder: ChangingFolder, uid: int, target: ChangingFolder, octets: bytes, flags: Iterable[str], date: datetime,
    saved: datetime | None,
) -> int:
    """
    Append a message to another folder (or this one) in the place of one here (RFC 8508); return its UID.

    @raise NotFound: the message that was to be replaced is gone.
    """
    context = folder.context
    target.require()
    microseconds(date)
    placement = Placement(target.mailbox, target.name, canonical_all(flags))
    context.index.background.note_waiting()
    async with folder.changing():
        at = folder.rows.find(uid)
        if at < 0:
            raise NotFound(f"message {uid} is gone")
        delivery = Delivery(
            context.keeper.unique(), context.at.universe, (placement,), octets, date,
            replaces=ReplacedMessage(folder.mailbox, folder.name, uid, folder.rows.path(at)),
            saved=saved if saved != date else None)
        filed = await context.journal.accept(delivery, context.into)
        fresh = context.keeper.filed(filed)[0].uid
        if filed.removed is not None and not folder.gone and folder.rows.has(uid):
            folder.expunged([uid], filed.removed)
            context.journal.changed()
            update.expunged(context.index, folder, [uid])
    return fresh
