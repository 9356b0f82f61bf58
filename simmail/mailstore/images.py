"""
The mail of universes on disk, as a whole: what the real L{IMailImages} is.

All is done by the writer, so that nothing else is at the moment that counts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from time import monotonic

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from simmail.concurrency import as_deferred
from simmail.errors import Unavailable
from simmail.interfaces import IMailImages
from simmail.mailstore.delivery.request import StoreId
from simmail.mailstore.journal.journal import Journal
from simmail.mailstore.maildir.image import clearing, universes
from simmail.mailstore.maildir.names import mailbox_dir
from simmail.mailstore.writer.requests import DropImage, FindLeftovers, MakeImage, PrepareImage, PublishImage

#: Real seconds of the reader that clearing away takes at once.
_LONGEST = 0.005


@implementer(IMailImages)
class MailImages:
    """
    The mail of all universes below a directory.

    @param root: of all universes; journal: shared by all universes of the process; index: directory of the indexes.
    """

    log = Logger()

    def __init__(self, root: str, journal: Journal, index: str) -> None:
        self._root, self._journal, self._index = root, journal, index
        # What is being cleared away.
        self._clearing: set[str] = set()
        journal.attach(root)
        self._clear()

    def universes(self) -> Deferred[list[str]]:
        listed: Deferred[list[str]] = self._journal.reader.call(universes, self._root)
        return listed

    @as_deferred
    async def prepare(self, source: str, target: str) -> None:
        await self._prepare(source, target, False)

    async def _prepare(self, source: str, target: str, renewed: bool) -> None:
        while await self._journal.writer.call(PrepareImage(StoreId(self._root, source), target, renewed)):
            pass

    @as_deferred
    async def copy(
        self, source: str, target: str, renewed: bool = False, taken: Callable[[], object] | None = None
    ) -> None:
        at, condition = StoreId(self._root, source), self._journal.condition
        if condition.doubt:
            raise Unavailable(condition.told)
        try:
            await self._prepare(source, target, renewed)
            if self._journal.late:
                raise Unavailable("some mail that was taken has no file yet; try again")
            self._journal.note_committed()
            there = await self._journal.writer.call(MakeImage(at, target, renewed))
            if taken is not None:
                taken()
            if not there:
                await self._journal.surely_sync()
                await self._journal.writer.call(PublishImage(at, target))
            await self._journal.surely_sync(self._root)
        except BaseException:
            self._clear()
            raise

    @as_deferred
    async def erase(self, universe: str) -> None:
        await self._journal.erase(universe)
        await self._journal.writer.call(DropImage(StoreId(self._root, universe)))
        await self._journal.reader.call(_drop_index, f"{self._index}/{mailbox_dir(universe)}.sqlite")
        self._clear()

    # What is not needed any more

    def _clear(self) -> None:
        """Nobody waits for it; what is not done is done at the next start."""
        self._journal.writer.call(FindLeftovers(self._root)).addCallback(
            lambda paths: Deferred.fromCoroutine(self._clear_all(paths))).addErrback(self._not_now)

    async def _clear_all(self, paths: Sequence[str]) -> None:
        for path in paths:
            if path not in self._clearing:
                self._clearing.add(path)
                steps = clearing(path)
                # Others read meanwhile.
                while await self._journal.reader.call(_some_steps, steps):
                    pass
                self._clearing.discard(path)

    def _not_now(self, failure: Failure) -> None:
        failure.trap(Unavailable)


def _some_steps(steps: Iterator[None]) -> bool:
    """Take some; whether there may be more."""
    began = monotonic()
    for _ in steps:
        if monotonic() - began >= _LONGEST:
            return True
    return False


def _drop_index(path: str) -> None:
    for suffix in ("", "-wal", "-shm"):
        try:
            os.unlink(path + suffix)
        except FileNotFoundError:
            continue
