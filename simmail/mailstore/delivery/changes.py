"""
Changes of messages that are in a folder: flags, names of files, removal.

Each uses up a MODSEQ of the folder, under the lock of its UID file.
Done by the writer, a slice at a time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

from simmail.core.records.delivery import ReplacedMessage
from simmail.durable import opened
from simmail.errors import NotFound
from simmail.mailstore.delivery.folders import OpenFolders
from simmail.mailstore.delivery.request import OfFolder, T
from simmail.mailstore.maildir import filename, flaglog
from simmail.mailstore.maildir.filename import unpacked


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


class DefineKeywords(OfFolder[tuple[bool, tuple[str, ...]]], frozen=True):
    """
    Give keywords a place in a folder's table; answers whether all have one, and the table.

    @ivar used: as for C{UidList.define}.
    """

    keywords: Sequence[str]
    used: int

    def do(self, folders: OpenFolders) -> tuple[bool, tuple[str, ...]]:
        uids = self.open(folders).uids
        with uids.locked():
            return uids.define(self.keywords, self.used), uids.keywords


class BumpModseq(OfFolder[int], frozen=True):
    """Use up a MODSEQ for what was noticed rather than done, such as that messages are C{gone}; answers it."""

    gone: Sequence[int]

    def do(self, folders: OpenFolders) -> int:
        uids = self.open(folders).uids
        with uids.locked():
            modseq = uids.take(0, 1, bool(self.gone))[1]
        if self.gone:
            folders.tell_departed(self.mailbox, self.name, uids.uidvalidity, self.gone)
        return modseq


class NoteFlags(OfFolder[int], frozen=True):
    """
    Note flags that the names of files do not have yet; answers the MODSEQ.

    @ivar groups: (flags as bits, UIDs ascending).
    @ivar changes: 1 to use up a MODSEQ; 0 for no other MODSEQ.
    """

    groups: Sequence[tuple[int, Sequence[int]]]
    changes: int

    def do(self, folders: OpenFolders) -> int:
        folder = self.open(folders)
        with folder.uids.locked():
            modseq = folder.uids.take(0, 1)[1] if self.changes else 0
            flaglog.append(
                folders.root, folder.directory, b"".join(flaglog.line(modseq, *group) for group in self.groups))
        return modseq


class ClearFlagLog(OfFolder[None], frozen=True):
    """Drop the notes: all files have their flags in their names."""

    def do(self, folders: OpenFolders) -> None:
        flaglog.clear(folders.root, self.open(folders).directory)


class RenameFiles(OfFolder[Restated], frozen=True):
    """
    Rename files within a folder.

    @ivar old, new: packed, each below the folder.
    @ivar changes: MODSEQs to use up, 1 or 0; the answer's is the one.
    """

    old: bytes
    new: bytes
    changes: int

    def do(self, folders: OpenFolders) -> Restated:
        def rename(paths: tuple[str, str], directory: int) -> None:
            os.rename(paths[0], paths[1], src_dir_fd=directory, dst_dir_fd=directory)
        return _each(self, folders, list(zip(unpacked(self.old), unpacked(self.new))), rename, self.changes)


class RemoveFiles(OfFolder[Restated], frozen=True):
    """Remove files of a folder; C{paths}: packed, below it."""

    paths: bytes

    def do(self, folders: OpenFolders) -> Restated:
        def unlink(path: str, directory: int) -> None:
            os.unlink(path, dir_fd=directory)
        names = unpacked(self.paths)
        return _each(self, folders, names, unlink, 1, names)


def _each(
    request: OfFolder[Restated], folders: OpenFolders, items: Sequence[T], do: Callable[[T, int], None], changes: int,
    expunged: Sequence[str] = (),
) -> Restated:
    folder = request.open(folders)
    folders.own(folder)
    failed: list[int] = []
    done = 0
    try:
        with opened(folder.directory, folders.root) as directory, folder.uids.locked():
            before = filename.times_of(folders.root, folder.directory)
            modseq = folder.uids.take(0, changes, bool(expunged))[1] if changes else folder.uids.highestmodseq
            for at, item in enumerate(items):
                try:
                    do(item, directory)
                except FileNotFoundError:
                    failed.append(at)
                done = at + 1
            after = filename.times_of(folders.root, folder.directory)
    finally:
        if expunged and done:
            folders.tell_departed(
                request.mailbox, request.name, folder.uids.uidvalidity, list(map(filename.uid_of, expunged[:done])))
    return Restated(modseq, failed, before, after)


def remove_replaced(folders: OpenFolders, replaced: ReplacedMessage) -> Restated | None:
    """
    Remove a message whose successor is there; C{None} when it is gone already.

    @raise OSError: the disk refused, and it stays.
    """
    try:
        folder = folders.open(replaced.mailbox, replaced.folder, create=False)
    except NotFound:
        return None
    folders.own(folder)
    root, directory = folders.root, folder.directory
    with folder.uids.locked():
        path = _path(root, directory, replaced)
        if path is None:
            return None
        before = filename.times_of(root, directory)
        modseq = folder.uids.take(0, 1, expunge=True)[1]
        os.unlink(f"{directory}/{path}", dir_fd=root)
        folders.tell_departed(replaced.mailbox, replaced.folder, folder.uids.uidvalidity, (replaced.uid,))
        return Restated(modseq, [], before, filename.times_of(root, directory))


def _path(root: int, directory: str, replaced: ReplacedMessage) -> str | None:
    """Return where its file is, below the folder."""
    try:
        os.stat(f"{directory}/{replaced.path}", dir_fd=root)
        return replaced.path
    except FileNotFoundError:
        # Renamed by a change of flags, or by another program.
        return filename.find_uid(root, directory, replaced.uid)
