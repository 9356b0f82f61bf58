"""
Old objects of a universe go: what they say is in a new base, and octets that are needed still are put again where most
of a segment is not needed any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from simmail.errors import Unavailable
from simmail.mailstore.replication.log import LARGEST, ReplicaLog
from simmail.mailstore.replication.objects import ContentPlace, LogObject, base, name_of
from simmail.mailstore.replication.opening import InThread, listed

#: Octets, and number, of segments since the last base after which there is another one.
OCTETS, SEGMENTS = 32 * 1024 * 1024, 1000
#: The part of a segment that is to be needed still; octets that are put again at one time.
NEEDED, MOST_AGAIN = 0.5, 64 * 1024 * 1024


class Compaction:
    """
    That of one log.

    @param objects: an C{IObjectStore}; octets, segments: after how much there is another base.
    """

    log = Logger()

    def __init__(
        self, objects: Any, log: ReplicaLog, in_thread: InThread, octets: int = OCTETS, segments: int = SEGMENTS
    ) -> None:
        self._objects, self._log, self._in_thread = objects, log, in_thread
        self._octets, self._segments = octets, segments
        self._since = 0, 0
        self._going: Deferred[None] | None = None
        log.put = self._look

    def _look(self) -> None:
        number, octets = self._since
        if self._going is None and (
                self._log.number - number >= self._segments or self._log.octets - octets >= self._octets):
            self._begin()

    def _begin(self) -> None:
        self._since = self._log.number, self._log.octets
        going = Deferred.fromCoroutine(self.compact())
        self._going = going
        going.addErrback(self._not_now).addBoth(self._over)

    def _over(self, result: object) -> None:
        self._going = None

    def _not_now(self, failure: Any) -> None:
        failure.trap(Unavailable)
        self.log.warn("old objects of {universe} stay for now: {error}", universe=self._log.universe,
                      error=failure.value)

    async def compact(self) -> None:
        """Have what there is in a new base, and remove what is not needed then."""
        log, state = self._log, self._log.state
        await self._put_again()
        used = state.used()
        state.contents = {digest: place for digest, place in state.contents.items() if digest in used}
        number = log.number
        needed = {(one.epoch, one.number) for one in state.contents.values()}
        encode = state.encoder()
        octets = await self._in_thread(lambda: base(encode()))
        await self._objects.put(name_of(log.universe, LogObject(log.epoch, number, True)), octets)
        await self._clear(number, needed)

    async def _clear(self, number: int, needed: set[tuple[int, int]]) -> None:
        log = self._log
        found = await listed(self._objects, log.universe)
        # The last of an earlier epoch is its seal, which stays: nobody else's next segment may be put there.
        seals: dict[int, int] = {}
        for one in found:
            if not one.base and one.epoch < log.epoch:
                seals[one.epoch] = max(seals.get(one.epoch, 0), one.number)
        for one in sorted(found):
            if one.base:
                stays = one.epoch > log.epoch or one.epoch == log.epoch and one.number >= number
            else:
                stays = (one.epoch > log.epoch or one.epoch == log.epoch and one.number > number
                         or seals.get(one.epoch) == one.number or (one.epoch, one.number) in needed)
            if not stays:
                await self._objects.delete(name_of(log.universe, one))

    async def _put_again(self) -> None:
        """What is needed of segments that are mostly not is put again, behind all else."""
        log, state = self._log, self._log.state
        used = state.used()
        by_segment: dict[tuple[int, int], dict[bytes, ContentPlace]] = {}
        whole: dict[tuple[int, int], int] = {}
        for digest, place in state.contents.items():
            key = place.epoch, place.number
            whole[key] = max(whole.get(key, 0), place.begin + place.size)
            if digest in used:
                by_segment.setdefault(key, {})[digest] = place
        left = MOST_AGAIN
        for key, places in sorted(by_segment.items()):
            size = sum(place.size for place in places.values())
            if size >= NEEDED * whole[key] or size > left or key == (log.epoch, log.number):
                continue
            left -= size
            octets = await self._objects.get(name_of(log.universe, LogObject(*key)))
            await self._again(octets, places)

    async def _again(self, octets: bytes, places: Mapping[bytes, ContentPlace]) -> None:
        taken: list[bytes] = []
        size = 0
        for place in places.values():
            taken.append(octets[place.begin:place.begin + place.size])
            size += place.size
            if size >= LARGEST:
                await self._log.append((), taken)
                taken, size = [], 0
        if taken:
            await self._log.append((), taken)
