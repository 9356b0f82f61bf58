"""
The server's own documents: organisations, universes, keys, users.  They are few and are held in memory.

What is checked when a call begins is over for most before it can change.  Those that stay open are told here when
somebody may do less than before (keys revoked, people and universes deleted, organisations suspended), and look again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import msgspec

from simmail.core.records.commit import Commit
from simmail.errors import Elsewhere, Unavailable
from simmail.interfaces import IDatabase, IPeers

T = TypeVar("T")

#: The universe of the server's own documents.
SERVER = ""


class ServerDocuments:
    """The server's own tables in the database."""

    def __init__(self, database: IDatabase, peers: IPeers | None = None) -> None:
        self._database = database
        self._peers = peers
        self._watchers: dict[Callable[[], None], None] = {}
        self._learners: dict[str, Callable[[str, bytes | None], Any]] = {}
        #: Some universes of this server are served by nobody it could ask.
        self.lacking = False

    async def start(self, universes: Collection[str]) -> None:
        """Begin.  C{universes}: ids of those that have mail on this machine."""

    async def catch_up(self) -> None:
        """Know all that others have changed."""

    def stop(self) -> None:
        """Nothing is learned any more."""

    def watch(self, look_again: Callable[[], None]) -> Callable[[], None]:
        """Call it whenever somebody may do less; answers how to stop."""
        self._watchers[look_again] = None
        return lambda: self._watchers.pop(look_again, None)

    def tell(self) -> None:
        """Have all open calls look again: somebody may do less."""
        for look_again in list(self._watchers):
            look_again()

    @property
    def available(self) -> bool:
        """False while Redis is known to be away."""
        return bool(self._database.healthy)

    async def keep(self, name: str, learn: Callable[[str, bytes | None], Any]) -> None:
        """
        Learn a whole table, and from then on what other processes change in it.

        @param learn: called with the key and the octets of a document, None for one that is gone.
        """
        self._learners[name] = learn
        for key, octets in (await self.table(name)).items():
            learn(key, octets)

    def learn(self, changes: Sequence[tuple[str, str, bytes | None]]) -> None:
        """Take in what another process has changed: table, key, and octets or None."""
        for table, key, octets in changes:
            if table in self._learners:
                self._learners[table](key, octets)
        self.tell()

    async def table(self, name: str) -> dict[str, bytes]:
        """Return one whole table."""
        found: dict[str, bytes] = await self._database.table(SERVER, name)
        return found

    async def put(self, table: str, key: str, value: Any) -> None:
        """Put one document."""
        await self.commit(Commit(puts=((table, key, msgspec.json.encode(value)),)))

    async def drop(self, *places: tuple[str, str]) -> None:
        """Drop some documents, by (table, key)."""
        await self.commit(Commit(drops=places))

    async def commit(self, commit: Commit) -> None:
        """Change documents, all at once."""
        await self._database.commit(SERVER, commit)
        # Whoever is answered that it is so finds it so in every process.
        await self.ask("learn", [*((table, key, None) for table, key in commit.drops), *commit.puts])

    async def ask(self, question: str, *arguments: Any) -> list[Any]:
        """Return what other processes answer (C{MailServer.answers}), None for each that does not."""
        told = [] if self._peers is None else await self._peers.ask(question, *arguments)
        return [*told, None] if self.lacking else told

    def surely(self, found: list[T]) -> list[T]:
        """
        Return what was found in the universes that are served here, as an answer to another process.

        @raise Unavailable: nothing, and there may be something in one that is not served just now.
        """
        if not found and self.lacking:
            raise Unavailable("not all of its universes are served just now; try again later")
        return found

    async def heard(self, changes: Sequence[tuple[str, str, bytes | None]], version: int) -> None:
        """Another server of the installation has changed something."""

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Have nobody else do what is done within at the same time."""
        yield

    @asynccontextmanager
    async def founding(self) -> AsyncIterator[None]:
        """Have nobody else make what a new installation begins with, while this process does."""
        yield

    def is_mine(self, name: str) -> bool:
        """Whether this process has what is placed so."""
        return self._peers is None or bool(self._peers.mine(name))

    def holds(self, name: str) -> bool:
        """Whether this process has what is there and placed so."""
        return self.is_mine(name)

    def placing(self, name: str) -> tuple[tuple[str, str, bytes], ...]:
        """Return the documents that have to be put with a universe that is made, by the id by which it is placed."""
        return ()

    def leaving(self, name: str) -> tuple[tuple[str, str], ...]:
        """Return the documents that go with the last of what is placed so."""
        return ()

    async def place(self, places: Mapping[str, str], records: Sequence[tuple[str, bytes]]) -> None:
        """Have servers have what is placed so, and universes other documents (by id), all at once."""

    def check_mine(self, name: str) -> None:
        """Check that it is so.  @raise Elsewhere: another process has it."""
        if not self.is_mine(name):
            raise Elsewhere(name)
