"""
Old objects of a universe go: what they say is in a new base, and octets that are needed still are put again where most
of a segment is not needed any more.
"""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from simmail.errors import NotFound, Unavailable
from simmail.mailstore.replication.log import LARGEST, ReplicaLog
from simmail.mailstore.replication.objects import ContentPlace, LogObject, base, name_of
from simmail.mailstore.replication.opening import InThread, listed
from simmail.mailstore.replication.state import ReplicaState

#: Octets, and number, of segments since the last base after which there is another one.
OCTETS, SEGMENTS = 32 * 1024 * 1024, 1000
#: The part of a segment that is to be needed still, and octets that are too few for a segment to stay as it is;
#: octets that are put again at one time.
NEEDED, SMALL, MOST_AGAIN = 0.5, 256 * 1024, 64 * 1024 * 1024


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
        # Also those of before: who takes a universe over reads them all.
        self._since = -len(log.state.octets), 0
        self._going = False
        log.put = self._look

    def _look(self) -> None:
        number, octets = self._since
        if not self._going and (
                self._log.number - number >= self._segments or self._log.octets - octets >= self._octets):
            self._begin()

    def _begin(self) -> None:
        self._since = self._log.number, self._log.octets
        self._going = True
        Deferred.fromCoroutine(self.compact()).addErrback(self._not_now).addErrback(
            lambda failure: self.log.failure("old objects of {universe} cannot be removed", failure,
                                             universe=self._log.universe)).addBoth(self._over)

    def _over(self, result: object) -> None:
        self._going = False
        self._since = self._log.number, self._log.octets

    def _not_now(self, failure: Any) -> None:
        failure.trap(Unavailable, NotFound)
        self.log.warn("old objects of {universe} stay for now: {error}", universe=self._log.universe,
                      error=failure.value)

    async def compact(self) -> None:
        """Have what there is in a new base, and remove what is not needed then."""
        log = self._log
        await self._put_again()
        number, copy = log.number, log.state.copied()
        gone, needed, packed = await self._in_thread(_pruned, copy, log.nonce)
        log.state.drop(gone)
        log.state.octets = {key: octets for key, octets in log.state.octets.items()
                            if key in needed or key > (log.epoch, number)}
        await self._objects.put(name_of(log.universe, LogObject(log.epoch, number, True)), packed)
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
        """What is needed of segments that are small, or mostly not needed, is put again, behind all else, together."""
        log = self._log
        chosen: _Chosen = await self._in_thread(_chosen, log.state.copied())
        taken: list[bytes] = []
        size = 0
        for key, places in chosen:
            octets_of = await self._objects.get(name_of(log.universe, LogObject(*key)))
            for place in places:
                taken.append(octets_of[place.begin:place.begin + place.size])
                size += place.size
            if size >= LARGEST:
                await log.append((), await log.name(taken))
                taken, size = [], 0
        if taken:
            await log.append((), await log.name(taken))


#: Segments, as (epoch, number), with where in them the octets are that are needed.
_Chosen = list[tuple[tuple[int, int], list[ContentPlace]]]


def _pruned(state: ReplicaState, nonce: str) -> tuple[dict[bytes, ContentPlace], set[tuple[int, int]], bytes]:
    """What is not needed, the segments that are, and the base without the former."""
    gone = state.forget()
    needed = state.needed()
    return gone, needed, base(nonce, state.encoded())


def _chosen(state: ReplicaState) -> _Chosen:
    """Segments of which what is needed is put again."""
    state.forget()
    by_segment: dict[tuple[int, int], list[ContentPlace]] = {}
    for place in state.contents.values():
        by_segment.setdefault((place.epoch, place.number), []).append(place)
    chosen: _Chosen = []
    left, whole = MOST_AGAIN, True
    for key, places in sorted(by_segment.items()):
        size, octets = sum(place.size for place in places), state.octets.get(key, 0)
        if size <= left and (octets < SMALL or size < NEEDED * octets):
            left -= size
            whole = whole and size >= octets
            chosen.append((key, places))
    # One that is whole would be the same.
    return [] if len(chosen) == 1 and whole else chosen
