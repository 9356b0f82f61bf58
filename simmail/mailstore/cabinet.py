"""Folders of mailboxes are made, renamed and removed, and subscribed to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simmail.core.delivery import SPECIAL_FOLDERS
from simmail.errors import Conflict
from simmail.mailstore.layout import SUBSCRIPTIONS
from simmail.mailstore.names import INBOX, check_folder, existing_folder
from simmail.mailstore.special import check_special_use

if TYPE_CHECKING:
    from simmail.mailstore.mailstore import MailStore


class Cabinet:
    """The folders of one store's mailboxes, from outside."""

    def __init__(self, store: MailStore) -> None:
        self._store = store

    async def create(self, mailbox: str, name: str, special_use: str = "") -> None:
        """One more folder."""
        box = self._store.require(mailbox)
        await self._store.writer.call(self._make, box, check_folder(name), check_special_use(special_use))

    def _make(self, box: str, name: str, special_use: str) -> None:
        if name in self._store.layout.folders(box):
            raise Conflict(f"folder {name} exists")
        self._store.layout.make_folder(box, name, special_use)

    async def delete(self, mailbox: str, name: str) -> None:
        """A folder and its messages are gone."""
        box = self._store.require(mailbox)
        name = existing_folder(name)
        if name == INBOX:
            raise Conflict("INBOX cannot be deleted")
        gone = await self._store.writer.call(self._remove, mailbox, box, name)
        self._forget(mailbox, name)
        if gone is not None:
            self._store.reader.send(self._store.layout.clear, gone)

    def _remove(self, mailbox: str, box: str, name: str) -> str | None:
        self._store.filer.forget(mailbox, name)
        return self._store.layout.drop_folder(box, name)

    def _forget(self, mailbox: str, name: str) -> None:
        folder = self._store.catalogue.get((mailbox, name))
        if folder is not None:
            self._store.catalogue.drop(folder)
        self._store.later(self._store.indexer.call(self._store.index.forget, mailbox, name))

    async def rename(self, mailbox: str, old: str, new: str) -> None:
        """A folder and its inferiors are called something else."""
        box = self._store.require(mailbox)
        old, new = existing_folder(old), check_folder(new)
        if old == INBOX:
            await self.create(mailbox, new)
            inbox, target = await self._store.folder(mailbox, INBOX), await self._store.folder(mailbox, new)
            await inbox.move(list(inbox.uids), target)
            return
        moves = await self._store.writer.call(self._move, mailbox, box, old, new)
        for source, target_name in moves:
            for name in (source, target_name):
                self._forget(mailbox, name)

    def _move(self, mailbox: str, box: str, old: str, new: str) -> list[tuple[str, str]]:
        self._store.filer.forget(mailbox)
        return self._store.layout.rename_folder(box, old, new)

    # Subscriptions

    async def subscribed(self, mailbox: str) -> set[str]:
        """The names subscribed to."""
        box = self._store.require(mailbox)
        return set(await self._store.reader.call(self._subscriptions, box))

    def _subscriptions(self, box: str) -> list[str]:
        try:
            return self._store.layout.read(f"{box}/{SUBSCRIPTIONS}").decode("utf-8", "replace").split("\n")[:-1]
        except FileNotFoundError:
            return [name for name, _ in SPECIAL_FOLDERS]

    async def subscribe(self, mailbox: str, name: str, on: bool) -> None:
        """Subscribed to a name, or no more."""
        box = self._store.require(mailbox)
        await self._store.writer.call(self._write_subscription, box, check_folder(name), on)

    def _write_subscription(self, box: str, name: str, on: bool) -> None:
        names = dict.fromkeys(self._subscriptions(box))
        names.pop(name, None)
        if on:
            names[name] = None
        self._store.layout.write(f"{box}/{SUBSCRIPTIONS}", "".join(f"{one}\n" for one in names).encode("utf-8"))
