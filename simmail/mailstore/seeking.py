"""
Texts in the mail of many folders: one question to the index for as many as are answered in a moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simmail.errors import NotFound
from simmail.mailstore.reading import LOOKED, Key, taken, while_anew

if TYPE_CHECKING:
    from simmail.mailstore.folder import Folder
    from simmail.mailstore.index import Index
    from simmail.mailstore.mailstore import MailStore

#: Texts to be found, each in one of some fields.
Wanted = Sequence[tuple[Sequence[str], str]]
#: A folder, and its UIDs.
Asked = tuple[Key, Sequence[int]]


async def containing(store: MailStore, folders: Sequence[Folder], wanted: Wanted) -> list[Sequence[int]]:
    """The UIDs, of each folder, of messages whose digests may hold all of some texts."""
    found: list[Sequence[int]] = [()] * len(folders)
    places = [at for at, folder in enumerate(folders) if not folder.gone]
    if sum(len(folders[at].uids) for at in places) > LOOKED:
        # Neighbours in the index are asked for together.
        numbers = await store.indexer.call(_numbers, store.index, [_key(folders[at]) for at in places])
        places = [at for _, at in sorted(zip(numbers, places))]
    for some in _packs(folders, places):
        store.idle.disturb()
        if len(some) == 1 and len(folders[some[0]].uids) > LOOKED:
            found[some[0]] = await _of_large(folders[some[0]], wanted)
            continue
        asked = [(_key(folders[at]), folders[at].uids[:]) for at in some]
        having: list[Sequence[int]] = []
        async for _ in while_anew(store.index):
            missing, having = await store.indexer.call(_holding, store.index, asked, wanted, False)
            if missing:
                for at, uids in zip(some, missing):
                    try:
                        async for _ in taken(folders[at], store, _key(folders[at]), uids, ()):
                            pass
                    except NotFound:
                        # Gone meanwhile.
                        continue
                _, having = await store.indexer.call(_holding, store.index, asked, wanted, True)
        for at, uids in zip(some, having):
            # What went meanwhile is not there.
            found[at] = folders[at].there(uids)
    return found


def _key(folder: Folder) -> Key:
    return folder.mailbox, folder.name, folder.uidvalidity


def _packs(folders: Sequence[Folder], places: Sequence[int]) -> Iterator[list[int]]:
    """Folders that have not too many messages together."""
    pack: list[int] = []
    count = 0
    for at in places:
        more = len(folders[at].uids)
        if pack and count + more > LOOKED:
            yield pack
            pack, count = [], 0
        pack.append(at)
        count += more
    if pack:
        yield pack


async def _of_large(folder: Folder, wanted: Wanted) -> Sequence[int]:
    """Of one folder that is asked for in slices."""
    uids: set[int] | None = None
    try:
        for names, text in wanted:
            some: set[int] = set()
            for name in names:
                some.update(await folder.containing(name, text))
            uids = some if uids is None else uids & some
            if not uids:
                break
    except NotFound:
        return ()
    return sorted(folder.uids if uids is None else uids)


def _numbers(index: Index, keys: Sequence[Key]) -> list[int]:
    return [index.folder(*key) for key in keys]


def _holding(
    index: Index, asked: Sequence[Asked], wanted: Wanted, taken: bool
) -> tuple[list[list[int]] | None, list[Sequence[int]]]:
    """For each folder those whose digests are missing; if none is, or all that could be were C{taken}, those found."""
    numbers = [index.folder(*key) for key, _ in asked]
    if not taken:
        missing = [index.digests.lacking(number, uids) for number, (_, uids) in zip(numbers, asked)]
        if any(missing):
            return missing, []
    found: dict[int, set[int]] | None = None
    for names, text in wanted:
        some: dict[int, set[int]] = {}
        for first, last in _runs(sorted(numbers)):
            for name in names:
                for number, uids in index.digests.holding(name, text, first, last).items():
                    some.setdefault(number, set()).update(uids)
        found = some if found is None else {
            number: uids & some[number] for number, uids in found.items() if number in some}
        if not found:
            break
    if found is None:
        return None, [uids for _, uids in asked]
    return None, [sorted(found.get(number, ())) for number in numbers]


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as (first, last) of those that follow each other."""
    first = last = numbers[0]
    for number in numbers[1:]:
        if number > last + 1:
            yield first, last
            first = number
        last = number
    yield first, last
