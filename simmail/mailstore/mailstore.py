"""
All mail of one universe on disk: what the real L{IMailStore} is.

In the reactor thread; what touches the disk is done by the journal's writer and threads.
See C{delivery} for how mail becomes visible and C{journal} for why it stays.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace
from twisted.internet.defer import Deferred, fail, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from simmail.concurrency import Lock, Waiting, as_deferred
from simmail.core.message.summarize import digest as core_digest
from simmail.core.message.summary import Digest
from simmail.core.message.thread_keys import ThreadKeys
from simmail.core.records.delivery import Copy, Delivery, Placement
from simmail.core.records.folder import FolderChange, FolderStatus, MailboxCounts
from simmail.core.time.instant import microseconds
from simmail.errors import Invalid, NotFound, Refusal, Unavailable
from simmail.interfaces import IHeld, IMailStore
from simmail.mailstore.annotations import Annotations
from simmail.mailstore.background import ExternalWatch
from simmail.mailstore.deferred_bodies import DeferredBodies
from simmail.mailstore.delivery.external import Adopted, MOST
from simmail.mailstore.delivery.mailboxes import DropMailbox, LeaveShared, MakeMailbox
from simmail.mailstore.delivery.maildir_delivery import Added, DeliveryResult
from simmail.mailstore.delivery.request import Into, StoreId
from simmail.mailstore.external import Arrivals, ExternalFiles, OnForeign
from simmail.mailstore.folder.context import FolderContext, PendingRenames
from simmail.mailstore.folder.events import FolderEvents
from simmail.mailstore.folder.flags import place
from simmail.mailstore.folder.folder import Folder
from simmail.mailstore.folder.state import FolderState
from simmail.mailstore.folder_cache import FolderCache, MailboxFolders
from simmail.mailstore.index.index import Index
from simmail.mailstore.index.kept_columns import KeptColumns
from simmail.mailstore.index.mail_index import MailIndex, MessageFiles, MessageReaders, Wanted
from simmail.mailstore.index.scan import Scanning
from simmail.mailstore.index.search import containing
from simmail.mailstore.journal.journal import Journal, Visibility
from simmail.mailstore.mailbox_list import FolderList, MailboxList, MessageCounts
from simmail.mailstore.maildir.filename import Row
from simmail.mailstore.maildir.files import ISought, Shown
from simmail.mailstore.maildir.flags import canonical_all
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.names import (
    INBOX, STANDARD, check_folder, check_mailbox, existing_folder, mailbox_dir, special_order,
)
from simmail.mailstore.maildir.opened import OpenMessages
from simmail.mailstore.replication.replica import IReplica
from simmail.mailstore.threads import AWAY
from simmail.mailstore.writer.requests import CloseStore, IWriter

#: Longest that anybody waits to see what was promised, when the disk is slow (real seconds).
_PATIENCE = 1.5

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
#: Flags of deliveries that need no look: of one to a recipient, and of a sender's copy.
_USUAL = ((), ("\\Seen",))


@implementer(IMailStore)
class MailStore:
    """
    The mail of one universe below a directory.

    @param root: of all universes; journal: shared by all universes of the process.
    @param index: directory of the indexes, on a local disk.
    @param reactor: of the process; digest: takes the digest of a message; shown: takes only its envelope and
        structure, None for always all.
    @param sought: tells by a look at a message whether it has some texts, as its digest would, None for never.
    @param threaded: reads what it is threaded by, as its digest has it, None for never.
    @param kept: what FETCH was shown lately, of all universes that have this; None for one of its own.
    @ivar unfiled: ids of deliveries that the disk refused when they were replayed.
    @param shared: other processes serve the same mail; files then always have their flags in their names.
    @param most: octets that a message of another program may have to be shown whole.
    @param wall: the wall clock's Unix time, as files have it; None for that of C{reactor}.
    @param replicate: answers where the mail is kept besides, None for nowhere.
    """

    log = Logger()

    def __init__(
        self, universe: str, root: str, journal: Journal, index: str, reactor: Any,
        digest: Callable[[bytes], Digest] = core_digest, shared: bool = False, shown: Shown | None = None,
        most: int = MOST, wall: Callable[[], float] | None = None,
        sought: Callable[[Wanted], ISought] | None = None,
        threaded: Callable[[bytes], ThreadKeys] | None = None, kept: KeptColumns | None = None,
        replicate: Callable[[str], IReplica | None] = lambda universe: None,
    ) -> None:
        self.universe, self.shared, self.reactor = universe, shared, reactor
        self.journal, self.reader = journal, journal.reader
        self.writer: IWriter = journal.writer
        self.at = StoreId(root, universe)
        try:
            journal.attach(root)
            # What is made in the place of a folder that was taken away is lost when that is back.
            journal.present()
            self.layout = Layout(root, universe, wall or reactor.seconds)
            self.boxes = MailboxList(
                self.layout, reactor.seconds, lambda mailbox: self._counts.created(mailbox), self._gone)
        except OSError as error:
            raise Unavailable(f"the mail in {root} cannot be reached: {error.strerror}") from error
        self._replica = replica = replicate(universe)
        if replica is not None:
            self.writer = replica.writer(journal.writer, self.at, self.layout, self.reader)
            journal.replicate(universe, self.writer)
        tables = Index(f"{index}/{mailbox_dir(universe)}.sqlite", digest, shown, shared)
        self.index = MailIndex(
            tables, journal.indexer, MessageReaders(digest, shown, sought, threaded),
            MessageFiles(self.layout, self.writer, self.at), reactor, self.later, kept or KeptColumns())
        bodies = DeferredBodies(self.layout, self.reader)
        self.held: IHeld = bodies if replica is None else replica.bodies(bodies)
        self.annotations = Annotations(self.layout, self.boxes.require, self.reader, self.writer, self.at)
        self.openings = OpenMessages(self.layout, self.reader, reactor)
        self.renames: PendingRenames[Folder] = PendingRenames(reactor, self.later, place)
        self.scanning = Scanning(self.index)
        #: How deliveries are filed.
        self.into = Into(self.at)
        context = FolderContext(
            reactor, shared, self.layout, self.reader, self.writer, self.at, journal, Into(self.at, create=False),
            self.index, self.scanning, self.renames, self.openings, self)
        self.cache = FolderCache(context)
        self.events = FolderEvents(self.layout, self.reader, reactor.seconds, self.boxes.require, self.cache.loaded)
        self._counts = MessageCounts(self.writer, self.at, self.cache.counts, reactor)
        self._folders = FolderList(self.layout, self.reader, self.boxes, reactor, shared)
        self._mailbox_folders = MailboxFolders(
            context, self.boxes, self._folders, self.cache, self._counts, self.events)
        self._arrivals = Arrivals(universe, journal, self.cache, self.committed)
        self._external = ExternalFiles(context, self.cache, self._adopted, most)
        self._watch = ExternalWatch(context, self.boxes, self.cache, self.events)
        self._visibility = Visibility(reactor)
        # How many folders learn of messages that were filed.
        self._behind = 0
        self._caught: Waiting[None] = Waiting(reactor)
        self._closed = False
        self.unfiled: list[str] = []
        journal.begin(self.at, self.layout, lambda: self.later(self.uncommitted())).addCallback(self._clear)

    def _clear(self, leftovers: list[str]) -> None:
        for gone in leftovers:
            self.reader.send(self.layout.clear, gone)

    def unique(self) -> str:
        """Return a key for a message that no delivery brought."""
        return secrets.token_hex(12)

    def watch(self, on_foreign: OnForeign) -> None:
        """Look after folders from now on; call it for mail that another program delivered."""
        self.later(Deferred.fromCoroutine(self._arrivals.begin(on_foreign)))
        self._watch.start()

    def later(self, deferred: Deferred[Any]) -> None:
        """Log what goes wrong with a Deferred that nobody waits for."""
        deferred.addErrback(self._went_wrong)

    def catching_up(self, deferred: Deferred[Any]) -> None:
        """Whoever looks waits for this: somebody may have been told of messages that no folder here knows yet."""
        self._behind += 1
        self.later(deferred.addBoth(self._caught_up))

    def _caught_up(self, result: Any) -> Any:
        self._behind -= 1
        if not self._behind:
            self._caught.wake(None)
        return result

    def _went_wrong(self, failure: Failure) -> None:
        if failure.check(Refusal) is None:
            self.log.failure("something in the mail of {universe} went wrong", failure, universe=self.universe)

    def locks(self) -> list[tuple[str, Lock]]:
        """List the locks that are held now, each with what it is."""
        return self.cache.locks()

    # Deliveries

    def accept(self, delivery: Delivery, durable: Callable[[], None] | None = None) -> Deferred[tuple[Copy, ...]]:
        """File a delivery; Deferred of its copies."""
        try:
            delivery = self._checked(delivery)
        except Invalid:
            return fail()
        self.index.background.note_waiting()
        if (durable is None or self.shared or self._replica is not None
                or self.layout.damage.said and self.layout.harmed(delivery)):
            # Other processes would look at once, and who may be refused must not be promised anything.
            return self.journal.accept(delivery, self.into).addCallback(self.filed)
        promise = self._visibility.promise(durable)
        return self.journal.accept(delivery, self.into, promise).addCallback(self.filed).addBoth(promise.over)

    def when_visible(self) -> Deferred[None] | None:
        """Wait until all that was promised, and all that was filed, is visible; None: it is."""
        self.index.background.note_waiting()
        clear = None if self.journal.late else self._visibility.clear()
        if self._behind:
            caught = self._caught.wait()
            clear = caught if clear is None else clear.addCallback(lambda _: caught)
        return clear.addTimeout(_PATIENCE, self.reactor, lambda *_: None) if clear is not None else None

    def _checked(self, delivery: Delivery) -> Delivery:
        if not _ID.fullmatch(delivery.id):
            raise Invalid("id", "must be from 1 to 64 letters, digits, - and _")
        microseconds(delivery.at)
        for placement in delivery.placements:
            if (placement.flags not in _USUAL or placement.folder not in STANDARD
                    or placement.mailbox not in self.boxes):
                return replace(delivery, universe=self.universe, placements=tuple(map(_checked, delivery.placements)))
        return delivery if delivery.universe == self.universe else replace(delivery, universe=self.universe)

    def filed(self, filed: DeliveryResult) -> tuple[Copy, ...]:
        """Make known here what the writer has filed; return the copies."""
        for one in filed.added:
            if one.folder == INBOX:
                self._watch.filed(one.mailbox)
        self.apply(filed.added)
        return filed.copies

    def apply(self, added: Sequence[Added]) -> None:
        """Let folders that are loaded learn that messages have appeared."""
        if len(added) == 1:
            one = added[0]
            self.arrived(one.mailbox, one.folder, (one.row,), one.keywords)
        elif added:
            groups: dict[tuple[str, str], list[Added]] = {}
            for one in added:
                groups.setdefault((one.mailbox, one.folder), []).append(one)
            for (mailbox, name), some in groups.items():
                self.arrived(mailbox, name, [one.row for one in some], some[-1].keywords)

    def arrived(self, mailbox: str, name: str, rows: Sequence[Row], table: tuple[str, ...]) -> None:
        """
        Let a folder learn that messages have appeared in it, if it is loaded.

        @param table: the keywords their masks are to be read by.
        """
        self.boxes.learn(mailbox)
        self._folders.arrived(mailbox, name)
        folder = self.cache.get((mailbox, name))
        if folder is not None:
            folder.added(rows, table)
        if folder is None or not folder.loaded:
            self._counts.filed(mailbox, name, rows)
            self.events.tell(mailbox, "added", name)

    def committed(self, ids: Iterable[str]) -> None:
        """Note that nothing is owed any more for these deliveries."""
        ids = list(ids)
        self._arrivals.settled(ids)
        self.journal.committed(self.universe, ids)
        if self._replica is not None:
            self._replica.settled(ids)

    @as_deferred
    async def uncommitted(self) -> list[str]:
        """Find the ids that are journalled and not settled."""
        found = await self.journal.uncommitted(self.at)
        if found.lost:
            # Nor is the index what it was.
            await self.index.call(Index.erase)
        for one in found.filed:
            self.apply(one.added)
        return found.ids

    def unsettled(self) -> Deferred[list[str]]:
        """List the ids that are journalled and not settled for good, other programs' among them."""
        return self.journal.unsettled(self.universe)

    @as_deferred
    async def replay(
        self, known: Collection[str], among: Collection[str] | None = None
    ) -> list[tuple[Delivery, tuple[Copy, ...]]]:
        """Make the deliveries whose commit is missing visible, C{among}: only of these; Deferred of them."""
        replayed = await self.journal.replay(self.at, known, among)
        self.unfiled = replayed.left
        for one in replayed.filed:
            self.apply(one.added)
        return replayed.deliveries

    # Mailboxes

    def exists(self, mailbox: str) -> bool:
        """Tell whether there is such a mailbox."""
        return self.boxes.find(mailbox) is not None

    def mailboxes(self) -> list[str]:
        """List all addresses, sorted."""
        return self.boxes.all()

    @as_deferred
    async def create(self, mailbox: str) -> None:
        """Make a mailbox when it is not there."""
        check_mailbox(mailbox)
        if mailbox not in self.boxes:
            # One that another program has made meanwhile is left as it is.
            await self.writer.call(MakeMailbox(self.at, mailbox))
            self.boxes.learn(mailbox)

    @as_deferred
    async def delete(self, mailbox: str) -> None:
        """Take a mailbox and its mail away."""
        self.boxes.require(mailbox)
        gone = await self.writer.call(DropMailbox(self.at, mailbox))
        self.boxes.forget(mailbox)
        self.reader.send(self.layout.clear, gone)

    def _gone(self, mailbox: str) -> None:
        self._counts.removed(mailbox)
        self.cache.drop_all(mailbox)
        self.index.forget(mailbox)

    @as_deferred
    async def erase(self) -> None:
        """Remove everything."""
        await self.journal.erase(self.universe)
        if self._replica is not None:
            self._replica.settled(None)
        for mailbox in self.mailboxes():
            try:
                await self.delete(mailbox)
            except NotFound:
                pass
        await self.held.drop(await self.held.keys())
        await self.writer.call(LeaveShared(self.at))
        await self.index.call(Index.erase)

    @as_deferred
    async def reset(self, keep: Collection[str]) -> None:
        """Remove everything; have mailboxes without mail."""
        await self.erase()
        for mailbox in keep:
            await self.create(mailbox)

    # Counts

    def counts(self) -> Deferred[dict[str, MailboxCounts]]:
        """Count the messages of each mailbox."""
        return Deferred.fromCoroutine(self._counts.counts(self.mailboxes))

    def totals(self) -> Deferred[dict[str, int]]:
        """Count the messages of all mailboxes, by folder."""
        return Deferred.fromCoroutine(self._counts.totals(self.mailboxes))

    def changed(self, folder: FolderState, change: FolderChange) -> None:
        """Follow a change that a loaded folder is about to tell."""
        self._counts.set(folder.mailbox, folder.name, folder.counts()[:2])
        if change.kind != "reset":
            self.events.tell(folder.mailbox, change.kind, folder.name)

    # Folders

    @as_deferred
    async def folders(self, mailbox: str) -> list[FolderStatus]:
        """List all folders of a mailbox."""
        box = self.boxes.require(mailbox)
        return sorted(await self.cache.statuses(mailbox, box), key=special_order)

    def folder(self, mailbox: str, name: str) -> Deferred[Folder]:
        """Load one folder."""
        folder = self.cache.loaded((mailbox, name))
        return succeed(folder) if folder is not None else Deferred.fromCoroutine(self._load(mailbox, name))

    async def _load(self, mailbox: str, name: str) -> Folder:
        self.boxes.require(mailbox)
        return await self.cache.load((mailbox, existing_folder(name)))

    def lost(self, folder: FolderState) -> None:
        """Forget a folder that somebody else has removed."""
        self.cache.drop(folder)
        self.events.tell(folder.mailbox, "gone", folder.name)
        self.index.forget(folder.mailbox, folder.name)

    def check_folder(self, name: str) -> str:
        """Return the name of a folder if there may be one."""
        return check_folder(name)

    def create_folder(self, mailbox: str, name: str, special_use: str = "") -> Deferred[None]:
        """Make one more folder."""
        return Deferred.fromCoroutine(self._mailbox_folders.create(mailbox, name, special_use))

    def delete_folder(self, mailbox: str, name: str) -> Deferred[None]:
        """Remove a folder and its messages."""
        return Deferred.fromCoroutine(self._mailbox_folders.delete(mailbox, name))

    def rename_folder(self, mailbox: str, old: str, new: str, saved: datetime | None = None) -> Deferred[None]:
        """Call a folder and its inferiors something else."""
        return Deferred.fromCoroutine(self._mailbox_folders.rename(mailbox, old, new, saved))

    def subscribed(self, mailbox: str) -> Deferred[set[str]]:
        """List the names subscribed to."""
        return Deferred.fromCoroutine(self._mailbox_folders.subscribed(mailbox))

    def subscribe(self, mailbox: str, name: str, on: bool) -> Deferred[None]:
        """Subscribe to a name, or no more."""
        return Deferred.fromCoroutine(self._mailbox_folders.subscribe(mailbox, name, on))

    # All folders

    def places(self) -> Deferred[list[tuple[str, str]]]:
        """List (mailbox, folder) of all folders that may hold a message."""
        return Deferred.fromCoroutine(self._folders.all())

    def containing(
        self, folders: Sequence[Folder], wanted: Sequence[tuple[Sequence[str], str]]
    ) -> Deferred[list[Sequence[int]]]:
        """Find the UIDs, of each folder, of messages that have some texts."""
        return Deferred.fromCoroutine(containing(self.scanning, folders, wanted))

    # What others did

    async def adopt(self, mailbox: str, name: str, strays: Sequence[str]) -> bool:
        """
        Give UIDs to files that another program put in, in the order of their names; what is in C{new/} of an INBOX was
        delivered.

        @return: whether some have to be tried again.
        """
        return await self._external.take(mailbox, name, strays)

    def _adopted(self, mailbox: str, name: str, adopted: Adopted) -> None:
        """What became of some of them."""
        rows = adopted.rows()
        if rows:
            self.arrived(mailbox, name, rows, adopted.table)
        if adopted.lost:
            self.committed(adopted.lost)
        for one in adopted.owed:
            self._arrivals.tell(*one)

    # The rest

    def space(self) -> tuple[int, int]:
        """Return (free octets, total octets) of the disk."""
        try:
            disk = os.fstatvfs(self.layout.root)
        except OSError as error:
            raise Unavailable(f"{AWAY}: {error.strerror}") from error
        return disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize

    @as_deferred
    async def close(self) -> None:
        """Sync everything and close files."""
        if self._closed:
            return
        self._closed = True
        self.journal.end(self.universe)
        self._watch.stop()
        self.index.background.stop()
        self._external.stop()
        await self.renames.finish()
        await self.journal.sync()
        await self.cache.save()
        await self.index.ask(Index.close)
        await self.reader.call(lambda: None)
        try:
            await self.writer.call(CloseStore(self.at))
        except Unavailable:
            # It has died, and with it all it had open.
            pass
        self.layout.close()
        if self._replica is not None:
            await self._replica.close()


def _checked(placement: Placement) -> Placement:
    return Placement(check_mailbox(placement.mailbox), check_folder(placement.folder), canonical_all(placement.flags))
