"""
What universes of other servers consist of, had beforehand: so that taking one over does not take longer the more mail
it has.

Segments are read as they are put, and the octets of their messages kept (L{SpareBodies}); a base says which of those
are needed.  Nothing is put into the store of objects, and nobody relies on any of it: what is not here when a universe
is opened is read then.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater
from twisted.logger import Logger

from simmail.concurrency import Lock
from simmail.errors import NotFound, Unavailable
from simmail.mailstore.maildir.names import mailbox_dir
from simmail.mailstore.replication.bodies import SpareBodies, before, keep_only, lay_aside
from simmail.mailstore.replication.changes import MessagesAppeared, digest_of
from simmail.mailstore.replication.objects import ContentPlace, LogObject, head_of, name_of, read_head
from simmail.mailstore.replication.opening import InThread, fetched, listed, read_state
from simmail.mailstore.replication.restoring import RestorationDraft, discard_drafts
from simmail.mailstore.replication.state import ReplicaState

#: Real seconds between two looks at a universe to which something was done, at most between two at any, and after
#: something went wrong; looks at a universe between two at all its objects.
PAUSE, LONGEST, LATER, RELIST = 0.5, 8.0, 5.0, 10


class _Wanted(NamedTuple):
    digest: bytes
    place: ContentPlace
    date: int


class Follower:
    """
    Follows one universe.

    @param objects: an C{IObjectStore}; root: of the mail of all universes; boot: tells a boot of the machine from
        others.
    @ivar bodies: octets of messages, None before the first look; heads: of segments since the last base.
    @ivar turn: held by who looks.
    @ivar draft: of the universe, None for none; expected: whether it is to be opened here before long.
    @ivar due: when it is to look, in the reactor's seconds; pause: real seconds from then to the next time.
    """

    def __init__(
        self, objects: Any, universe: str, in_thread: InThread, reactor: IReactorTime, root: str, boot: str
    ) -> None:
        self._objects, self.universe, self._in_thread = objects, universe, in_thread
        self._root, self._boot = root, boot
        self._halted = False
        self._looks = 0
        # The last base, and the segment up to which all is here.
        self._base = LogObject(0, 0)
        self._at = LogObject(0, 0)
        self.turn = Lock(reactor)
        self.due, self.pause = 0.0, PAUSE
        self.expected = False
        self.draft: RestorationDraft | None = None
        self.bodies: SpareBodies | None = None
        self.heads: dict[LogObject, bytes] = {}

    def halt(self) -> None:
        """Nothing more is begun."""
        self._halted = True

    async def look(self) -> None:
        """Have what there is.  @raise Unavailable: the store of objects is away, or the disk refuses."""
        if self._halted:
            return
        at = self._at
        if self.bodies is None:
            self.bodies = await self._in_thread(SpareBodies, self._root, self.universe, self._boot)
            await self._adopt(self.bodies)
        if not self._at.epoch or self._looks >= RELIST:
            await self._relist(self.bodies)
        self._looks += 1
        if self._at.epoch:
            await self._follow(self.bodies)
        self.pause = PAUSE if self._at != at else min(2 * self.pause, LONGEST)
        if self.expected and self.draft is None and not self._halted:
            await self._sketch(self.bodies)
        elif self.draft is not None and not self.expected:
            draft, self.draft = self.draft, None
            await self._in_thread(draft.discard)

    def expect(self, soon: bool) -> None:
        """Whether it is to be opened here before long."""
        if soon and not self.expected:
            self.due, self.pause = 0.0, PAUSE
        self.expected = soon

    async def _sketch(self, bodies: SpareBodies) -> None:
        """Make a draft of what is known."""
        if not self._base.epoch:
            return
        try:
            _, state = await read_state(self._objects, self.universe, self._in_thread, self._base)
        except NotFound:
            # There is a later one by now.
            self._looks = RELIST
            return
        self.draft = RestorationDraft(self._root, self.universe)
        await self._in_thread(_sketched, self.draft, state, dict(self.heads), bodies)

    async def _adopt(self, bodies: SpareBodies) -> None:
        """Have what was of it on this disk."""
        aside = before(self._root, self.universe, self._boot)
        for source in (f"{self._root}/{mailbox_dir(self.universe)}", aside):
            steps = bodies.adopt(source)
            while not self._halted and await self._in_thread(next, steps, self) is not self:
                pass
        if not self._halted:
            await self._in_thread(shutil.rmtree, aside, True)

    async def _follow(self, bodies: SpareBodies) -> None:
        """Have what was put since the last look."""
        while not self._halted:
            one = LogObject(self._at.epoch, self._at.number + 1)
            try:
                octets = await self._objects.get(name_of(self.universe, one))
            except NotFound:
                return
            head = await self._in_thread(_kept, bodies, one, octets)
            if head is None:
                # Another server opens it.
                self._looks = RELIST
                return
            self.heads[one], self._at = head, one

    async def _relist(self, bodies: SpareBodies) -> None:
        """There may be another base, perhaps of another epoch: that says what is needed."""
        self._looks = 0
        base = max((one for one in await listed(self._objects, self.universe) if one.base), default=None)
        if base is None or base == self._base and self._at.epoch:
            return
        try:
            _, state = await read_state(self._objects, self.universe, self._in_thread, base)
            if base < self._base:
                # Another universe has this id.
                self.heads, self._at = {}, LogObject(0, 0)
            self.heads = {one: head for one, head in self.heads.items() if one[:2] > base[:2]}
            wanted: dict[LogObject, list[_Wanted]] = await self._in_thread(_wanted, state, self.heads, bodies)
            async for some in fetched(self._objects, self.universe, list(wanted)):
                if self._halted:
                    return
                await self._in_thread(_put, bodies, some, wanted)
        except NotFound:
            # There is a later one by now.
            self._looks = RELIST
            return
        self._base = base
        self._at = max(self._at, LogObject(base.epoch, base.number))


def _check_room(bodies: SpareBodies) -> None:
    if not bodies.have_room():
        raise Unavailable("the disk is nearly full")


def _sketched(
    draft: RestorationDraft, state: ReplicaState, heads: Mapping[LogObject, bytes], bodies: SpareBodies
) -> None:
    for one, head in sorted(heads.items()):
        state.apply(read_head(head, f"{one.epoch}/{one.number}").changes)
    draft.make(state, bodies)


def _kept(bodies: SpareBodies, one: LogObject, octets: bytes) -> bytes | None:
    """Keep the octets of messages that a segment has, and return its head; None: it is the seal."""
    _check_room(bodies)
    shown = f"{one.epoch}/{one.number}"
    head = head_of(octets, shown)
    if head is not None:
        segment = read_head(head, shown)
        dates = {message.digest: message.date for change in segment.changes if isinstance(change, MessagesAppeared)
                 for message in change.messages}
        for digest, (begin, size) in segment.places.items():
            _put_one(bodies, digest, octets[begin:begin + size], dates.get(digest, 0))
    return head


def _wanted(
    state: ReplicaState, heads: Mapping[LogObject, bytes], bodies: SpareBodies
) -> dict[LogObject, list[_Wanted]]:
    """Return what is needed and not here, by segments; what is here and not needed goes."""
    needed = state.used()
    later = {digest for one, head in heads.items()
             for digest in read_head(head, f"{one.epoch}/{one.number}").places}
    bodies.drop(bodies.known.keys() - needed - later)
    dates = {message.digest: message.date for _, folder in state.folders() for message in folder.messages.values()}
    wanted: dict[LogObject, list[_Wanted]] = {}
    for digest in needed - bodies.known.keys():
        place = state.contents.get(digest)
        if place is not None:
            wanted.setdefault(LogObject(place.epoch, place.number), []).append(
                _Wanted(digest, place, dates.get(digest, 0)))
    return dict(sorted(wanted.items()))


def _put(
    bodies: SpareBodies, some: Iterable[tuple[LogObject, bytes]], wanted: Mapping[LogObject, Sequence[_Wanted]]
) -> None:
    _check_room(bodies)
    for one, octets in some:
        for digest, place, date in wanted[one]:
            _put_one(bodies, digest, octets[place.begin:place.begin + place.size], date)


def _put_one(bodies: SpareBodies, digest: bytes, octets: bytes, date: int) -> None:
    # What is not what it was is told when it is needed.
    if digest not in bodies.known and digest_of(octets) == digest:
        bodies.put(digest, octets, date)


class HadBeforehand(NamedTuple):
    """What there is of a universe: octets of messages, the heads of segments since its last base, a draft."""

    bodies: SpareBodies | None = None
    heads: Mapping[LogObject, bytes] = {}
    draft: RestorationDraft | None = None


class Standby:
    """
    Follows universes that other servers have, one after the other.

    @param objects: an C{IObjectStore}; in_thread: runs a function in a thread.
    @param root: of the mail of all universes; boot: tells a boot of the machine from others.
    """

    log = Logger()

    def __init__(self, objects: Any, reactor: IReactorTime, in_thread: InThread, root: str, boot: str) -> None:
        self._objects, self._reactor, self._in_thread = objects, reactor, in_thread
        self._root, self._boot = root, boot
        self._followers: dict[str, Follower] = {}
        # Those that are being opened here.
        self._taken: set[str] = set()
        self._begun = self._going = self._stopped = False
        # There may be what nobody wants any more.
        self._unwanted = True
        self._pause: Deferred[None] | None = None

    def want(self, universes: Collection[str], expected: Collection[str] = ()) -> None:
        """Follow these, and no others; some are expected to be opened here before long."""
        for universe in [one for one in self._followers if one not in universes]:
            self._end(self._followers.pop(universe))
            self._unwanted = True
        for universe in universes:
            if universe not in self._followers and universe not in self._taken:
                self._followers[universe] = Follower(
                    self._objects, universe, self._in_thread, self._reactor, self._root, self._boot)
        for universe, follower in self._followers.items():
            follower.expect(universe in expected)
        if (self._followers or self._unwanted) and not self._going and not self._stopped:
            self._going = True
            Deferred.fromCoroutine(self._go()).addErrback(
                lambda failure: self.log.failure("nothing is had beforehand any more", failure))

    async def take(self, universe: str) -> HadBeforehand:
        """Return what there is of a universe that is to be opened here; L{release} it then."""
        self._taken.add(universe)
        follower = self._followers.pop(universe, None)
        if follower is None:
            return HadBeforehand()
        follower.halt()
        async with follower.turn:
            return HadBeforehand(follower.bodies, follower.heads, follower.draft)

    async def release(self, universe: str, had: HadBeforehand) -> None:
        """It is open, or is not."""
        if had.bodies is not None:
            had.bodies.close()
        if had.draft is not None:
            await self._in_thread(had.draft.discard)
        self._taken.discard(universe)
        self._unwanted = True

    async def lay_aside(self, universe: str) -> None:
        """Have out of its place what was here of a universe that another has taken; it is read before it goes."""
        await self._in_thread(lay_aside, self._root, universe, self._boot)

    def stop(self) -> None:
        """Nothing more is had; what there is stays for the next process."""
        self._stopped = True
        for follower in self._followers.values():
            self._end(follower)
        self._followers.clear()
        if self._pause is not None:
            self._pause.cancel()

    def _end(self, follower: Follower) -> None:
        async def end() -> None:
            async with follower.turn:
                if follower.bodies is not None:
                    follower.bodies.close()
                if follower.draft is not None:
                    await self._in_thread(follower.draft.discard)

        follower.halt()
        Deferred.fromCoroutine(end()).addErrback(
            lambda failure: self.log.failure("{universe} is followed still", failure, universe=follower.universe))

    async def _go(self) -> None:
        if not self._begun:
            self._begun = True
            await self._in_thread(discard_drafts, self._root)
        while not self._stopped and (self._followers or self._unwanted):
            if self._unwanted:
                self._unwanted = False
                await self._in_thread(keep_only, self._root, self._boot, {*self._followers, *self._taken})
            for follower in list(self._followers.values()):
                if follower.due <= self._reactor.seconds():
                    pause = await self._look(follower)
                    follower.due = self._reactor.seconds() + pause
            self._pause = deferLater(self._reactor, PAUSE)
            try:
                await self._pause
            except CancelledError:
                break
        self._going = False

    async def _look(self, follower: Follower) -> float:
        """Have a look; answers the real seconds until the next one."""
        try:
            async with follower.turn:
                await follower.look()
        except Unavailable as error:
            self.log.debug("{universe} is not followed: {error}", universe=follower.universe, error=error)
            return LATER
        except Exception:
            self.log.failure("{universe} cannot be followed", universe=follower.universe)
            follower.halt()
        return follower.pause
