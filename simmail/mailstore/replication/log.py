"""
What is done to a universe's mail, appended to its log in a store of objects.

One segment is put at a time; what comes meanwhile goes into the next one.  Places are taken in the order in which
things are asked for, and filled when they are done.  When the store is away, whoever waits is told so, and what was
done is put as soon as it is back: what is here is never missing there for longer than that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct, field
from twisted.internet.defer import Deferred, fail
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.errors import Fenced, Unavailable
from simmail.mailstore.replication.changes import AnyChange, Contents, named
from simmail.mailstore.replication.objects import LogObject, name_of, PackedSegment, segment
from simmail.mailstore.replication.opening import InThread
from simmail.mailstore.replication.state import ReplicaState

#: Octets that take milliseconds to digest, which is done in a thread.
LARGE = 256 * 1024
#: Octets of a segment, after which no more is put into it; changes in it.
LARGEST, MOST = 8 * 1024 * 1024, 5000
#: Real seconds that what nobody waits for may wait to be put, and after which a store that is away is tried again.
_LAZY, _AGAIN = 1.0, 1.0


class LogPlace(Struct, eq=False):
    """
    Somewhere in the log.

    @ivar waits: somebody waits for C{done}, which fires when what is in this place is in the store.
    """

    log: ReplicaLog
    waits: bool
    done: Deferred[None] = field(default_factory=Deferred)
    filled: bool = False
    changes: Sequence[AnyChange] = ()
    contents: Contents = ()

    def fill(self, changes: Sequence[AnyChange], contents: Contents = ()) -> None:
        """
        Put changes here, none if nothing was done after all.

        @param contents: of messages that the changes name by their digests.
        """
        self.changes = changes
        self.contents = contents
        self.filled = True
        self.log.filled(self)

    def abandon(self) -> None:
        """Nothing is known to have been done, unless it was said already; nobody waits."""
        if not self.filled:
            self.waits = False
            self.fill(())

    def end(self, error: Exception | None = None) -> None:
        """It is in the store, or is not known to be."""
        if self.waits:
            self.waits = False
            if error is None:
                self.done.callback(None)
            else:
                self.done.errback(Failure(error))


class ReplicaLog:
    """
    The log of one epoch.

    @param objects: an C{IObjectStore}; reactor: C{IReactorTime}; state: what there is.
    @param in_thread: runs a function in a thread.
    @param epoch: that was begun here; nonce: of this process, for no other puts the same.
    @param fenced: called once when another server has begun an epoch.
    @ivar number: of the last segment; octets: of all segments, by their numbers.
    @ivar away: why nothing can be put just now.
    """

    log = Logger()

    def __init__(
        self, objects: Any, reactor: Any, universe: str, epoch: int, state: ReplicaState, nonce: str,
        in_thread: InThread, fenced: Callable[[], object] = lambda: None,
    ) -> None:
        self._objects, self._reactor, self.universe, self._in_thread = objects, reactor, universe, in_thread
        self.epoch, self.state, self.nonce, self._fenced = epoch, state, nonce, fenced
        self._places: deque[LogPlace] = deque()
        self._sending: list[LogPlace] = []
        self._lazy: Any = None
        self._again: Any = None
        self._idle: list[Deferred[None]] = []
        self._lost: Fenced | None = None
        self._closed = False
        self.number = 0
        self.octets = 0
        self.away = ""
        #: Called when a segment was put.
        self.put: Callable[[], object] = lambda: None

    # What is asked

    def check(self) -> None:
        """
        Nothing is to be done that could not be put.

        @raise Unavailable: the store is away.  @raise Fenced: another server has the universe.
        """
        if self._lost is not None:
            raise Fenced(str(self._lost))
        if self._closed:
            raise Unavailable("the mail store is closed")
        if self.away:
            raise Unavailable(self.away)

    def reserve(self, waits: bool = True) -> LogPlace:
        """Take the next place, which is to be filled in any case; what comes after it waits for that."""
        place = LogPlace(self, waits)
        self._places.append(place)
        return place

    async def name(self, octets: Sequence[bytes]) -> Contents:
        """Return octets with what they are known by; what is large holds nobody up meanwhile."""
        if sum(map(len, octets)) < LARGE:
            return named(octets)
        found: Contents = await self._in_thread(named, octets)
        return found

    def append(self, changes: Sequence[AnyChange], contents: Contents = ()) -> Deferred[None]:
        """Return a Deferred: changes are in the store."""
        try:
            self.check()
        except Unavailable:
            return fail()
        place = self.reserve()
        place.fill(changes, contents)
        return place.done

    def note(self, changes: Sequence[AnyChange]) -> None:
        """Put changes before long; nobody waits for it."""
        self.reserve(False).fill(changes)

    def filled(self, place: LogPlace) -> None:
        """What is in a place is known."""
        if self._lost is not None:
            place.end(self._lost)
        elif self.away or self._closed:
            place.end(Unavailable(self.away or "the mail store is closed"))
        self._send_some()

    @property
    def waiting(self) -> int:
        """How many places are not in the store yet."""
        return len(self._places) + len(self._sending)

    def flushed(self) -> Deferred[None]:
        """Deferred: all that was asked for is in the store, or will not be now."""
        done: Deferred[None] = Deferred()
        self._idle.append(done)
        self._send_some(True)
        return done

    def close(self) -> None:
        """Nothing more is put."""
        self._closed = True
        for call in (self._lazy, self._again):
            if call is not None:
                call.cancel()
        self._lazy = self._again = None
        self._give_up(Unavailable("the mail store is closed"))

    # Sending

    def _send_some(self, now: bool = False) -> None:
        if self._sending or self._again is not None or self._lost is not None or self._closed:
            if self._idle and (self._lost is not None or self._closed or self.away):
                self._tell_idle()
            return
        taken: list[LogPlace] = []
        octets = count = 0
        wanted = now or bool(self._idle)
        for place in self._places:
            if not place.filled or taken and (octets > LARGEST or count > MOST):
                break
            taken.append(place)
            octets += sum(len(one) for _, one in place.contents)
            count += len(place.changes)
            wanted = wanted or place.waits
        if not taken:
            if not self._places:
                self._tell_idle()
            return
        if not wanted and octets < LARGEST and count < MOST:
            if self._lazy is None:
                self._lazy = self._reactor.callLater(_LAZY, self._lazily)
            return
        for place in taken:
            self._places.popleft()
        changes = [change for place in taken for change in place.changes]
        contents = {digest: one for place in taken for digest, one in place.contents}
        if not changes and not contents:
            # Nothing was done after all.
            for place in taken:
                place.end()
            self._send_some(now)
            return
        if self._lazy is not None:
            self._lazy.cancel()
            self._lazy = None
        self._sending = taken
        number = self.number + 1

        def pack() -> PackedSegment:
            return segment(self.nonce, changes, list(contents.items()))

        if octets < LARGE:
            self._put_segment(number, taken, changes, pack())
            return

        async def packed() -> None:
            self._put_segment(number, taken, changes, await self._in_thread(pack))

        Deferred.fromCoroutine(packed()).addErrback(
            lambda failure: self.log.failure("what is to be put of {universe} is wrong", failure,
                                             universe=self.universe))

    def _put_segment(
        self, number: int, taken: Sequence[LogPlace], changes: Sequence[AnyChange], one: PackedSegment
    ) -> None:
        packed, where = one

        def put(there: bool) -> None:
            if self._closed:
                return
            if not there:
                self._fence()
                return
            if self.away:
                self.away = ""
                self.log.info("the mail of {universe} is in the object store again", universe=self.universe)
            self.number, self.octets, self._sending = number, self.octets + len(packed), []
            self.state.learn(where, self.epoch, number)
            self.state.apply(changes)
            for place in taken:
                place.end()
            self.put()
            self._send_some()

        if not self._closed:
            self._put(name_of(self.universe, LogObject(self.epoch, number)), packed, put)

    def _lazily(self) -> None:
        self._lazy = None
        self._send_some(True)

    def _put(self, name: str, packed: bytes, put: Callable[[bool], None]) -> None:
        self._again = None
        asked: Deferred[bool] = self._objects.put_new(name, packed)
        asked.addCallbacks(put, self._not_put, errbackArgs=(name, packed, put)).addErrback(
            lambda failure: self.log.failure("what was put of {universe} is wrong", failure, universe=self.universe))

    def _not_put(self, failure: Failure, name: str, packed: bytes, put: Callable[[bool], None]) -> None:
        """Whether it is there is not known; it is put again, the same, until that is."""
        failure.trap(Unavailable)
        if self._closed:
            return
        if not self.away:
            self.log.error("the mail of {universe} cannot be put into the object store: {error}",
                           universe=self.universe, error=failure.value)
        self.away = str(failure.value)
        self._again = self._reactor.callLater(_AGAIN, self._put, name, packed, put)
        self._give_up(Unavailable(self.away))

    def _give_up(self, error: Unavailable) -> None:
        """Whoever waits is told that it is not known to be in the store."""
        for place in (*self._sending, *self._places):
            # What is not filled is still being done.
            if place.filled or self._closed:
                place.end(error)
        self._tell_idle()

    def _tell_idle(self) -> None:
        idle, self._idle = self._idle, []
        for one in idle:
            one.callback(None)

    def _fence(self) -> None:
        self._lost = Fenced(f"another server has the universe {self.universe}")
        self.log.critical("{error}: what was not acknowledged here is lost", error=self._lost)
        self._give_up(self._lost)
        self._fenced()
