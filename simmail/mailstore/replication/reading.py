"""
Messages of files, as a store of objects is to have them; all here waits for the disk.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from simmail.durable import opened
from simmail.mailstore.maildir import filename, savedate
from simmail.mailstore.maildir.filename import Row
from simmail.mailstore.maildir.files import READ_FLAGS
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.replication.changes import StoredMessage, digest_of

#: How the system says that a file is not there, or is none.
_GONE = frozenset((errno.ENOENT, errno.ELOOP, errno.ENXIO, errno.ENOTDIR, errno.EISDIR))


class MessagesRead(NamedTuple):
    """Messages and, in the same order, their octets."""

    messages: list[StoredMessage]
    octets: list[bytes]


def read_file(directory: int, path: str) -> bytes | None:
    """Return the octets of a file, None for none."""
    try:
        fd = os.open(path, READ_FLAGS, dir_fd=directory)
        with open(fd, "rb", buffering=0) as file:
            return file.readall()
    except OSError as error:
        if error.errno in _GONE:
            return None
        raise


def read_messages(layout: Layout, mailbox: str, name: str, rows: Iterable[Row]) -> MessagesRead:
    """Read messages of a folder; those that are gone meanwhile are left out.  @raise OSError: the disk refused."""
    directory, read, octets = layout.directory_of(mailbox, name), list[Row](), list[bytes]()
    try:
        with opened(directory, layout.root) as there:
            for row in rows:
                found = read_file(there, filename.path_of(row.key, row.uid, row.size, row.mask, row.recent))
                if found is None:
                    # Renamed for flags.
                    path = filename.find_uid(layout.root, directory, row.uid)
                    found = read_file(there, path) if path is not None else None
                if found is not None:
                    read.append(row)
                    octets.append(found)
    except (FileNotFoundError, NotADirectoryError):
        return MessagesRead([], [])
    return MessagesRead(stored(layout, directory, read, list(map(digest_of, octets))), octets)


def stored(layout: Layout, directory: str, rows: Sequence[Row], digests: Sequence[bytes]) -> list[StoredMessage]:
    """Return messages of a folder as they are kept."""
    dates = [row.date for row in rows]
    saved = savedate.find(layout.root, directory, [row.uid for row in rows], dates)
    return [StoredMessage(row.uid, row.mask, row.size, row.date, row.recent, row.key, at if at != row.date else None,
                          digest)
            for row, at, digest in zip(rows, saved, digests)]
