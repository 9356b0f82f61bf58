"""
The server's own documents: organisations, universes, keys, users.  They are few and are held in memory.

What is checked when a call begins is over for most before it can change.  Those that stay open are told here when
somebody may do less than before (keys revoked, people and universes deleted, organisations suspended), and look again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from simmail.core.records.commit import Commit
from simmail.interfaces import IDatabase

#: The universe of the server's own documents.
SERVER = ""


class ServerDocuments:
    """The server's own tables in the database."""

    def __init__(self, database: IDatabase) -> None:
        self._database = database
        self._watchers: dict[Callable[[], None], None] = {}

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
