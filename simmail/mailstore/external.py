"""
Files that another program put into folders are taken in: they get UIDs, and are known here.

Of many, what FETCH shows is looked at meanwhile, so that it is known to
whoever then looks into the folder: by the thread of the index, and when that
has fallen behind by the writer, which has just read them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from simmail.errors import NotFound, Refusal
from simmail.mailstore.delivery.external import Adopted
from simmail.mailstore.index.fetch import glance, keep
from simmail.mailstore.maildir.filename import packed
from simmail.mailstore.writer.requests import Adopt, PrepareToLook

if TYPE_CHECKING:
    from simmail.mailstore.folder.folder import Folder
    from simmail.mailstore.mailstore import MailStore

#: Files that get their UIDs at once, and slices of them that the writer is asked for at once.
_SLICE, _AHEAD = 100, 2
#: Files that are put in order at once: of a hundred thousand others would wait for 50 ms.
_SORTED = 5000
#: Of so many files what FETCH shows is looked at before it is asked for.
_MANY = 500
#: With so many still to be looked at the writer looks at the next ones: enough that nobody waits for the other.
_BEHIND = 4 * _SLICE
#: Messages that the writer has looked at and the thread of the index has not kept yet, at most: they are in memory.
_MOST_KEPT = 20 * _SLICE
#: Slices that the thread of the index is asked for at once, so that it need not wait for the reactor.
_AT_ONCE = 2


class Strays:
    """Those of one store."""

    def __init__(self, store: MailStore) -> None:
        self._store = store
        self._unseen: deque[tuple[Folder, Sequence[int]]] = deque()
        #: Messages in there, and those that the writer may still answer with.
        self._behind = 0
        #: Those that the writer has looked at, until the index has them.
        self._kept = 0
        self._looking = 0
        store.writer.send(PrepareToLook())

    def stop(self) -> None:
        """No more is looked at."""
        self._unseen.clear()

    async def take(self, mailbox: str, name: str, strays: Sequence[str]) -> bool:
        """
        Give UIDs to files, in the order of their names; what is in C{new/} of an INBOX was delivered.

        @return: whether some have to be tried again.
        """
        store, many = self._store, len(strays) >= _MANY
        ordered = await in_order(strays, store.reactor)
        asked: deque[tuple[Deferred[Adopted], int]] = deque()
        error: Refusal | None = None
        failed, begin = False, 0
        while asked or (begin < len(strays) and error is None):
            # The next are on their way while those before become known here.
            while begin < len(strays) and error is None and len(asked) < _AHEAD:
                some = list(islice(ordered, _SLICE))
                begin += _SLICE
                wanted = many and store.catalogue.loaded((mailbox, name)) is not None
                theirs = wanted and self._behind >= _BEHIND and self._kept < _MOST_KEPT
                ours = len(some) if wanted and not theirs else 0
                self._behind += ours
                asked.append((store.writer.call(Adopt(
                    store.at, mailbox, name, packed(some), theirs and store.shown is not None, store.most)), ours))
            answer, ours = asked.popleft()
            try:
                adopted = await answer
            except Refusal as refusal:
                error = error or refusal
                continue
            finally:
                self._behind -= ours
            store.adopted(mailbox, name, adopted)
            failed = failed or adopted.failed
            folder = store.catalogue.loaded((mailbox, name))
            if many and folder is not None:
                self._came(folder, adopted)
        if error is not None and not isinstance(error, NotFound):
            raise error
        return failed and error is None

    def _came(self, folder: Folder, adopted: Adopted) -> None:
        """What FETCH shows of messages is known, or is to be looked at."""
        uids: Sequence[int] = adopted.uids
        if adopted.shown:
            self._store.later(Deferred.fromCoroutine(self._keep(folder, list(adopted.shown.items()))))
            uids = [uid for uid in uids if uid not in adopted.shown]
        if uids:
            self._unseen.append((folder, uids))
            self._behind += len(uids)
            if self._looking < _AT_ONCE:
                self._looking += 1
                self._store.later(Deferred.fromCoroutine(self._look()))

    async def _keep(self, folder: Folder, rows: list[tuple[int, tuple[bytes, bytes]]]) -> None:
        self._kept += len(rows)
        try:
            await keep(folder, self._store, rows)
        finally:
            self._kept -= len(rows)

    async def _look(self) -> None:
        try:
            while self._unseen:
                folder, uids = self._unseen.popleft()
                try:
                    await glance(folder, self._store, folder.there(uids))
                finally:
                    self._behind -= len(uids)
        except Refusal:
            # They are looked at when they are asked for.
            self._behind -= sum(len(uids) for _, uids in self._unseen)
            self._unseen.clear()
        finally:
            self._looking -= 1


async def in_order(strays: Sequence[str], reactor: Any) -> Iterator[str]:
    """
    Files in the order of their names, whether in C{new/} or in C{cur/}; while many are sorted others have their turns.

    @param reactor: an C{IReactorTime}.
    """
    pieces = []
    for begin in range(0, len(strays), _SORTED):
        if begin:
            await deferLater(reactor, 0)
        pieces.append(sorted(strays[begin:begin + _SORTED], key=_name))
    return merge(*pieces, key=_name)


def _name(stray: str) -> str:
    return stray.partition("/")[2]
