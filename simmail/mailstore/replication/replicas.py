"""
The replicas of one server: what the real L{IReplicas} is.

Source: decisions, section 20.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import partial
from secrets import token_hex
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger
from zope.interface import implementer

from simmail.concurrency import as_deferred
from simmail.errors import Invalid, NotFound, Unavailable
from simmail.interfaces import IMailImages, IObjectStore, IReplicas
from simmail.mailstore.journal.segment import boot_id
from simmail.mailstore.journal.sync import sync_disk_of
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.replication.compaction import Compaction
from simmail.mailstore.replication.differences import differences
from simmail.mailstore.replication.log import ReplicaLog
from simmail.mailstore.replication.marker import NEWEST, ReplicaMarker, read_marker, write_marker
from simmail.mailstore.replication.objects import LogObject, name_of
from simmail.mailstore.replication.opening import InThread, OpenedEpoch, begin, fetched, listed
from simmail.mailstore.replication.replica import Replica
from simmail.mailstore.replication.restoring import Restoration
from simmail.mailstore.replication.snapshots import StoredImages
from simmail.mailstore.replication.standby import HadBeforehand, Standby
from simmail.mailstore.threads import outcome

_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
#: Real seconds that an end in order waits for what is not in the store yet.
_PATIENCE = 5.0
#: Real seconds after which what was restored is written to the disk: those who were cut off come back first.
SETTLED = 30.0


@implementer(IReplicas)
class Replicas:
    """
    Those of one server.

    @param objects: an C{IObjectStore}; reactor: C{IReactorTime}; in_thread: runs a function in a thread.
    @param root: of the mail of all universes; images: of that.
    @param boot: tells a boot of the machine from others; standby: what others have is had beforehand.
    """

    log = Logger()

    def __init__(
        self, objects: IObjectStore, reactor: Any, in_thread: InThread, root: str, images: IMailImages,
        boot: Callable[[], str] = boot_id, standby: bool = False,
    ) -> None:
        self._objects, self._reactor = objects, reactor
        self._in_thread: InThread = partial(in_thread, outcome)
        self._root, self._images, self._boot = root, images, boot
        self._logs: dict[str, ReplicaLog] = {}
        # When those are written to the disk that were restored and may not be there yet; None: they may never be.
        self._settling: dict[str, IDelayedCall | None] = {}
        # Where boots cannot be told apart each process has its own.
        self._standby = Standby(objects, reactor, self._in_thread, root, boot() or token_hex(8)) if standby else None
        self._snapshots = StoredImages(objects, self._in_thread, root)

    @property
    def trouble(self) -> str:
        """Why mail cannot be put there now."""
        return next((one.away for one in self._logs.values() if one.away), "")

    @property
    def waiting(self) -> int:
        """How much of what was done is not in the store yet."""
        return sum(one.waiting for one in self._logs.values())

    def figures(self) -> str:
        """Return how much is not in the store yet, in Prometheus's exposition format."""
        return ("# HELP simmail_replication_waiting Changes of mail that are not in the object store yet.\n"
                f"# TYPE simmail_replication_waiting gauge\nsimmail_replication_waiting {self.waiting}")

    def find(self, universe: str) -> Replica | None:
        """Return the replica of a universe that was prepared, None for any other."""
        log = self._logs.get(universe)
        return Replica(log, self._closed) if log is not None else None

    @as_deferred
    async def prepare(self, universe: str, lost: Callable[[], object] = lambda: None) -> None:
        if not _ID.fullmatch(universe):
            raise Invalid("id", "cannot be that of a replicated universe")
        before = self._logs.pop(universe, None)
        if before is not None:
            before.close()
        settling = self._settling.pop(universe, None)
        if settling is not None and settling.active():
            settling.cancel()
        had = await self._standby.take(universe) if self._standby is not None else HadBeforehand()
        try:
            await self._prepare(universe, lost, had)
        finally:
            if self._standby is not None:
                await self._standby.release(universe, had)

    async def _prepare(self, universe: str, lost: Callable[[], object], had: HadBeforehand) -> None:
        nonce = token_hex(8)
        opened = await begin(self._objects, universe, self._in_thread, nonce, had.heads)
        boot = self._boot()
        marker = await self._in_thread(read_marker, self._root, universe)
        holds = not opened.before or marker is not None and marker.holds(opened.before, boot)
        if not holds:
            await self._restore(universe, opened, had)
        await self._in_thread(write_marker, self._root, universe, ReplicaMarker(opened.epoch, boot))
        log = ReplicaLog(
            self._objects, self._reactor, universe, opened.epoch, opened.state, nonce, self._in_thread, lost)
        if holds:
            await self._catch_up(log)
        elif not boot:
            # Nobody could tell that it has to be made once more.
            await self._in_thread(sync_disk_of, self._root)
        else:
            self._settling[universe] = self._reactor.callLater(SETTLED, self._settle, universe)
        Compaction(self._objects, log, self._in_thread)
        self._logs[universe] = log

    async def _restore(self, universe: str, opened: OpenedEpoch, had: HadBeforehand) -> None:
        self.log.info("the mail of {universe} comes from the object store: {messages} messages", universe=universe,
                      messages=sum(len(folder.messages) for _, folder in opened.state.folders()))
        # What is here is older, and the journal's of it.
        await self._images.erase(universe)
        restoration = Restoration(self._root, universe, opened.state, had.bodies, had.draft)
        wanted = [LogObject(*one) for one in await self._in_thread(restoration.begin)]
        here = [(one, opened.read[one]) for one in wanted if one in opened.read]
        await self._in_thread(restoration.fill, here)
        try:
            async for read in fetched(self._objects, universe, [one for one in wanted if one not in opened.read]):
                await self._in_thread(restoration.fill, read)
        except NotFound as error:
            raise Unavailable(f"the mail of {universe} is not whole: {error}") from None
        await self._in_thread(restoration.finish)

    def _settle(self, universe: str) -> None:
        Deferred.fromCoroutine(self._settled(universe)).addErrback(
            lambda failure: self.log.failure("the mail of {universe} may not be on the disk", failure,
                                             universe=universe))

    async def _settled(self, universe: str) -> bool:
        """Have what was restored, if it was, on the disk; False: it may not be, and is restored when it is opened."""
        if universe not in self._settling:
            return True
        call = self._settling[universe]
        if call is None:
            return False
        if call.active():
            call.cancel()
        try:
            await self._in_thread(sync_disk_of, self._root)
        except Unavailable as error:
            self.log.error("the mail of {universe} may not be on the disk: {error}", universe=universe, error=error)
            self._settling[universe] = None
            await self._in_thread(write_marker, self._root, universe, ReplicaMarker(0))
            return False
        self._settling.pop(universe, None)
        return True

    async def _catch_up(self, log: ReplicaLog) -> None:
        """What is on this disk and not in the store: nobody was told of it, or it is a copy of other mail."""
        layout = await self._in_thread(Layout, self._root, log.universe, lambda: 0.0)
        try:
            found: Iterator[Any] = differences(layout, log.state)
            while (some := await self._in_thread(next, found, None)) is not None:
                changes, octets = some
                await log.append(changes, await log.name(octets))
        finally:
            layout.close()

    async def _closed(self, universe: str, log: ReplicaLog) -> None:
        """A universe's store is closed; the mail here is whole."""
        await log.flushed().addTimeout(_PATIENCE, self._reactor, lambda *_: None)
        whole = not log.waiting
        log.close()
        if self._logs.get(universe) is log:
            del self._logs[universe]
            if await self._settled(universe) and whole:
                await self._in_thread(write_marker, self._root, universe, ReplicaMarker(log.epoch))

    def stand_by(self, universes: Collection[str], expected: Collection[str] = ()) -> None:
        if self._standby is not None:
            self._standby.want(universes, expected)

    def stop(self) -> None:
        if self._standby is not None:
            self._standby.stop()

    @as_deferred
    async def lay_aside(self, universe: str) -> None:
        if self._standby is not None:
            await self._standby.lay_aside(universe)
        await self._images.erase(universe)

    @as_deferred
    async def replaced(self, universe: str) -> None:
        await self._in_thread(write_marker, self._root, universe, ReplicaMarker(NEWEST))

    @as_deferred
    async def keep(self, image: str) -> None:
        await self._snapshots.keep(image)

    @as_deferred
    async def fetch(self, image: str) -> None:
        self.log.info("the mail of the snapshot {image} comes from the object store", image=image)
        await self._images.erase(image)
        await self._snapshots.fetch(image)

    @as_deferred
    async def erase(self, universe: str) -> None:
        if not _ID.fullmatch(universe):
            await self._snapshots.erase(universe)
            return
        for one in sorted(await listed(self._objects, universe)):
            await self._objects.delete(name_of(universe, one))
