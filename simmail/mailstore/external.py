"""
Files that another program put into folders are taken in: they get UIDs, are known here, and are told.

Of many, what FETCH shows is looked at meanwhile, so that it is known to
whoever then looks into the folder: by the thread of the index, and when that
has fallen behind by the writer, which has just read them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from simmail.core.records.delivery import Copy
from simmail.errors import NotFound, Refusal
from simmail.mailstore.delivery.external import Adopted, foreign_copy
from simmail.mailstore.folder.context import FolderContext
from simmail.mailstore.folder.folder import Folder
from simmail.mailstore.folder_cache import FolderCache
from simmail.mailstore.journal.journal import Journal
from simmail.mailstore.maildir.filename import packed
from simmail.mailstore.writer.requests import Adopt, PrepareToLook

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


class ExternalFiles:
    """
    Those of one store.

    @param adopted: called with a mailbox, a folder and what became of some files in it.
    @param most: octets that a message may have to be shown whole.
    """

    def __init__(
        self, context: FolderContext, cache: FolderCache, adopted: Callable[[str, str, Adopted], None], most: int
    ) -> None:
        self._context, self._cache, self._adopted, self._most = context, cache, adopted, most
        self._unseen: deque[tuple[Folder, Sequence[int]]] = deque()
        #: Messages in there, and those that the writer may still answer with.
        self._behind = 0
        #: Those that the writer has looked at, until the index has them.
        self._kept = 0
        self._looking = 0
        context.writer.send(PrepareToLook())

    def stop(self) -> None:
        """No more is looked at."""
        self._unseen.clear()

    async def take(self, mailbox: str, name: str, strays: Sequence[str]) -> bool:
        """
        Give UIDs to files, in the order of their names; what is in C{new/} of an INBOX was delivered.

        @return: whether some have to be tried again.
        """
        context, many = self._context, len(strays) >= _MANY
        ordered = await in_order(strays, context.reactor)
        asked: deque[tuple[Deferred[Adopted], int]] = deque()
        error: Refusal | None = None
        failed, begin = False, 0
        while asked or (begin < len(strays) and error is None):
            # The next are on their way while those before become known here.
            while begin < len(strays) and error is None and len(asked) < _AHEAD:
                some = list(islice(ordered, _SLICE))
                begin += _SLICE
                wanted = many and self._cache.loaded((mailbox, name)) is not None
                theirs = wanted and self._behind >= _BEHIND and self._kept < _MOST_KEPT
                ours = len(some) if wanted and not theirs else 0
                self._behind += ours
                asked.append((context.writer.call(Adopt(
                    context.at, mailbox, name, packed(some), theirs and context.index.readers.shown is not None,
                    self._most)), ours))
            answer, ours = asked.popleft()
            try:
                adopted = await answer
            except Refusal as refusal:
                error = error or refusal
                continue
            finally:
                self._behind -= ours
            self._adopted(mailbox, name, adopted)
            failed = failed or adopted.failed
            folder = self._cache.loaded((mailbox, name))
            if many and folder is not None:
                self._arrived(folder, adopted)
        if error is not None and not isinstance(error, NotFound):
            raise error
        return failed and error is None

    def _arrived(self, folder: Folder, adopted: Adopted) -> None:
        """What FETCH shows of messages is known, or is to be looked at."""
        uids: Sequence[int] = adopted.uids
        if adopted.shown:
            self._context.keeper.later(Deferred.fromCoroutine(self._keep(folder, list(adopted.shown.items()))))
            uids = [uid for uid in uids if uid not in adopted.shown]
        if uids:
            self._unseen.append((folder, uids))
            self._behind += len(uids)
            if self._looking < _AT_ONCE:
                self._looking += 1
                self._context.keeper.later(Deferred.fromCoroutine(self._look()))

    async def _keep(self, folder: Folder, rows: list[tuple[int, tuple[bytes, bytes]]]) -> None:
        self._kept += len(rows)
        try:
            await self._context.index.keep_envelopes(folder, rows)
        finally:
            self._kept -= len(rows)

    async def _look(self) -> None:
        try:
            while self._unseen:
                folder, uids = self._unseen.popleft()
                try:
                    await self._context.index.take_envelopes(folder, folder.there(uids))
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


#: Called with the id under which a message is owed a commit, and where it is.
OnForeign = Callable[[str, Copy], None]


class Arrivals:
    """
    Who is told of mail that other programs delivered: each once, until what follows from it is committed.

    @param cache: the folders they come into; committed: called with ids of messages of which nothing is to be told.
    """

    def __init__(
        self, universe: str, journal: Journal, cache: FolderCache, committed: Callable[[Iterable[str]], None]
    ) -> None:
        self._universe, self._journal, self._cache, self._committed = (
            universe, journal, cache, committed)
        self._on_foreign: OnForeign | None = None
        self._told: set[str] = set()

    async def begin(self, on_foreign: OnForeign) -> None:
        """Tell of what is owed from before, and of what comes from now on."""
        # Asked for first: what is adopted from here on is told as it comes.
        asked = self._journal.foreign(self._universe)
        self._on_foreign = on_foreign
        for one in await asked:
            copy = foreign_copy(one)
            try:
                folder = await self._cache.load((copy.mailbox, copy.folder))
            except NotFound:
                self._committed([one])
                continue
            if folder.uidvalidity == copy.uidvalidity and folder.entry(copy.uid) is not None:
                self.tell(one, copy)
            else:
                # It did not come so far, or was moved or removed since.
                self._committed([one])

    def tell(self, foreign: str, copy: Copy) -> None:
        """A message was delivered by another program."""
        if self._on_foreign is not None and foreign not in self._told:
            self._told.add(foreign)
            self._on_foreign(foreign, copy)

    def settled(self, ids: Iterable[str]) -> None:
        """Nothing is owed any more for these."""
        if self._told:
            self._told.difference_update(ids)
