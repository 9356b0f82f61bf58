"""
What was accepted and is not yet both synced in the Maildir and committed.

One journal serves all universes of a process, with one writer, in a process of
its own: what it does takes nothing of the reactor's time.  Everything that
waits is appended and synced at once (group commit); only then is it made
visible.  The writer's side of it is L{clerk}.
Source: decisions, section 20.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from twisted.internet.defer import Deferred, fail, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.core.records.delivery import Delivery
from simmail.errors import Unavailable
from simmail.mailstore.delivery.delivery import Filed, Filer
from simmail.mailstore.journal.condition import Condition
from simmail.mailstore.journal.disks import Disks
from simmail.mailstore.journal.groupcommit import Clerk, Entry, File
from simmail.mailstore.journal.segment import Id
from simmail.mailstore.journal.uncommitted import Owing, Recovery, Replayed
from simmail.mailstore.threads import IWorker, Inline, Worker
from simmail.mailstore.writer.client import Writer

#: Octets of a segment, after which the next one is begun.
SEGMENT = 16 * 1024 * 1024
#: Real seconds that a settled id may wait to be written down, and how many may wait.
_LAZY, _MOST_SETTLED = 1.0, 64
#: Real seconds after which a disk that is in doubt is looked at again.
_LOOK = 1.0
#: Real seconds after which a message that the disk refused is filed again, at first and at most.
_AGAIN, _LONGEST_PAUSE = 1.0, 32.0


class Journal:
    """
    The journal in one directory.

    @param reactor: of the process (C{IReactorFromThreads}, C{IReactorTime}, C{IReactorFDSet}).
    @param apart: False does everything at once in the calling thread, for tests.
    @ivar writer: alone changes Maildirs.  What it is asked to call, with what, and what that answers are pickled.
    @ivar reader, indexer: the threads that stores share.
    @ivar clerk: the writer's side; to be called by C{writer} only.
    @ivar condition: what is wrong with the journal and the disks.
    """

    log = Logger()

    def __init__(self, path: str, reactor: Any, apart: bool = True, segment: int = SEGMENT) -> None:
        self.writer: IWorker
        self.reader: IWorker
        self.indexer: IWorker
        self._syncer: IWorker
        self._reactor = reactor
        self._closing = False
        self._settled: list[Id] = []
        self._lazy: Any = None
        self._looking: Any = None
        self._late = 0
        self._resting: dict[Deferred[None], tuple[str, Any]] = {}
        self._erased: Counter[str] = Counter()
        self._disks = Disks()
        self._unsynced = False
        self.condition = Condition()
        self._begun: dict[str, tuple[Filer, Callable[[], None]]] = {}
        self.clerk = Clerk(
            path, segment, reactor, self._disks, lambda: self.writer, lambda: self._syncer,
            lambda: self._sync_disks(), tell=self._told)
        if apart:
            self.writer = writer = Writer(reactor, os.path.abspath(path), segment, self._again, self._told)
            self._file = writer.file
            self.reader = Worker(reactor, "mail reader")
            self.indexer = Worker(reactor, "mail index")
            self._syncer = Worker(reactor, "mail syncer")
        else:
            self.writer, self.reader, self.indexer = Inline(self.clerk.before, self.clerk.after), Inline(), Inline()
            self._file = self._file_here
            self._syncer = Inline()

    def _file_here(
        self, delivery: Delivery, file: File, durable: Callable[[], None] | None = None
    ) -> Deferred[Filed]:
        # It is visible as soon as it is durable.
        return self.writer.call(self.clerk.file, Entry(delivery, file))

    def _again(self, refused: Sequence[Id]) -> None:
        """The writer had died and there is another one."""
        self.condition = Condition()
        for path in self._disks.paths:
            self.writer.send(self.clerk.attach, path)
        if refused:
            self.writer.send(self.clerk.refuse, refused)
        for filer, again in list(self._begun.values()):
            self.writer.send(self.clerk.begin, filer)
            again()

    # Doubts

    def _told(self, condition: Condition) -> None:
        self.condition = condition
        if condition.doubt:
            self._look_soon()

    def _look_soon(self) -> None:
        if self._looking is None and not self._closing:
            self._looking = self._reactor.callLater(_LOOK, self._look)

    def _look(self) -> None:
        self._looking = None
        if self.condition.doubt:
            self.writer.send(self.clerk.recheck)
            self._look_soon()

    def doubt(self, error: OSError) -> None:
        """A disk that holds mail may have lost what was written."""
        self.writer.send(self.clerk.doubt, error)

    @property
    def ready(self) -> Deferred[None]:
        """
        Deferred: the journal of an earlier process has been read.

        Fails with Unavailable when it cannot be, or another process uses it.
        """
        return self.writer.call(self.clerk.ready)

    # What stores ask

    def attach(self, path: str) -> None:
        """A disk that holds mail: it is synced before segments are dropped."""
        self._disks.attach(path)
        self.writer.send(self.clerk.attach, path)

    def begin(self, filer: Filer, again: Callable[[], None]) -> Deferred[list[str]]:
        """
        Deferred of what a crash left to be cleared away: a universe's mail is about to be used.

        @param again: called when there is another writer, who has still to be asked what is owed.
        """
        universe = filer.layout.universe
        self._begun[universe] = filer, again
        filer.layout.doubted = lambda error: self._reactor.callFromThread(self.doubt, error)
        return self.writer.call(self.clerk.begin, filer).addErrback(self._not_begun, universe)

    def _not_begun(self, failure: Failure, universe: str) -> list[str]:
        self.log.error("the mail of {universe} is as a crash left it: {error}", universe=universe, error=failure.value)
        return []

    def end(self, universe: str) -> None:
        """A universe's mail is used no more."""
        self._begun.pop(universe, None)

    def accept(
        self, delivery: Delivery, file: File, durable: Callable[[], None] | None = None
    ) -> Deferred[Filed]:
        """
        Deferred of what C{file} answered the writer, once the delivery is durable.

        Of a delivery that is still owed: what it answered before.
        Fails with Unavailable, and it is as if it had never been asked.

        @param durable: may be called before that; from then on it is filed as often as the disk wants to be asked,
            and fails only because the journal is closed, which has it for the next start.
        """
        if len(self._settled) >= _MOST_SETTLED:
            self._write_settled()
        self._write_soon()
        # With the disk in trouble nothing more is promised.
        if durable is None or self._late:
            return self._file(delivery, file)
        return self._promised(delivery, file, durable)

    def _promised(self, delivery: Delivery, file: File, durable: Callable[[], None]) -> Deferred[Filed]:
        promised, erased = False, self._erased[delivery.universe]

        def told() -> None:
            nonlocal promised
            promised = True
            durable()

        def not_filed(failure: Failure) -> Any:
            if not promised:
                return failure
            self.log.error("a message that was taken is not visible yet: {error}", error=failure.value)
            return Deferred.fromCoroutine(self._once_more(delivery, file, erased))

        return self._file(delivery, file, told).addErrback(not_filed)

    async def _once_more(self, delivery: Delivery, file: File, erased: int) -> Filed:
        pause, self._late = _AGAIN, self._late + 1
        try:
            while True:
                # It would be filed into another universe of that name, or into the ruins of its own.
                if self._erased[delivery.universe] == erased:
                    await self._rest(delivery.universe, pause)
                if self._erased[delivery.universe] != erased:
                    raise Unavailable("its universe was erased")
                pause = min(2 * pause, _LONGEST_PAUSE)
                try:
                    return await self._file(delivery, file)
                except Exception as error:
                    self.log.error("a message that was taken is not visible yet: {error}", error=error)
        finally:
            self._late -= 1

    def _rest(self, universe: str, seconds: float) -> Deferred[None]:
        if self._closing:
            return fail(Unavailable("the journal is closed; it has what is to be filed at the next start"))
        resting: Deferred[None] = Deferred()
        self._resting[resting] = universe, self._reactor.callLater(seconds, self._rested, resting)
        return resting

    def _rested(self, resting: Deferred[None]) -> None:
        del self._resting[resting]
        resting.callback(None)

    @property
    def late(self) -> bool:
        """Whether anything that was promised could not be made visible."""
        return bool(self._late)

    def settle(self, universe: str, ids: Iterable[str]) -> None:
        """The commits of these deliveries are made."""
        self._settled += [Id(universe, one) for one in ids]
        self._write_soon()

    def _write_soon(self) -> None:
        if self._lazy is None and not self._closing:
            self._lazy = self._reactor.callLater(_LAZY, self._write_lazily)

    def _write_lazily(self) -> None:
        self._lazy = None
        # Even when nothing is settled there may be something to be noted.
        self._write_settled()

    def _write_settled(self) -> None:
        settled, self._settled = self._settled, []
        self.writer.send(self.clerk.settle, settled)

    def changed(self) -> None:
        """The writer has noted that messages left a folder; before long that is durable."""
        self._write_soon()

    def owed(self, universe: str, recovery: Recovery) -> Deferred[Owing]:
        """
        Deferred of what is owed a commit, and of what was filed again just now: what nobody waits for, and what
        the disk had lost.
        """
        self._write_settled()
        return self.writer.call(self.clerk.owed, universe, recovery)

    def replay(
        self, universe: str, known: Collection[str], recovery: Recovery, among: Collection[str] | None = None
    ) -> Deferred[Replayed]:
        """Deferred of what became of the deliveries that are owed; C{among}: only of these."""
        return self.writer.call(self.clerk.replay, universe, known, recovery, among)

    def foreign(self, universe: str) -> Deferred[list[str]]:
        """Deferred of the ids given to the clerk's C{owe} and not settled, in order."""
        self._write_settled()
        return self.writer.call(self.clerk.foreign, universe)

    def erase(self, universe: str) -> Deferred[None]:
        """Deferred: nothing is owed for a universe, and nothing more is filed for it."""
        self._erased[universe] += 1
        for one, (whose, call) in list(self._resting.items()):
            if whose == universe:
                call.cancel()
                self._rested(one)
        return self.writer.call(self.clerk.erase, universe)

    def keep(self, universes: Collection[str]) -> Deferred[None]:
        """Deferred: nothing is owed for any other universe (what was erased when a crash came)."""
        return self.writer.call(self.clerk.keep, frozenset(universes))

    def sync(self) -> Deferred[None]:
        """Deferred: all mail that is visible now is on disk, if the disk can do that; else the journal is kept."""
        return self._syncer.call(self._sync_disks).addErrback(self._not_synced)

    def _not_synced(self, failure: Failure) -> None:
        # It is told once: whoever syncs later hears nothing of it.
        self._unsynced = True
        self.log.error("the journal is kept, for the mail cannot be synced: {error}", error=failure.value)

    def _sync_disks(self) -> None:
        self._disks.sync()

    def close(self) -> Deferred[None]:
        """Deferred: all that was asked is done, on disk, and the threads and the writer have ended."""
        if self._closing:
            return succeed(None)
        self._closing = True
        if self._lazy is not None:
            self._lazy.cancel()
            self._lazy = None
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        resting, self._resting = self._resting, {}
        for one, (_, call) in resting.items():
            call.cancel()
            one.errback(Unavailable("the journal is closed; it has what is to be filed at the next start"))

        async def closing() -> None:
            await self.sync()
            self._write_settled()
            try:
                await self.writer.call(self.clerk.shut, not self._unsynced)
            except Unavailable:
                # It has died; the next one finds what is to be done.
                pass
            for worker in (self.writer, self.reader, self.indexer, self._syncer):
                await worker.stop()
            self._disks.close()
        return Deferred.fromCoroutine(closing())
