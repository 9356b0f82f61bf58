"""
What was accepted and is not yet both synced in the Maildir and committed.

One journal serves all universes of a process, with one writer, in a process of
its own: what it does takes nothing of the reactor's time.  Everything that
waits is appended and synced at once (group commit); only then is it made
visible.  Who looks waits for what was promised and is about to become visible.
The writer's side of it is L{groupcommit}.
Source: decisions, section 20.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from msgspec import Struct
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.concurrency import Reached
from simmail.core.records.delivery import Delivery
from simmail.errors import Unavailable
from simmail.mailstore.delivery.maildir_delivery import DeliveryResult
from simmail.mailstore.delivery.request import Into, StoreId
from simmail.mailstore.journal.records import Id
from simmail.mailstore.journal.sync import Condition, Disks, Hands, NotSynced, sync_directory
from simmail.mailstore.journal.uncommitted import Owing, Replayed
from simmail.mailstore.maildir.filename import unpacked
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.threads import IWorker, Inline, Worker
from simmail.mailstore.writer.client import Writer, InlineWriter
from simmail.mailstore.writer.requests import (
    Attach, Begin, Doubt, EraseUniverse, FindUncommitted, IWriter, IsReady, KeepUniverses, ListForeign,
    ListUnsettled, NoteCommitted, Recheck, Refuse, Replay, Shut, Touch, Looks, core_looks,
)

#: Octets of a segment, after which the next one is begun.
SEGMENT = 16 * 1024 * 1024
#: Real seconds that a settled id may wait to be written down, and how many may wait.
_LAZY, _MOST_COMMITTED = 1.0, 64
#: Real seconds after which a disk that is in doubt is looked at again.
_LOOK = 1.0
#: Real seconds after which a message that the disk refused is filed again, at first and at most.
_AGAIN, _LONGEST_PAUSE = 1.0, 32.0


class Visibility:
    """
    What was promised in one store; it becomes visible in the same order.

    @param reactor: C{IReactorTime}.
    @ivar promised: how many were; visible: how many are, or never will be while we run.
    """

    def __init__(self, reactor: IReactorTime) -> None:
        self.promised, self.visible = 0, Reached(reactor)

    def promise(self, durable: Callable[[], None]) -> WhenDurable:
        """One delivery that may be promised."""
        return WhenDurable(self, durable)

    def clear(self) -> Deferred[None] | None:
        """Deferred that fires when all that was promised so far is visible; None: it is."""
        return None if self.visible.count == self.promised else self.visible.wait(self.promised)


class WhenDurable(Struct, eq=False):
    """Called when a delivery is durable."""

    visibility: Visibility
    durable: Callable[[], None]
    made: bool = False

    def __call__(self) -> None:
        self.made = True
        self.visibility.promised += 1
        self.durable()

    def over(self, result: Any) -> Any:
        """Its outcome is known; it is handed on."""
        if self.made:
            self.visibility.visible.reach(self.visibility.visible.count + 1)
        return result


class Journal:
    """
    The journal in one directory.

    @param reactor: of the process (C{IReactorFromThreads}, C{IReactorTime}, C{IReactorFDSet}).
    @param apart: False does everything at once in the calling thread, for tests; looks: how it looks at messages then.
    @ivar writer: alone changes Maildirs.
    @ivar reader, indexer: the threads that stores share.
    @ivar condition: what is wrong with the journal and the disks.
    """

    log = Logger()

    def __init__(
        self, path: str, reactor: Any, apart: bool = True, segment: int = SEGMENT,
        looks: Callable[[], Looks] = core_looks,
    ) -> None:
        self.writer: IWriter
        self.reader: IWorker
        self.indexer: IWorker
        self._syncer: IWorker
        self._reactor = reactor
        self._closing = False
        self._committed: list[Id] = []
        self._lazy: Any = None
        self._looking: Any = None
        # What was promised and could not be made visible yet, which no death of a writer takes back; whether the disk
        # has refused it.
        self._late: dict[Id, bool] = {}
        self._resting: dict[Deferred[None], tuple[str, Any]] = {}
        self._erased: Counter[str] = Counter()
        self._disks = Disks()
        self._unsynced = False
        self._touched = -_LOOK
        self.condition = Condition()
        self._begun: dict[str, tuple[StoreId, Callable[[], None]]] = {}
        # Those of universes whose mail is elsewhere too before anything is answered.
        self._replicated: dict[str, IWriter] = {}
        # Those that a writer in this process works with too.
        self._layouts: dict[StoreId, Layout] = {}
        if apart:
            self.writer = Writer(reactor, os.path.abspath(path), segment, self._again, self._told)
            self.reader = Worker(reactor, "mail reader")
            self.indexer = Worker(reactor, "mail index")
            self._syncer = Worker(reactor, "mail syncer")
        else:
            self.reader, self.indexer, self._syncer = Inline(), Inline(), Inline()
            hands = Hands(reactor.seconds, self._syncer.send, self._syncer.send, lambda: self._sync_disks())
            self.writer = InlineWriter(path, segment, self._disks, hands, self._told, self._layouts.__getitem__, looks)

    def _again(self, refused: Sequence[Id]) -> None:
        """The writer had died and there is another one."""
        self.condition = Condition()
        for path in self._disks.paths:
            self.writer.send(Attach(path))
        untold = [key for key in refused if key not in self._late]
        if untold:
            self.writer.send(Refuse(untold))
        for at, again in list(self._begun.values()):
            self.writer.send(Begin(at))
            again()
        if not self.late:
            # Who looks waits for what only the death of a writer holds up.
            for one, (_, call) in list(self._resting.items()):
                call.cancel()
                self._rested(one)

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
            self.writer.send(Recheck())
            self._look_soon()

    def doubt(self, error: OSError) -> None:
        """A disk that holds mail may have lost what was written."""
        self.writer.send(Doubt(error.errno or 0, error.strerror or str(error)))

    @property
    def ready(self) -> Deferred[None]:
        """
        Deferred: the journal of an earlier process has been read.

        Fails with Unavailable when it cannot be, or another process uses it.
        """
        return self.writer.call(IsReady())

    # What stores ask

    def attach(self, path: str) -> None:
        """A disk that holds mail: it is synced before segments are dropped."""
        self._disks.attach(path)
        self.writer.send(Attach(path))

    def begin(self, at: StoreId, layout: Layout, again: Callable[[], None]) -> Deferred[list[str]]:
        """
        Deferred of what a crash left to be cleared away: a universe's mail is about to be used.

        @param again: called when there is another writer, who has still to be asked what is owed.
        """
        self._begun[at.universe] = at, again
        if isinstance(self.writer, InlineWriter):
            self._layouts[at] = layout
        layout.doubted = lambda error: self._reactor.callFromThread(self.doubt, error)
        return self.writer.call(Begin(at)).addCallbacks(unpacked, self._not_begun, errbackArgs=(at.universe,))

    def _not_begun(self, failure: Failure, universe: str) -> list[str]:
        self.log.error("the mail of {universe} is as a crash left it: {error}", universe=universe, error=failure.value)
        return []

    def replicate(self, universe: str, writer: IWriter) -> None:
        """All that is asked for a universe is done by a writer that answers later than ours; until its L{end}."""
        self._replicated[universe] = writer

    def end(self, universe: str) -> None:
        """A universe's mail is used no more."""
        self._begun.pop(universe, None)
        self._replicated.pop(universe, None)

    def accept(
        self, delivery: Delivery, into: Into, durable: Callable[[], None] | None = None
    ) -> Deferred[DeliveryResult]:
        """
        Deferred of what became of a delivery, once it is durable.

        Of a delivery that is still owed: what it answered before.
        Fails with Unavailable, and it is as if it had never been asked.

        @param durable: may be called before that; from then on it is filed as often as the disk wants to be asked,
            and fails only because the journal is closed, which has it for the next start.
        """
        if len(self._committed) >= _MOST_COMMITTED:
            self.note_committed()
        self._write_soon()
        if self._replicated and delivery.universe in self._replicated:
            # It is promised when it is answered.
            return self._replicated[delivery.universe].file(delivery, into)
        # With the disk in trouble nothing more is promised.
        if durable is None or self._late:
            return self.writer.file(delivery, into)
        return self._promised(delivery, into, durable)

    def _promised(self, delivery: Delivery, into: Into, durable: Callable[[], None]) -> Deferred[DeliveryResult]:
        promised, erased = False, self._erased[delivery.universe]

        def told() -> None:
            nonlocal promised
            promised = True
            durable()

        def not_filed(failure: Failure) -> Any:
            if not promised:
                return failure
            self.log.error("a message that was taken is not visible yet: {error}", error=failure.value)
            return Deferred.fromCoroutine(self._once_more(delivery, into, erased))

        return self.writer.file(delivery, into, told).addErrback(not_filed)

    async def _once_more(self, delivery: Delivery, into: Into, erased: int) -> DeliveryResult:
        pause, key = _AGAIN, Id(delivery.universe, delivery.id)
        self._late[key] = self.writer.alive
        try:
            while True:
                # It would be filed into another universe of that name, or into the ruins of its own.
                if self._erased[delivery.universe] == erased:
                    await self._rest(delivery.universe, pause)
                if self._erased[delivery.universe] != erased:
                    raise Unavailable("its universe was erased")
                pause = min(2 * pause, _LONGEST_PAUSE)
                try:
                    return await self.writer.file(delivery, into)
                except Exception as error:
                    self._late[key] |= self.writer.alive
                    self.log.error("a message that was taken is not visible yet: {error}", error=error)
        finally:
            del self._late[key]

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
        """Whether the disk refused anything that was promised; what a dead writer left is visible in a moment."""
        return any(self._late.values())

    def committed(self, universe: str, ids: Iterable[str]) -> None:
        """The commits of these deliveries are made."""
        self._committed += [Id(universe, one) for one in ids]
        self._write_soon()

    def _write_soon(self) -> None:
        if self._lazy is None and not self._closing:
            self._lazy = self._reactor.callLater(_LAZY, self._write_lazily)

    def look(self) -> None:
        """See whether mail is where it was and may be written; what is wrong is told by C{condition}."""
        try:
            self._disks.check()
        except NotSynced as error:
            if not self.condition.doubt:
                self.doubt(error)

    def touch(self) -> None:
        """
        Ask whether the disk takes anything, which it may not though it says nothing and nobody sends mail; C{condition}
        tells it a moment later.  Asked again within a second nothing is done.
        """
        now = self._reactor.seconds()
        if now - self._touched >= _LOOK and not self.condition.doubt:
            self._touched = now
            self.writer.send(Touch())

    def present(self) -> None:
        """@raise NotSynced: the folders with mail are not where they were, or may not be written into."""
        self._disks.check()

    def _write_lazily(self) -> None:
        self._lazy = None
        self.look()
        # Even when nothing is settled there may be something to be noted.
        self.note_committed()

    def note_committed(self) -> None:
        """Let the writer know now of all commits that were made."""
        committed, self._committed = self._committed, []
        self.writer.send(NoteCommitted(committed))

    def changed(self) -> None:
        """The writer has noted that messages left a folder; before long that is durable."""
        self._write_soon()

    def uncommitted(self, at: StoreId) -> Deferred[Owing]:
        """
        Deferred of what is owed a commit, and of what was filed again just now: what nobody waits for, and what
        the disk had lost.
        """
        self.note_committed()
        return self._writer_of(at).call(FindUncommitted(at))

    def _writer_of(self, at: StoreId) -> IWriter:
        return self._replicated.get(at.universe, self.writer)

    def replay(self, at: StoreId, known: Collection[str], among: Collection[str] | None = None) -> Deferred[Replayed]:
        """Deferred of what became of the deliveries that are owed; C{among}: only of these."""
        return self._writer_of(at).call(Replay(at, frozenset(known), frozenset(among) if among is not None else None))

    def foreign(self, universe: str) -> Deferred[list[str]]:
        """Deferred of the ids of what other programs delivered and is owed a commit, in order."""
        self.note_committed()
        return self.writer.call(ListForeign(universe))

    def unsettled(self, universe: str) -> Deferred[list[str]]:
        """Deferred of the ids that are owed a commit; that no others are is durable."""
        self.note_committed()
        return self.writer.call(ListUnsettled(universe))

    def erase(self, universe: str) -> Deferred[None]:
        """Deferred: nothing is owed for a universe, and nothing more is filed for it."""
        self._erased[universe] += 1
        for one, (whose, call) in list(self._resting.items()):
            if whose == universe:
                call.cancel()
                self._rested(one)
        return self.writer.call(EraseUniverse(universe))

    def keep(self, universes: Collection[str]) -> Deferred[None]:
        """Deferred: nothing is owed for any other universe (what was erased when a crash came)."""
        return self.writer.call(KeepUniverses(frozenset(universes)))

    def sync(self) -> Deferred[None]:
        """Deferred: all mail that is visible now is on disk, if the disk can do that; else the journal is kept."""
        return self._syncer.call(self._sync_disks).addErrback(self._not_synced)

    def surely_sync(self, names: str = "") -> Deferred[None]:
        """
        Deferred: all that was written is on disk.  Fails with Unavailable: perhaps it is not.

        @param names: a directory of which only the names are meant.
        """
        done = self._syncer.call(sync_directory, names) if names else self._syncer.call(self._sync_disks)
        return done.addErrback(self._not_surely)

    def _not_surely(self, failure: Failure) -> Failure:
        self._not_synced(failure)
        return failure

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
            self.note_committed()
            try:
                await self.writer.call(Shut(not self._unsynced))
            except Unavailable:
                # It has died; the next one finds what is to be done.
                pass
            for worker in (self.writer, self.reader, self.indexer, self._syncer):
                await worker.stop()
            self._disks.close()
        return Deferred.fromCoroutine(closing())
