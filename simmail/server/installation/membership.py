"""
The servers of an installation: which there are, and one that is gone for good taken off the list.

Whatever such a server had on its disk alone goes with it, which has to be said; then nobody waits for it any more.
What is removed is written down, as that of the server that was asked, before that begins: after a crash that one's next
start goes on.  Source: decisions, section 20.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress

import msgspec
from msgspec import Struct
from twisted.logger import Logger

from simmail.core.records.commit import Commit
from simmail.errors import Conflict, Fenced, Invalid, NotFound, Refusal, Unavailable
from simmail.interfaces import INodes
from simmail.server.installation.shared_documents import NODES, PLACES
from simmail.server.replacement import GOING, Replacement, Step, STEPS, Storage
from simmail.server.snapshots import Snapshots, Tenants
from simmail.universe.universe import UniverseRecord


class ServerMember(Struct, frozen=True):
    """
    A server of an installation.

    @ivar name: its `server.node`; address: where the others reach it; alive: whether it is reached now.
    @ivar universes: ids of those that it has; local: of those among them whose mail is on its disk alone.
    """

    name: str
    address: str
    alive: bool
    universes: list[str]
    local: list[str]


class RemovedServer(Struct, frozen=True):
    """A server that is none of the installation any more.  C{lost}: ids of the universes that went with it."""

    name: str
    lost: list[str]


class Membership:
    """
    The servers of one installation, as one of them knows them.

    @param nodes: None where there is no installation.
    @param found: makes a universe of an id, for mail of nobody's.
    """

    def __init__(
        self, storage: Storage, nodes: INodes | None, tenants: Tenants, snapshots: Snapshots, replacement: Replacement,
        default: str, found: Callable[[str], Awaitable[object]],
    ) -> None:
        # On the instance: a Logger that is a class attribute takes the class's name for its namespace.
        self.logger = Logger(namespace="simmail.server")
        self._documents, self._database = storage.documents, storage.database
        self._nodes, self._snapshots, self._replacement = nodes, snapshots, replacement
        self._universes, _, self._keys = tenants
        self._default, self._found = default, found
        #: What other servers ask.
        self.answers: Mapping[str, Callable[..., object]] = {"alive": lambda: sorted(self._known.alive())}

    @property
    def _known(self) -> INodes:
        if self._nodes is None:
            raise Invalid("node", "this server is none of an installation (server.peers)")
        return self._nodes

    def all(self) -> list[ServerMember]:
        """Return all servers, by name.  @raise Invalid: this one is none of an installation."""
        nodes = self._known
        alive, names = nodes.alive(), {*nodes.servers, *nodes.placed.values()}
        return [ServerMember(
            name, nodes.servers.get(name, ""), name in alive, [one.id for one in having],
            [one.id for one in having if one.durability == "local"])
            for name in sorted(names) for having in [self._of(name)]]

    def _of(self, name: str) -> list[UniverseRecord]:
        return [one for one in self._universes.records() if self._known.owner(one.placed) == name]

    async def remove(self, name: str, lose_local: bool = False) -> RemovedServer:
        """
        Have nobody wait for a server any more, which is gone for good.

        @param lose_local: universes whose mail is on its disk alone may be lost.
        @raise NotFound: there is no such server.  @raise Invalid: this one is none of an installation.
        @raise Conflict: it runs, has universes that may not be lost, or that others are about to take over.
        """
        if name not in {one.name for one in self.all()}:
            raise NotFound(f"no server {name}")
        async with self._documents.alone():
            theirs = self._of(name)
            await self._check_gone(name, theirs)
            steps = {id: msgspec.json.decode(octets, type=Step)
                     for id, octets in (await self._documents.table(STEPS)).items()}
            # What was to be put in the place of one may be on that disk only, and of what was there may be a part.
            lost = [one for one in theirs if one.durability == "local" or
                    one.id in steps and not steps[one.id].elsewhere]
            if len(lost) < len(theirs):
                raise Conflict(f"{_listed(one.id for one in theirs if one not in lost)} will be taken over by another "
                               "server, within ten seconds if objects.url is configured there; try again then")
            if lost and not lose_local:
                raise Conflict(f"the mail of {_listed(one.id for one in lost)} is on the disk of {name} alone; remove "
                               f"{name} with lose_local if it may be lost")
            images = await self._written_down(name, lost, [steps[one.id] for one in lost if one.id in steps])
        self._documents.tell()
        self.logger.warn("the server {name} was removed, and with it {lost}", name=name,
                         lost=_listed(one.id for one in lost) or "no universe")
        for image in images:
            await self._clear(image)
        for one in lost:
            await self._snapshots.gone(one.id)
        going = {str(msgspec.json.decode(placed)) for placed in (await self._documents.table(GOING)).values()}
        await self._documents.drop(*(place for placed in {*images.values()} - going
                                     for place in self._documents.leaving(placed)))
        if any(one.id == self._default for one in lost):
            try:
                await self._found(self._default)
            except Refusal as error:
                self.logger.warn("the universe {id} is made at the next start of a server: {error}", id=self._default,
                                 error=error)
        return RemovedServer(name, [one.id for one in lost])

    async def _check_gone(self, name: str, theirs: Iterable[UniverseRecord]) -> None:
        """@raise Conflict: it is not."""
        seen = [self._known.alive(), *(await self._documents.ask("alive"))]
        if any(name in (one or ()) for one in seen):
            raise Conflict(f"the server {name} runs; stop it first")
        for one in theirs:
            # Nobody may reach one that runs; or it ended a moment ago.
            if await self._database.holder(one.id) == name:
                raise Conflict(
                    f"the server {name} held the universe {one.id} a few seconds ago; stop it, and try again")

    async def _written_down(self, name: str, lost: list[UniverseRecord], steps: list[Step]) -> dict[str, str]:
        """Commit that it is gone, with all that was its; answers under what that lies, and by what it is placed."""
        nodes, ids = self._known, {one.id for one in lost}
        going = {image: str(msgspec.json.decode(placed))
                 for image, placed in (await self._documents.table(GOING)).items()}
        images = {image: placed for image, placed in going.items() if nodes.owner(placed) == name}
        images.update({one.id: one.placed for one in lost})
        images.update({step.image: step.record.placed for step in steps if step.keep is not None})
        snapshots = [self._snapshots.going_with(id) for id in ids]
        # Administrators' keys are the server's own; whose universe is gone opens what is in none.
        keys = [key.prefix for key in self._keys.all() if key.universe in ids and not key.administrator]
        await self._documents.commit(Commit(
            puts=(
                *((PLACES, placed, msgspec.json.encode(nodes.number)) for placed in {*images.values()}),
                *((GOING, image, msgspec.json.encode(placed)) for image, placed in images.items()),
                *(put for one in snapshots for put in one.puts)),
            drops=(
                (NODES, name),
                *((PLACES, placed) for placed in {*nodes.placed} - {*images.values()} if nodes.owner(placed) == name),
                *(("universes", id) for id in ids), *((STEPS, step.record.id) for step in steps),
                *(("keys", prefix) for prefix in keys), *(drop for one in snapshots for drop in one.drops))))
        for id in ids:
            self._universes.know(id, None)
        for prefix in keys:
            self._keys.forget(prefix)
        return images

    async def _clear(self, image: str) -> None:
        await self._replacement.clear(image)
        # Who erases has the lease for it.
        with suppress(Fenced, Unavailable):
            await self._database.give_back(image)


def _listed(ids: Iterable[str]) -> str:
    """Names as a sentence has them."""
    return ", ".join(sorted(ids))
