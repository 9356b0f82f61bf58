"""What the index knows of messages: digests, or fields of them; what it does not know is looked at now."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any

from simmail.core.message.summary import Digest, KEPT
from simmail.core.records.folder import Columns, as_columns, by_uid
from simmail.errors import Unavailable
from simmail.mailstore.index.folder import IIndexed, Key, key_of
from simmail.mailstore.index.index import Index
from simmail.mailstore.index.mail_index import MailIndex

#: Messages whose digests are taken in one go without the index.
_ALONE = 16


async def digests(index: MailIndex, folder: IIndexed, uids: Iterable[int]) -> dict[int, Digest]:
    """The digests of those messages that are there."""
    names = KEPT
    return {uid: Digest(*values) for uid, values in (await digested(index, folder, uids, names)).items()}


async def digested(
    index: MailIndex, folder: IIndexed, uids: Iterable[int], names: Sequence[str]
) -> dict[int, tuple[Any, ...]]:
    """Some fields of the digests of those messages that are there."""
    return by_uid(*await columns(index, folder, uids, names))


async def columns(index: MailIndex, folder: IIndexed, uids: Iterable[int], names: Sequence[str]) -> Columns:
    """The same in columns, with the UIDs that they are of, in the order of C{uids}."""
    folder.require()
    wanted = folder.there(uids if isinstance(uids, (list, array)) else list(uids))
    if not wanted:
        return [], [[] for _ in names]
    key = key_of(folder)
    index.background.note_activity()
    kept = index.kept.find(index, key, wanted, names)
    if kept is not None:
        return kept
    try:
        found: Columns = await index.call(kept_columns, key, wanted, names)
    except Unavailable:
        # The index is a convenience: without it each message is looked at again.
        return as_columns(wanted, await without_index(index, folder, wanted, names), names)
    if len(found[0]) == len(wanted):
        index.kept.keep(index, key, found, names)
        return found
    rows = by_uid(*found)
    async for some in index.take(folder, key, [uid for uid in wanted if uid not in rows], names):
        index.background.note_activity()
        rows.update(some)
    return as_columns(wanted, rows, names)


async def kept_text(index: MailIndex, folder: IIndexed, uid: int) -> str | None:
    """The text of a message if the index has it; nothing is done to find out what it does not have."""
    folder.require()
    key = key_of(folder)
    found: Columns | None = await index.ask(kept_columns, key, [uid], ("text",))
    return found[1][0][0] if found is not None and found[0] else None


async def without_index(
    index: MailIndex, folder: IIndexed, uids: Sequence[int], names: Sequence[str]
) -> dict[int, tuple[Any, ...]]:
    result: dict[int, tuple[Any, ...]] = {}
    for begin in range(0, len(uids), _ALONE):
        messages = await folder.reads(uids[begin:begin + _ALONE])
        for uid, octets in messages:
            digest = await index.thread.call(index.readers.digest, octets)
            result[uid] = tuple([getattr(digest, name) for name in names])
    return result


def kept_columns(index: Index, key: Key, uids: Sequence[int], names: Sequence[str]) -> Columns:
    """What there is, in the thread of the index."""
    return index.digests.columns(index.folder(*key), uids, names)
