"""Folders of mailboxes are made, renamed and removed, and subscribed to."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from simmail.errors import Conflict
from simmail.mailstore.maildir.names import INBOX, check_folder, existing_folder
from simmail.mailstore.maildir.special_use import check_special_use, is_standard
from simmail.mailstore.maildir.subscriptions import subscriptions
from simmail.mailstore.writer.requests import CopyAnnotations, DropFolder, MakeFolder, RenameFolder, Subscribe

if TYPE_CHECKING:
    from simmail.mailstore.mailstore import MailStore


class Cabinet:
    """The folders of one store's mailboxes, from outside."""

    def __init__(self, store: MailStore) -> None:
        self._store = store

    async def create(self, mailbox: str, name: str, special_use: str = "") -> None:
        """One more folder."""
        box = self._store.boxes.require(mailbox)
        name = check_folder(name)
        await self._store.writer.call(MakeFolder(self._store.at, box, name, check_special_use(special_use)))
        self._store.events.tell(mailbox, "made", name)

    async def delete(self, mailbox: str, name: str) -> None:
        """A folder and its messages are gone; of a standard one only its messages."""
        box = self._store.boxes.require(mailbox)
        name = existing_folder(name)
        if name == INBOX:
            raise Conflict("INBOX cannot be deleted")
        if is_standard(name):
            folder = await self._store.folder(mailbox, name)
            await folder.expunge(list(folder.uids))
            return
        gone = await self._store.writer.call(DropFolder(self._store.at, mailbox, box, name))
        self._forget(mailbox, name)
        self._store.events.tell(mailbox, "gone", name)
        if gone is not None:
            self._store.reader.send(self._store.layout.clear, gone)

    def _forget(self, mailbox: str, name: str) -> None:
        folder = self._store.catalogue.get((mailbox, name))
        if folder is not None:
            self._store.catalogue.drop(folder)
        self._store.tally.says(mailbox, name, (0, 0))
        self._store.later(self._store.indexer.call(self._store.index.forget, mailbox, name))

    async def rename(self, mailbox: str, old: str, new: str, saved: datetime | None) -> None:
        """A folder and its inferiors are called something else."""
        box = self._store.boxes.require(mailbox)
        old, new = existing_folder(old), check_folder(new)
        if old == INBOX:
            await self.create(mailbox, new)
            await self._store.writer.call(CopyAnnotations(self._store.at, mailbox, INBOX, new))
            inbox, target = await self._store.folder(mailbox, INBOX), await self._store.folder(mailbox, new)
            await inbox.move(list(inbox.uids), target, saved)
            return
        moves = await self._store.writer.call(RenameFolder(self._store.at, mailbox, box, old, new))
        self._store.places_known.changed()
        counts = self._store.tally.of(mailbox)
        for source, target_name in moves:
            for name in (source, target_name):
                self._forget(mailbox, name)
            self._store.tally.says(mailbox, target_name, counts.get(source, (0, 0)))
            self._store.events.tell(mailbox, "renamed", target_name, source)
            if is_standard(source):
                # There is a new one of that name.
                self._store.events.tell(mailbox, "made", source)

    # Subscriptions

    async def subscribed(self, mailbox: str) -> set[str]:
        """The names subscribed to."""
        box = self._store.boxes.require(mailbox)
        return set(await self._store.reader.call(subscriptions, self._store.layout, box))

    async def subscribe(self, mailbox: str, name: str, on: bool) -> None:
        """Subscribed to a name, or no more."""
        box = self._store.boxes.require(mailbox)
        name = check_folder(name)
        await self._store.writer.call(Subscribe(self._store.at, box, name, on))
        self._store.events.tell(mailbox, "subscribed" if on else "unsubscribed", name)
