"""
Reading messages, and what the index knows of them.

Digests that are missing are taken from the files when they are asked for, in
slices, so that other work comes in between.
"""

from __future__ import annotations

from array import array
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from simmail.core.message.sort import Criterion, OF_FOLDER, in_order
from simmail.core.message.summary import Digest, KEPT
from simmail.core.records.folder import Columns, as_columns, by_uid
from simmail.errors import Unavailable
from simmail.mailstore.index import envelope
from simmail.mailstore.index.messages import SHOWN, Unread, is_shown
from simmail.mailstore.maildir.filename import packed
from simmail.mailstore.maildir.files import read_files
from simmail.mailstore.maildir.flags import microseconds
from simmail.mailstore.writer.requests import ReadShown

if TYPE_CHECKING:
    from simmail.mailstore.folder.folder import Folder
    from simmail.mailstore.index.index import Index
    from simmail.mailstore.mailstore import MailStore

#: Messages, and octets of them, whose digests are taken in one go.
_SLICE, _OCTETS = 512, 2 * 1024 * 1024
#: Of so many messages the writer is asked for half; octets of one of them, and messages of one question, at most.
_MANY, _SMALL, _FEW = 128, 64 * 1024, 32
#: Attempts of a question to an index that is damaged again and again.
_TRIES = 3
#: Messages whose digests are taken in one go without the index.
_ALONE = 16
#: Messages whose envelopes are looked at in one go, before others have their turn.
_SORTED = 2000
#: Messages that are looked for in the index in one go.
LOOKED = 5000

Key = tuple[str, str, int]
#: UIDs, and what will be answered of them.
Asked = tuple[list[int], "Deferred[list[tuple[bytes, bytes] | None]]"]


async def digests(folder: Folder, store: MailStore, uids: Iterable[int]) -> dict[int, Digest]:
    """The digests of those messages that are there."""
    names = KEPT
    return {uid: Digest(*values) for uid, values in (await digested(folder, store, uids, names)).items()}


async def digested(
    folder: Folder, store: MailStore, uids: Iterable[int], names: Sequence[str]
) -> dict[int, tuple[Any, ...]]:
    """Some fields of the digests of those messages that are there."""
    return by_uid(*await columns(folder, store, uids, names))


async def columns(folder: Folder, store: MailStore, uids: Iterable[int], names: Sequence[str]) -> Columns:
    """The same in columns, with the UIDs that they are of, in the order of C{uids}."""
    folder.require()
    wanted = folder.there(uids if isinstance(uids, (list, array)) else list(uids))
    if not wanted:
        return [], [[] for _ in names]
    key = (folder.mailbox, folder.name, folder.uidvalidity)
    store.idle.disturb()
    try:
        found: Columns = await store.indexer.call(_columns, store.index, key, wanted, names)
    except Unavailable:
        # The index is a convenience: without it each message is looked at again.
        return as_columns(wanted, await _without_index(folder, store, wanted, names), names)
    if len(found[0]) == len(wanted):
        return found
    rows = by_uid(*found)
    async for some in taken(folder, store, key, [uid for uid in wanted if uid not in rows], names):
        store.idle.disturb()
        rows.update(some)
    return as_columns(wanted, rows, names)


async def kept_text(folder: Folder, store: MailStore, uid: int) -> str | None:
    """The text of a message if the index has it; nothing is done to find out what it does not have."""
    folder.require()
    key = (folder.mailbox, folder.name, folder.uidvalidity)
    found: Columns | None = await store.indexed(_columns, store.index, key, [uid], ("text",))
    return found[1][0][0] if found is not None and found[0] else None


async def understand(folder: Folder, store: MailStore, uids: Sequence[int]) -> None:
    """The index knows all of some messages."""
    key = (folder.mailbox, folder.name, folder.uidvalidity)
    missing = await store.indexer.call(_missing, store.index, key, uids)
    async for _ in taken(folder, store, key, missing, ()):
        pass


async def glance(folder: Folder, store: MailStore, uids: Sequence[int]) -> None:
    """The index knows what FETCH shows of some messages, if that can be had apart from the rest."""
    if store.shown is None:
        return
    key = (folder.mailbox, folder.name, folder.uidvalidity)
    async for _ in taken(folder, store, key, uids, SHOWN, alone=True):
        pass


