"""
When the journal may forget a delivery: once its commit is in the synced log of the database.

Until then a power cut of the database would take what follows from the mail
with it.  Source: decisions, section 20.
"""

from __future__ import annotations

from twisted.internet.defer import Deferred

from simmail.interfaces import IDatabase, IMailStore


class Settling:
    """The deliveries of one universe that are committed, and not yet for good."""

    def __init__(self, store: IMailStore, database: IDatabase) -> None:
        self._store = store
        self._database = database
        self._round: Deferred[None] | None = None
        self._ids: list[str] = []

    def settle(self, delivery_id: str) -> None:
        """Its commit was made just now, or earlier."""
        synced: Deferred[None] = self._database.synced()
        if synced.called:
            self._store.settle([delivery_id])
        elif synced is self._round:
            self._ids.append(delivery_id)
        else:
            self._round, self._ids = synced, [delivery_id]
            synced.addCallback(self._synced, self._ids)

    def _synced(self, result: None, ids: list[str]) -> None:
        self._store.settle(ids)
