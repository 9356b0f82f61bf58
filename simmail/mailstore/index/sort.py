"""
Putting messages in order: by their digests, and by what their envelopes tell while the index does not have those yet.

Clients ask for envelopes first of all, so these are there long before the rest is learned; who sorts need not wait
for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simmail.core.message.envelope_sort import keys_of
from simmail.core.message.sort import Criterion, OF_FOLDER, in_order
from simmail.core.records.folder import as_columns
from simmail.errors import Unavailable
from simmail.mailstore.index.fetch import Key, LOOKED, taken, understand, while_anew, without_index
from simmail.mailstore.index.messages import SHOWN
from simmail.mailstore.maildir.flags import microseconds

if TYPE_CHECKING:
    from simmail.mailstore.folder.folder import Folder
    from simmail.mailstore.index.index import Index
    from simmail.mailstore.mailstore import MailStore

#: What folders and envelopes tell of a message.
TOLD = frozenset(("arrival", "size", "at", "order_subject"))
#: Messages looked at in one go, before others have their turn.
_SLICE = 2000

#: The subject as it is compared, and when it was sent, in microseconds since 1970 (None: it does not say).
Keys = tuple[str, "int | None"]


def _are_told(store: MailStore, criteria: Sequence[Criterion]) -> bool:
    """Whether envelopes tell an order, and are taken apart from the rest."""
    return store.shown is not None and TOLD.issuperset([one.name for one in criteria])


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
            if len(found) < len(wanted) and _are_told(store, criteria):
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
        there, columns = as_columns(wanted, await without_index(folder, store, wanted, names), names)
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
    keys: dict[int, Keys] = {}
    first = 0
    async for _ in while_anew(store.index):
        keys.clear()
        for begin in range(0, len(uids), _SLICE):
            some = uids[begin:begin + _SLICE]
            store.idle.disturb()
            found, missing = await store.indexer.call(_keys, store.index, key, some)
            first = first or next(iter(missing), 0)
            keys.update(found)
            unseen = [uid for uid in missing if uid not in found]
            if unseen:
                async for _ in taken(folder, store, key, unseen, SHOWN):
                    store.idle.disturb()
                keys.update((await store.indexer.call(_keys, store.index, key, unseen))[0])
            # An envelope that does not tell it.
            async for rows in taken(folder, store, key, [uid for uid in unseen if uid not in keys], _OF_DIGEST):
                keys.update(_of_digests(rows))
    if first:
        store.idle.wanted(folder, first)
    there = [uid for uid in uids if uid in keys]
    columns: dict[str, Sequence[Any]] = {"order_subject": [keys[uid][0] for uid in there]}
    columns["arrival"], columns["size"] = [
        [value or 0 for value in folder.column(name, there)] for name in ("arrival", "size")]
    columns["at"] = [
        arrival if (sent := keys[uid][1]) is None else sent for uid, arrival in zip(there, columns["arrival"])]
    return in_order(there, criteria, columns)


_OF_DIGEST = ("order_subject", "sent")


def _ordered(index: Index, key: Key, uids: Sequence[int], criteria: Sequence[Criterion]) -> list[int]:
    return index.digests.ordered(index.folder(*key), uids, criteria)


def _keys(index: Index, key: Key, uids: Sequence[int]) -> tuple[dict[int, Keys], list[int]]:
    """The keys of those messages of which digests or envelopes tell them, and the messages without digests."""
    number = index.folder(*key)
    found = _of_digests(index.digests.fetch(number, uids, _OF_DIGEST))
    missing = [uid for uid in uids if uid not in found]
    for uid, (envelope,) in (index.digests.fetch(number, missing, ("envelope",)) if missing else {}).items():
        told = keys_of(envelope)
        if told is not None:
            found[uid] = told.order_subject, None if told.sent is None else microseconds(told.sent)
    return found, missing


def _of_digests(rows: dict[int, tuple[Any, ...]]) -> dict[int, Keys]:
    return {uid: (subject, None if sent is None else microseconds(sent)) for uid, (subject, sent) in rows.items()}