def keep(folder: Folder, store: MailStore, rows: Sequence[tuple[int, tuple[bytes, bytes]]]) -> Deferred[Any]:
    """Deferred: the index knows what FETCH shows of some messages, which somebody has looked at."""
    key = (folder.mailbox, folder.name, folder.uidvalidity)
    return store.indexer.call(_keep, store.index, key, rows, ())


async def while_anew(index: Index) -> AsyncIterator[None]:
    """Once, and again when the index was found damaged meanwhile: what was known at the beginning is not at the end."""
    for _ in range(_TRIES):
        born = index.born
        yield
        if index.born == born:
            return


async def taken(
    folder: Folder, store: MailStore, key: Key, uids: Sequence[int], names: Sequence[str], alone: bool = False
) -> AsyncIterator[dict[int, tuple[Any, ...]]]:
    """
    The digests of messages are taken, a slice at a time; fields of them.

    @param alone: by the thread of the index, whatever else there is.
    """
    sizes = folder.column("size", uids)
    begin = 0
    while begin < len(uids):
        end, octets = begin, 0
        while end < len(uids) and end - begin < _SLICE and octets < _OCTETS:
            octets += sizes[end] or 0
            end += 1
        some = uids[begin:end]
        begin = end
        paths = dict(zip(some, folder.paths(some)))
        dates = dict(zip(some, folder.column("arrival", some)))
        if folder.directory is None:
            continue
        asked = [] if alone else _share(folder, store, folder.directory, paths, names)
        found: dict[int, tuple[Any, ...]] = await store.indexer.call(
            _take_files, store, key, folder.directory, paths, dates, names)
        if asked:
            found.update(await store.indexer.call(_keep, store.index, key, await _gathered(asked), names))
        lost = [uid for uid in some if uid not in found]
        if lost:
            # Renamed meanwhile, or gone.
            messages = [Unread(uid, dates[uid] or 0, octets) for uid, octets in await folder.reads(lost)]
            found.update(await store.indexer.call(_take, store.index, key, messages, names))
        yield found


