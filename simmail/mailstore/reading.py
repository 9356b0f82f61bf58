"""
Reading messages, and what the index knows of them.

Digests that are missing are taken from the files when they are asked for, in
slices, so that other work comes in between.
"""

from __future__ import annotations

import errno
import os
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from simmail.core.digest import Digest
from simmail.errors import Unavailable

if TYPE_CHECKING:
    from simmail.mailstore.folder import Folder
    from simmail.mailstore.index import Index
    from simmail.mailstore.mailstore import MailStore

#: Messages, and octets of them, whose digests are taken in one go.
_SLICE, _OCTETS = 64, 1024 * 1024
#: The same without the index.
_ALONE = 16
#: Messages that are looked for in the index in one go.
_LOOKED = 5000

Key = tuple[str, str, int]


def read_files(root: int, directory: str, paths: Sequence[str | None]) -> list[bytes | None]:
    """The contents of files, None for those that are not there; in the reader thread."""
    result: list[bytes | None] = []
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    for path in paths:
        if path is None:
            result.append(None)
            continue
        try:
            fd = os.open(f"{directory}/{path}", flags, dir_fd=root)
        except OSError as error:
            # A link is no message, wherever it leads to.
            if error.errno not in (errno.ENOENT, errno.ELOOP):
                raise
            result.append(None)
            continue
        try:
            size = os.fstat(fd).st_size
            octets = os.read(fd, size + 1)
            while len(octets) < size:
                more = os.read(fd, size - len(octets) + 1)
                if not more:
                    break
                octets += more
        finally:
            os.close(fd)
        result.append(octets)
    return result


async def digests(folder: Folder, store: MailStore, uids: Iterable[int]) -> dict[int, Digest]:
    """The digests of those messages that are there."""
    names = Digest.__struct_fields__
    return {uid: Digest(*values) for uid, values in (await digested(folder, store, uids, names)).items()}


async def digested(
    folder: Folder, store: MailStore, uids: Iterable[int], names: Sequence[str]
) -> dict[int, tuple[Any, ...]]:
    """Some fields of the digests of those messages that are there."""
    folder.require()
    having = folder.entry if not isinstance(uids, (list, tuple)) or len(uids) < 100 else None
    wanted = [uid for uid in uids if having(uid) is not None] if having else _there(folder, uids)
    if not wanted:
        return {}
    key = (folder.mailbox, folder.name, folder.uidvalidity)
    store.idle.disturb()
    try:
        found: dict[int, tuple[Any, ...]] = await store.indexer.call(_fetch, store.index, key, wanted, names)
    except Unavailable:
        # The index is a convenience: without it each message is looked at again.
        return await _without_index(folder, store, wanted, names)
    async for some in _taken(folder, store, key, [uid for uid in wanted if uid not in found], names):
        store.idle.disturb()
        found.update(some)
    return found


async def understand(folder: Folder, store: MailStore, uids: Sequence[int]) -> None:
    """The index knows all of some messages."""
    key = (folder.mailbox, folder.name, folder.uidvalidity)
    missing = await store.indexer.call(_missing, store.index, key, uids)
    async for _ in _taken(folder, store, key, missing, ()):
        pass


async def containing(folder: Folder, store: MailStore, name: str, text: str) -> list[int]:
    """The UIDs of messages whose digests may contain a text in a field."""
    folder.require()
    key = (folder.mailbox, folder.name, folder.uidvalidity)
    uids = folder.uids[:]
    found: list[int] = []
    for begin in range(0, len(uids), _LOOKED):
        some = uids[begin:begin + _LOOKED]
        store.idle.disturb()
        await understand(folder, store, some)
        found += await store.indexer.call(_containing, store.index, key, name, text, some[0], some[-1])
    # What came meanwhile was not looked at; what went is not there.
    return _there(folder, found)


async def _taken(
    folder: Folder, store: MailStore, key: Key, uids: Sequence[int], names: Sequence[str]
) -> AsyncIterator[dict[int, tuple[Any, ...]]]:
    """The digests of messages are taken, a slice at a time; fields of them."""
    sizes = folder.column("size", uids)
    begin = 0
    while begin < len(uids):
        end, octets = begin, 0
        while end < len(uids) and end - begin < _SLICE and octets < _OCTETS:
            octets += sizes[end] or 0
            end += 1
        some = uids[begin:end]
        begin = end
        paths = folder.paths(some)
        if folder.directory is None:
            continue
        found: dict[int, tuple[Any, ...]] = await store.indexer.call(
            _take_files, store, key, folder.directory, dict(zip(some, paths)), names)
        lost = [uid for uid in some if uid not in found]
        if lost:
            # Renamed meanwhile, or gone.
            messages = await folder.reads(lost)
            found.update(await store.indexer.call(_take, store.index, key, messages, names))
        yield found


def _take_files(
    store: MailStore, key: Key, directory: str, paths: dict[int, str | None], names: Sequence[str]
) -> dict[int, tuple[Any, ...]]:
    """Read messages and take their digests, in the thread of the index; none of those whose file is not there."""
    index = store.index
    number = index.folder(*key)
    # Somebody else may have asked for the same.
    found = index.digests.fetch(number, list(paths), names)
    missing = [uid for uid in paths if uid not in found]
    if missing:
        octets = read_files(store.layout.root, directory, [paths[uid] for uid in missing])
        found.update(index.digests.take(
            number, [(uid, one) for uid, one in zip(missing, octets) if one is not None], names))
    return found


def _there(folder: Folder, uids: Iterable[int]) -> list[int]:
    having = set(folder.uids)
    return [uid for uid in uids if uid in having]


def _fetch(index: Index, key: Key, uids: Sequence[int], names: Sequence[str]) -> dict[int, tuple[Any, ...]]:
    return index.digests.fetch(index.folder(*key), uids, names)


def _take(
    index: Index, key: Key, messages: Sequence[tuple[int, bytes]], names: Sequence[str]
) -> dict[int, tuple[Any, ...]]:
    return index.digests.take(index.folder(*key), messages, names)


def _missing(index: Index, key: Key, uids: Sequence[int]) -> list[int]:
    return index.digests.missing(index.folder(*key), uids)


def _containing(index: Index, key: Key, name: str, text: str, low: int, high: int) -> list[int]:
    return index.digests.containing(index.folder(*key), name, text, low, high)


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
