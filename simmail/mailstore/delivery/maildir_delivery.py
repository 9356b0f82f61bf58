"""
Deliveries become visible in Maildirs, by the writer.

A UID is used up in the folder's UID file, then the message appears, under the
file's lock.  A delivery either becomes visible as a whole or raises and leaves
nothing visible half done; UIDs that were used up on the way are not used again.

Several messages that go into one folder together are one delivery, and one
record of the journal.  Each is called after the delivery and its place in it,
so that filing again after a crash finds those that are there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from simmail.core.records.delivery import Copy, Delivery, Placement
from simmail.core.time.instant import microseconds
from simmail.mailstore.delivery.changes import Restated, remove_replaced
from simmail.mailstore.delivery.folders import LockedFolder, OpenFolder, OpenFolders
from simmail.mailstore.maildir import filename, savedate
from simmail.mailstore.maildir.filename import Row, row_of
from simmail.mailstore.maildir.flags import is_keyword
from simmail.mailstore.maildir.layout import Layout, TMP
from simmail.mailstore.maildir.uidlist import UidList, UidListDamaged

#: Mailbox and folder of a placement.
key_of: Callable[[Placement], tuple[str, str]] = attrgetter("mailbox", "folder")

_NONE_LOCKED: Mapping[tuple[str, str], LockedFolder] = MappingProxyType({})
_NOT_YET = Exception("not filed yet")


class Added(Struct, frozen=True, array_like=True):
    """A message that has appeared; C{keywords}: the table its mask is to be read by."""

    mailbox: str
    folder: str
    row: Row
    keywords: tuple[str, ...]


class DeliveryResult(NamedTuple):
    """What became of a delivery; C{removed}: what that of the message it replaces did to its folder."""

    copies: tuple[Copy, ...]
    added: list[Added]
    removed: Restated | None = None


class _Message(Struct, eq=False):
    """What the copies of one message have in common while it is filed; dates in microseconds."""

    key: str
    size: int
    date: int
    saved: int | None
    temporary: str
    left: int
    placed: list[str] = []


class MaildirDelivery:
    """Delivers into the Maildirs of one universe; C{folders}: those of the universe, as the writer knows them."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.root = layout.root
        self.folders = OpenFolders(layout)
        self._pid = os.getpid()
        self._begun = ""

    def close(self) -> None:
        """Close everything: nothing more is asked."""
        self.folders.close()
        self.layout.close()

    def _temporary(self, delivery: Delivery) -> str:
        """Return where its file is until it appears."""
        return f"{TMP}/{delivery.id}.{self._pid}"

    def begin(self, delivery: Delivery) -> None:
        """Write the file of the delivery that is filed next; what is wrong with it is told then."""
        if delivery.parts:
            return
        temporary = self._temporary(delivery)
        try:
            self.write(temporary, delivery.octets, microseconds(delivery.at))
        except OSError:
            return
        self._begun = temporary

    def abandon(self) -> None:
        """Remove what was begun: it is not filed."""
        if self._begun:
            self.discard(self._begun)
            self._begun = ""

    def file(
        self, delivery: Delivery, create: bool = True, locked: Mapping[tuple[str, str], LockedFolder] = _NONE_LOCKED
    ) -> DeliveryResult:
        """
        Make a delivery visible in all its places, in each once.

        @param locked: folders that are locked already, by mailbox and name.
        @raise OSError: the disk refused; the message is visible nowhere (new).
        """
        if not delivery.placements:
            return DeliveryResult((), [])
        if delivery.parts:
            return self._file_all(delivery, create, locked)
        date = microseconds(delivery.at)
        temporary = self._temporary(delivery)
        if temporary == self._begun:
            self._begun = ""
        else:
            self.write(temporary, delivery.octets, date)
        keys = list(map(key_of, delivery.placements))
        saved = microseconds(delivery.saved) if delivery.saved is not None else None
        message = _Message(delivery.id, len(delivery.octets), date, saved, temporary, len(set(keys)))
        copies: dict[tuple[str, str], Copy] = {}
        added: list[Added] = []
        try:
            for key, placement in zip(keys, delivery.placements):
                if key in copies:
                    continue
                ready = locked.get(key)
                if ready is not None:
                    folder = ready.folder
                    uid, row = self._appear(message, folder, placement.flags, ready.take)
                else:
                    try:
                        folder = self.folders.open(*key, create)
                        uid, row = self._put(message, folder, placement.flags)
                    except (FileNotFoundError, UidListDamaged):
                        # Another program removed the folder under our hands, or put something else in its place.
                        folder = self.folders.reopen(key, create)
                        uid, row = self._put(message, folder, placement.flags)
                uids = folder.uids
                copies[key] = Copy(placement.mailbox, placement.folder, uid, uids.uidvalidity)
                if row is not None:
                    added.append(Added(placement.mailbox, placement.folder, row, uids.keywords))
                message.left -= 1
            if len(message.placed) < len(copies):
                self.discard(temporary)
            replaced = delivery.replaces
            removed = remove_replaced(self.folders, replaced) if replaced is not None else None
        except BaseException:
            for path in (*message.placed, temporary):
                self.discard(path)
            raise
        return DeliveryResult(tuple([copies[key] for key in keys]), added, removed)

    def _put(self, message: _Message, folder: OpenFolder, flags: Sequence[str]) -> tuple[int, Row | None]:
        uids = folder.uids
        changed = uids.lock()
        try:
            if changed or folder.sorted is None:
                folder.learn(self.root)
            return self._appear(message, folder, flags, uids.take)
        finally:
            uids.unlock()

    def _appear(
        self, message: _Message, folder: OpenFolder, flags: Sequence[str], take: Callable[[], tuple[int, int]],
    ) -> tuple[int, Row | None]:
        """Make the message appear in a folder that is locked, under the UID and MODSEQ that C{take} answers."""
        root, key = self.root, message.key
        if folder.expect(key):
            found = filename.find(root, folder.directory, key)
            if found is not None:
                return found[0], None
        if folder.borrowed:
            self.folders.own(folder, "cur" if flags else "new")
        mask = 0
        if flags:
            if any(map(is_keyword, flags)):
                folder.uids.define([flag for flag in flags if is_keyword(flag)])
            mask = folder.mask(flags)
        uid, modseq = take()
        if message.saved is not None:
            savedate.note(self.layout, folder.directory, message.saved, (uid,))
        path = f"{folder.directory}/{filename.path_of(key, uid, message.size, mask, not flags)}"
        if message.left == 1:
            os.rename(message.temporary, path, src_dir_fd=root, dst_dir_fd=root)
        else:
            os.link(message.temporary, path, src_dir_fd=root, dst_dir_fd=root)
        message.placed.append(path)
        return uid, row_of((uid, mask, message.size, message.date, modseq, not flags, key))

    def write(self, path: str, octets: bytes, date: int) -> None:
        """Write a new file with a modification time (microseconds)."""
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

    # Several messages together

    def _file_all(
        self, delivery: Delivery, create: bool, locked: Mapping[tuple[str, str], LockedFolder]
    ) -> DeliveryResult:
        singles = messages(delivery)
        key = key_of(delivery.placements[0])
        written: list[str] = []
        try:
            for one in singles:
                written.append(self._temporary(one))
                self.write(written[-1], one.octets, microseconds(one.at))
            ready = locked.get(key)
            if ready is not None:
                return self._appear_all(ready.folder, singles, written, ready.take)
            try:
                return self._put_all(self.folders.open(*key, create), singles, written)
            except FileNotFoundError:
                # Another program removed the folder under our hands.
                self.folders.forget(*key)
                return self._put_all(self.folders.open(*key, create), singles, written)
        except BaseException:
            for path in written:
                self.discard(path)
            raise

    def _put_all(self, folder: OpenFolder, singles: list[Delivery], written: list[str]) -> DeliveryResult:
        with folder.uids.locked() as changed:
            if changed or folder.sorted is None:
                folder.learn(self.root)
            uid, modseq = folder.uids.take(len(singles), len(singles))
            return self._appear_all(folder, singles, written, zip(count(uid), count(modseq)).__next__)

    def _appear_all(
        self, folder: OpenFolder, singles: list[Delivery], written: list[str], take: Callable[[], tuple[int, int]]
    ) -> DeliveryResult:
        copies: list[Copy] = []
        added: list[Added] = []
        done: list[_Message] = []
        uids = folder.uids
        try:
            for one, temporary in zip(singles, written):
                # Linked, so that a second attempt has what it needs.
                saved = microseconds(one.saved) if one.saved is not None else None
                done.append(_Message(one.id, len(one.octets), microseconds(one.at), saved, temporary, 2))
                uid, row = self._appear(done[-1], folder, one.placements[0].flags, take)
                copies.append(Copy(folder.mailbox, folder.name, uid, uids.uidvalidity))
                if row is not None:
                    added.append(Added(folder.mailbox, folder.name, row, uids.keywords))
        except BaseException:
            for message in done:
                for path in message.placed:
                    self.discard(path)
            raise
        for temporary in written:
            self.discard(temporary)
        return DeliveryResult(tuple(copies), added)


