"""Messages in an order, by their digests or, as long as the index has none, by their envelopes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

from simmail.core.message.sort import Criterion, OF_FOLDER, in_order
from simmail.core.records.folder import as_columns
from simmail.core.time.instant import microseconds
from simmail.errors import Unavailable
from simmail.mailstore.index import envelope
from simmail.mailstore.index.fetch import without_index
from simmail.mailstore.index.folder import IIndexed, Key, key_of
from simmail.mailstore.index.index import Index
from simmail.mailstore.index.mail_index import MailIndex
from simmail.mailstore.index.messages import SHOWN

#: Messages whose envelopes are looked at in one go, before others have their turn.
_SORTED = 2000
#: Messages whose digests are asked for in one go.
_LOOKED = 5000


async def ordered(
    index: MailIndex, folder: IIndexed, uids: Sequence[int], criteria: Sequence[Criterion]
) -> list[int]:
    """Those messages that are there, in an order."""
    folder.require()
    wanted = folder.there(uids)
    key = key_of(folder)
    index.background.note_activity()
    try:
        found: list[int] = []
        async for _ in index.while_anew():
            found = await index.call(_ordered, key, wanted, criteria)
            if len(found) < len(wanted) and index.readers.shown is not None and envelope.are_told(criteria):
                found = await _early(index, folder, key, wanted, criteria)
            elif len(found) < len(wanted):
                for begin in range(0, len(wanted), _LOOKED):
                    index.background.note_activity()
                    await index.take_missing(folder, wanted[begin:begin + _LOOKED])
                found = await index.call(_ordered, key, wanted, criteria)
        if len(found) < len(wanted):
            # Those that cannot be read, behind all others.
            known = set(found)
            found += [uid for uid in wanted if uid not in known and folder.entry(uid) is not None]
        return found
    except Unavailable:
        names = ["sent", *[one.name for one in criteria if one.name not in OF_FOLDER]]
        there, columns = as_columns(wanted, await without_index(index, folder, wanted, names), names)
        values: dict[str, Sequence[Any]] = dict(zip(names, columns))
        for name in ("arrival", "size"):
            values[name] = [value or 0 for value in folder.column(name, there)]
        values["at"] = [
            arrival if sent is None else microseconds(sent)
            for sent, arrival in zip(values["sent"], values["arrival"])]
        return in_order(there, criteria, values)


async def _early(
    index: MailIndex, folder: IIndexed, key: Key, uids: Sequence[int], criteria: Sequence[Criterion]
) -> list[int]:
    """Those messages that are there, in an order that envelopes tell; the rest of their digests is taken behind."""
    keys: dict[int, envelope.Keys] = {}
    first, told = 0, True
    async for _ in index.while_anew():
        keys.clear()
        for begin in range(0, len(uids), _SORTED):
            some = uids[begin:begin + _SORTED]
            index.background.note_activity()
            found, missing = await index.call(envelope.keys, key, some, criteria)
            first = first or next(iter(missing), 0)
            keys.update(found)
            unseen = [uid for uid in missing if uid not in found]
            if unseen:
                async for _ in index.take(folder, key, unseen, SHOWN):
                    index.background.note_activity()
                keys.update((await index.call(envelope.keys, key, unseen, criteria))[0])
            # An envelope that does not tell it.
            async for rows in index.take(folder, key, [uid for uid in unseen if uid not in keys], envelope.OF_DIGEST):
                keys.update(envelope.of_digests(rows))
                # Or the message cannot be read, which may be different another time.
                told = False
    if first:
        index.background.look_now(folder, first)
    there = [uid for uid in uids if uid in keys]
    columns: dict[str, Sequence[Any]] = {"order_subject": [keys[uid][0] for uid in there]}
    columns["arrival"], columns["size"] = [
        [value or 0 for value in folder.column(name, there)] for name in ("arrival", "size")]
    columns["at"] = [
        arrival if (sent := keys[uid][1]) is None else sent for uid, arrival in zip(there, columns["arrival"])]
    order = in_order(there, criteria, columns)
    if told and there and there == list(_between(folder.uids, there[0], there[-1])):
        index.later(index.call(_keep_order, key, there, criteria, order))
    return order


def _between(uids: Sequence[int], low: int, high: int) -> Sequence[int]:
    return uids[bisect_left(uids, low):bisect_right(uids, high)]


def _ordered(index: Index, key: Key, uids: Sequence[int], criteria: Sequence[Criterion]) -> list[int]:
    return index.digests.ordered(index.folder(*key), uids, criteria)


def _keep_order(index: Index, key: Key, uids: Sequence[int], criteria: Sequence[Criterion], order: list[int]) -> None:
    index.digests.keep_order(index.folder(*key), uids, criteria, order)
