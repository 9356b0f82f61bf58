"""
What a store of objects has of a universe, read and taken over by whoever opens it.

An epoch is sealed before the next one begins: the seal is where its next segment would be, and a segment is put only
where nothing is.  So whoever had the universe before, however long it stood still, finds the seal with its next
segment, and nothing that it answered before is missing from what was read here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import msgspec
from twisted.internet.defer import DeferredList

from simmail.errors import NotFound, Unavailable
from simmail.mailstore.replication.objects import (
    LogObject, SEAL, base, id_of, name_of, prefix_of, read_base, read_segment,
)
from simmail.mailstore.replication.state import ReplicaState

#: Attempts to read what somebody else is changing just now; objects that are read at once.
_ATTEMPTS, _AT_ONCE = 5, 8

#: Runs a function in a thread; answers what it answers.
InThread = Callable[..., Awaitable[Any]]


class OpenedEpoch(NamedTuple):
    """
    An epoch that was begun here.

    @ivar before: the epoch that C{state} is of, 0 for none.
    """

    epoch: int
    before: int
    state: ReplicaState


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
    """Read objects, some at once; in order.  @raise NotFound: one is not there."""
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start:start + _AT_ONCE]
        read = await DeferredList([objects.get(name_of(universe, one)) for one in some], consumeErrors=True)
        for good, failure in read:
            if not good:
                failure.raiseException()
        yield [(one, octets) for one, (_, octets) in zip(some, read)]


async def begin(objects: Any, universe: str, in_thread: InThread, nonce: str) -> OpenedEpoch:
    """
    Read what there is of a universe, and begin an epoch of our own.

    @param nonce: at most 31 characters that nobody else has.
    @raise Unavailable: somebody else does the same all the time, the store is away, or what is there
        cannot be understood.
    """
    for _ in range(_ATTEMPTS):
        try:
            return await _begun(objects, universe, in_thread, nonce)
        except _Moved:
            continue
    raise Unavailable(f"another server opens the universe {universe}")


async def _begun(objects: Any, universe: str, in_thread: InThread, nonce: str) -> OpenedEpoch:
    found = await listed(objects, universe)
    state, before = ReplicaState(), 0
    if found:
        before = max(one.epoch for one in found)
        state = await _sealed(objects, universe, in_thread, {one for one in found if one.epoch == before}, before)
    ours = before + 1
    octets = await in_thread(lambda: base(nonce, state.encoded()))
    if not await objects.put_new(name_of(universe, LogObject(ours, 0, True)), octets):
        raise _Moved
    # Whoever was slower than several others may have put what was removed long since.
    if max(one.epoch for one in await listed(objects, universe)) > ours:
        raise _Moved
    return OpenedEpoch(ours, before, state)


async def _sealed(
    objects: Any, universe: str, in_thread: InThread, found: set[LogObject], epoch: int
) -> ReplicaState:
    """What there was at the end of an epoch, at which nothing can be added from now on."""
    bases = [one.number for one in found if one.base]
    if not bases:
        raise _Moved
    first = max(bases)
    try:
        said = read_base(await objects.get(name_of(universe, LogObject(epoch, first, True))), f"{epoch}/{first}")
        state: ReplicaState = await in_thread(_decoded, said)
        highest = max((one.number for one in found if not one.base), default=first)
        async for read in fetched(objects, universe, [
                LogObject(epoch, number) for number in range(first + 1, highest + 1)]):
            for one, octets in read:
                segment = await in_thread(read_segment, octets, f"{epoch}/{one.number}")
                if segment is None:
                    return state
                state.learn(segment.places, epoch, one.number)
                state.apply(segment.changes)
        # What was put since they were listed.
        number = max(first, highest) + 1
        while True:
            name = name_of(universe, LogObject(epoch, number))
            try:
                octets = await objects.get(name)
            except NotFound:
                if not await objects.put_new(name, SEAL):
                    continue
                return state
            segment = await in_thread(read_segment, octets, f"{epoch}/{number}")
            if segment is None:
                return state
            state.learn(segment.places, epoch, number)
            state.apply(segment.changes)
            number += 1
    except NotFound:
        # Removed meanwhile: there is a later base.
        raise _Moved from None


def _decoded(octets: bytes) -> ReplicaState:
    try:
        return ReplicaState.decoded(octets)
    except msgspec.MsgspecError as error:
        raise Unavailable(f"what the object store has of the universe cannot be understood: {error}") from None