def messages(delivery: Delivery) -> list[Delivery]:
    """Return the messages of a delivery of several, each as a delivery of its own."""
    found, at = [], 0
    for number, (part, one) in enumerate(zip(delivery.parts, delivery.placements), 1):
        octets = delivery.octets[at:at + part.size]
        at += part.size
        found.append(Delivery(
            f"{delivery.id}-{number}", delivery.universe, (one,), octets, part.at,
            saved=delivery.saved if delivery.saved != part.at else None))
    return found


# Deliveries that wait together


class BatchDelivery:
    """
    Files what comes to one universe in runs, for the journal.

    @ivar delivery: which files each; create: whether mailboxes and folders that are not there are made.
    """

    def __init__(self, delivery: MaildirDelivery, create: bool = True) -> None:
        self.delivery, self.create = delivery, create

    def __call__(self, deliveries: Sequence[Delivery]) -> list[DeliveryResult | Exception]:
        """
        File deliveries that wait together: each folder is locked once for all of them.

        What goes wrong with one of them does not touch the others: it is taken back and filed alone.

        @return: for each what C{MaildirDelivery.file} answered or raised.
        """
        outcomes: list[DeliveryResult | Exception] = [_NOT_YET] * len(deliveries)
        # What removes something in another folder is filed alone: no lock is held while another is waited for.
        if len(deliveries) > 1 and all([delivery.replaces is None for delivery in deliveries]):
            try:
                held: list[UidList] = []
                try:
                    locked = self._locked(deliveries, held)
                    outcomes = [self._file(delivery, locked) for delivery in deliveries]
                finally:
                    for uids in held:
                        uids.unlock()
            except Exception:
                # Which folder it was is found out one by one.
                pass
        return [self._file(delivery) if isinstance(outcome, Exception) else outcome
                for delivery, outcome in zip(deliveries, outcomes)]

    def _file(
        self, delivery: Delivery, locked: Mapping[tuple[str, str], LockedFolder] = _NONE_LOCKED
    ) -> DeliveryResult | Exception:
        try:
            return self.delivery.file(delivery, self.create, locked)
        except Exception as error:
            return error

    def _locked(self, deliveries: Sequence[Delivery], held: list[UidList]) -> dict[tuple[str, str], LockedFolder]:
        """Lock every folder that is filed into, with UIDs for all; C{held} is to be unlocked by who asks."""
        wanted: dict[tuple[str, str], int] = {}
        for delivery in deliveries:
            keys = list(map(key_of, delivery.placements))
            for key in keys if delivery.parts else set(keys):
                wanted[key] = wanted.get(key, 0) + 1
        folders = [(self.delivery.folders.open(*key, self.create), key) for key in wanted]
        # In one order in all processes, so that no two wait for each other.
        folders.sort(key=_directory)
        locked = {}
        for folder, key in folders:
            changed = folder.uids.lock()
            held.append(folder.uids)
            if changed or folder.sorted is None:
                folder.learn(self.delivery.root)
            locked[key] = LockedFolder(folder, *folder.uids.take(wanted[key], wanted[key]))
        return locked


def _directory(opened: tuple[OpenFolder, tuple[str, str]]) -> str:
    return opened[0].directory
