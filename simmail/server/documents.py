"""
The server's own documents: organisations, universes, keys, users.  They are few and are held in memory.
"""

from __future__ import annotations

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
