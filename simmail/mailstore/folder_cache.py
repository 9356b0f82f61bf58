"""
The folders of one store: which are loaded, what the others look like from outside, and what is done to them.

A folder is loaded once for all who hold it.  Some that nobody holds are kept
for the next who asks; what goes is saved in the index.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from datetime import datetime
from weakref import WeakValueDictionary

from twisted.internet.defer import Deferred

from simmail.concurrency import Lock, Shared
from simmail.core.records.folder import FolderStatus
from simmail.errors import Conflict, NotFound, Unavailable
from simmail.mailstore.delivery.mailboxes import (
    CopyAnnotations, DropFolder, MakeFolder, OwnMailbox, RenameFolder, Subscribe,
)
from simmail.mailstore.folder import load as loading
from simmail.mailstore.folder.context import FolderContext
from simmail.mailstore.folder.events import FolderEvents
from simmail.mailstore.folder.folder import Folder, load, snapshot_of
from simmail.mailstore.folder.state import FolderState
from simmail.mailstore.index.index import Index
from simmail.mailstore.mailbox_list import FolderList, MailboxList, MessageCounts
from simmail.mailstore.maildir import filename, flaglog
from simmail.mailstore.maildir.names import (
    INBOX, STANDARD, check_folder, check_special_use, existing_folder, mailbox_dir,
)
from simmail.mailstore.maildir.status import Survey, survey
from simmail.mailstore.maildir.subscriptions import subscriptions


#: Loaded folders, and messages in them, that are kept when nobody holds them.
_MOST_KEPT, _MOST_ROWS = 4096, 500_000
#: So many loads, or messages loaded, go by between two looks at whether there are too many.
_LOADS, _ROWS_LOADED = 64, 50_000
#: Folders that are remembered as they looked from outside.
_MOST_SURVEYS = 1000

Key = tuple[str, str]


class FolderCache:
    """Folders by (mailbox, name)."""

    def __init__(self, context: FolderContext) -> None:
        self._context = context
        self._folders: WeakValueDictionary[Key, Folder] = WeakValueDictionary()
        self._loading: dict[Key, Shared[Folder]] = {}
        self._kept: OrderedDict[Key, Folder] = OrderedDict()
        self._surveys: OrderedDict[str, Survey] = OrderedDict()
        self._since = [0, 0]

    def get(self, key: Key) -> Folder | None:
        """A folder that is loaded or being loaded."""
        return self._folders.get(key)

    def loaded(self, key: Key) -> Folder | None:
        """A folder that is loaded."""
        folder = self._folders.get(key)
        if folder is None or not folder.loaded:
            return None
        if key in self._kept:
            self._kept.move_to_end(key)
        return folder

    def all_loaded(self) -> list[Folder]:
        """All folders that are loaded."""
        return [folder for folder in self._folders.values() if folder.loaded]

    def locks(self) -> list[tuple[str, Lock]]:
        """Those of folders that are being changed."""
        return [(f"a folder of {one.mailbox}, {one.name},", one.lock) for one in self.all_loaded() if one.busy]

    def counts(self) -> dict[str, dict[str, tuple[int, int]]]:
        """(total, unread) of all folders that are loaded, by mailbox and name."""
        found: dict[str, dict[str, tuple[int, int]]] = {}
        for folder in self.all_loaded():
            found.setdefault(folder.mailbox, {})[folder.name] = folder.counts()[:2]
        return found

    # Loading

    async def load(self, key: Key) -> Folder:
        """A folder, loaded if it is not yet.  @raise NotFound: there is none."""
        folder = self.loaded(key)
        if folder is not None:
            return folder
        loading = self._loading.get(key)
        if loading is None:
            loading = self._loading[key] = Shared(self._context.reactor)
        return await loading.do(lambda: self._load(key))

    async def _load(self, key: Key) -> Folder:
        context = self._context
        folder = self._folders[key] = Folder(context, *key)
        try:
            if context.layout.borrowed.has(mailbox_dir(key[0])):
                await context.writer.call(OwnMailbox(context.at, key[0]))
            await load(folder)
        except BaseException:
            if self._folders.get(key) is folder:
                del self._folders[key]
            raise
        finally:
            del self._loading[key]
        self._keep(key, folder)
        return folder

    def _keep(self, key: Key, folder: Folder) -> None:
        kept, since = self._kept, self._since
        kept[key] = folder
        since[0] += 1
        since[1] += len(folder.uids)
        if since[0] < _LOADS and since[1] < _ROWS_LOADED:
            return
        self._since = [0, 0]
        rows = sum(len(one.uids) for one in kept.values())
        for old_key, old in list(kept.items()):
            if len(kept) <= 1 or (len(kept) <= _MOST_KEPT and rows <= _MOST_ROWS):
                return
            if old is folder or old.watched or old.busy:
                continue
            rows -= len(old.uids)
            del kept[old_key]
            if old.dirty:
                self._context.keeper.later(Deferred.fromCoroutine(self._save(old)))

    # Going

    def drop(self, folder: FolderState) -> None:
        """A folder is gone, or called something else."""
        key = (folder.mailbox, folder.name)
        if self._folders.get(key) is folder:
            del self._folders[key]
        self._kept.pop(key, None)
        folder.reset()

    def drop_all(self, mailbox: str) -> None:
        """All folders of a mailbox are."""
        for folder in self._of(mailbox):
            self.drop(folder)

    def _of(self, mailbox: str) -> list[Folder]:
        return [folder for (one, _), folder in self._folders.items() if one == mailbox]

    async def save(self) -> None:
        """What the index does not have yet, it has."""
        for folder in self.all_loaded():
            if folder.dirty and not folder.busy:
                await self._save(folder)

    async def _save(self, folder: Folder) -> None:
        try:
            await folder.poll()
            folder.dirty = False
            await self._context.index.call(Index.save, folder.mailbox, folder.name, snapshot_of(folder))
        except (NotFound, Unavailable):
            return

    # From outside

    async def statuses(self, mailbox: str, box: str) -> list[FolderStatus]:
        """All folders of a mailbox, in no order.  @raise NotFound: no such mailbox."""
        context = self._context
        loaded = {folder.name for folder in self._of(mailbox) if folder.loaded}
        names, result, strays = await context.reader.call(self._look, mailbox, box, loaded, None)
        for name in names:
            if name not in loaded:
                continue
            folder = self.loaded((mailbox, name))
            if folder is not None and not folder.gone:
                result.append(folder.status())
            else:
                # It went away meanwhile, or nobody holds it any more.
                result += (await context.reader.call(self._look, mailbox, box, (), name))[1]
        for name, some in strays.items():
            context.keeper.later(Deferred.fromCoroutine(context.keeper.adopt(mailbox, name, some)))
        statuses: list[FolderStatus] = result
        return statuses

    def _look(
        self, mailbox: str, box: str, loaded: Collection[str], only: str | None
    ) -> tuple[list[str], list[FolderStatus], dict[str, list[str]]]:
        """Names of all folders, the state of those not loaded, strays in them; in the reader thread."""
        shown = self._context.layout.folders(box)
        statuses, strays = [], {}
        for name, (_, directory) in shown.items():
            if name in loaded or (only is not None and name != only):
                continue
            try:
                head = loading.head(self._context.layout, mailbox, name)
            except NotFound:
                continue
            try:
                counted = self._survey(directory) if directory is not None else None
            except (FileNotFoundError, NotADirectoryError):
                # It has gone meanwhile, or there is something else in its place.
                self._context.layout.broken(str(directory))
                counted = None
            counts = (counted.total, counted.unseen, counted.recent) if counted else (0, 0, 0)
            statuses.append(FolderStatus(
                name, head.special_use, *counts, head.uidvalidity, head.uidnext, head.highestmodseq,
                counted.size if counted else 0, head.objectid))
            if counted and counted.strays:
                strays[name] = counted.strays
        return list(shown), statuses, strays

    def _survey(self, directory: str) -> Survey:
        root = self._context.layout.root
        known = self._surveys.get(directory)
        times = filename.times_of(root, directory)
        settled = max(times) / 1e9 < self._context.layout.wall() - loading.SETTLED
        if known is None or known.times != times or not settled or flaglog.is_marked(root, directory):
            known = self._surveys[directory] = survey(root, directory)
            if len(self._surveys) > _MOST_SURVEYS:
                self._surveys.popitem(last=False)
        return known


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
        if name in STANDARD:
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
            if source in STANDARD:
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
