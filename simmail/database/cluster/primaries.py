"""
Several Redis or Valkey as a cluster: which of its primaries has the keys of a hash tag.

The map of slots is asked for at the start, whenever a primary says that keys are elsewhere (C{MOVED}), and as long as
one is away, for then a replica may take its place.  Before another has a slot for us, what was sent to the one that had
it is answered; then what may not have come over is made again there, and what was asked meanwhile goes on in its order.

Valkey 9 moves a slot as a whole (C{CLUSTER MIGRATESLOTS}).  While one is moved key by key, the primary that gets it is
asked behind C{ASKING}, once it has all of it (L{simmail.database.cluster.open_slots}).  Source: the cluster
specification of Valkey, "Redirection and resharding".
"""

from __future__ import annotations

from binascii import crc_hqx
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import chain, count
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace
from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from simmail.concurrency import Waiting
from simmail.database import layout
from simmail.database.cluster.open_slots import bring_back, bring_over, redirection
from simmail.database.connection import RedisConnection
from simmail.database.primary import RedisPrimary, Scripts
from simmail.database.queries import all_of
from simmail.database.durability.synced import Ask
from simmail.database.url import RedisUrl
from simmail.errors import Unavailable

SLOTS = 16384

#: Real seconds between two looks at the map while something is amiss, and while replicas that are waited for may come
#: and go.
AGAIN, REPLICAS = 0.25, 2.0

#: Real seconds that one step of moving what is left of a slot may take.
LONGEST = 30.0

#: Real seconds after which it is tried again, where it was refused.
STUCK = 2.0

#: Hash tags whose place is remembered.
_MOST_KEPT = 65536


#: Which replicas are waited for: where a primary has any, always one, or none (C{redis.replica}).
ReplicaWaits = Literal["available", "required", "ignored"]


class SlotMap(NamedTuple):
    """
    Who has which slots, C{host:port} each.

    @ivar primaries: of each slot, C{""} for none; replicas: those of a primary that have not failed.
    """

    primaries: list[str]
    replicas: Mapping[str, Sequence[str]]


def slot(prefix: str) -> int:
    """Which slot the keys of a hash tag are in.  C{prefix}: the tag in its braces, or a key that begins with it."""
    return crc_hqx(prefix[1:prefix.index("}")].encode(), 0) % SLOTS


