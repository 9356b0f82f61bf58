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
    from simmail.mailstore.mailstore import MailStore

#: Messages, and octets of them, whose digests are taken in one go.
_SLICE, _OCTETS = 16, 1024 * 1024
#: Messages that are looked for in the index in one go.
_LOOKED = 2000


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
    try:
        found: dict[int, tuple[Any, ...]] = await store.indexer.call(_fetch, store.index, key, wanted, names)
    except Unavailable:
        # The index is a convenience: without it each message is looked at again.
        return await _without_index(folder, store, wanted, names)
    missing = [uid for uid in wanted if uid not in found]
    async for messages in _slices(folder, missing):
        found.update(await store.indexer.call(_take, store.index, key, messages, names))
    return found


async def containing(folder: Folder, store: MailStore, name: str, text: str) -> list[int]:
    """The UIDs of messages whose digests may contain a text in a field."""
    folder.require()
    key = (folder.mailbox, folder.name, folder.uidvalidity)
    uids = list(folder.uids)
    for begin in range(0, len(uids), _LOOKED):
        missing = await store.indexer.call(_missing, store.index, key, uids[begin:begin + _LOOKED])
        async for messages in _slices(folder, missing):
            await store.indexer.call(_take, store.index, key, messages, ())
    found: list[int] = await store.indexer.call(_containing, store.index, key, name, text)
    # What came meanwhile was not looked at; what went is not there.
    return _there(folder, found)


async def _slices(folder: Folder, uids: Sequence[int]) -> AsyncIterator[list[tuple[int, bytes]]]:
    sizes = folder.column("size", uids)
    begin = 0
    while begin < len(uids):
        end, octets = begin, 0
        while end < len(uids) and end - begin < _SLICE and octets < _OCTETS:
            octets += sizes[end] or 0
            end += 1
        yield await folder.reads(uids[begin:end])
        begin = end


def _there(folder: Folder, uids: Iterable[int]) -> list[int]:
    having = set(folder.uids)
    return [uid for uid in uids if uid in having]


def _fetch(index: Any, key: tuple[str, str, int], uids: Sequence[int], names: Sequence[str]) -> Any:
    return index.fetch(index.folder(*key), uids, names)


def _take(
    index: Any, key: tuple[str, str, int], messages: Sequence[tuple[int, bytes]], names: Sequence[str]
) -> dict[int, tuple[Any, ...]]:
    taken = index.take(index.folder(*key), messages)
    return {uid: tuple([getattr(digest, name) for name in names]) for uid, digest in taken}


def _missing(index: Any, key: tuple[str, str, int], uids: Sequence[int]) -> list[int]:
    missing: list[int] = index.missing(index.folder(*key), uids)
    return missing


def _containing(index: Any, key: tuple[str, str, int], name: str, text: str) -> list[int]:
    found: list[int] = index.containing(index.folder(*key), name, text)
    return found


async def _without_index(
    folder: Folder, store: MailStore, uids: Sequence[int], names: Sequence[str]
) -> dict[int, tuple[Any, ...]]:
    result: dict[int, tuple[Any, ...]] = {}
    for begin in range(0, len(uids), _SLICE):
        messages = await folder.reads(uids[begin:begin + _SLICE])
        for uid, octets in messages:
            digest = await store.indexer.call(store.digest_of, octets)
            result[uid] = tuple([getattr(digest, name) for name in names])
    return result