def _share(
    folder: Folder, store: MailStore, directory: str, paths: dict[int, str | None], names: Sequence[str]
) -> list[Asked]:
    """
    Of many messages the writer is asked for half; what it is asked for is taken out of C{paths}.

    Small ones only, a few at a time: deliveries wait behind them.
    """
    if store.shown is None or not is_shown(names) or len(paths) < _MANY:
        return []
    theirs = list(paths)[len(paths) // 2:]
    theirs = [uid for uid, size in zip(theirs, folder.column("size", theirs)) if size is not None and size <= _SMALL]
    asked: list[Asked] = []
    for begin in range(0, len(theirs), _FEW):
        some = theirs[begin:begin + _FEW]
        answer: Deferred[list[tuple[bytes, bytes] | None]] = store.writer.call(
            ReadShown(store.at, directory, packed([paths.pop(uid) for uid in some])))
        asked.append((some, answer.addErrback(_none)))
    return asked


def _none(failure: Failure) -> list[tuple[bytes, bytes] | None]:
    """What the writer cannot do now is done here."""
    failure.trap(Unavailable)
    return []


async def _gathered(asked: Sequence[Asked]) -> list[tuple[int, tuple[bytes, bytes]]]:
    rows = []
    for uids, answer in asked:
        rows += [(uid, row) for uid, row in zip(uids, await answer) if row is not None]
    return rows


def _keep(
    index: Index, key: Key, rows: Sequence[tuple[int, tuple[bytes, bytes]]], names: Sequence[str]
) -> dict[int, tuple[Any, ...]]:
    return index.digests.keep_shown(index.folder(*key), rows, names)


def _take_files(
    store: MailStore, key: Key, directory: str, paths: dict[int, str | None], dates: dict[int, int | None],
    names: Sequence[str],
) -> dict[int, tuple[Any, ...]]:
    """Read messages and take their digests, in the thread of the index; none of those whose file is not there."""
    index = store.index
    number = index.folder(*key)
    # Somebody else may have asked for the same.
    found = index.digests.fetch(number, list(paths), names)
    missing = [uid for uid in paths if uid not in found]
    if missing:
        octets = read_files(store.layout, directory, [paths[uid] for uid in missing])
        found.update(index.digests.take(number, [
            Unread(uid, dates[uid] or 0, one) for uid, one in zip(missing, octets) if one is not None], names))
    return found


async def ordered(
    folder: Folder, store: MailStore, uids: Sequence[int], criteria: Sequence[Criterion]
) -> list[int]:
    """Those messages that are there, in an order."""
    folder.require()
    wanted = folder.there(uids)
    key = (folder.mailbox, folder.name, folder.uidvalidity)
    store.idle.disturb()
    try:
        found: list[int] = []
        async for _ in while_anew(store.index):
            found = await store.indexer.call(_ordered, store.index, key, wanted, criteria)
            if len(found) < len(wanted) and store.shown is not None and envelope.are_told(criteria):
                found = await _early(folder, store, key, wanted, criteria)
            elif len(found) < len(wanted):
                for begin in range(0, len(wanted), LOOKED):
                    store.idle.disturb()
                    await understand(folder, store, wanted[begin:begin + LOOKED])
                found = await store.indexer.call(_ordered, store.index, key, wanted, criteria)
        if len(found) < len(wanted):
            # Those that cannot be read, behind all others.
            known = set(found)
            found += [uid for uid in wanted if uid not in known and folder.entry(uid) is not None]
        return found
    except Unavailable:
        names = ["sent", *[one.name for one in criteria if one.name not in OF_FOLDER]]
        there, columns = as_columns(wanted, await _without_index(folder, store, wanted, names), names)
        values: dict[str, Sequence[Any]] = dict(zip(names, columns))
        for name in ("arrival", "size"):
            values[name] = [value or 0 for value in folder.column(name, there)]
        values["at"] = [
            arrival if sent is None else microseconds(sent)
            for sent, arrival in zip(values["sent"], values["arrival"])]
        return in_order(there, criteria, values)


async def _early(
    folder: Folder, store: MailStore, key: Key, uids: Sequence[int], criteria: Sequence[Criterion]
) -> list[int]:
    """Those messages that are there, in an order that envelopes tell; the rest of their digests is taken behind."""
    keys: dict[int, envelope.Keys] = {}
    first = 0
    async for _ in while_anew(store.index):
        keys.clear()
        for begin in range(0, len(uids), _SORTED):
            some = uids[begin:begin + _SORTED]
            store.idle.disturb()
            found, missing = await store.indexer.call(envelope.keys, store.index, key, some, criteria)
            first = first or next(iter(missing), 0)
            keys.update(found)
            unseen = [uid for uid in missing if uid not in found]
            if unseen:
                async for _ in taken(folder, store, key, unseen, SHOWN):
                    store.idle.disturb()
                keys.update((await store.indexer.call(envelope.keys, store.index, key, unseen, criteria))[0])
            # An envelope that does not tell it.
            async for rows in taken(folder, store, key, [uid for uid in unseen if uid not in keys], envelope.OF_DIGEST):
                keys.update(envelope.of_digests(rows))
    if first:
        store.idle.wanted(folder, first)
    there = [uid for uid in uids if uid in keys]
    columns: dict[str, Sequence[Any]] = {"order_subject": [keys[uid][0] for uid in there]}
    columns["arrival"], columns["size"] = [
        [value or 0 for value in folder.column(name, there)] for name in ("arrival", "size")]
    columns["at"] = [
        arrival if (sent := keys[uid][1]) is None else sent for uid, arrival in zip(there, columns["arrival"])]
    return in_order(there, criteria, columns)


def _columns(index: Index, key: Key, uids: Sequence[int], names: Sequence[str]) -> Columns:
    return index.digests.columns(index.folder(*key), uids, names)


def _ordered(index: Index, key: Key, uids: Sequence[int], criteria: Sequence[Criterion]) -> list[int]:
    return index.digests.ordered(index.folder(*key), uids, criteria)


def _take(
    index: Index, key: Key, messages: Sequence[Unread], names: Sequence[str]
) -> dict[int, tuple[Any, ...]]:
    return index.digests.take(index.folder(*key), messages, names)


def _missing(index: Index, key: Key, uids: Sequence[int]) -> list[int]:
    return index.digests.missing(index.folder(*key), uids)


async def _without_index(
    folder: Folder, store: MailStore, uids: Sequence[int], names: Sequence[str]
) -> dict[int, tuple[Any, ...]]:
    result: dict[int, tuple[Any, ...]] = {}
    for begin in range(0, len(uids), _ALONE):
        messages = await folder.reads(uids[begin:begin + _ALONE])
        for uid, octets in messages:
            digest = await store.indexer.call(store.digest_of, octets)
            result[uid] = tuple([getattr(digest, name) for name in names])
    return result
