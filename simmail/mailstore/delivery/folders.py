"""
Folders as the writer knows them: their UID files, kept open, and which messages are in them already.

A delivery may be filed again after a crash; by the hashes of the keys it is
found out at once that a message is not there, without looking at the disk.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from itertools import count

from msgspec import Struct

from simmail.errors import NotFound, Unavailable
from simmail.mailstore.journal.records import Departure, Destination
from simmail.mailstore.maildir import filename, flaglog, savedate
from simmail.mailstore.maildir.flags import SYSTEM
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.names import mailbox_dir
from simmail.mailstore.maildir.uidlist import UidList, UidListDamaged

#: UID files kept open.
MOST_OPEN = 512
#: Keys kept apart from the sorted ones before they are sorted in.
_UNSORTED = 4096

SYSTEM_MASK = (1 << len(SYSTEM)) - 1


class OpenFolder(Struct, eq=False):
    """
    One folder as the writer knows it: its UID file, and hashes of the keys in it.

    @ivar borrowed: those of C{new} and C{cur} that are still shared with other universes.
    """

    mailbox: str
    name: str
    directory: str
    uids: UidList
    sorted: array[int] | None = None
    unsorted: set[int] = set()
    borrowed: frozenset[str] = frozenset()

    def learn(self, root: int) -> None:
        """Look which keys there are."""
        self.sorted = filename.keys(root, self.directory)
        self.unsorted = set()

    def expect(self, key: str) -> bool:
        """
        There is about to be one more key.

        @return: whether a message with it may be here already; of one that is here nothing else is ever said.
        """
        number, known, fresh = hash(key), self.sorted, self.unsorted
        if number in fresh:
            return True
        assert known is not None
        at = bisect_left(known, number)
        if at < len(known) and known[at] == number:
            return True
        fresh.add(number)
        if len(fresh) > _UNSORTED:
            self._sort()
        return False

    def remember(self, keys: Iterable[str]) -> None:
        """There are some more keys."""
        if self.sorted is None:
            return
        self.unsorted.update(map(hash, keys))
        if len(self.unsorted) > _UNSORTED:
            self._sort()

    def _sort(self) -> None:
        self.sorted = array("q", sorted([*(self.sorted or ()), *self.unsorted]))
        self.unsorted = set()

    def mask(self, flags: Iterable[str]) -> int:
        """Flags as bits; keywords that are not in the table are left out."""
        mask = 0
        for flag in flags:
            mask |= filename.bit_of(flag, self.uids.keywords)
        return mask


class LockedFolder:
    """
    A folder that several deliveries are filed into under one lock.

    @param uid, modseq: the first of those that were used up for them.
    @ivar take: answers the next UID and MODSEQ.
    """

    __slots__ = ("folder", "take")

    def __init__(self, folder: OpenFolder, uid: int, modseq: int) -> None:
        self.folder = folder
        self.take = zip(count(uid), count(modseq)).__next__


class OpenFolders:
    """
    The folders of one universe, the last of which that were used are open.

    @ivar root: descriptor of the universe's directory.
    @ivar departed: is told of messages that have left a folder, before anybody else is.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.root = layout.root
        self.departed: Callable[[Departure], None] = lambda departure: None
        self._known: dict[tuple[str, str], OpenFolder] = {}
        self._open: OrderedDict[tuple[str, str], OpenFolder] = OrderedDict()

    def close(self) -> None:
        """Close them all: nothing more is asked."""
        for folder in self._open.values():
            folder.uids.close()
        self._open.clear()
        self._known.clear()

    def open(self, mailbox: str, name: str, create: bool) -> OpenFolder:
        """Return a folder, its UID file open.  @raise NotFound: it is not there and not to be created."""
        key = (mailbox, name)
        folder = self._open.get(key)
        if folder is not None:
            self._open.move_to_end(key)
            return folder
        folder = self._known.get(key)
        if folder is None:
            folder = self._known[key] = self._found(mailbox, name, create)
        else:
            try:
                folder.uids.reopen()
            except (FileNotFoundError, NotADirectoryError, UidListDamaged):
                return self.reopen(key, create)
        self._open[key] = folder
        if len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)[1].uids.close()
        return folder

    def own(self, folder: OpenFolder, *parts: str) -> None:
        """Parts of a folder, all when none is named, are about to be changed."""
        wanted = folder.borrowed.intersection(parts) if parts else folder.borrowed
        if wanted:
            self.layout.borrowed.own_parts(folder.directory, wanted)
            folder.borrowed -= wanted

    def _found(self, mailbox: str, name: str, create: bool) -> OpenFolder:
        layout, box = self.layout, mailbox_dir(mailbox)
        layout.borrowed.own(box)
        try:
            directory = layout.directory(box, name)
        except NotFound:
            if not create:
                raise
            layout.make_box(mailbox)
            try:
                directory = layout.directory(box, name)
            except NotFound:
                directory = None
        if directory is None:
            directory = layout.make_folder(box, name)
        return OpenFolder(
            mailbox, name, directory, layout.open_uids(directory), borrowed=layout.borrowed.parts(directory))

    def reopen(self, key: tuple[str, str], create: bool) -> OpenFolder:
        """
        Open a folder whose UID file is not what it was, or whose files are not where they were.

        @raise NotFound: it is not there and not to be created.
        """
        before = self._known.get(key)
        self.forget(*key)
        folder = self.open(*key, create)
        self.layout.mend(folder.directory)
        if before is not None:
            self.renew(folder, before.uids.uidvalidity, before.uids.uidnext, before.uids.inode)
        return folder

    def renew(self, folder: OpenFolder, uidvalidity: int, uidnext: int, inode: int) -> None:
        """A folder has a greater UIDVALIDITY than it had, unless its UID file is the one that it was."""
        uids = folder.uids
        if uids.uidvalidity <= uidvalidity and (uids.inode != inode or uids.uidnext < uidnext):
            with uids.locked():
                uids.raise_to(filename.highest_uid(self.root, folder.directory) + 1)
                uids.change(uids.special_use, self.layout.next_uidvalidity())
            self.layout.replaced(folder.directory)

    def tell_departed(
        self, mailbox: str, name: str, uidvalidity: int = 0, uids: Sequence[int] = (), to: Destination | None = None
    ) -> None:
        """
        Tell that messages have left a folder, or all have, or that a mailbox (C{""}) is gone.

        @param to: where they are now.
        """
        self.departed(Departure(self.layout.universe, mailbox, name, uidvalidity, tuple(uids), to))

    def forget(self, mailbox: str, name: str | None = None) -> None:
        """Forget a folder, or all of a mailbox: it is gone or called something else."""
        for key in [key for key in self._known if key[0] == mailbox and name in (None, key[1])]:
            del self._known[key]
            folder = self._open.pop(key, None)
            if folder is not None:
                folder.uids.close()

    def rewrite_uids(self) -> None:
        """
        Write the UID files of all folders that are known here, and those beside them, once more as they are.

        @raise OSError: the disk refused.
        """
        for key in list(self._known):
            try:
                folder = self.open(*key, create=False)
                with folder.uids.locked():
                    folder.uids.rewrite()
                    for name in (flaglog.FILE, savedate.FILE):
                        self.layout.rewrite(f"{folder.directory}/{name}")
            except (NotFound, FileNotFoundError):
                continue


def raise_uidnexts(layout: Layout, jump: int) -> None:
    """
    Raise UIDNEXT of every folder past all that can have been given without being synced.

    After the machine went down UID files may be older than what was told to clients.

    @raise Unavailable: a UID file cannot be read.
    """
    for box in layout.boxes().values():
        if layout.borrowed.has(box):
            # None was given here.
            continue
        try:
            folders = layout.folders(box)
        except NotFound:
            # It is damaged, and none.
            continue
        for shown in folders.values():
            if shown.directory is None:
                continue
            try:
                uids = layout.open_uids(shown.directory)
            except OSError as error:
                raise Unavailable(f"cannot read the UIDs of {shown.directory}: {error}") from error
            try:
                with uids.locked():
                    try:
                        highest = filename.highest_uid(layout.root, shown.directory)
                    except (FileNotFoundError, NotADirectoryError):
                        # No message of it can be read.
                        highest = 0
                    uids.raise_to(max(uids.uidnext, highest + 1) + jump)
            finally:
                uids.close()
