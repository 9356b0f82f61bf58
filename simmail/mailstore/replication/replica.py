"""
Where the mail of a universe is kept besides the disk, as its store sees that.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from twisted.internet.defer import Deferred
from zope.interface import implementer

from simmail.concurrency import as_deferred
from simmail.interfaces import IHeld
from simmail.mailstore.delivery.request import StoreId
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.replication.changes import BodiesDropped, BodiesHeld, CommitsSettled, UniverseErased
from simmail.mailstore.replication.log import ReplicaLog
from simmail.mailstore.replication.writer import ReplicatedWriter
from simmail.mailstore.threads import IWorker
from simmail.mailstore.writer.requests import IWriter


class IReplica(Protocol):
    """That of one universe."""

    def writer(self, writer: IWriter, at: StoreId, layout: Layout, reader: IWorker) -> IWriter:
        """Return the writer that answers nothing before it is there."""

    def bodies(self, bodies: IHeld) -> IHeld:
        """Return the same of what is kept for jobs."""

    def settled(self, ids: Sequence[str] | None) -> None:
        """Note that commits are made; None: there is no mail any more, and nothing is owed."""

    def close(self) -> Awaitable[None]:
        """Put all that is still to be put; the store is closed."""


@implementer(IHeld)
class ReplicatedBodies:
    """What is kept for jobs; C{bodies}: the same on disk (C{IHeld})."""

    def __init__(self, bodies: IHeld, log: ReplicaLog) -> None:
        self._bodies, self._log = bodies, log

    @as_deferred
    async def keep(self, keys: Sequence[str], octets: bytes) -> None:
        self._log.check()
        place = self._log.reserve()
        try:
            await self._bodies.keep(keys, octets)
            contents = await self._log.name([octets])
            place.fill([BodiesHeld(tuple(keys), contents[0][0])], contents)
        except BaseException:
            place.abandon()
            raise
        await place.done

    @as_deferred
    async def drop(self, keys: Sequence[str]) -> None:
        place = self._log.reserve(False)
        try:
            await self._bodies.drop(keys)
            place.fill([BodiesDropped(tuple(keys))])
        except BaseException:
            place.abandon()
            raise

    def read(self, key: str) -> Deferred[bytes]:
        found: Deferred[bytes] = self._bodies.read(key)
        return found

    def keys(self) -> Deferred[list[str]]:
        found: Deferred[list[str]] = self._bodies.keys()
        return found


class Replica:
    """
    One in a store of objects.

    @param closed: called with the log when the store is closed.
    """

    def __init__(self, log: ReplicaLog, closed: Callable[[str, ReplicaLog], Awaitable[None]]) -> None:
        self._log, self._closed = log, closed

    def writer(self, writer: IWriter, at: StoreId, layout: Layout, reader: IWorker) -> IWriter:
        """Return the writer that answers nothing before it is there."""
        return ReplicatedWriter(writer, self._log, at, layout, reader)

    def bodies(self, bodies: IHeld) -> IHeld:
        """Return the same of what is kept for jobs."""
        return ReplicatedBodies(bodies, self._log)

    def settled(self, ids: Sequence[str] | None) -> None:
        """Note that commits are made; None: there is no mail any more, and nothing is owed."""
        self._log.note([UniverseErased() if ids is None else CommitsSettled(list(ids))])

    def close(self) -> Awaitable[None]:
        """Put all that is still to be put; the store is closed."""
        return self._closed(self._log.universe, self._log)
