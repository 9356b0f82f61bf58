"""Folders of mailboxes are made, renamed and removed, and subscribed to."""

from __future__ import annotations

from datetime import datetime

from simmail.errors import Conflict
from simmail.mailstore.delivery.mailboxes import CopyAnnotations, DropFolder, MakeFolder, RenameFolder, Subscribe
from simmail.mailstore.folder.context import FolderContext
from simmail.mailstore.folder.events import FolderEvents
from simmail.mailstore.folder_cache import FolderCache
from simmail.mailstore.mailbox_list import FolderList, MailboxList, MessageCounts
from simmail.mailstore.maildir.names import INBOX, check_folder, existing_folder
from simmail.mailstore.maildir.special_use import check_special_use, is_standard
from simmail.mailstore.maildir.subscriptions import subscriptions


class MailboxFolders:
    """The mailboxes of one store: what is done to their folders."""

    def __init__(
        self, context: FolderContext, mailboxes: MailboxList, folders: FolderList, cache: FolderCache,
        counts: MessageCounts, events: FolderEvents,
    ) -> None:
        self._context, self._mailboxes, self._folders, self._cache, self._counts, self._events = (
            context, mailboxes, folders, cache, counts, events)

    async def create(self, mailbox: str, name: str, special_use: str = "") -> None:
        """One more folder."""
        box = self._mailboxes.require(mailbox)
        name = check_folder(name)
        await self._context.writer.call(MakeFolder(self._context.at, box, name, check_special_use(special_use)))
        self._events.tell(mailbox, "made", name)

    async def delete(self, mailbox: str, name: str) -> None:
        """A folder and its messages are gone; of a standard one only its messages."""
        box = self._mailboxes.require(mailbox)
        name = existing_folder(name)
        if name == INBOX:
            raise Conflict("INBOX cannot be deleted")
        if is_standard(name):
            folder = await self._cache.load((mailbox, name))
            await folder.expunge(list(folder.uids))
            return
        gone = await self._context.writer.call(DropFolder(self._context.at, mailbox, box, name))
        self._forget(mailbox, name)
        self._events.tell(mailbox, "gone", name)
        if gone is not None:
            self._context.reader.send(self._context.layout.clear, gone)

    def _forget(self, mailbox: str, name: str) -> None:
        folder = self._cache.get((mailbox, name))
        if folder is not None:
            self._cache.drop(folder)
        self._counts.set(mailbox, name, (0, 0))
        self._context.index.forget(mailbox, name)

    async def rename(self, mailbox: str, old: str, new: str, saved: datetime | None) -> None:
        """A folder and its inferiors are called something else."""
        box = self._mailboxes.require(mailbox)
        old, new = existing_folder(old), check_folder(new)
        if old == INBOX:
            await self.create(mailbox, new)
            await self._context.writer.call(CopyAnnotations(self._context.at, mailbox, INBOX, new))
            inbox, target = await self._cache.load((mailbox, INBOX)), await self._cache.load((mailbox, new))
            await inbox.move(list(inbox.uids), target, saved)
            return
        moves = await self._context.writer.call(RenameFolder(self._context.at, mailbox, box, old, new))
        self._folders.changed()
        counts = self._counts.of(mailbox)
        for source, target_name in moves:
            for name in (source, target_name):
                self._forget(mailbox, name)
            self._counts.set(mailbox, target_name, counts.get(source, (0, 0)))
            self._events.tell(mailbox, "renamed", target_name, source)
            if is_standard(source):
                # There is a new one of that name.
                self._events.tell(mailbox, "made", source)

    # Subscriptions

    async def subscribed(self, mailbox: str) -> set[str]:
        """The names subscribed to."""
        box = self._mailboxes.require(mailbox)
        return set(await self._context.reader.call(subscriptions, self._context.layout, box))

    async def subscribe(self, mailbox: str, name: str, on: bool) -> None:
        """Subscribed to a name, or no more."""
        box = self._mailboxes.require(mailbox)
        name = check_folder(name)
        await self._context.writer.call(Subscribe(self._context.at, box, name, on))
        self._events.tell(mailbox, "subscribed" if on else "unsubscribed", name)
