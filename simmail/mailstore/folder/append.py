"""Messages that a client puts into a folder: in the journal like any delivery, and visible when that is durable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from twisted.internet.defer import Deferred, fail, succeed

from simmail.core.records.delivery import Delivery, DeliveryPart, Placement, ReplacedMessage
from simmail.errors import NotFound, Refusal
from simmail.mailstore.delivery.delivery import DeliveryResult
from simmail.mailstore.folder.changes import ChangingFolder
from simmail.mailstore.index import update
from simmail.mailstore.maildir.flags import canonical_all, microseconds


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
