"""
Messages that come into a folder from another one.

Done in the writer thread, a slice at a time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from simmail.errors import Unavailable
from simmail.mailstore import maildir
from simmail.mailstore.filing import SYSTEM_MASK, Added, Filer, Restated
from simmail.mailstore.maildir import Row


class Source(NamedTuple):
    """A message to be copied or moved: its file (below its folder), and its flags, keywords by name."""

    path: str
    row: Row
    keywords: tuple[str, ...]


class Transferred(NamedTuple):
    """
    What became of a slice.

    @ivar added: one for each source, None where the file was not there.
    @ivar source: for a move, what it did to the source folder (C{failed} is not used).
    """

    added: list[Added | None]
    source: Restated | None


def transfer(
    filer: Filer, mailbox: str, name: str, sources: Sequence[Source], target: tuple[str, str], move: bool
) -> Transferred:
    """
    Copy or move a slice of messages into another folder (or the same one).

    @raise OSError: nothing of the slice was copied; of a move, what was moved before stays moved only
        when it could not be moved back.
    """
    origin = filer.place(mailbox, name, create=False)
    place = filer.place(*target, create=False)
    root = filer.root
    added: list[Added | None] = []
    # (below the folder it comes from, below the one it goes to) of what is done.
    done: list[tuple[str, str]] = []
    before = maildir.times_of(root, origin.directory)
    do, undo = (os.rename, _renamed_back) if move else (os.link, _unlinked)
    with maildir.opened(root, origin.directory) as old, maildir.opened(root, place.directory) as new, \
            place.uids.locked():
        place.uids.define(list({keyword: None for source in sources for keyword in source.keywords}))
        uid, modseq = place.uids.take(len(sources), len(sources))
        masks = {keywords: place.mask(keywords) for keywords in {source.keywords for source in sources}}
        table = place.uids.keywords
        try:
            for at, (path, row, keywords) in enumerate(sources):
                mask = row.mask & SYSTEM_MASK | masks[keywords]
                _, _, size, date, _, recent, key = row
                new_path = maildir.path_of(key, uid + at, size, mask, recent)
                try:
                    do(path, new_path, src_dir_fd=old, dst_dir_fd=new)
                except FileNotFoundError:
                    added.append(None)
                    continue
                done.append((path, new_path))
                added.append(Added(*target, Row(uid + at, mask, size, date, modseq + at, recent, key), table))
        except BaseException:
            for path, new_path in done:
                undo(path, new_path, old, new)
            raise
        place.remember_all([one.row.key for one in added if one is not None])
    if not move:
        return Transferred(added, None)
    with origin.uids.locked():
        gone = origin.uids.take(0, 1, expunge=True)[1]
    return Transferred(added, Restated(gone, [], before, maildir.times_of(root, origin.directory)))


def _renamed_back(path: str, new_path: str, old: int, new: int) -> None:
    os.rename(new_path, path, src_dir_fd=new, dst_dir_fd=old)


def _unlinked(path: str, new_path: str, old: int, new: int) -> None:
    try:
        os.unlink(new_path, dir_fd=new)
    except OSError:
        pass


def after_reboot(filer: Filer, jump: int) -> None:
    """
    The machine went down: UID files may be older than what was told to clients.

    UIDNEXT of every folder is raised past all that can have been given without being synced.
    """
    layout = filer.layout
    for box in layout.boxes().values():
        for shown in layout.folders(box).values():
            if shown.directory is None:
                continue
            try:
                uids = layout.open_uids(shown.directory)
            except OSError as error:
                raise Unavailable(f"cannot read the UIDs of {shown.directory}: {error}") from error
            try:
                with uids.locked():
                    highest = maildir.highest_uid(filer.root, shown.directory)
                    uids.raise_to(max(uids.uidnext, highest + 1) + jump)
            finally:
                uids.close()
