"""
Who is told of mail that other programs delivered: each once, until what follows from it is committed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from simmail.core.records.delivery import Copy
from simmail.errors import NotFound
from simmail.mailstore.delivery.external import foreign_copy

if TYPE_CHECKING:
    from simmail.mailstore.mailstore import MailStore

#: Called with the id under which a message is owed a commit, and where it is.
OnForeign = Callable[[str, Copy], None]


class Telling:
    """What is told in one store."""

    def __init__(self, store: MailStore) -> None:
        self._store = store
        self._on_foreign: OnForeign | None = None
        self._told: set[str] = set()

    async def begin(self, on_foreign: OnForeign) -> None:
        """Tell of what is owed from before, and of what comes from now on."""
        store = self._store
        # Asked for first: what is adopted from here on is told as it comes.
        asked = store.journal.foreign(store.universe)
        self._on_foreign = on_foreign
        for one in await asked:
            copy = foreign_copy(one)
            try:
                folder = await store.folder(copy.mailbox, copy.folder)
            except NotFound:
                store.committed([one])
                continue
            if folder.uidvalidity == copy.uidvalidity and folder.entry(copy.uid) is not None:
                self.tell(one, copy)
            else:
                # It did not come so far, or was moved or removed since.
                store.committed([one])

    def tell(self, foreign: str, copy: Copy) -> None:
        """A message was delivered by another program."""
        if self._on_foreign is not None and foreign not in self._told:
            self._told.add(foreign)
            self._on_foreign(foreign, copy)

    def settled(self, ids: Iterable[str]) -> None:
        """Nothing is owed any more for these."""
        if self._told:
            self._told.difference_update(ids)
