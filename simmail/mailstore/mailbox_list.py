"""
Which mailboxes there are, which of their folders may hold mail, and how much of it.

The disk is asked for names at most once a second, and what happens here is followed in between.  Messages are counted
once, by the writer, so that no delivery is counted twice or not at all; what is filed and folders that are loaded tell
the rest.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Mapping, Sequence

from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Shared
from simmail.core.records.folder import MailboxCounts, counted
from simmail.errors import Invalid, NotFound
from simmail.mailstore.delivery.mailboxes import CountMailboxes
from simmail.mailstore.delivery.request import StoreId
from simmail.mailstore.folder.load import SETTLED
from simmail.mailstore.maildir.filename import Row, SEEN
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.names import mailbox_dir
from simmail.mailstore.maildir.status import Counts
from simmail.mailstore.threads import IWorker
from simmail.mailstore.writer.requests import IWriter


#: Real seconds between looks for mailboxes or folders that another program made.
_LOOK = 1.0
#: Mailboxes looked at in one job of the reader.
_SLICE = 200
#: Mailboxes counted in one job of the writer.
_COUNTED = 50

_NONE = counted({})

#: A folder (mailbox, name), or a mailbox with its directory.
Named = tuple[str, str]
#: By directory of a mailbox: when it was changed (nanoseconds), its folders.
Listed = dict[str, tuple[int, list[str]]]


class MailboxList:
    """
    The mailboxes of one universe, with their directories.

    @param seconds: real seconds.
    @param created, removed: called with a mailbox that was not known before, or is no more; C{removed} also for one
        that was never known.
    """

    def __init__(
        self, layout: Layout, seconds: Callable[[], float], created: Callable[[str], None],
        removed: Callable[[str], None],
    ) -> None:
        self._layout = layout
        self._seconds = seconds
        self._created, self._removed = created, removed
        self._known = layout.boxes()
        self._sorted = sorted(self._known)
        self._looked = seconds(), layout.changed()

    def __contains__(self, mailbox: str) -> bool:
        """Whether it is known, without a look at the disk."""
        return mailbox in self._known

    def learn(self, mailbox: str) -> None:
        """There is such a mailbox."""
        if mailbox not in self._known:
            self._known[mailbox] = mailbox_dir(mailbox)
            insort(self._sorted, mailbox)
            self._created(mailbox)

    def forget(self, mailbox: str) -> None:
        """There is none any more."""
        if self._known.pop(mailbox, None) is not None:
            self._sorted.remove(mailbox)
        self._removed(mailbox)

    def find(self, mailbox: str) -> str | None:
        """The directory of a mailbox, None when there is none."""
        box = self._known.get(mailbox)
        if box is None:
            try:
                box = mailbox_dir(mailbox)
            except Invalid:
                return None
            if not self._layout.has_box(box):
                return None
            self.learn(mailbox)
        return box

    def require(self, mailbox: str) -> str:
        """The directory of a mailbox.  @raise NotFound: there is none."""
        box = self.find(mailbox)
        if box is None:
            raise NotFound(f"there is no mailbox {mailbox}")
        return box

    def all(self) -> list[str]:
        """All addresses, sorted; those that another process made are among them a second later."""
        now = self._seconds()
        if not self._looked[0] <= now < self._looked[0] + _LOOK:
            changed = self._layout.changed()
            if changed != self._looked[1]:
                found = self._layout.boxes()
                for mailbox in found.keys() - self._known.keys():
                    self.learn(mailbox)
                for mailbox in self._known.keys() - found.keys():
                    self.forget(mailbox)
            self._looked = now, changed
        return list(self._sorted)


class FolderList:
    """(mailbox, folder) of one store; C{shared}: other processes serve the same mail."""

    def __init__(
        self, layout: Layout, reader: IWorker, mailboxes: MailboxList, reactor: IReactorTime, shared: bool
    ) -> None:
        self._layout, self._reader, self._mailboxes, self._shared = layout, reader, mailboxes, shared
        self._seconds: Callable[[], float] = reactor.seconds
        self._known: dict[Named, None] = {}
        self._listed: Listed = {}
        self._looked: float | None = None
        self._looking: Shared[None] = Shared(reactor)

    def arrived(self, mailbox: str, name: str) -> None:
        """A message has appeared."""
        if self._looked is not None:
            self._known[mailbox, name] = None

    def changed(self) -> None:
        """Folders are called something else."""
        self._looked = None
        self._listed.clear()

    async def all(self) -> list[Named]:
        """All of them, in no order; some may have gone."""
        if not self._fresh():
            await self._looking.anew(self._look)
        return list(self._known)

    def _fresh(self) -> bool:
        # What another process files is there at once.
        return (self._looked is not None and not self._shared and 0 <= self._seconds() - self._looked < _LOOK)

    async def _look(self) -> None:
        if self._fresh():
            # Another has just looked.
            return
        try:
            # From here on, what comes is added to the same.
            known: dict[Named, None] = {}
            self._looked, self._known = self._seconds(), known
            mailboxes = self._mailboxes.all()
            for begin in range(0, len(mailboxes), _SLICE):
                boxes = [(mailbox, box) for mailbox in mailboxes[begin:begin + _SLICE]
                         if (box := self._mailboxes.find(mailbox)) is not None]
                found = await self._reader.call(
                    _list_folders, self._layout, boxes, self._listed, self._layout.wall() - SETTLED)
                known.update(dict.fromkeys(found))
        except BaseException:
            self._looked = None
            raise


def _list_folders(layout: Layout, boxes: Sequence[Named], listed: Listed, settled: float) -> list[Named]:
    """The folders of mailboxes (with their directories), by the reader; only what changed is listed again."""
    found: list[Named] = []
    for mailbox, box in boxes:
        try:
            changed = layout.box_changed(box)
            known = listed.get(box)
            if known is None or known[0] != changed or changed / 1e9 >= settled:
                names = [one.name for one in layout.folders(box).values() if one.directory is not None]
                known = listed[box] = changed, names
        except (NotFound, FileNotFoundError, NotADirectoryError):
            listed.pop(box, None)
            continue
        found += [(mailbox, name) for name in known[1]]
    return found


class MessageCounts:
    """
    L{MailboxCounts} by mailbox.

    @param at: the universe.
    @param loaded: what the folders that are loaded say, by mailbox and name.
    """

    def __init__(
        self, writer: IWriter, at: StoreId, loaded: Callable[[], dict[str, dict[str, Counts]]], reactor: IReactorTime
    ) -> None:
        self._writer, self._at, self._loaded = writer, at, loaded
        self._counts: dict[str, MailboxCounts] = {}
        self._totals: dict[str, int] = {}
        self._complete = False
        self._counting: Shared[None] = Shared(reactor)

    def created(self, mailbox: str) -> None:
        """There is a new mailbox."""
        if self._complete:
            self._counts[mailbox] = _NONE

    def removed(self, mailbox: str) -> None:
        """A mailbox is no more."""
        known = self._counts.pop(mailbox, None)
        if known is not None:
            for name, (total, _) in known.folders.items():
                self._totals[name] -= total

    def filed(self, mailbox: str, name: str, rows: Sequence[Row]) -> None:
        """Messages came into a folder that is not loaded."""
        known = self._counts.get(mailbox)
        if known is not None:
            total, unread = known.folders.get(name, (0, 0))
            self._put(mailbox, known, name, total + len(rows), unread + sum(not row.mask & SEEN for row in rows))

    def set(self, mailbox: str, name: str, counts: Counts) -> None:
        """What a loaded folder says now."""
        known = self._counts.get(mailbox)
        if known is not None:
            self._put(mailbox, known, name, *counts)

    def of(self, mailbox: str) -> Mapping[str, Counts]:
        """What is known of a mailbox by folder; of those that hold nothing, and before all is counted, nothing."""
        return self._counts.get(mailbox, _NONE).folders

    def _put(self, mailbox: str, known: MailboxCounts, name: str, total: int, unread: int) -> None:
        before, unread_before = known.folders.get(name, (0, 0))
        if (before, unread_before) == (total, unread):
            return
        folders = {**known.folders, name: (total, unread)}
        if not total:
            del folders[name]
        self._counts[mailbox] = MailboxCounts(
            known.total + total - before, known.unread + unread - unread_before, folders)
        self._totals[name] = self._totals.get(name, 0) + total - before

    async def counts(self, mailboxes: Callable[[], Sequence[str]]) -> dict[str, MailboxCounts]:
        """All of them; C{mailboxes} names them."""
        await self._done(mailboxes)
        return dict(self._counts)

    async def totals(self, mailboxes: Callable[[], Sequence[str]]) -> dict[str, int]:
        """Messages by folder, of all mailboxes together."""
        await self._done(mailboxes)
        return {name: total for name, total in self._totals.items() if total}

    async def _done(self, mailboxes: Callable[[], Sequence[str]]) -> None:
        while not self._complete:
            await self._counting.anew(lambda: self._count(mailboxes))

    async def _count(self, mailboxes: Callable[[], Sequence[str]]) -> None:
        if self._complete:
            return
        todo = list(mailboxes())
        for begin in range(0, len(todo), _COUNTED):
            found = await self._writer.call(CountMailboxes(self._at, todo[begin:begin + _COUNTED]))
            there, loaded = set(mailboxes()), self._loaded()
            for mailbox, folders in found:
                if mailbox in there:
                    # It may have been counted before, by one that did not come to its end.
                    self.removed(mailbox)
                    self._counts[mailbox] = _NONE
                    for name, counts in {**folders, **loaded.get(mailbox, {})}.items():
                        self.set(mailbox, name, counts)
        self._complete = True
        for mailbox in mailboxes():
            self._counts.setdefault(mailbox, _NONE)
