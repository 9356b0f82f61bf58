"""
A message takes the place of another: the new one is filed and the old one removed, or neither.

Both are one record of the journal.  Done by the writer.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from simmail.core.records.delivery import ReplacedMessage
from simmail.errors import NotFound
from simmail.mailstore.maildir import filename

if TYPE_CHECKING:
    from simmail.mailstore.delivery.delivery import Filer, Restated


def remove(filer: Filer, replaced: ReplacedMessage) -> Restated | None:
    """
    Remove a message whose successor is there; None when it is gone already.

    @raise OSError: the disk refused, and it stays.
    """
    try:
        place = filer.place(replaced.mailbox, replaced.folder, create=False)
    except NotFound:
        return None
    root, directory = filer.root, place.directory
    with place.uids.locked():
        path = _path(root, directory, replaced)
        if path is None:
            return None
        before = filename.times_of(root, directory)
        modseq = place.uids.take(0, 1, expunge=True)[1]
        os.unlink(f"{directory}/{path}", dir_fd=root)
        filer.tell_left(replaced.mailbox, replaced.folder, place.uids.uidvalidity, (replaced.uid,))
        return filer.restated(modseq, before, filename.times_of(root, directory))


def _path(root: int, directory: str, replaced: ReplacedMessage) -> str | None:
    """Where its file is, below the folder."""
    try:
        os.stat(f"{directory}/{replaced.path}", dir_fd=root)
        return replaced.path
    except FileNotFoundError:
        # Renamed by a change of flags, or by another program.
        return filename.find_uid(root, directory, replaced.uid)
