"""
What messages are threaded by: from their digests, or of those that the index does not know from their headers.

Who threads a folder need not wait until all of it is learned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from simmail.core.message.thread_keys import ThreadKeys
from simmail.core.records.folder import Columns, as_columns, by_uid
from simmail.errors import Unavailable
from simmail.mailstore.index.fetch import columns, kept_columns
from simmail.mailstore.index.folder import IIndexed, key_of, slices
from simmail.mailstore.index.mail_index import MailIndex
from simmail.mailstore.maildir.files import Stub, read_files
from simmail.mailstore.maildir.layout import Layout

#: So few messages are learned at once.
FEW = 100
#: Messages, and octets of them, that are read in one go, before others have their turn.
_SLICE, _OCTETS = 128, 1 << 20

#: Fields by UID.
Rows = dict[int, tuple[Any, ...]]


async def threaded(
    index: MailIndex, folder: IIndexed, uids: Sequence[int], names: Sequence[str]
) -> tuple[Columns, bool]:
    """
    Some of C{ThreadKeys} of those messages that are there, in columns.

    Also whether that stays so: of a message that cannot be read it may be different some day.
    """
    folder.require()
    wanted = folder.there(uids)
    if not wanted:
        return as_columns([], {}, names), True
    index.background.note_activity()
    try:
        kept: Columns = await index.call(kept_columns, key_of(folder), wanted, names)
        if len(kept[0]) == len(wanted):
            return kept, True
        rows = by_uid(*kept)
        missing = [uid for uid in wanted if uid not in rows]
        if len(missing) > FEW and index.readers.threaded is not None:
            rows.update(await _read(index, folder, missing, names, index.readers.threaded))
            index.background.look_now(folder, missing[0])
        left = [uid for uid in missing if uid not in rows]
        if left:
            rows.update(by_uid(*await columns(index, folder, left, names)))
        return as_columns(wanted, rows, names), not (left and await index.missing(folder, left))
    except Unavailable:
        return await columns(index, folder, wanted, names), False


async def _read(
    index: MailIndex, folder: IIndexed, uids: Sequence[int], names: Sequence[str],
    read: Callable[[bytes], ThreadKeys],
) -> Rows:
    """Those of messages whose files can be read."""
    places = list(map(ThreadKeys._fields.index, names))
    sizes = folder.column("size", uids)
    rows: Rows = {}
    with index.background.paused():
        for part in slices(sizes, _SLICE, _OCTETS):
            if folder.directory is None:
                break
            some = uids[part]
            index.background.note_activity()
            keys: list[ThreadKeys | None] = await index.thread.call(
                _keys_of, index.files.layout, folder.directory, folder.paths(some), read)
            rows.update({uid: tuple([one[at] for at in places]) for uid, one in zip(some, keys) if one is not None})
    return rows


def _keys_of(
    layout: Layout, directory: str, paths: Sequence[str | None], read: Callable[[bytes], ThreadKeys]
) -> list[ThreadKeys | None]:
    """In the thread."""
    return [read(octets) if octets is not None and not isinstance(octets, Stub) else None
            for octets in read_files(layout, directory, paths)]
