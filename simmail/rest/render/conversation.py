"""
Conversations of a mailbox, kept at hand.

What threading asks of a message never changes, so it is asked of the index
once; only what is new is asked for.  Large mailboxes are put together in a
thread, and only when a message came or went.  Source: API contract, "Thread".
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from twisted.internet.defer import Deferred

from simmail.core.lru import Lru
from simmail.core.message.conversations import Thread as Thread
from simmail.core.message.conversations import followed, group
from simmail.interfaces import IFolder
from simmail.rest.render.list import Listings
from simmail.universe.mailflow.mailboxes import Mailboxes, THREADED

#: Messages of all mailboxes that are kept (600 octets each), those of the mailbox looked at longest ago go first; and
#: how many references cost as much as one more message.
MOST, REFERENCES = 125_000, 4

#: Messages asked of the index before others get their turn; messages that are put together at once.
SLICE, FEW = 500, 300

_FIELDS = ("message_id", "in_reply_to", "references", "subject")


class ThreadedMessage(NamedTuple):
    """What threading asks of a message, and where it is; C{references} are those that are followed."""

    folder: str
    uid: int
    date: datetime
    message_id: str
    in_reply_to: str
    references: tuple[str, ...]
    subject: str


#: By folder, UIDVALIDITY and UID.
_Known = dict[tuple[str, int, int], ThreadedMessage]


class _Kept(NamedTuple):
    """
    C{known}: messages by folder and UID, C{cost}: as so many; C{marks}: what the folders said when C{threads} were
    put together.
    """

    known: _Known
    cost: int
    marks: tuple[Any, ...]
    threads: list[Thread[ThreadedMessage]]


_NOTHING = _Kept({}, 0, (), [])


class Conversations:
    """Of all universes; C{in_thread} as C{Services} has it."""

    def __init__(self, in_thread: Callable[[Callable[[], Any]], Any], most: int = MOST) -> None:
        self._in_thread = in_thread
        self._kept: Lru[tuple[int, str], _Kept] = Lru(most, lambda one: one.cost)

    async def of(self, universe: int, mailboxes: Mailboxes, address: str) -> list[Thread[ThreadedMessage]]:
        """
        Return the conversations of a mailbox, that with the latest message first.

        @param universe: its number (L{simmail.rest.render.list.UniverseNumbers}).
        @raise NotFound: no such mailbox.
        """
        key = (universe, address)
        folders = [await mailboxes.folder(address, name) for name in THREADED]
        old = self._kept.use(key) or _NOTHING
        if old.marks == _marks(folders):
            return old.threads
        known: _Known = {}
        marks: list[Any] = []
        for folder in folders:
            marks += _marks([folder])
            known.update(await _asked(folder, old.known))
        threads = await self._grouped(list(known.values()))
        cost = sum([1 + len(one.references) // REFERENCES for one in known.values()])
        self._kept.put(key, _Kept(known, cost, tuple(marks), threads))
        return threads

    async def _grouped(self, messages: list[ThreadedMessage]) -> list[Thread[ThreadedMessage]]:
        if len(messages) <= FEW:
            return group(messages)
        work = self._in_thread(lambda: group(messages))
        threads: list[Thread[ThreadedMessage]] = await work if isinstance(work, Deferred) else work
        return threads


def _marks(folders: list[IFolder]) -> tuple[Any, ...]:
    # UIDs only rise: as many messages below the same next UID are the same ones.
    return tuple((one.uidvalidity, one.uidnext, len(one.uids)) for one in folders)


async def _asked(folder: IFolder, old: _Known) -> _Known:
    """The messages of a folder, in its order; those not told of before are asked of the index."""
    place = folder.name, folder.uidvalidity
    uids = list(folder.uids)
    found = {uid: old[*place, uid] for uid in uids if (*place, uid) in old}
    missing = [uid for uid in uids if uid not in found]
    # Answers name what they answer, and its subject: such text is kept once.
    texts: dict[str, str] = {}
    share = texts.setdefault
    for begin in range(0, len(missing), SLICE):
        part = missing[begin:begin + SLICE]
        rows = await folder.digested(part, _FIELDS)
        for uid, date in zip(part, folder.column("date", part)):
            if uid in rows and date is not None:
                message_id, in_reply_to, references, subject = rows[uid]
                found[uid] = ThreadedMessage(
                    folder.name, uid, date, share(message_id, message_id), share(in_reply_to, in_reply_to),
                    tuple([share(one, one) for one in followed(references)]), share(subject, subject))
    return {(*place, uid): found[uid] for uid in uids if uid in found}


async def listed_in(
    listings: Listings, universe: int, mailboxes: Mailboxes, address: str, messages: list[ThreadedMessage]
) -> dict[tuple[str, int], msgspec.Raw]:
    """Return the JSON of messages of a mailbox by folder and UID, as lists show it, without what is gone meanwhile."""
    found: dict[tuple[str, int], msgspec.Raw] = {}
    for name in dict.fromkeys(one.folder for one in messages):
        folder = await mailboxes.folder(address, name)
        items = await listings.items(universe, folder, [one.uid for one in messages if one.folder == name])
        found.update(((name, uid), msgspec.Raw(octets)) for uid, octets in items.items())
    return found
