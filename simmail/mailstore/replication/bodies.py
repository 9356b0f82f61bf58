"""
What is kept for jobs in a universe whose mail is in a store of objects too.
"""

from __future__ import annotations

from collections.abc import Sequence

from twisted.internet.defer import Deferred
from zope.interface import implementer

from simmail.concurrency import as_deferred
from simmail.interfaces import IHeld
from simmail.mailstore.replication.changes import BodiesDropped, BodiesHeld, digest_of
from simmail.mailstore.replication.log import ReplicaLog


@implementer(IHeld)
class ReplicatedBodies:
    """C{bodies}: those on disk (C{IHeld})."""

    def __init__(self, bodies: IHeld, log: ReplicaLog) -> None:
        self._bodies, self._log = bodies, log

    @as_deferred
    async def keep(self, keys: Sequence[str], octets: bytes) -> None:
        self._log.check()
        place = self._log.reserve()
        try:
            await self._bodies.keep(keys, octets)
            place.fill([BodiesHeld(tuple(keys), digest_of(octets))], [octets])
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
