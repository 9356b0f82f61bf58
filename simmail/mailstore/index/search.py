"""
Texts in the mail of one folder or of many: one question to the index for as many as are answered in a moment.

Of what the index does not know yet the files are looked at (C{scanning}).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simmail.core.message.folding import fold
from simmail.errors import NotFound
from simmail.mailstore.index.folder import IIndexed, Key, key_of
from simmail.mailstore.index.fulltext import FEW
from simmail.mailstore.index.index import Index
from simmail.mailstore.index.mail_index import Wanted
from simmail.mailstore.index.messages import span
from simmail.mailstore.index.scan import Scanning

#: Messages that are looked for in the index in one go.
LOOKED = 5000

#: A folder, and its UIDs.
Asked = tuple[Key, Sequence[int]]


async def containing(scanning: Scanning, folders: Sequence[IIndexed], wanted: Wanted) -> list[Sequence[int]]:
    """The UIDs, of each folder, of messages that have all of some texts."""
    index = scanning.index
    wanted = [(names, fold(text)) for names, text in wanted]
    found: list[Sequence[int]] = [()] * len(folders)
    places = [at for at, folder in enumerate(folders) if not folder.gone]
    if sum(len(folders[at].uids) for at in places) > LOOKED:
        # Neighbours in the index are asked for together.
        numbers = await index.call(_numbers, [key_of(folders[at]) for at in places])
        places = [at for _, at in sorted(zip(numbers, places))]
    for some in _packs(folders, places):
        index.background.note_activity()
        if len(some) == 1 and len(folders[some[0]].uids) > LOOKED:
            try:
                found[some[0]] = await _of_one(scanning, folders[some[0]], wanted)
            except NotFound:
                # Gone meanwhile.
                continue
            continue
        asked = [(key_of(folders[at]), folders[at].uids[:]) for at in some]
        async for _ in index.while_anew():
            missing, having, unlearned = await index.call(_holding, asked, wanted)
            if unlearned > FEW:
                for at in some:
                    index.background.hurry(folders[at])
            for at, unknown, uids in zip(some, missing, having):
                try:
                    if unknown:
                        uids = sorted({*uids, *await scanning.fitting(
                            folders[at], key_of(folders[at]), unknown, wanted)})
                    # What went meanwhile is not there.
                    found[at] = folders[at].there(uids)
                except NotFound:
                    continue
    return found


async def holding(scanning: Scanning, folder: IIndexed, names: Sequence[str], text: str) -> list[int]:
    """The UIDs of messages that have a text in one of some fields."""
    folder.require()
    return list(await _of_one(scanning, folder, [(names, fold(text))]))


async def _of_one(scanning: Scanning, folder: IIndexed, wanted: Wanted) -> Sequence[int]:
    """Of one folder, in slices."""
    index = scanning.index
    key, uids = key_of(folder), folder.uids[:]
    found: list[int] = []
    for begin in range(0, len(uids), LOOKED):
        some = uids[begin:begin + LOOKED]
        index.background.note_activity()
        having: list[int] = []
        async for _ in index.while_anew():
            missing, having, unlearned = await index.call(_of_slice, key, some, wanted)
            if unlearned > FEW:
                # Who searches goes on searching, and compares all messages whose words the index has not learned.
                index.background.hurry(folder)
            if missing:
                having = sorted({*having, *await scanning.fitting(folder, key, missing, wanted)})
        found += having
    # What came meanwhile was not looked at; what went is not there.
    return folder.there(found)


def _packs(folders: Sequence[IIndexed], places: Sequence[int]) -> Iterator[list[int]]:
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


def _numbers(index: Index, keys: Sequence[Key]) -> list[int]:
    return [index.folder(*key) for key in keys]


def _of_slice(index: Index, key: Key, uids: Sequence[int], wanted: Wanted) -> tuple[list[int], list[int], int]:
    """
    Those of some UIDs whose digests are missing, and of the others those that have all of some texts; of how many of
    them the words are to be learned.
    """
    number = index.folder(*key)
    missing = index.digests.missing(number, uids)
    if len(missing) == len(uids):
        return missing, [], 0
    unlearned = index.fulltext.unlearned(*span(number, uids[0], uids[-1]))
    found: set[int] | None = None
    for names, text in wanted:
        some = index.digests.containing(number, names, text, uids[0], uids[-1])
        found = set(some) if found is None else found.intersection(some)
        if not found:
            break
    return missing, sorted(set(uids).difference(missing) if found is None else found), unlearned


def _holding(
    index: Index, asked: Sequence[Asked], wanted: Wanted
) -> tuple[list[list[int]], list[Sequence[int]], int]:
    """
    For each folder those whose digests are missing, and of the others those found; of how many of all of them the words
    are to be learned.
    """
    numbers = [index.folder(*key) for key, _ in asked]
    missing = [index.digests.lacking(number, uids) for number, (_, uids) in zip(numbers, asked)]
    runs = list(_runs(sorted(numbers)))
    unlearned = sum([index.fulltext.unlearned(span(first)[0], span(last)[1]) for first, last in runs])
    found: dict[int, set[int]] | None = None
    for names, text in wanted:
        some: dict[int, set[int]] = {}
        for first, last in runs:
            for number, uids in index.digests.holding(names, text, first, last).items():
                some[number] = set(uids)
        found = some if found is None else {
            number: uids & some[number] for number, uids in found.items() if number in some}
        if not found:
            break
    if found is None:
        return [[] for _ in asked], [uids for _, uids in asked], 0
    return missing, [sorted(found.get(number, ())) for number in numbers], unlearned


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as (first, last) of those that follow each other."""
    first = last = numbers[0]
    for number in numbers[1:]:
        if number > last + 1:
            yield first, last
            first = number
        last = number
    yield first, last
