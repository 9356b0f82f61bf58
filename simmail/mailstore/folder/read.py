"""Messages of a folder are read from their files, which others may rename meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from simmail.concurrency import unbroken
from simmail.mailstore.folder.changes import ChangingFolder
from simmail.mailstore.maildir import savedate
from simmail.mailstore.maildir.files import read_files
from simmail.mailstore.maildir.flags import instant


async def reads(folder: ChangingFolder, uids: Sequence[int]) -> list[tuple[int, bytes]]:
    """Return the octets of those messages that are there."""
    folder.require()
    found = await _read_files(folder, uids)
    if None in found:
        # Renamed under our hands, by a change of flags here or by another program; or gone.
        lost = [uid for uid, octets in zip(uids, found) if octets is None]
        again = await unbroken(_read_again(folder, lost))
        found = [again[uid] if octets is None else octets for uid, octets in zip(uids, found)]
    return [(uid, octets) for uid, octets in zip(uids, found) if octets is not None]


async def _read_again(folder: ChangingFolder, uids: Sequence[int]) -> dict[int, bytes | None]:
    async with folder.changing():
        await folder.notice()
        return dict(zip(uids, await _read_files(folder, uids)))


async def _read_files(folder: ChangingFolder, uids: Sequence[int]) -> list[bytes | None]:
    paths = folder.paths(uids)
    if folder.directory is None or not any(paths):
        return [None] * len(uids)
    found: list[bytes | None] = await folder.context.reader.call(
        read_files, folder.context.layout, folder.directory, paths)
    return found


async def saved(folder: ChangingFolder, uids: Sequence[int]) -> list[datetime | None]:
    """Return when messages were put here (RFC 8514), None for those that are gone."""
    folder.require()
    dates = folder.column("arrival", uids)
    there = [(uid, date) for uid, date in zip(uids, dates) if date is not None]
    context = folder.context
    found = await context.reader.call(
        savedate.find, context.layout.root, folder.directory, [uid for uid, _ in there], [date for _, date in there])
    known = dict(zip([uid for uid, _ in there], map(instant, found)))
    return list(map(known.get, uids))
