"""
What a universe's mail on this disk has that a store of objects has not, as changes; all here waits for the disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from simmail.durable import opened
from simmail.mailstore.delivery.description import described
from simmail.mailstore.maildir import filename, flaglog
from simmail.mailstore.maildir.filename import Row
from simmail.mailstore.maildir.layout import HELD, Layout
from simmail.mailstore.replication.changes import (
    AnyChange, BodiesDropped, BodiesHeld, FlagsSet, MailboxDescribed, MailboxDropped, MessagesAppeared,
    MessagesDeparted, StoredMessage, digest_of,
)
from simmail.mailstore.replication.reading import read_file, read_messages
from simmail.mailstore.replication.state import ReplicaState

#: Octets, and messages, that are told of at once.
_OCTETS, _MESSAGES = 4 * 1024 * 1024, 1000


def differences(layout: Layout, state: ReplicaState) -> Iterator[tuple[list[AnyChange], list[bytes]]]:
    """
    Yield, in order, what makes of C{state} what is on the disk, each with the octets that it names.

    Each is to be made before the next one is asked for.
    """
    boxes = layout.boxes()
    gone: list[AnyChange] = [MailboxDropped(mailbox) for mailbox in state.mailboxes if mailbox not in boxes]
    if gone:
        yield gone, []
    for mailbox, box in sorted(boxes.items()):
        facts = described(layout, box)
        if facts is None:
            if mailbox in state.mailboxes:
                yield [MailboxDropped(mailbox)], []
            continue
        known = state.mailboxes.get(mailbox)
        if known is None or known.facts != replace(facts, folders=()) or {
                one.facts.objectid: one.facts for one in known.folders.values()} != {
                one.objectid: one for one in facts.folders}:
            before = known.folders.values() if known is not None else ()
            listed = {one.objectid for one in facts.folders}
            anew = [one.facts.name for one in before if one.facts.objectid not in listed]
            yield [MailboxDescribed(facts)], []
            # What is in a folder that was made anew under a name is not what was in the one before, whatever its UIDs.
            for name in anew:
                folder = state.folder(mailbox, name)
                if folder is not None and folder.messages:
                    yield [MessagesDeparted(mailbox, name, list(folder.messages))], []
        for one in facts.folders:
            there = state.folder(mailbox, one.name)
            yield from _folder(layout, mailbox, one.name, one.keywords, there.messages if there is not None else {})
    yield from _held(layout, state.held)


def _folder(
    layout: Layout, mailbox: str, name: str, keywords: tuple[str, ...], known: Mapping[int, StoredMessage]
) -> Iterator[tuple[list[AnyChange], list[bytes]]]:
    directory = layout.directory_of(mailbox, name)
    rows = filename.listing(layout.root, directory, lambda uid, key: None).rows
    masks = {uid: mark.mask for mark in flaglog.read(layout.root, directory)
             for run in mark.uids for uid in run if uid in rows}
    gone = [uid for uid in known if uid not in rows or not _same(rows[uid], known[uid])]
    if gone:
        yield [MessagesDeparted(mailbox, name, gone)], []
    fresh = [row for uid, row in sorted(rows.items()) if uid not in known or not _same(row, known[uid])]
    for some in _slices(fresh):
        read = read_messages(layout, mailbox, name, some)
        yield [MessagesAppeared(mailbox, name, keywords, read.messages)], read.octets
    groups: dict[int, list[int]] = {}
    come = {row.uid for row in fresh}
    for uid, row in sorted(rows.items()):
        mask = masks.get(uid, row.mask)
        recent = row.recent and uid not in masks
        before = known.get(uid) if uid not in come else None
        if before is not None:
            other = before.mask != mask or before.recent and not recent
        else:
            other = uid in masks
        if other:
            groups.setdefault(mask, []).append(uid)
    if groups:
        yield [FlagsSet(mailbox, name, list(groups.items()))], []


def _same(row: Row, known: StoredMessage) -> bool:
    return (row.key, row.size) == (known.key, known.size)


def _slices(rows: Iterable[Row]) -> Iterator[list[Row]]:
    some: list[Row] = []
    size = 0
    for row in rows:
        some.append(row)
        size += row.size
        if size >= _OCTETS or len(some) >= _MESSAGES:
            yield some
            some, size = [], 0
    if some:
        yield some


def _held(layout: Layout, known: Mapping[str, bytes]) -> Iterator[tuple[list[AnyChange], list[bytes]]]:
    keys = sorted(filename.names(layout.root, HELD)) if layout.has(HELD) else []
    gone = tuple(key for key in known if key not in set(keys))
    if gone:
        yield [BodiesDropped(gone)], []
    for key in keys:
        if key in known:
            continue
        with opened(HELD, layout.root) as there:
            octets = read_file(there, key)
        if octets is not None:
            yield [BodiesHeld((key,), digest_of(octets))], [octets]
