"""
What is done to the Maildirs of one universe, by the writer.

Every change of a folder passes here, in one order: a UID is used up in the
folder's UID file, then the message appears, under the file's lock.  A call
either does all it was asked or raises and leaves nothing visible half done;
UIDs that were used up on the way are not used again.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from simmail.core.records.delivery import Copy, Delivery
from simmail.errors import NotFound
from simmail.mailstore.delivery import multiappend, replace
from simmail.mailstore.delivery.folders import NO_SHARES, Place, Share, key_of
from simmail.mailstore.journal.segment import Left, Where
from simmail.mailstore.maildir import filename, flaglog, savedate
from simmail.mailstore.maildir.filename import Row, row_of
from simmail.mailstore.maildir.flags import is_keyword, microseconds
from simmail.mailstore.maildir.layout import Layout, TMP
from simmail.mailstore.maildir.names import mailbox_dir
from simmail.mailstore.maildir.uidlist import Damaged
from simmail.mailstore.writer import office

#: UID files kept open.
MOST_OPEN = 512


class Added(Struct, frozen=True, array_like=True):
    """A message that has appeared; C{keywords}: the table its mask is to be read by."""

    mailbox: str
    folder: str
    row: Row
    keywords: tuple[str, ...]


class Restated(NamedTuple):
    """
    What became of a slice of a folder's files.

    @ivar failed: positions of those whose file was not there.
    @ivar before, after: modification times around it.
    """

    modseq: int
    failed: list[int]
    before: tuple[int, int]
    after: tuple[int, int]


class Filed(NamedTuple):
    """What became of a delivery; C{removed}: what that of the message it replaces did to its folder."""

    copies: tuple[Copy, ...]
    added: list[Added]
    removed: Restated | None = None


class Sheet:
    """
    What the copies of one delivery have in common while it is filed.

    @ivar date: microseconds; saved: the same, None for that; temporary: where the file is until the last copy takes it.
    @ivar left: copies that are still to be made; placed: where those are that appeared.
    """

    __slots__ = ("key", "size", "date", "saved", "temporary", "left", "placed")

    def __init__(self, key: str, size: int, date: int, saved: int | None, temporary: str, left: int) -> None:
        self.key = key
        self.size = size
        self.date = date
        self.saved = saved
        self.temporary = temporary
        self.left = left
        self.placed: list[str] = []


class Filer:
    """
    The Maildirs of one universe.

    @param wall: the wall clock's Unix time.
    @ivar left: is told of messages that have left a folder, before anybody else is.
    """

    def __init__(self, path: str, universe: str, wall: Callable[[], float]) -> None:
        self.layout = Layout(path, universe, wall)
        self.root = self.layout.root
        self.left: Callable[[Left], None] = lambda left: None
        self._places: dict[tuple[str, str], Place] = {}
        self._open: OrderedDict[tuple[str, str], Place] = OrderedDict()
        self._pid = os.getpid()
        self._begun = ""

    def __reduce__(self) -> tuple[Any, ...]:
        # In calls that go to the process that writes.
        return office.the_filer, (self.layout.base, self.layout.universe)

    def close(self) -> None:
        """Nothing more is asked."""
        for place in self._open.values():
            place.uids.close()
        self._open.clear()
        self._places.clear()
        self.layout.close()

    # Places

    def place(self, mailbox: str, name: str, create: bool) -> Place:
        """
        A folder, its UID file open.

        @raise NotFound: it is not there and not to be created.
        """
        key = (mailbox, name)
        place = self._open.get(key)
        if place is not None:
            self._open.move_to_end(key)
            return place
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = self._found(mailbox, name, create)
        else:
            try:
                place.uids.reopen()
            except (FileNotFoundError, NotADirectoryError, Damaged):
                return self._again(key, create)
        self._open[key] = place
        if len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)[1].uids.close()
        return place

    def _found(self, mailbox: str, name: str, create: bool) -> Place:
        layout, box = self.layout, mailbox_dir(mailbox)
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
        return Place(mailbox, name, directory, layout.open_uids(directory))

    def _again(self, key: tuple[str, str], create: bool) -> Place:
        """
        A folder whose UID file is not what it was, or whose files are not where they were.

        @raise NotFound: it is not there and not to be created.
        """
        before = self._places.get(key)
        self.forget(*key)
        place = self.place(*key, create)
        self.layout.mend(place.directory)
        if before is not None:
            self._renew(place, before.uids.uidvalidity, before.uids.uidnext, before.uids.inode)
        return place

    def _renew(self, place: Place, uidvalidity: int, uidnext: int, inode: int) -> None:
        """A folder has a greater UIDVALIDITY than it had, unless its UID file is the one that it was."""
        uids = place.uids
        if uids.uidvalidity <= uidvalidity and (uids.inode != inode or uids.uidnext < uidnext):
            with uids.locked():
                uids.raise_to(filename.highest_uid(self.root, place.directory) + 1)
                uids.change(uids.special_use, self.layout.next_uidvalidity())
            self.layout.replaced(place.directory)

    def renew(self, mailbox: str, name: str, uidvalidity: int, uidnext: int, inode: int) -> None:
        """
        Another folder was put in the place of one, or will be made there: it gets a greater UIDVALIDITY.

        @param inode: number of the UID file that the folder had, 0 for any other.
        """
        try:
            place = self.place(mailbox, name, create=False)
            try:
                with place.uids.locked():
                    pass
            except (FileNotFoundError, Damaged):
                place = self._again((mailbox, name), create=False)
        except NotFound:
            return
        self._renew(place, uidvalidity, uidnext, inode)

    def make(self, mailbox: str, name: str) -> str:
        """A standard folder that is only shown is made; answers its directory."""
        return self.place(mailbox, name, create=False).directory

    def make_box(self, mailbox: str) -> None:
        """A mailbox is made when it is not there."""
        self.layout.make_box(mailbox)

    def drop_box(self, mailbox: str) -> str:
        """
        A mailbox is gone; answers what is to be cleared away.

        @raise NotFound: it was not there.
        """
        self.forget(mailbox)
        try:
            gone = self.layout.drop_box(mailbox_dir(mailbox))
        except FileNotFoundError:
            raise NotFound(f"there is no mailbox {mailbox}") from None
        self.tell_left(mailbox, "")
        return gone

    def tell_left(
        self, mailbox: str, name: str, uidvalidity: int = 0, uids: Sequence[int] = (), to: Where | None = None
    ) -> None:
        """Messages have left a folder, or all have, or a mailbox (C{""}) is gone; C{to}: where they are now."""
        self.left(Left(self.layout.universe, mailbox, name, uidvalidity, tuple(uids), to))

    def forget(self, mailbox: str, name: str | None = None) -> None:
        """A folder, or all of a mailbox, is gone or called something else."""
        for key in [key for key in self._places if key[0] == mailbox and name in (None, key[1])]:
            del self._places[key]
            place = self._open.pop(key, None)
            if place is not None:
                place.uids.close()

    # Filing

    def temporary(self, delivery: Delivery) -> str:
        """Where its file is until it appears."""
        return f"{TMP}/{delivery.id}.{self._pid}"

    def begin(self, delivery: Delivery) -> None:
        """Write the file of the delivery that is filed next; what is wrong with it is told then."""
        if delivery.parts:
            return
        temporary = self.temporary(delivery)
        try:
            self.write(temporary, delivery.octets, microseconds(delivery.at))
        except OSError:
            return
        self._begun = temporary

    def abandon(self) -> None:
        """What was begun is not filed."""
        if self._begun:
            self.discard(self._begun)
            self._begun = ""

    def file(
        self, delivery: Delivery, create: bool = True, shares: Mapping[tuple[str, str], Share] = NO_SHARES
    ) -> Filed:
        """
        Make a delivery visible in all its places, in each once.

        @param shares: folders that are locked already, by mailbox and name.
        @raise OSError: the disk refused; the message is visible nowhere (new).
        """
        if not delivery.filings:
            return Filed((), [])
        if delivery.parts:
            return Filed(*multiappend.file(self, delivery, create, shares))
        date = microseconds(delivery.at)
        temporary = self.temporary(delivery)
        if temporary == self._begun:
            self._begun = ""
        else:
            self.write(temporary, delivery.octets, date)
        keys = list(map(key_of, delivery.filings))
        saved = microseconds(delivery.saved) if delivery.saved is not None else None
        sheet = Sheet(delivery.id, len(delivery.octets), date, saved, temporary, len(set(keys)))
        copies: dict[tuple[str, str], Copy] = {}
        added: list[Added] = []
        try:
            for key, filing in zip(keys, delivery.filings):
                if key in copies:
                    continue
                share = shares.get(key)
                if share is not None:
                    place = share.place
                    uid, row = self.appear(sheet, place, filing.flags, share.take)
                else:
                    try:
                        place = self.place(*key, create)
                        uid, row = self._put(sheet, place, filing.flags)
                    except (FileNotFoundError, Damaged):
                        # Another program removed the folder under our hands, or put something else in its place.
                        place = self._again(key, create)
                        uid, row = self._put(sheet, place, filing.flags)
                uids = place.uids
                copies[key] = Copy(filing.mailbox, filing.folder, uid, uids.uidvalidity)
                if row is not None:
                    added.append(Added(filing.mailbox, filing.folder, row, uids.keywords))
                sheet.left -= 1
            if len(sheet.placed) < len(copies):
                self.discard(temporary)
            removed = replace.remove(self, delivery.replaces) if delivery.replaces is not None else None
        except BaseException:
            for path in (*sheet.placed, temporary):
                self.discard(path)
            raise
        return Filed(tuple([copies[key] for key in keys]), added, removed)

    def _put(self, sheet: Sheet, place: Place, flags: Sequence[str]) -> tuple[int, Row | None]:
        with place.uids.locked() as changed:
            if changed or place.sorted is None:
                place.learn(self.root)
            return self.appear(sheet, place, flags, place.uids.take)

    def appear(
        self, sheet: Sheet, place: Place, flags: Sequence[str], take: Callable[[], tuple[int, int]],
    ) -> tuple[int, Row | None]:
        """The folder is locked: the message appears under the UID and MODSEQ that C{take} answers."""
        root, key = self.root, sheet.key
        if place.expect(key):
            found = filename.find(root, place.directory, key)
            if found is not None:
                return found[0], None
        mask = 0
        if flags:
            if any(map(is_keyword, flags)):
                place.uids.define([flag for flag in flags if is_keyword(flag)])
            mask = place.mask(flags)
        uid, modseq = take()
        if sheet.saved is not None:
            savedate.note(self.layout, place.directory, sheet.saved, (uid,))
        path = f"{place.directory}/{filename.path_of(key, uid, sheet.size, mask, not flags)}"
        if sheet.left == 1:
            os.rename(sheet.temporary, path, src_dir_fd=root, dst_dir_fd=root)
        else:
            os.link(sheet.temporary, path, src_dir_fd=root, dst_dir_fd=root)
        sheet.placed.append(path)
        return uid, row_of((uid, mask, sheet.size, sheet.date, modseq, not flags, key))

    def write(self, path: str, octets: bytes, date: int) -> None:
        """A new file with a modification time (microseconds)."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        try:
            fd = os.open(path, flags, 0o600, dir_fd=self.root)
        except FileExistsError:
            # Left by an earlier process with our number.
            os.unlink(path, dir_fd=self.root)
            fd = os.open(path, flags, 0o600, dir_fd=self.root)
        try:
            written = os.write(fd, octets)
            while written < len(octets):
                written += os.write(fd, memoryview(octets)[written:])
            os.utime(fd, ns=(date * 1000, date * 1000))
        except BaseException:
            self.discard(path)
            raise
        finally:
            os.close(fd)

    def discard(self, path: str) -> None:
        """Remove a file if it is there."""
        try:
            os.unlink(path, dir_fd=self.root)
        except OSError:
            pass

    def rewrite_uids(self) -> None:
        """
        Write the UID files of all folders that are known here, and those beside them, once more as they are.

        @raise OSError: the disk refused.
        """
        for key in list(self._places):
            try:
                place = self.place(*key, create=False)
                with place.uids.locked():
                    place.uids.rewrite()
                    for name in (flaglog.FILE, savedate.FILE):
                        self.layout.rewrite(f"{place.directory}/{name}")
            except (NotFound, FileNotFoundError):
                continue

    # Messages that are there

    def define(self, mailbox: str, name: str, keywords: Sequence[str], used: int) -> tuple[bool, tuple[str, ...]]:
        """
        Give keywords a place in a folder's table.

        @param used: as for C{Uids.define}.
        @return: whether all have one, and the table.
        """
        place = self.place(mailbox, name, create=False)
        with place.uids.locked():
            return place.uids.define(keywords, used), place.uids.keywords

    def bump(self, mailbox: str, name: str, gone: Sequence[int]) -> int:
        """A MODSEQ for what was noticed rather than done, such as that messages are C{gone}."""
        place = self.place(mailbox, name, create=False)
        with place.uids.locked():
            modseq = place.uids.take(0, 1, bool(gone))[1]
        if gone:
            self.tell_left(mailbox, name, place.uids.uidvalidity, gone)
        return modseq

    def mark(self, mailbox: str, name: str, groups: Sequence[tuple[int, Sequence[int]]], changes: int) -> int:
        """
        Note flags that the names of files do not have yet.

        @param groups: (flags as bits, UIDs ascending).
        @param changes: 1 to use up a MODSEQ, which is answered; 0 for no other MODSEQ.
        """
        place = self.place(mailbox, name, create=False)
        with place.uids.locked():
            modseq = place.uids.take(0, 1)[1] if changes else 0
            flaglog.append(self.root, place.directory, b"".join(flaglog.line(modseq, *group) for group in groups))
        return modseq

    def unmark(self, mailbox: str, name: str) -> None:
        """All files have their flags in their names."""
        flaglog.clear(self.root, self.place(mailbox, name, create=False).directory)

    def restate(self, mailbox: str, name: str, renames: Sequence[tuple[str, str]], changes: int) -> Restated:
        """
        Rename files within a folder.

        @param renames: (old, new), each below the folder.
        @param changes: MODSEQs to use up, 1 or 0; the answer's is the one.
        """
        def rename(paths: tuple[str, str], directory: int) -> None:
            os.rename(paths[0], paths[1], src_dir_fd=directory, dst_dir_fd=directory)
        return self._each(mailbox, name, renames, rename, changes, False)

    @staticmethod
    def restated(modseq: int, before: tuple[int, int], after: tuple[int, int]) -> Restated:
        """What became of one file."""
        return Restated(modseq, [], before, after)

    def unlink(self, mailbox: str, name: str, paths: Sequence[str]) -> Restated:
        """Remove files of a folder."""
        def unlink(path: str, directory: int) -> None:
            os.unlink(path, dir_fd=directory)
        return self._each(mailbox, name, paths, unlink, 1, True)

    def _each(
        self, mailbox: str, name: str, items: Sequence[Any], do: Callable[[Any, int], None], changes: int,
        expunge: bool,
    ) -> Restated:
        place = self.place(mailbox, name, create=False)
        failed: list[int] = []
        done = 0
        directory = os.open(place.directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self.root)
        try:
            with place.uids.locked():
                before = filename.times_of(self.root, place.directory)
                modseq = place.uids.take(0, changes, expunge)[1] if changes else place.uids.highestmodseq
                for at, item in enumerate(items):
                    try:
                        do(item, directory)
                    except FileNotFoundError:
                        failed.append(at)
                    done = at + 1
                after = filename.times_of(self.root, place.directory)
        finally:
            os.close(directory)
            if expunge and done:
                self.tell_left(mailbox, name, place.uids.uidvalidity, list(map(filename.uid_of, items[:done])))
        return Restated(modseq, failed, before, after)
