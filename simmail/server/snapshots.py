"""
Snapshots of universes: made, put back, forked, deleted.

A snapshot is a universe that nobody opens, under an id that nobody can choose (C{<universe>!<snapshot>}); a fork is a
copy of it under an id of its own, and opened.  What is made or removed is written down before that begins: after a
crash all of it is there, or nothing.  Source: decisions, section 16.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from secrets import token_hex
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Lock
from simmail.core.records.commit import Commit
from simmail.core.rules.login_name import qualified
from simmail.errors import Conflict, Invalid, NotFound
from simmail.interfaces import IReplicas
from simmail.server.apikeys import ApiKeys, Key
from simmail.server.lifetimes import ends_in
from simmail.server.organizations import Organizations, Universes, check_id
from simmail.server.replacement import GOING, Replacement, Step, Storage, silence
from simmail.universe.clock import Timeline
from simmail.universe.fingerprint import fingerprint
from simmail.universe.insights.shares import TABLE as SHARES
from simmail.universe.universe import Durability, Universe, UniverseRecord

TABLE = "snapshots"

LONGEST_NAME = 200

#: Messages, and events, up to which a fingerprint is taken in passing.
FEW_MESSAGES, FEW_EVENTS = 3_000, 20_000


class UniverseSnapshot(Struct, frozen=True):
    """
    A snapshot.

    @ivar created: when it was made, in real time; at: the instant in its universe.
    @ivar record: its universe as it was made; clock: how the clocks of copies begin.
    @ivar fingerprint: C{""} of a universe too large to have it taken in passing.
    @ivar durability: where its mail is: C{replicated}: in the store of objects too; C{local}: on one disk alone.
    """

    id: str
    universe: str
    name: str
    created: datetime
    at: datetime
    record: UniverseRecord
    clock: Timeline
    messages: int
    personas: int
    pending_jobs: int
    fingerprint: str = ""
    durability: Durability = "local"

    @property
    def image(self) -> str:
        """Under what it lies: no universe can have this id."""
        return f"{self.universe}!{self.id}"


class Forked(NamedTuple):
    """A fork; C{key}: the secret of its admin key; logins: (name that signs in, address) of each."""

    universe: Universe
    key: str
    fingerprint: str
    logins: tuple[tuple[str, str], ...]


class Tenants(NamedTuple):
    """Who has universes on a server: those, the organisations that they belong to, and the keys that open them."""

    universes: Universes
    organizations: Organizations
    keys: ApiKeys


class Snapshots:
    """
    The snapshots of one server.

    @param open: opens a universe that is there, and tells nobody of it yet.
    @param replicas: keeps the mail of snapshots of universes that are replicated.
    """

    def __init__(
        self, storage: Storage, tenants: Tenants, replacement: Replacement,
        open: Callable[[UniverseRecord], Awaitable[Universe]], replaced: Callable[[Universe], object],
        reactor: IReactorTime, replicas: IReplicas | None = None,
    ) -> None:
        self._replicas = replicas
        self._storage, self._documents = storage, storage.documents
        self._universes, self._organizations, self._keys = tenants
        self._replacement = replacement
        self._open = open
        self._replaced = replaced
        self._reactor = reactor
        self._snapshots: dict[str, UniverseSnapshot] = {}
        self._turns: dict[str, Lock] = {}
        # Ids of forks that are being made.
        self._making: set[str] = set()

    async def start(self) -> None:
        """Learn them."""
        await self._documents.keep(TABLE, self._learn)

    def _learn(self, image: str, octets: bytes | None) -> None:
        self._snapshots.pop(image, None)
        if octets is not None:
            self._snapshots[image] = msgspec.json.decode(octets, type=UniverseSnapshot)

    def turn(self, universe_id: str) -> Lock:
        """Return what is held by who copies, replaces or deletes a universe or one of its snapshots."""
        return self._turns.setdefault(universe_id, Lock(self._reactor))

    def of(self, universe_id: str) -> list[UniverseSnapshot]:
        """Return the snapshots of a universe, newest first."""
        found = [one for one in self._snapshots.values() if one.universe == universe_id]
        return sorted(found, key=lambda one: (one.created, one.id), reverse=True)

    def count(self, org: str) -> int:
        """Say how many an organisation has."""
        return sum(one.record.org == org for one in self._snapshots.values())

    def get(self, universe_id: str, snapshot_id: str) -> UniverseSnapshot:
        """One snapshot.  @raise NotFound: the universe has none of that id."""
        snapshot = self._snapshots.get(f"{universe_id}!{snapshot_id}")
        if snapshot is None:
            raise NotFound(f"no snapshot {snapshot_id}")
        return snapshot

    # Made and deleted

    async def create(self, universe: Universe, name: str = "") -> UniverseSnapshot:
        """
        Make a snapshot; its universe stands still for it, mail waits a moment.

        That of a replicated universe is in the store of objects too when it is made.

        @raise Invalid: the name is too long.  @raise OverAllowance: the plan's snapshots are used up.
        @raise Unavailable: the store of objects is away.
        """
        if len(name) > LONGEST_NAME:
            raise Invalid("name", f"at most {LONGEST_NAME} characters")
        plan = self._organizations.plan_of(universe.org)
        plan.check("snapshots", self.count(universe.org))
        async with self.turn(universe.id):
            universe = self._universes.get(universe.id)
            id = "s_" + token_hex(5)
            image = f"{universe.id}!{id}"
            await self._documents.put(GOING, image, universe.record.placed)
            try:
                await self._storage.images.prepare(universe.id, image)
                snapshot = await self.copied(universe, id, name, image)
                if is_small(snapshot, universe):
                    snapshot = replace(snapshot, fingerprint=await self.taken(snapshot))
                if universe.record.durability == "replicated" and self._replicas is not None:
                    await self._replicas.keep(image)
                    snapshot = replace(snapshot, durability="replicated")
                await self._documents.commit(Commit(
                    puts=((TABLE, image, msgspec.json.encode(snapshot)),), drops=((GOING, image),)))
            except BaseException:
                await self._replacement.clear(image)
                raise
            self._snapshots[image] = snapshot
            return snapshot

    async def copied(self, universe: Universe, id: str, name: str, target: str) -> UniverseSnapshot:
        """Copy a universe to an id that is in L{GOING}; it stands still for it.  Answers what is told of the copy."""
        taken: Deferred[None] = Deferred()

        def over(result: Any = None) -> Any:
            if not taken.called:
                taken.callback(None)
            return result

        async with universe.standing_still():
            now, real = universe.clock.now(), self._reactor.seconds()
            # Whatever its pace, the clock of a copy begins at the instant of the snapshot.
            line = universe.clock.timeline.changed(now, real)
            snapshot = UniverseSnapshot(
                id, universe.id, name, datetime.fromtimestamp(real, UTC), now, universe.record, line,
                sum((await universe.store.totals()).values()), len(universe.people), len(universe.pending))
            await self._storage.database.copy(universe.id, target)
            copied = self._storage.images.copy(universe.id, target, taken=over).addBoth(over)
            await taken
        # What it takes to have it on the disk holds nobody up.
        await copied
        await self._storage.database.commit(target, Commit(
            puts=(("state", "clock", msgspec.json.encode([line, now])),)))
        return snapshot

    async def taken(self, snapshot: UniverseSnapshot) -> str:
        """
        Take the fingerprint of a snapshot, while its original goes on.

        That is read from another copy, for a snapshot that nobody ever opened is forked at once.
        """
        copy = f"{snapshot.image}!read"
        await self._documents.put(GOING, copy, snapshot.record.placed)
        try:
            await self._storage.copy(snapshot.image, copy)
            universe = await self._open(replace(
                snapshot.record, id=copy, clock=snapshot.clock, durability="local"))
            try:
                return (await fingerprint(universe)).fingerprint
            finally:
                await universe.close()
                await universe.store.close()
        finally:
            await self._replacement.clear(copy)

    async def delete(self, snapshot: UniverseSnapshot) -> None:
        """
        A snapshot is gone; forks of it stay.

        @raise NotFound: it was deleted before.
        """
        self._documents.check_mine(self._universes.record(snapshot.universe).placed)
        async with self.turn(snapshot.universe):
            self.get(snapshot.universe, snapshot.id)
            await self._documents.commit(Commit(
                puts=(self._going(snapshot),), drops=((TABLE, snapshot.image),)))
            del self._snapshots[snapshot.image]
            await self._replacement.clear(snapshot.image)

    def going_with(self, universe_id: str) -> Commit:
        """Return what has all snapshots of a universe go, which is being deleted; L{gone} then removes them."""
        snapshots = self.of(universe_id)
        return Commit(puts=tuple(map(self._going, snapshots)), drops=tuple((TABLE, one.image) for one in snapshots))

    def _going(self, snapshot: UniverseSnapshot) -> tuple[str, str, bytes]:
        """Return the document by which a snapshot is to go."""
        return GOING, snapshot.image, msgspec.json.encode(self._universes.record(snapshot.universe).placed)

    async def gone(self, universe_id: str) -> None:
        """All snapshots of a universe are to go."""
        images = [one.image for one in self.of(universe_id)]
        for image in images:
            del self._snapshots[image]
        for image in images:
            await self._replacement.clear(image)
        self._turns.pop(universe_id, None)

    # Put back, and forked

    async def restore(self, snapshot: UniverseSnapshot) -> Universe:
        """
        Put a snapshot in the place of its universe as it is: what came since is gone.

        Open IMAP sessions get BYE, every folder has a greater UIDVALIDITY, and events are numbered on above all there
        ever were.

        @raise NotFound: it was deleted meanwhile.  @raise Conflict, Unavailable: its mail is not to be had.
        """
        async with self.turn(snapshot.universe):
            self.get(snapshot.universe, snapshot.id)
            await self._bring(snapshot)
            universe = self._universes.get(snapshot.universe)
            # How long it lives, and where, is the universe's, not that of what is in it.
            now = universe.record
            record = replace(snapshot.record, ends=now.ends, durability=now.durability, beside=now.beside)
            restored = await self._replacement.replace(universe, Step(
                record, snapshot.image, stored=snapshot.durability == "replicated"))
            self._replaced(restored)
            return restored

    async def _bring(self, snapshot: UniverseSnapshot) -> None:
        """
        Have its mail on this disk.

        @raise Conflict: it is on another server's, and nowhere else.  @raise Unavailable: the store of objects is away.
        """
        if snapshot.image in await self._storage.images.universes():
            return
        if snapshot.durability == "replicated" and self._replicas is not None:
            await self._replicas.fetch(snapshot.image)
        elif snapshot.messages:
            raise Conflict(f"the mail of snapshot {snapshot.id} is on the disk of the server that made it")

    async def fork(
        self, snapshot: UniverseSnapshot, fork_id: str = "", name: str = "", seed: str = "",
        ttl: timedelta | None = None,
    ) -> Forked:
        """
        A new universe that begins as a snapshot is, with a clock, a seed, people and logins of its own.

        Its webhooks are switched off.

        @param fork_id: made up unless given; name, seed: those of the original unless given.
        @param ttl: real time after which it goes by itself.
        @raise Invalid: a bad id or C{ttl}.  @raise Conflict: a universe of that id exists.
        @raise OverAllowance: the plan's universes are used up.  @raise NotFound: it was deleted meanwhile.
        """
        async def copy(fork: str) -> UniverseSnapshot:
            self.get(snapshot.universe, snapshot.id)
            await self._bring(snapshot)
            await self._storage.copy(snapshot.image, fork)
            return snapshot

        # Its universe may have moved since.
        origin = replace(snapshot.record, beside=self._universes.record(snapshot.universe).beside)
        return await self.found(_of_fork(origin, fork_id, name, seed), copy, ttl)

    async def fork_now(
        self, universe: Universe, fork_id: str = "", name: str = "", seed: str = "", ttl: timedelta | None = None
    ) -> Forked:
        """Do the same with a universe as it is, which stands still for it."""
        async def copy(fork: str) -> UniverseSnapshot:
            original = self._universes.get(universe.id)
            await self._storage.images.prepare(original.id, fork)
            return await self.copied(original, "", "", fork)

        return await self.found(_of_fork(universe.record, fork_id, name, seed), copy, ttl)

    async def found(
        self, record: UniverseRecord, fill: Callable[[str], Awaitable[UniverseSnapshot]], ttl: timedelta | None = None,
        keys: Sequence[Key] = (), silent: bool = True, expected: str = "",
    ) -> Forked:
        """
        Make a new universe of what something else has: all of it is there then, or nothing.

        @param record: of the new one, but for C{created}, C{clock} and C{ends}.
        @param fill: puts everything under an id that has nothing; answers what was put there.
        @param keys: API keys that it is to have; silent: its webhooks are switched off.
        @param expected: the fingerprint that it must have, C{""} for any.
        @raise Invalid: a bad id or C{ttl}.  @raise Conflict: a universe of that id exists.
        @raise OverAllowance: the plan's universes are used up.
        """
        id = record.id
        check_id("id", id)
        record = replace(record, ends=ends_in(ttl, self._reactor.seconds()))
        if id in self._universes or id in self._making or id in await self._documents.table(GOING):
            raise Conflict(f"universe {id} exists")
        plan = self._organizations.plan_of(record.org)
        plan.check("universes", len(self._making) + sum(one.org == record.org for one in self._universes.records()))
        self._making.add(id)
        try:
            async with self.turn(record.origin or id):
                made = await self._made(record, fill, keys, silent, expected)
        finally:
            self._making.discard(id)
        return made

    async def _made(
        self, record: UniverseRecord, fill: Callable[[str], Awaitable[UniverseSnapshot]], keys: Sequence[Key],
        silent: bool, expected: str,
    ) -> Forked:
        id = record.id
        await self._documents.commit(Commit(puts=(
            *self._documents.placing(record.placed), (GOING, id, msgspec.json.encode(record.placed)))))
        universe: Universe | None = None
        try:
            snapshot = await fill(id)
            created = datetime.fromtimestamp(self._reactor.seconds(), UTC)
            record = replace(record, created=created, clock=snapshot.clock,
                             separate=record.separate or snapshot.record.separate)
            database = self._storage.database
            await silence(database, id, () if silent else tuple(await database.table(id, SHARES)), silent)
            universe = await self._open(record)
            taken = snapshot.fingerprint or (
                (await fingerprint(universe)).fingerprint if is_small(snapshot, universe) else "")
            if expected and taken and taken != expected:
                raise Invalid("fingerprint", f"is {taken}, but should be {expected}")
            token, key = self._keys.new(id, "admin", f"fork of {record.origin}" if record.origin else "made with it")
            await self._documents.commit(Commit(
                puts=(("universes", id, msgspec.json.encode(record)), *(one.document() for one in (key, *keys))),
                drops=((GOING, id),)))
        except BaseException:
            if universe is not None:
                await universe.close()
                await universe.store.close()
            await self._replacement.clear(id)
            raise
        for one in (key, *keys):
            self._keys.took(one)
        self._replaced(universe)
        logins = tuple((qualified(one.address, id) if record.separate else one.address, one.address)
                       for one in universe.policy.accounts() if one.can_login)
        return Forked(universe, token, taken, logins)


def _of_fork(origin: UniverseRecord, id: str, name: str, seed: str) -> UniverseRecord:
    return replace(origin, id=id or f"{origin.id[:50]}-{token_hex(5)}", name=name or origin.name,
                   seed=seed or origin.seed, separate=True, origin=origin.id, beside=origin.placed,
                   durability="local")


def is_small(snapshot: UniverseSnapshot, universe: Universe) -> bool:
    """Whether the fingerprint is taken in passing, of a snapshot or of what is made of it."""
    return snapshot.messages <= FEW_MESSAGES and universe.log.last <= FEW_EVENTS
