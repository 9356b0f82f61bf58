"""
Exports and imports of universes: a folder with ordinary Maildirs and lists in lines of JSON, and back.

What is exported is a copy, as a snapshot is, so its universe stands still for a moment only.  What is imported is
founded as a fork is.  After a crash an export is there whole or not at all, and so is what was imported.  Sources:
decisions, sections 16 and 20.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from secrets import token_hex
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from simmail.errors import Invalid, NotFound, Refusal, Unavailable
from simmail.server.apikeys import Key
from simmail.server.replacement import GOING, Replacement, Storage
from simmail.server.snapshots import Forked, Snapshots, Tenants, UniverseSnapshot, is_small
from simmail.universe.clock import Timeline
from simmail.universe.policy import Account
from simmail.universe.universe import Universe, UniverseRecord

T = TypeVar("T")

#: The list of API keys, of which there are digests only.
KEYS = "keys"
#: Rows of a list that are read at once.
PAGE = 500


class IExport(Protocol):
    """One export, on the disk: L{simmail.mailstore.export.folder.ExportFolder}.  All wait for the disk."""

    path: str

    def begin(self, lists: Sequence[str]) -> None:
        """Begin to write."""

    def add(self, name: str, rows: Sequence[Any]) -> None:
        """Write rows into a list."""

    def add_mail(self, image: str) -> None:
        """Write all mail of an image."""

    def finish(self, facts: Mapping[str, Any]) -> None:
        """It is complete and there."""

    def close(self) -> None:
        """Nothing more is done."""

    def open(self, kinds: Mapping[str, Any]) -> bytes:
        """Begin to read; answers the manifest."""

    def rows(self, name: str, type: Any) -> Iterator[tuple[int, Any]]:
        """Read a list."""

    def take_mail(self, universe: str) -> int:
        """Put all mail into a universe."""


#: Answers the export of a link in the state folder and a name; asked in a thread.
Exports = Callable[[str, str], IExport]


def no_export(token: str, name: str) -> IExport:
    """@raise Unavailable: always; for a server that is in memory only."""
    raise Unavailable("this server has no disk")


class Facts(Struct, frozen=True):
    """
    What the manifest says of the universe.

    @ivar at: the instant in it; clock: how its clock goes on; counts: how much there is of what.
    @ivar fingerprint: C{""} of one too large to have it taken in passing.
    """

    universe: UniverseRecord
    seed: str
    at: datetime
    clock: Timeline
    counts: dict[str, int]
    fingerprint: str


class Exported(Struct, frozen=True):
    """
    An export that is complete.

    @ivar universe: id of what it is of; directory: where it is, on the server's machine.
    @ivar counts: how much there is of what; fingerprint: null of a very large one.
    """

    universe: str
    directory: str
    counts: dict[str, int]
    fingerprint: str | None


class Transfers:
    """
    The exports and imports of one server.

    @param in_thread: runs a function in a thread, answering a Deferred.
    """

    def __init__(
        self, storage: Storage, tenants: Tenants, replacement: Replacement, snapshots: Snapshots, exports: Exports,
        in_thread: Callable[..., Any],
    ) -> None:
        self._documents, self._database, self._images = storage
        self._universes, self._organizations, self._keys = tenants
        self._replacement = replacement
        self._snapshots = snapshots
        self._exports = exports
        self._in_thread = in_thread
        self._kinds: Mapping[str, Any] = {KEYS: Key, **storage.database.stored}

    async def _disk(self, work: Callable[..., T], *args: Any) -> T:
        """@raise Unavailable: the disk refused."""
        try:
            done: T = await self._in_thread(work, *args)
            return done
        except OSError as error:
            raise Unavailable(f"the disk refused: {error.strerror or error}") from error

    # Out

    async def write(self, universe: Universe, token: str, name: str) -> Exported:
        """
        Export a universe, which stands still for the moment in which it is copied.

        @param token, name: where to, as L{Exports} have it.
        @raise Conflict: something is there.  @raise Invalid: nothing can be made there.
        """
        export = await self._disk(self._exports, token, name)
        id = f"export-{token_hex(5)}"
        async with self._snapshots.turn(universe.id):
            universe = self._universes.get(universe.id)
            image = f"{universe.id}!{id}"
            await self._documents.put(GOING, image, universe.record.placed)
            try:
                await self._disk(export.begin, list(self._kinds))
                await self._images.prepare(universe.id, image)
                snapshot = await self._snapshots.copied(universe, id, "", image)
                facts = await self._written(export, universe, snapshot)
                await self._disk(export.finish, msgspec.to_builtins(facts))
            finally:
                await self._disk(export.close)
                await self._replacement.clear(image)
        return Exported(universe.id, export.path, facts.counts, facts.fingerprint or None)

    async def _written(self, export: IExport, universe: Universe, snapshot: UniverseSnapshot) -> Facts:
        names = {type: name for name, type in self._kinds.items()}
        counts = dict.fromkeys(self._kinds, 0)

        async def add(page: Sequence[Any]) -> None:
            if page:
                name = names[type(page[0])]
                await self._disk(export.add, name, page)
                counts[name] += len(page)

        await add([key for key in self._keys.all() if key.universe == universe.id])
        async for page in self._database.dump(snapshot.image):
            await add(page)
        taken = await self._snapshots.taken(snapshot) if is_small(snapshot, universe) else ""
        await self._disk(export.add_mail, snapshot.image)
        counts["messages"], counts["personas"] = snapshot.messages, snapshot.personas
        return Facts(snapshot.record, universe.seed, snapshot.at, snapshot.clock, counts, taken)

    # In

    async def read(self, token: str, name: str, id: str = "") -> Forked:
        """
        Import a universe: mail under its UIDs, people, jobs, the event log, settings, and the API keys there were.

        Its plain logins stay its own unless somebody has them.

        @param token, name: where from, as L{Exports} have it; id: another one than it had.
        @raise Invalid: what is wrong there, naming the file and the line.  @raise Conflict: a universe of that id
            exists.  @raise OverAllowance: the plan's universes are used up.
        """
        export = await self._disk(self._exports, token, name)
        try:
            octets = await self._disk(export.open, self._kinds)
            try:
                facts = msgspec.json.decode(octets, type=Facts)
            except msgspec.MsgspecError as error:
                raise Invalid("manifest.json", str(error)) from None
            record = replace(facts.universe, id=id or facts.universe.id, org=self._org(facts.universe.org), origin="",
                             durability="local",
                             beside="")
            self._documents.check_mine(record.placed)
            keys = [replace(key, universe=record.id, administrator=False)
                    async for page in self._pages(export, KEYS) for key in page]
            known = {key.prefix for key in self._keys.all()}
            try:
                return await self._snapshots.found(
                    record, lambda id: self._filled(id, export, facts, record),
                    keys=[key for key in keys if key.prefix not in known], silent=False, expected=facts.fingerprint)
            except Refusal:
                raise
            except Exception as error:
                # What is in documents is known to who opens them only.
                raise Invalid("documents.jsonl", f"what is there cannot be opened: {error}") from error
        finally:
            await self._disk(export.close)

    def _org(self, org: str) -> str:
        try:
            return self._organizations.get(org).id
        except NotFound:
            return "default"

    async def _filled(self, id: str, export: IExport, facts: Facts, record: UniverseRecord) -> UniverseSnapshot:
        where = ""

        async def pages() -> AsyncIterator[Sequence[Any]]:
            nonlocal where
            for name in self._database.stored:
                line = 1
                async for page in self._pages(export, name):
                    where = f"{name}.jsonl, lines {line} to {line + len(page) - 1}"
                    line += len(page)
                    yield page

        try:
            await self._database.load(id, pages())
        except Invalid as error:
            raise Invalid(where, str(error)) from None
        messages = await self._disk(export.take_mail, id)
        logins = [msgspec.json.decode(octets, type=Account).address
                  for octets in (await self._database.table(id, "accounts")).values()]
        separate = record.separate or any(map(self._universes.logins, logins))
        return UniverseSnapshot("", id, "", record.created, facts.at, replace(record, separate=separate), facts.clock,
                                messages, 0, 0)

    async def _pages(self, export: IExport, name: str) -> AsyncIterator[list[Any]]:
        rows = export.rows(name, self._kinds[name])
        while page := await self._disk(lambda: list(islice(rows, PAGE))):
            yield [row for _, row in page]