class ClusterPrimaries:
    """
    The primaries of a cluster.

    @ivar all: those that have slots; before the map is known one that is never there.
    """

    _log = Logger()

    def __init__(
        self, reactor: Any, seeds: Sequence[RedisUrl], timeout: float, scripts: Scripts, changed: Callable[[], object],
        came_back: Callable[[RedisPrimary, Ask], Awaitable[None]], looked: Callable[[], object],
        waits: ReplicaWaits = "available",
    ) -> None:
        """
        @param seeds: some of its members; all others are reached in the way of the first.
        @param changed, came_back, looked: as for each L{RedisPrimary}.
        @param waits: which replicas are waited for.
        """
        self._reactor, self._seeds, self._timeout = reactor, seeds, timeout
        self._changed = changed
        self._make = lambda link, asking: RedisPrimary(
            reactor, link, timeout, scripts, self._noticed, came_back, looked,
            lambda text: self._told(link, text), asking=asking, replica_required=waits == "required")
        self._waits = waits != "ignored"
        self._nowhere = self._make(seeds[0], False)
        self._slots = [self._nowhere] * SLOTS
        # Places by the map, which knows of no slot that is moved key by key, and with those; empty before it is known.
        self._homes: list[str] = []
        self._mapped: list[str] = []
        # Those that have none any more, and have not answered yet.
        self._leaving: set[RedisPrimary] = set()
        self._kept: dict[str, RedisPrimary] = {}
        # The same as it will be in a moment, while what was committed to others is handed over.
        self._coming: list[RedisPrimary] | None = None
        self.all = [self._nowhere]
        #: Slots that are moved key by key: where to, as C{ASK} said last.
        self._open: dict[int, str] = {}
        # Who has said last that keys are elsewhere: he knows more than who has only heard of it.
        self._teller: RedisUrl | None = None
        # Slots of which not all could be brought where they are moved to: until when it is not tried again.
        self._stuck: dict[int, float] = {}
        # Slots whose move was given up, and whose keys cannot be brought back.
        self._left: set[int] = set()
        self._noted = Waiting[None](reactor)
        self._looking = self._closed = False
        self._sure = True
        self._asking: RedisConnection | None = None
        self._waited: Deferred[None] | None = None
        self._timer: IDelayedCall | None = None

    def of(self, prefix: str) -> RedisPrimary:
        """Which Redis has the keys of a hash tag."""
        primary = self._kept.get(prefix)
        if primary is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            primary = self._kept[prefix] = self._slots[slot(prefix)]
        return primary

    def home(self, key: str) -> RedisUrl:
        """Which Redis has a channel."""
        return self._at(self._homes[slot(key)]) if self._homes else self._seeds[0]

    def has(self, primary: RedisPrimary, prefix: str) -> bool:
        """Whether one has the keys of a hash tag, or is about to."""
        return (self._coming or self._slots)[slot(prefix)] is primary

    def together(self, prefix: str, other: str) -> bool:
        """Whether one script can see the keys of two hash tags."""
        return slot(prefix) == slot(other)

    def open(self) -> None:
        """Begin to connect."""
        self.look()

    @property
    def healthy(self) -> bool:
        """All slots are on primaries that are up."""
        return all(one.healthy for one in self.all)

    async def close(self) -> None:
        """Connect no more, nor ask for the map."""
        self._closed = True
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        if self._asking is not None and self._waited is not None:
            self._waited.cancel()
            await self._asking.close()
        await all_of([one.close() for one in (*self.all, *self._leaving)])

    def _told(self, link: RedisUrl, text: str) -> None:
        """Keys are elsewhere, as one says."""
        told = redirection(text, link.host)
        if told is not None and told.ask:
            self._open[told.slot] = told.place
        self._teller = link
        self.look()

    def _noticed(self) -> None:
        self._noted.wake(None)
        if not self.healthy:
            self.look()
        self._changed()

    def look(self) -> None:
        """Find out who has which slots, unless that is being done."""
        if not self._looking and not self._closed:
            self._looking = True
            if self._timer is not None and self._timer.active():
                self._timer.cancel()
            Deferred.fromCoroutine(self._learn()).addErrback(
                lambda failure: self._log.failure("the map of the cluster was not understood", failure)
            ).addBoth(self._looked)

    def _looked(self, result: object) -> None:
        self._looking = False
        if not self._closed and (
                self._open or not self._sure or not self.healthy or any(one.held or one.acks.away for one in self.all)):
            self._timer = self._reactor.callLater(AGAIN, self.look)
        elif not self._closed and self._waits:
            self._timer = self._reactor.callLater(REPLICAS, self.look)

    async def _learn(self) -> None:
        try:
            places = await self._places()
        except Unavailable:
            return
        if not self._closed and "" not in places.primaries:
            homes = list(places.primaries)
            for number, place in list(self._open.items()):
                places.primaries[number], homes[number] = await self._while_open(number, place, homes[number])
            self._sure = await self._confirmed(places.primaries)
            if self._sure:
                self._homes = homes
                await self._change(places)
        self._changed()

    async def _confirmed(self, places: Sequence[str]) -> bool:
        """Whether all that get slots say so themselves: a member may tell of what was, or not know yet what it gets."""
        if self._nowhere in self.all or places == self._mapped:
            return True
        gained: dict[str, list[int]] = {}
        for number, (owner, place) in enumerate(zip(self._mapped, places)):
            if not place.startswith(_ASKING) and owner != place:
                gained.setdefault(place, []).append(number)
        for place, numbers in gained.items():
            try:
                claimed = (await self._map_of(self._at(place))).primaries
            except (Unavailable, RuntimeError, TimeoutError):
                return False
            if any(claimed[number] != place for number in numbers):
                return False
        return True

    async def _map_of(self, link: RedisUrl) -> SlotMap:
        """What one member says of all slots.  @raise Unavailable: it does not."""
        for primary in self.all:
            if primary.link == link and primary.reads.ready and not primary.asking:
                return _read(await primary.reads.ask(_ASKED), link.host)
        async with self._dialled(link, self._timeout) as connection:
            return _read(await connection.ask(_ASKED), link.host)

    async def _places(self) -> SlotMap:
        """Who has which slots.  @raise Unavailable: nobody tells."""
        for primary in sorted(self.all, key=lambda one: one.link != self._teller):
            if primary.reads.ready:
                try:
                    return _read(await primary.reads.ask(_ASKED), primary.link.host)
                except (Unavailable, RuntimeError):
                    continue
        for link in dict.fromkeys([*self._seeds, *(one.link for one in self.all)]):
            if self._closed:
                break
            try:
                async with self._dialled(link, self._timeout) as connection:
                    if connection.ready:
                        return _read(await connection.ask(_ASKED), link.host)
                    if connection.locked_out:
                        self._nowhere.writes.locked_out, self._nowhere.writes.trouble = True, connection.trouble
                        self._changed()
            except Exception as error:
                self._nowhere.writes.trouble = self._nowhere.writes.trouble or str(error)
        raise Unavailable("nobody tells who has which slots")

    @asynccontextmanager
    async def _dialled(self, link: RedisUrl, timeout: float) -> AsyncIterator[RedisConnection]:
        """A connection for a few questions."""
        changed = Waiting[None](self._reactor)
        connection = RedisConnection(self._reactor, link, timeout, (), lambda: changed.wake(None))
        self._asking, self._waited = connection, changed.wait().addTimeout(self._timeout / 2, self._reactor)
        connection.open()
        try:
            await self._waited
            yield connection
        except Exception:
            self._nowhere.writes.trouble = connection.trouble or self._nowhere.writes.trouble
            raise
        finally:
            await connection.close()

    async def _while_open(self, number: int, place: str, home: str) -> tuple[str, str]:
        """Who is asked for a slot that is moved key by key, and who has it by the map (C{home}, as far as is known)."""
        asking = f"{_ASKING}{place}"
        now = self._reactor.seconds()
        if now < self._stuck.get(number, now):
            return home, home
        try:
            if home != place:
                async with self._dialled(self._at(home), LONGEST) as connection:
                    if await bring_over(connection.ask, number, place, self._seeds[0]):
                        self._stuck.pop(number, None)
                        return asking, home
                    # What was read before may be of before.
                    home = _read(await connection.ask(_ASKED), self._at(home).host).primaries[number] or home
        except (Unavailable, RuntimeError, TimeoutError) as error:
            if _place(self._slots[number]) == asking:
                # It has all there is.
                return asking, home
            if number not in self._stuck:
                self._log.warn(
                    "slot {slot} is moved key by key to {place}; what is in it is away until that is done, for what is "
                    "left of it does not get there: {error}", slot=number, place=place, error=error)
            self._stuck[number] = now + STUCK
        else:
            self._stuck.pop(number, None)
            if home != place and self._mapped[number:number + 1] == [asking] and not await self._given_up(
                    number, place, home):
                return asking, home
        self._open.pop(number, None)
        self._left.discard(number)
        return home, home

    async def _given_up(self, number: int, place: str, home: str) -> bool:
        """What was brought over is brought back, and nobody writes there meanwhile; false: it cannot be."""
        for one in self.all:
            if one.asking and one.link == self._at(place):
                await all_of([each.hold() for each in (one.writes, one.reads) if each.ready])
        try:
            async with self._dialled(self._at(place), LONGEST) as connection:
                await bring_back(connection.ask, number, home, self._seeds[0])
        except (Unavailable, RuntimeError, TimeoutError) as error:
            if number not in self._left:
                self._left.add(number)
                self._log.critical(
                    "the move of slot {slot} from {home} to {place} was given up, and what is in it is at the latter: "
                    "it is away until CLUSTER SETSLOT has it moved there, or back: {error}",
                    slot=number, home=home, place=place, error=error)
            return False
        return True

    def _at(self, place: str) -> RedisUrl:
        host, _, port = place.rpartition(":")
        return replace(self._seeds[0], host=host, port=int(port))

    async def _reach(self, new: Sequence[RedisPrimary]) -> None:
        """Be connected to those that get slots before they do, so that nobody finds them away."""
        until = self._reactor.seconds() + self._timeout / 2
        while not all(one.healthy for one in new) and self._reactor.seconds() < until and not self._closed:
            try:
                await self._noted.wait().addTimeout(until - self._reactor.seconds(), self._reactor)
            except TimeoutError:
                return

    async def _change(self, found: SlotMap) -> None:
        """The map is another: those that lose slots answer what they were sent, then others have them."""
        places = found.primaries
        if places == self._mapped and not any(one.held for one in self.all):
            self._learn_replicas(found)
            return
        known = {_place(one): one for one in self.all if one is not self._nowhere}
        new: dict[str, RedisPrimary] = {}
        for place in dict.fromkeys(places):
            new[place] = known.get(place) or self._make(
                self._at(place.removeprefix(_ASKING)), place.startswith(_ASKING))
        slots = [new[place] for place in places]
        for one in new.values():
            if slots[slot(one.tag)] is not one:
                one.tag = next(tag for tag in _tags() if slots[slot(tag)] is one)
        added = [one for one in new.values() if one not in self.all]
        for one in added:
            one.open()
        if self._nowhere not in self.all:
            await self._reach(added)
        losing = {old for old, owner in zip(self._slots, slots) if old is not owner}
        await all_of([one.writes.hold() for one in losing if one.writes.ready])
        self._coming = slots
        try:
            for one in losing:
                await self._hand_over(one, lambda prefix: slots[slot(prefix)])
        finally:
            self._coming = None
        # Until now what came was held behind what was held already: nothing overtakes it.
        before, self._slots, self.all, self._mapped = self.all, slots, list(new.values()), places
        self._learn_replicas(found)
        self._kept.clear()
        for one in {*before, *self.all}:
            self._release(one)
            if one not in self.all:
                self._leave(one)

    def _release(self, one: RedisPrimary) -> None:
        one.writes.release(lambda key: self._slots[slot(key)].writes)
        one.reads.release(lambda key: self._slots[slot(key)].reads)

    def _leave(self, one: RedisPrimary) -> None:
        """Close one that has no slot any more, when it has answered what it was asked."""

        def close(result: object) -> None:
            self._release(one)
            self._leaving.discard(one)
            one.close()

        self._leaving.add(one)
        all_of([each.hold() for each in (one.writes, one.reads) if each.ready]).addCallback(close)

    def _learn_replicas(self, found: SlotMap) -> None:
        for one in self.all if self._waits else ():
            place = _place(one).removeprefix(_ASKING)
            one.acks.known([self._at(each) for each in found.replicas.get(place, ())])

    async def _hand_over(self, loser: RedisPrimary, of: Callable[[str], RedisPrimary]) -> None:
        numbers, made = loser.unsynced.part(lambda prefix: of(prefix) is not loser)
        died = not loser.writes.ready
        heirs = {of(prefix) for prefix in chain(numbers, (one.prefix for one in made))}
        for heir in heirs:
            self._log.info("{heir} has slots of {link} now", heir=heir.link, link=loser.link)
            await heir.take_over(
                {prefix: number for prefix, number in numbers.items() if of(prefix) is heir},
                [one for one in made if of(one.prefix) is heir], died)
        loser.synced.passed_on(len(made), all_of([heir.synced.round() for heir in heirs]))


_ASKED = ("CLUSTER", "SLOTS")


def _tags() -> Iterator[str]:
    """Hash tags that no universe has, in any slot; first the server's own."""
    yield layout.prefix("")
    yield from map("{~%d}".__mod__, count())


#: Stands before the place of one that is asked behind C{ASKING}.
_ASKING = "+"


def _place(one: RedisPrimary) -> str:
    return f"{_ASKING if one.asking else ''}{one.link.host}:{one.link.port}"


def _read(reply: Any, asked: str) -> SlotMap:
    """The answer to C{CLUSTER SLOTS}; C{asked}: who gave it, which may not know its own address."""
    places = [""] * SLOTS
    replicas: dict[str, list[str]] = {}
    for first, last, *nodes in reply:
        place, *others = [f"{bytes(one[0] or b'').decode() or asked}:{one[1]}" for one in nodes]
        places[first:last + 1] = [place] * (last + 1 - first)
        replicas[place] = sorted(others)
    return SlotMap(places, replicas)
