"""
Changes of messages that are in a folder: flags, names of files, removal.

Each uses up a MODSEQ of the folder, under the lock of its UID file.
Done by the writer, a slice at a time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from simmail.core.records.delivery import ReplacedMessage
from simmail.errors import NotFound
from simmail.mailstore.delivery.folders import OpenFolders
from simmail.mailstore.maildir import filename, flaglog
from simmail.mailstore.maildir.filename import unpacked

T = TypeVar("T")


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


def define_keywords(
    folders: OpenFolders, mailbox: str, name: str, keywords: Sequence[str], used: int
) -> tuple[bool, tuple[str, ...]]:
    """
    Give keywords a place in a folder's table.

    @param used: as for C{UidList.define}.
    @return: whether all have one, and the table.
    """
    uids = folders.open(mailbox, name, create=False).uids
    with uids.locked():
        return uids.define(keywords, used), uids.keywords


def bump_modseq(folders: OpenFolders, mailbox: str, name: str, gone: Sequence[int]) -> int:
    """Use up a MODSEQ for what was noticed rather than done, such as that messages are C{gone}, and return it."""
    uids = folders.open(mailbox, name, create=False).uids
    with uids.locked():
        modseq = uids.take(0, 1, bool(gone))[1]
    if gone:
        folders.tell_departed(mailbox, name, uids.uidvalidity, gone)
    return modseq


def note_flags(
    folders: OpenFolders, mailbox: str, name: str, groups: Sequence[tuple[int, Sequence[int]]], changes: int
) -> int:
    """
    Note flags that the names of files do not have yet.

    @param groups: (flags as bits, UIDs ascending).
    @param changes: 1 to use up a MODSEQ, which is returned; 0 for no other MODSEQ.
    """
    folder = folders.open(mailbox, name, create=False)
    with folder.uids.locked():
        modseq = folder.uids.take(0, 1)[1] if changes else 0
        flaglog.append(folders.root, folder.directory, b"".join(flaglog.line(modseq, *group) for group in groups))
    return modseq


def clear_flag_log(folders: OpenFolders, mailbox: str, name: str) -> None:
    """Drop the notes: all files have their flags in their names."""
    flaglog.clear(folders.root, folders.open(mailbox, name, create=False).directory)


def rename_files(folders: OpenFolders, mailbox: str, name: str, old: bytes, new: bytes, changes: int) -> Restated:
    """
    Rename files within a folder.

    @param old, new: packed, each below the folder.
    @param changes: MODSEQs to use up, 1 or 0; the answer's is the one.
    """
    def rename(paths: tuple[str, str], directory: int) -> None:
        os.rename(paths[0], paths[1], src_dir_fd=directory, dst_dir_fd=directory)
    return _each(folders, mailbox, name, list(zip(unpacked(old), unpacked(new))), rename, changes)


def remove_files(folders: OpenFolders, mailbox: str, name: str, paths: bytes) -> Restated:
    """
    Remove files of a folder.

    @param paths: packed, below the folder.
    """
    def unlink(path: str, directory: int) -> None:
        os.unlink(path, dir_fd=directory)
    names = unpacked(paths)
    return _each(folders, mailbox, name, names, unlink, 1, names)


def _each(
    folders: OpenFolders, mailbox: str, name: str, items: Sequence[T], do: Callable[[T, int], None], changes: int,
    expunged: Sequence[str] = (),
) -> Restated:
    folder = folders.open(mailbox, name, create=False)
    failed: list[int] = []
    done = 0
    try:
        with filename.opened(folders.root, folder.directory) as directory, folder.uids.locked():
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
            folders.tell_departed(mailbox, name, folder.uids.uidvalidity, list(map(filename.uid_of, expunged[:done])))
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
