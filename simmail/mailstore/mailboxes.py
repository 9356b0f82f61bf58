"""Folders of mailboxes are made, renamed and removed, and subscribed to."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from simmail.core.records.delivery import SPECIAL_FOLDERS
from simmail.errors import Conflict
from simmail.mailstore.delivery.delivery import Filer
from simmail.mailstore.journal.segment import Where
from simmail.mailstore.maildir import annotations as annotating
from simmail.mailstore.maildir.layout import Layout, SUBSCRIPTIONS
from simmail.mailstore.maildir.names import INBOX, check_folder, existing_folder
from simmail.mailstore.maildir.special_use import check_special_use, is_standard

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
        await self._store.writer.call(_make, self._store.filer, box, name, check_special_use(special_use))
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
        gone = await self._store.writer.call(_remove, self._store.filer, mailbox, box, name)
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
            await self._store.writer.call(annotating.copy, self._store.filer, mailbox, INBOX, new)
            inbox, target = await self._store.folder(mailbox, INBOX), await self._store.folder(mailbox, new)
            await inbox.move(list(inbox.uids), target, saved)
            return
        moves = await self._store.writer.call(_move, self._store.filer, mailbox, box, old, new)
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
        await self._store.writer.call(_write_subscription, self._store.filer, box, name, on)
        self._store.events.tell(mailbox, "subscribed" if on else "unsubscribed", name)


# By the writer


def _make(filer: Filer, box: str, name: str, special_use: str) -> None:
    if name in filer.layout.folders(box):
        raise Conflict(f"folder {name} exists")
    filer.layout.make_folder(box, name, special_use)


def _remove(filer: Filer, mailbox: str, box: str, name: str) -> str | None:
    filer.forget(mailbox, name)
    gone = filer.layout.drop_folder(box, name)
    filer.tell_left(mailbox, name)
    return gone


def _move(filer: Filer, mailbox: str, box: str, old: str, new: str) -> list[tuple[str, str]]:
    filer.forget(mailbox)
    moves = filer.layout.rename_folder(box, old, new)
    for source, target in moves:
        filer.tell_left(mailbox, source, to=Where(mailbox, target, 0, ()))
    return moves


def subscriptions(layout: Layout, box: str) -> list[str]:
    """The names subscribed to, from the disk."""
    try:
        return layout.read(f"{box}/{SUBSCRIPTIONS}").decode("utf-8", "replace").split("\n")[:-1]
    except (FileNotFoundError, NotADirectoryError):
        return [name for name, _ in SPECIAL_FOLDERS]


def _write_subscription(filer: Filer, box: str, name: str, on: bool) -> None:
    names = dict.fromkeys(subscriptions(filer.layout, box))
    names.pop(name, None)
    if on:
        names[name] = None
    filer.layout.write(f"{box}/{SUBSCRIPTIONS}", "".join(f"{one}\n" for one in names).encode("utf-8"))
