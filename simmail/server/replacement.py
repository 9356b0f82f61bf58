"""
Putting something else in the place of a universe: what a snapshot has, or the little that a reset leaves.

It is written down before it begins.  From then on it is done as often as it is begun, whatever comes between, until it
is complete: at once, a moment later where Redis or the disk is in trouble, at the next start after a crash.  Meanwhile
the universe that was is closed, and who asks for it is told to try again.  Source: decisions, sections 16 and 20.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater
from twisted.logger import Logger

from simmail.core.records.commit import Commit
from simmail.errors import Fenced, NotFound, Unavailable
from simmail.interfaces import IDatabase, IMailImages, IMailStore, IReplicas
from simmail.server import remainder
from simmail.server.documents import ServerDocuments
from simmail.universe.insights.shares import TABLE as SHARES
from simmail.universe.universe import Universe, UniverseRecord
from simmail.universe.webhooks.webhooks import silenced
from simmail.universe.webhooks.webhooks import ATTEMPTS, TABLE

#: Real seconds after which what could not be completed is tried again.
AGAIN = 1.0

#: The tables of the server's documents for what is written down: replacements by universe; of images that are to go
#: the id by which they are placed.
STEPS, GOING = "steps", "going"


class Storage(NamedTuple):
    """Where the universes of a server are: what it knows of them, the database of all, and their mail."""

    documents: ServerDocuments
    database: IDatabase
    images: IMailImages

    async def copy(self, universe: str, target: str) -> None:
        """Copy a universe that nobody changes to an id that has nothing."""
        await self.database.copy(universe, target)
        await self.images.copy(universe, target)


class Step(Struct, frozen=True):
    """
    A replacement that is to be completed.

    @ivar record: what the universe is from then on.
    @ivar image: the id under which that lies which it shall have; of a reset, where it is laid aside.
    @ivar keep: of a reset, what is kept; None: it has all of C{image}.
    @ivar shares: keys of the shared reports there were; those that were revoked since a snapshot stay revoked.
    @ivar stored: the mail of C{image} is in the store of objects too.
    """

    record: UniverseRecord
    image: str
    keep: tuple[str, ...] | None = None
    shares: tuple[str, ...] = ()
    stored: bool = False

    @property
    def elsewhere(self) -> bool:
        """Whether another server can complete it, where its universe is replicated."""
        return self.keep is not None or self.stored


class Replacement:
    """
    Replaces universes of one server.

    @param store: makes the store of a universe that is not opened; open: opens a universe that is complete.
    @param replicas: of universes that are replicated.
    """

    def __init__(
        self, storage: Storage, store: Callable[[str], IMailStore],
        open: Callable[[UniverseRecord], Awaitable[Universe]], reactor: IReactorTime,
        replicas: IReplicas | None = None,
    ) -> None:
        # On the instance: a Logger that is a class attribute takes the class's name for its namespace.
        self.logger = Logger(namespace="simmail.server")
        self._documents, self._database, self._images = storage
        self._store = store
        self._open = open
        self._reactor = reactor
        self._replicas = replicas
        self._stopped = False
        # Replicated ones that are complete on this disk, and not known to be in the store of objects yet.
        self._placed: dict[str, Step] = {}

    async def start(self) -> None:
        """
        Complete what a crash cut short, before any universe is opened; what was being made or removed goes.

        A replicated one is completed by who opens it (L{resumed}).
        """
        mine = self._documents.holds
        for octets in (await self._documents.table(STEPS)).values():
            step = msgspec.json.decode(octets, type=Step)
            if mine(step.record.placed) and step.record.durability == "local":
                try:
                    await self._place(step)
                except Fenced as error:
                    self.logger.warn("the universe {id} is not replaced: {error}", id=step.record.id, error=error)
        for image, placed in (await self._documents.table(GOING)).items():
            if mine(str(msgspec.json.decode(placed))):
                await self.clear(image)

    def stop(self) -> None:
        """Try nothing again: the next start completes it."""
        self._stopped = True

    async def clear(self, image: str) -> None:
        """Remove what is under an id that is in L{GOING}, and nobody's."""
        await self._images.erase(image)
        try:
            await self._database.erase(image)
        except Fenced:
            # Another server has a universe of that id: nothing there is of this one.
            pass
        if self._replicas is not None:
            try:
                await self._replicas.erase(image)
            except Unavailable as error:
                self.logger.warn("the mail of {id} stays in the object store until the next start: {error}", id=image,
                                 error=error)
                return
        await self._documents.drop((GOING, image))

    async def replace(self, universe: Universe, step: Step) -> Universe:
        """
        Put something else in the place of a universe, which is closed; answers the one that is there then.

        @raise Unavailable: it could not be written down, and nothing has changed; or the service stops.
        """
        step = replace(step, shares=tuple(await self._database.table(universe.id, SHARES)))
        await self._documents.put(STEPS, universe.id, step)
        await universe.scheduler.halt()
        await universe.close()
        await universe.store.close()
        while True:
            try:
                await self._place(step)
                return await self._open(step.record)
            except Unavailable as error:
                if self._stopped:
                    raise
                self.logger.warn("the universe {id} is not back yet: {error}", id=universe.id, error=error)
            await deferLater(self._reactor, AGAIN)

    async def _place(self, step: Step) -> None:
        """Do all of it, or what is left of it."""
        id, image, database = step.record.id, step.image, self._database
        if step.keep is None:
            await self._images.erase(id)
        else:
            await remainder.lay_aside(database, id, image, step.keep)
            store = self._store(id)
            try:
                await store.reset(await remainder.mailboxes(database, image))
            finally:
                await store.close()
        await database.erase(id)
        await database.copy(image, id)
        if step.keep is None:
            await self._images.copy(image, id, renewed=True)
            if self._replicas is not None and step.record.durability == "replicated":
                await self._replicas.replaced(id)
        await silence(database, id, step.shares)
        if step.keep is not None:
            await remainder.finish(database, id)
        await self._documents.put("universes", id, step.record)
        if step.record.durability == "replicated":
            self._placed[id] = step
        else:
            await self._over(step)

    async def _over(self, step: Step) -> None:
        """Nothing is left of it to be done."""
        going = () if step.keep is None else ((GOING, step.image, msgspec.json.encode(step.record.placed)),)
        await self._documents.commit(Commit(puts=going, drops=((STEPS, step.record.id),)))
        if step.keep is not None:
            await self.clear(step.image)

    async def resumable(self, universe_id: str) -> bool:
        """Whether another server than the one that began to replace a universe, if any did, can complete that."""
        step = await self._step(universe_id)
        return step is None or step.elsewhere

    async def _step(self, universe_id: str) -> Step | None:
        octets = (await self._documents.table(STEPS)).get(universe_id)
        return None if octets is None else msgspec.json.decode(octets, type=Step)

    async def resumed(self, record: UniverseRecord) -> UniverseRecord:
        """
        Complete what a crash cut short, here or at a server that is gone, before a replicated universe is opened.

        @return: what the universe is then.
        @raise Unavailable: the store of objects is away, or what it is to have is nowhere.
        """
        step = await self._step(record.id)
        if step is None or self._replicas is None or self._placed.get(record.id) == step:
            return record
        # As it is before: its mail, and which UIDVALIDITYs it had.
        await self._replicas.prepare(record.id, lambda: None)
        await self._store(record.id).close()
        if step.keep is None and step.image not in await self._images.universes():
            try:
                await self._replicas.fetch(step.image)
            except NotFound:
                raise Unavailable(f"the snapshot that {record.id} is to be is on another server's disk") from None
        await self._place(step)
        return step.record

    async def opened(self, universe_id: str) -> None:
        """All that was put in the place of a universe is in the store of objects."""
        step = self._placed.get(universe_id)
        if step is not None:
            await self._over(step)
            del self._placed[universe_id]


async def silence(database: IDatabase, universe: str, shares: Collection[str] = (), off: bool = False) -> None:
    """
    Have a copy tell nobody outside what it should not.

    Its webhooks send nothing that was sent, with C{off} nothing at all; of shared reports only C{shares} are.
    """
    commit = silenced(await database.table(universe, TABLE), await database.table(universe, ATTEMPTS),
                      await database.last_event(universe), off)
    revoked = tuple((SHARES, key) for key in await database.table(universe, SHARES) if key not in shares)
    if revoked or commit != Commit():
        await database.commit(universe, replace(commit, drops=(*commit.drops, *revoked)))
