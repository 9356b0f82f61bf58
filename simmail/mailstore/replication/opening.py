"""
What a store of objects has of a universe, read and taken over by whoever opens it.

An epoch is sealed before the next one begins: the seal is where its next segment would be, and a segment is put only
where nothing is.  So whoever had the universe before, however long it stood still, finds the seal with its next
segment, and nothing that it answered before is missing from what was read here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import msgspec
from twisted.internet.defer import Deferred, DeferredList

from simmail.errors import NotFound, Unavailable
from simmail.mailstore.replication.objects import (
    LogObject, ReplicaSegment, SEAL, base, id_of, name_of, prefix_of, read_base, read_head,
    read_segment,
)
from simmail.mailstore.replication.state import ReplicaState

#: Attempts to read what somebody else is changing just now; objects that are read at once; octets of those that are
#: kept for who needs them once more.
_ATTEMPTS, _AT_ONCE, _KEPT = 5, 16, 64 * 1024 * 1024

#: Runs a function in a thread; answers what it answers.
InThread = Callable[..., Awaitable[Any]]


class OpenedEpoch(NamedTuple):
    """
    An epoch that was begun here.

    @ivar before: the epoch that C{state} is of, 0 for none.
    @ivar read: segments that were read for it, with what they have.
    """

    epoch: int
    before: int
    state: ReplicaState
    read: Mapping[LogObject, bytes]


class _Moved(Exception):
    """Somebody has changed what is being read."""


async def listed(objects: Any, universe: str) -> set[LogObject]:
    """Return all objects of a universe."""
    found: set[LogObject] = set()
    token, prefix = "", prefix_of(universe)
    while True:
        page = await objects.list(prefix, token)
        found.update(filter(None, (id_of(universe, name) for name in page.names)))
        token = page.token
        if not token:
            return found


async def fetched(
    objects: Any, universe: str, wanted: Sequence[LogObject]
) -> AsyncIterator[list[tuple[LogObject, bytes]]]:
    """Read objects, in order, the next ones while these are looked at.  @raise NotFound: one is not there."""
    rest, asked = iter(wanted), deque[tuple[LogObject, Deferred[Any]]]()

    def ask() -> None:
        for one in islice(rest, _AT_ONCE - len(asked)):
            # A list of one: what fails when nobody looks at it any more is nobody's error.
            asked.append((one, DeferredList([objects.get(name_of(universe, one))], consumeErrors=True)))

    ask()
    while asked:
        some: list[tuple[LogObject, bytes]] = []
        while asked and (not some or asked[0][1].called):
            one, reading = asked.popleft()
            [(good, octets)] = await reading
            if not good:
                octets.raiseException()
            some.append((one, octets))
        ask()
        yield some


async def begin(
    objects: Any, universe: str, in_thread: InThread, nonce: str, heads: Mapping[LogObject, bytes] = {},
) -> OpenedEpoch:
    """
    Read what there is of a universe, and begin an epoch of our own.

    @param nonce: at most 31 characters that nobody else has.
    @param heads: of segments that were read before, perhaps of another universe of that id; they are not read again.
    @raise Unavailable: somebody else does the same all the time, the store is away, or what is there
        cannot be understood.
    """
    for _ in range(_ATTEMPTS):
        try:
            return await _begun(objects, universe, in_thread, nonce, heads)
        except _Moved:
            continue
    raise Unavailable(f"another server opens the universe {universe}")


async def _begun(
    objects: Any, universe: str, in_thread: InThread, nonce: str, heads: Mapping[LogObject, bytes]
) -> OpenedEpoch:
    found = await listed(objects, universe)
    state, before, read = ReplicaState(), 0, dict[LogObject, bytes]()
    if found:
        before = max(one.epoch for one in found)
        epoch = _Sealing(objects, universe, in_thread, before, heads)
        state, read = await epoch.seal({one for one in found if one.epoch == before}), epoch.read
    ours = before + 1
    octets = await in_thread(lambda: base(nonce, state.encoded()))
    if not await objects.put_new(name_of(universe, LogObject(ours, 0, True)), octets):
        raise _Moved
    # Whoever was slower than several others may have put what was removed long since.
    if max(one.epoch for one in await listed(objects, universe)) > ours:
        raise _Moved
    return OpenedEpoch(ours, before, state, read)


class _Sealing:
    """An epoch of another server, which is read to its end, and ended."""

    def __init__(
        self, objects: Any, universe: str, in_thread: InThread, epoch: int, heads: Mapping[LogObject, bytes]
    ) -> None:
        self._objects, self._universe, self._in_thread = objects, universe, in_thread
        self._epoch, self._heads = epoch, heads
        self._state = ReplicaState()
        self._kept = 0
        self.read: dict[LogObject, bytes] = {}

    async def seal(self, found: set[LogObject]) -> ReplicaState:
        """
        Return what there was at its end: nothing can be added from now on.

        @param found: objects of it that are there.
        """
        objects, universe, epoch = self._objects, self._universe, self._epoch
        bases = [one.number for one in found if one.base]
        if not bases:
            raise _Moved
        number = max(bases)
        try:
            nonce, self._state = await read_state(objects, universe, self._in_thread, LogObject(epoch, number, True))
            while (head := self._heads.get(LogObject(epoch, number + 1))) is not None:
                segment = await self._in_thread(read_head, head, f"{epoch}/{number + 1}")
                if segment.nonce != nonce:
                    # Of a universe that had this id before and was deleted.
                    break
                number += 1
                self._apply(number, segment)
            highest = max((one.number for one in found if not one.base), default=number)
            async for read in fetched(objects, universe, [
                    LogObject(epoch, one) for one in range(number + 1, highest + 1)]):
                for one, octets in read:
                    if not await self._take(one.number, octets):
                        return self._state
            # What was put since they were listed.
            number = max(number, highest) + 1
            while True:
                name = name_of(universe, LogObject(epoch, number))
                try:
                    octets = await objects.get(name)
                except NotFound:
                    if not await objects.put_new(name, SEAL):
                        continue
                    return self._state
                if not await self._take(number, octets):
                    return self._state
                number += 1
        except NotFound:
            # Removed meanwhile: there is a later base.
            raise _Moved from None

    async def _take(self, number: int, octets: bytes) -> bool:
        """Make the changes of a segment; False: it is the seal."""
        segment = await self._in_thread(read_segment, octets, f"{self._epoch}/{number}")
        if segment is None:
            return False
        self._apply(number, segment)
        if segment.places and self._kept + len(octets) <= _KEPT:
            self._kept += len(octets)
            self.read[LogObject(self._epoch, number)] = octets
        return True

    def _apply(self, number: int, segment: ReplicaSegment) -> None:
        self._state.learn(segment.places, self._epoch, number)
        self._state.apply(segment.changes)


async def read_state(objects: Any, universe: str, in_thread: InThread, one: LogObject) -> tuple[str, ReplicaState]:
    """
    Return the nonce of who has put a base, and what it says.

    @raise NotFound: it is gone.  @raise Unavailable: it is not what was put.
    """
    found: tuple[str, ReplicaState] = await in_thread(
        _decoded, await objects.get(name_of(universe, one)), f"{one.epoch}/{one.number}")
    return found


def _decoded(octets: bytes, shown: str) -> tuple[str, ReplicaState]:
    nonce, said = read_base(octets, shown)
    try:
        return nonce, ReplicaState.decoded(said)
    except msgspec.MsgspecError as error:
        raise Unavailable(f"what the object store has of the universe cannot be understood: {error}") from None
