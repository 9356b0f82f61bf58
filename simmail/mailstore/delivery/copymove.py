"""
Messages that come into a folder from another one.

Done by the writer, a slice at a time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from itertools import chain, count
from typing import NamedTuple

from msgspec import Struct

from simmail.durable import opened
from simmail.mailstore.delivery.changes import Restated
from simmail.mailstore.delivery.folders import OpenFolders, SYSTEM_MASK
from simmail.mailstore.delivery.request import OfFolder
from simmail.mailstore.journal.records import Destination
from simmail.mailstore.maildir import filename, savedate
from simmail.mailstore.maildir.filename import Row, path_of, unpacked


class Sources(Struct, frozen=True, array_like=True):
    """
    Messages to be copied or moved, of one folder, in columns: they go to another process.

    @ivar paths: their files, below the folder, packed; keys: theirs, packed.
    @ivar keywords: what the bits of a mask that are keywords are called there.
    @ivar saved: when that is, in microseconds, None for their own dates.
    """

    paths: bytes
    keys: bytes
    sizes: list[int]
    masks: list[int]
    keywords: dict[int, tuple[str, ...]]
    saved: int | None = None


class Transferred(NamedTuple):
    """
    What became of a slice.

    @ivar uid, modseq: those of the first; each has one more than the one before it.
    @ivar missing: positions of those whose file was not there.
    @ivar masks: for bits of a mask that are keywords those they have here; table: the keywords here.
    @ivar source: for a move, what it did to the source folder (C{failed} is not used).
    """

    uid: int
    modseq: int
    missing: list[int]
    masks: dict[int, int]
    table: tuple[str, ...]
    source: Restated | None

    def rows(self, sources: Sequence[Row]) -> list[Row]:
        """What is in the target now."""
        gone, masks = set(self.missing), self.masks
        return [
            Row(uid, mask & SYSTEM_MASK | masks[mask & ~SYSTEM_MASK], size, date, modseq, not mask, key)
            for at, uid, modseq, (_, mask, size, date, _, _, key)
            in zip(count(), count(self.uid), count(self.modseq), sources) if at not in gone]


class Transfer(OfFolder[Transferred], frozen=True):
    """
    Copy or move a slice of messages into another folder (or the same one).

    Like new messages, they are recent there if they have no flags: what is in C{new/} can have none.

    @raise OSError: nothing of the slice was copied; of a move, what was moved before stays moved only
        when it could not be moved back.
    """

    sources: Sources
    target: tuple[str, str]
    move: bool

    def do(self, folders: OpenFolders) -> Transferred:
        sources, target = self.sources, self.target
        origin, into = self.open(folders), folders.open(*target, create=False)
        folders.own(into)
        if self.move:
            folders.own(origin)
        root, paths, keys = folders.root, unpacked(sources.paths), unpacked(sources.keys)
        before = filename.times_of(root, origin.directory)
        do, undo = (os.rename, _renamed_back) if self.move else (os.link, _unlinked)
        with opened(origin.directory, root) as old, opened(into.directory, root) as new, \
                into.uids.locked():
            into.uids.define(list(dict.fromkeys(chain.from_iterable(sources.keywords.values()))))
            first, modseq = into.uids.take(len(paths), len(paths))
            if sources.saved is not None and paths:
                savedate.note(folders.layout, into.directory, sources.saved, range(first, first + len(paths)))
            masks = {held: into.mask(keywords) for held, keywords in sources.keywords.items()}
            new_paths = [
                path_of(key, uid, size, mask & SYSTEM_MASK | masks[mask & ~SYSTEM_MASK], not mask)
                for key, uid, size, mask in zip(keys, count(first), sources.sizes, sources.masks)]
            one_by_one = map(partial(do, src_dir_fd=old, dst_dir_fd=new), paths, new_paths)
            done: list[None] = []
            missing: list[int] = []
            try:
                while len(done) < len(paths):
                    try:
                        done.extend(one_by_one)
                    except FileNotFoundError:
                        missing.append(len(done))
                        done.append(None)
            except BaseException:
                for at in sorted({*range(len(done))}.difference(missing)):
                    undo(paths[at], new_paths[at], old, new)
                raise
            into.remember(keys)
        done_to_source = None
        if self.move:
            gone_from, came = _without(missing, list(map(filename.uid_of, paths))), _without(
                missing, range(first, first + len(paths)))
            folders.tell_departed(self.mailbox, self.name, origin.uids.uidvalidity, gone_from, Destination(
                *target, into.uids.uidvalidity, came))
            with origin.uids.locked():
                gone = origin.uids.take(0, 1, expunge=True)[1]
            done_to_source = Restated(gone, [], before, filename.times_of(root, origin.directory))
        return Transferred(first, modseq, missing, masks, into.uids.keywords, done_to_source)


def _without(missing: Sequence[int], uids: Sequence[int]) -> tuple[int, ...]:
    return tuple(uids) if not missing else tuple(uid for at, uid in enumerate(uids) if at not in set(missing))


def _renamed_back(path: str, new_path: str, old: int, new: int) -> None:
    os.rename(new_path, path, src_dir_fd=new, dst_dir_fd=old)


def _unlinked(path: str, new_path: str, old: int, new: int) -> None:
    try:
        os.unlink(new_path, dir_fd=new)
    except OSError:
        pass
