"""
Files of messages held against the journal: what a disk that failed has lost is written again.

What is short, or has other octets, is written anew under its name; what is
missing comes back where it was, under its UID.  What was expunged or moved
since stays so: the journal knows of it (L{retained}).  Done by the writer.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from twisted.logger import Logger

from simmail.core.records.delivery import Copy, Delivery
from simmail.core.time.instant import microseconds
from simmail.durable import opened
from simmail.errors import NotFound
from simmail.mailstore.delivery.folders import OpenFolder, raise_uidnexts
from simmail.mailstore.delivery.maildir_delivery import Added, MaildirDelivery, key_of
from simmail.mailstore.journal.retained import Journalled
from simmail.mailstore.maildir import filename, savedate
from simmail.mailstore.maildir.filename import CUR, NEW, row_of
from simmail.mailstore.maildir.files import READ_FLAGS
from simmail.mailstore.maildir.flags import is_keyword
from simmail.mailstore.maildir.layout import TMP

#: UIDs left out after a disk lost what was written last: more than can have been given between two syncs of a folder.
JUMP = 10_000


class Repaired(NamedTuple):
    """
    What became of deliveries that were compared.

    @ivar added: what is there again; copies: of deliveries that have another UID now, by id.
    @ivar failed: those that are to be tried again.
    @ivar lost: the disk has lost what was written to it.
    """

    added: list[Added]
    copies: dict[str, tuple[Copy, ...]]
    failed: list[Journalled]
    lost: bool


class _File(NamedTuple):
    """A file of a message: its UID, where it is below the universe, and its inode."""

    uid: int
    path: str
    inode: int


class _Folder:
    """A folder that is there; C{files}: those with a wanted key, by key (several where it was copied within it)."""

    def __init__(self, root: int, place: OpenFolder, wanted: set[str]) -> None:
        self.place = place
        self._names: list[str] = []
        self.files: dict[str, list[_File]] = {}
        for part in (NEW, CUR):
            before = f"{place.directory}/{part}"
            with opened(before, root) as there, os.scandir(there) as entries:
                found = [(entry.name, entry.inode()) for entry in entries]
            for name, inode in found:
                key = name.partition(",")[0]
                if key in wanted:
                    try:
                        self.files.setdefault(key, []).append(_File(filename.uid_of(name), before + name, inode))
                    except ValueError:
                        # Another program has renamed it; it gets a UID as all do that others put in.
                        continue
            self._names += [name for name, _ in found]

    @cached_property
    def uids(self) -> set[int]:
        """Those of all files."""
        return {parsed[1] for parsed in (filename.parse(name) for name in self._names) if parsed is not None}


def _places(one: Journalled) -> Sequence[Copy | None]:
    """Where its messages are, or may be when it is not known that they were filed."""
    if one.places is not None:
        return one.places
    return [Copy(placement.mailbox, placement.folder, 0, 0) for placement in one.described.placements]


class Repair:
    """
    Compares some mail of one universe with the journal: each folder is listed once.

    @param journalled: what the journal has of it.
    """

    log = Logger()

    def __init__(self, delivery: MaildirDelivery, journalled: Sequence[Journalled]) -> None:
        self._delivery = delivery
        self._journalled = [message for one in journalled for message in one.messages()]
        self._wanted: dict[tuple[str, str], set[str]] = {}
        for one in self._journalled:
            for copy in (*_places(one), *one.former):
                if copy is not None:
                    self._wanted.setdefault((copy.mailbox, copy.folder), set()).add(one.described.id)
        self._folders: dict[tuple[str, str], _Folder | None] = {}
        self._added: list[Added] = []
        self._again: list[tuple[Journalled, list[int]]] = []
        self._written = self._missing = 0
        self._lost = False

    def _folder(self, copy: Copy) -> _Folder | None:
        key = copy.mailbox, copy.folder
        if key in self._folders:
            return self._folders[key]
        try:
            place = self._delivery.folders.open(*key, create=False)
            self._delivery.folders.own(place)
            found = _Folder(self._delivery.root, place, self._wanted[key])
        except (NotFound, FileNotFoundError):
            found = None
        self._folders[key] = found
        return found

    def _files(self, copy: Copy, one: Journalled) -> list[_File]:
        folder = self._folder(copy)
        return folder.files.get(one.described.id, []) if folder is not None else []

    def rewrite(self) -> None:
        """Write the files that are there once more, for they may not be on the disk.  @raise OSError: it refused."""
        for one in self._journalled:
            paths = dict.fromkeys(
                file.path for copy in _places(one) if copy is not None for file in self._files(copy, one))
            if paths:
                self._write(one, one.octets(), paths)

    # After a restart

    def compare(self) -> Repaired:
        """Make good what is not as the journal has it."""
        failed = []
        for one in self._journalled:
            try:
                self._compare(one)
            except OSError as error:
                failed.append(self._failed(one, error))
        if self._lost:
            self.log.error(
                "the disk has lost mail of {universe}: {written} messages were short or damaged and {missing} were "
                "missing; they are written again from the journal", universe=self._delivery.layout.universe,
                written=self._written, missing=self._missing)
            raise_uidnexts(self._delivery.layout, JUMP)
        copies = {}
        for one, missing in self._again:
            try:
                copies[one.described.id] = self._file(one, missing)
            except OSError as error:
                failed.append(self._failed(one, error))
        return Repaired(self._added, copies, failed, self._lost)

    def _failed(self, one: Journalled, error: OSError) -> Journalled:
        self.log.error("message {id} of {universe} cannot be compared with the journal: {error}",
                       id=one.described.id, universe=one.described.universe, error=error)
        return one

    def _compare(self, one: Journalled) -> None:
        for copy in one.former:
            self._leave(one, copy)
        octets, filed = one.octets(), one.places is not None
        # Most have several names, and are read once.
        good: dict[int, bool] = {}
        bad: dict[str, None] = {}
        missing = []
        for at, place in enumerate(_places(one)):
            if place is None:
                continue
            files = self._files(place, one)
            for _, path, inode in files:
                if inode not in good:
                    good[inode] = self._is(path, octets)
                if not good[inode]:
                    bad[path] = None
            if filed:
                if not files:
                    missing.append(at)
                self._look_at_uids(place)
        if one.described.saved is not None and filed:
            self._look_at_saved(one, microseconds(one.described.saved))
        if bad:
            self._lost = True
            self._written += len(bad)
            self._write(one, octets, bad)
        if missing:
            self._lost = True
            self._missing += len(missing)
            others = [at for at in missing if not self._restore(one, at, octets)]
            if others:
                self._again.append((one, others))

    def _look_at_uids(self, copy: Copy) -> None:
        """Does the UID file know of a UID that was given?"""
        folder = self._folders[copy.mailbox, copy.folder]
        if folder is not None:
            uids = folder.place.uids
            self._lost = self._lost or copy.uidvalidity == uids.uidvalidity and copy.uid >= uids.uidnext

    def _look_at_saved(self, one: Journalled, saved: int) -> None:
        """Is it known when it was put where it is, and was not moved since?"""
        for place, placement in zip(_places(one), one.described.placements):
            if place is None or (place.mailbox, place.folder) != key_of(placement):
                continue
            folder = self._folder(place)
            if folder is not None:
                directory = folder.place.directory
                if savedate.find(self._delivery.root, directory, [place.uid], [0]) != [saved]:
                    savedate.note(self._delivery.layout, directory, saved, (place.uid,))

    def _leave(self, one: Journalled, copy: Copy) -> None:
        """It was expunged or moved, and the disk has forgotten that."""
        folder = self._folder(copy)
        if folder is None or copy.uidvalidity != folder.place.uids.uidvalidity:
            return
        for file in list(folder.files.get(one.described.id, ())):
            if file.uid == copy.uid:
                self._lost = True
                self._delivery.discard(file.path)
                folder.files[one.described.id].remove(file)

    def _is(self, path: str, octets: bytes) -> bool:
        try:
            fd = os.open(path, READ_FLAGS, dir_fd=self._delivery.root)
        except OSError:
            return False
        try:
            return os.read(fd, len(octets) + 1) == octets
        except OSError:
            return False
        finally:
            os.close(fd)

    # Writing

    def _write(self, one: Journalled, octets: bytes, paths: Iterable[str]) -> None:
        """The same new file at each path."""
        maildirs, root = self._delivery, self._delivery.root
        fresh, beside = (f"{TMP}/{maildirs.layout.unique()}" for _ in range(2))
        maildirs.write(fresh, octets, microseconds(one.described.at))
        try:
            for path in paths:
                os.link(fresh, beside, src_dir_fd=root, dst_dir_fd=root)
                os.rename(beside, path, src_dir_fd=root, dst_dir_fd=root)
        finally:
            maildirs.discard(beside)
            maildirs.discard(fresh)

    def _restore(self, one: Journalled, at: int, octets: bytes) -> bool:
        """A message comes back under its UID, unless that is another's by now."""
        assert one.places is not None
        copy, flags = one.places[at], one.described.placements[at].flags
        assert copy is not None
        folder = self._folder(copy)
        if folder is None or copy.uid in folder.uids:
            return False
        place = folder.place
        with place.uids.locked():
            uids = place.uids
            if copy.uidvalidity not in (0, uids.uidvalidity):
                return False
            keywords = [flag for flag in flags if is_keyword(flag)]
            if keywords:
                uids.define(keywords)
            mask, key, size = place.mask(flags), one.described.id, len(octets)
            uids.raise_to(copy.uid + 1)
            modseq = uids.take(0, 1)[1]
            path = f"{place.directory}/{filename.path_of(key, copy.uid, size, mask, not flags)}"
            self._write(one, octets, (path,))
            # Its keys are looked up again.
            place.sorted = None
        folder.uids.add(copy.uid)
        row = row_of((copy.uid, mask, size, microseconds(one.described.at), modseq, not flags, key))
        self._added.append(Added(copy.mailbox, copy.folder, row, uids.keywords))
        return True

    def _file(self, one: Journalled, missing: Sequence[int]) -> tuple[Copy, ...]:
        """Messages come back under other UIDs; where all of its delivery are."""
        described, places = one.described, one.places
        assert places is not None
        placements = [described.placements[at] for at in missing]
        delivery = Delivery(
            described.id, described.universe, tuple(placements), one.octets(), described.at, saved=described.saved)
        filed = self._delivery.file(delivery)
        self._added += filed.added
        there = dict(zip(missing, filed.copies))
        return tuple(
            there.get(at) or copy or Copy(placement.mailbox, placement.folder, 0, 0)
            for at, (copy, placement) in enumerate(zip(places, described.placements)))
