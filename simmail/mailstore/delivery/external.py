"""
Files that another program put into a folder get their UIDs.

Done by the writer, a few at a time.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable
from typing import NamedTuple

from simmail.core.records.delivery import Copy
from simmail.durable import opened
from simmail.mailstore.delivery.folders import OpenFolder
from simmail.mailstore.delivery.maildir_delivery import MaildirDelivery
from simmail.mailstore.maildir import filename
from simmail.mailstore.maildir.filename import Row, packed, unpacked
from simmail.mailstore.maildir.files import Shown, put_aside, stub_of
from simmail.mailstore.maildir.layout import TMP
from simmail.mailstore.maildir.names import INBOX

#: Octets that are read at once, which is all of most messages.
_USUAL = 64 * 1024
#: Octets that are read of a large one at a time.
_PIECE = 4 * 1024 * 1024
#: Octets that a message may have, unless told otherwise.
MOST = 25 * 1024 * 1024

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
#: Looked for by the line feed, which is found faster than what is not in front of it.
_BARE_LF = re.compile(rb"\n(?<!\r\n)")


class Adopted(NamedTuple):
    """
    What became of files that another program put into a folder; in columns, as it comes from another process.

    @ivar uids: of those that are here now, ascending; all else is in their order, C{keys} packed, C{table} for the
        masks.
    @ivar shown: what FETCH shows of some of them, by UID.
    @ivar owed: ids of those that were delivered and are here now; lost: ids of those that went away meanwhile.
    @ivar failed: some could not be taken and are to be tried again.
    """

    uids: list[int]
    masks: list[int]
    sizes: list[int]
    dates: list[int]
    modseqs: list[int]
    recent: bytes
    keys: bytes
    table: tuple[str, ...]
    shown: dict[int, tuple[bytes, bytes]]
    owed: list[tuple[str, Copy]]
    lost: list[str]
    failed: bool

    def rows(self) -> list[Row]:
        """What is here now."""
        return list(map(Row, self.uids, self.masks, self.sizes, self.dates, self.modseqs, map(bool, self.recent),
                        unpacked(self.keys)))


def foreign_id(copy: Copy) -> str:
    """The id of a message that another program delivered."""
    return f"foreign-{copy.uidvalidity}-{copy.uid}-{copy.mailbox}"


def foreign_copy(foreign: str) -> Copy:
    """Where the message of such an id was put."""
    _, uidvalidity, uid, mailbox = foreign.split("-", 3)
    return Copy(mailbox, INBOX, int(uid), int(uidvalidity))


def adopt(
    maildirs: MaildirDelivery, mailbox: str, name: str, strays: bytes, owe: Callable[[list[str]], None],
    shown: Shown | None = None, most: int = MOST,
) -> Adopted:
    """
    Give UIDs to files that another program put into a folder; a few at a time, as their UIDs are noted together.

    Lines that end in a bare LF get CRLF, as messages in the store have them.

    @param strays: their names below the folder, packed.
    @param owe: keeps the ids of what was delivered, durably, before it is there.
    @param shown: takes what FETCH shows, of all but large messages, while their octets are at hand; None for not now.
    @param most: octets that a message may have; of a larger one a stub is shown (L{oversize}).
    """
    folder = maildirs.folders.open(mailbox, name, create=False)
    rows: list[Row] = []
    looked_at: list[tuple[int, bytes]] = []
    owed: list[tuple[str, Copy]] = []
    lost: list[str] = []
    failed = False
    maildirs.folders.own(folder)
    with opened(folder.directory, maildirs.root) as directory:
        found: list[Stray] = []
        for stray in unpacked(strays):
            try:
                one = read_stray(directory, stray)
            except OSError:
                failed = True
            else:
                if one is not None:
                    found.append(one)
        if found:
            with folder.uids.locked():
                uid, modseq = folder.uids.take(len(found), len(found))
                ids = {
                    at: foreign_id(Copy(mailbox, name, uid + at, folder.uids.uidvalidity))
                    for at, one in enumerate(found) if name == INBOX and one.path.startswith(filename.NEW)}
                if ids:
                    owe(list(ids.values()))
                for at, one in enumerate(found):
                    taken = None
                    try:
                        taken = _adopted(maildirs, folder, directory, one, uid + at, modseq + at, most)
                    except FileNotFoundError:
                        pass
                    except OSError:
                        failed = True
                    if taken is not None:
                        row, octets = taken
                        rows.append(row)
                        if shown is not None and row.size < _USUAL:
                            looked_at.append((row.uid, octets))
                    if at in ids:
                        if taken is not None:
                            owed.append((ids[at], foreign_copy(ids[at])))
                        else:
                            lost.append(ids[at])
    uids, masks, sizes, dates, modseqs, recent, keys = zip(*rows) if rows else ((),) * 7
    return Adopted(
        list(uids), list(masks), list(sizes), list(dates), list(modseqs), bytes(recent), packed(keys),
        folder.uids.keywords,
        {uid: shown(octets) for uid, octets in looked_at} if shown is not None else {}, owed, lost, failed)


class Stray(NamedTuple):
    """
    A file without a UID.

    @ivar path: below the folder; date: its modification time in microseconds; size: in octets.
    @ivar octets: None for a large one.
    """

    path: str
    date: int
    size: int
    octets: bytes | None


def read_stray(directory: int, path: str) -> Stray | None:
    """
    What is in a file; None for what is no file, or has gone.

    @raise OSError: it cannot be read.
    """
    try:
        # Not waiting for whoever might write to a pipe.
        fd = os.open(path, _FLAGS | os.O_NONBLOCK, dir_fd=directory)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ELOOP, errno.ENXIO):
            return None
        raise
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return None
        octets = os.read(fd, _USUAL)
        return Stray(path, status.st_mtime_ns // 1000, status.st_size, octets if len(octets) < _USUAL else None)
    finally:
        os.close(fd)


def _adopted(
    maildirs: MaildirDelivery, folder: OpenFolder, directory: int, one: Stray, uid: int, modseq: int, most: int
) -> tuple[Row, bytes] | None:
    stray, date = one.path, one.date
    part, _, file_name = stray.partition("/")
    key = filename.key_of_stray(file_name)
    large = one.size > most
    if large:
        octets, fixed = b"", stub_of(directory, stray, one.size, most)
    else:
        octets = fixed = octets_of(directory, stray, most) if one.octets is None else one.octets
        if _BARE_LF.search(octets) is not None:
            fixed = _BARE_LF.sub(b"\r\n", octets)
    if fixed is not octets:
        if folder.sorted is None:
            folder.learn(maildirs.root)
        if filename.parse(file_name) is None and folder.expect(key) and _was_adopted(directory, key, date, fixed):
            _remove(directory, stray, uid, large)
            return None
    recent = part == "new"
    mask = 0 if recent else filename.mask_of_stray(file_name)
    size = len(fixed)
    path = filename.path_of(key, uid, size, mask, recent)
    if fixed is octets:
        os.rename(stray, path, src_dir_fd=directory, dst_dir_fd=directory)
    else:
        temporary = f"{TMP}/{maildirs.layout.unique()}"
        maildirs.write(temporary, fixed, date)
        os.rename(temporary, path, src_dir_fd=maildirs.root, dst_dir_fd=directory)
        _remove(directory, stray, uid, large)
    folder.remember([key])
    return Row(uid, mask, size, date, modseq, recent, key), fixed


def _remove(directory: int, stray: str, uid: int, large: bool) -> None:
    """A file is not needed any more, for there is another one with its UID; of a large one that is a stub."""
    if large:
        put_aside(directory, stray, uid)
    else:
        os.unlink(stray, dir_fd=directory)


def _was_adopted(directory: int, key: str, date: int, octets: bytes) -> bool:
    """Adopted before, when a crash came between the new file and the removal of the old one?"""
    found = filename.find(directory, ".", key)
    if found is None:
        return False
    status = os.stat(found[1], dir_fd=directory)
    return (status.st_mtime_ns // 1000 == date and status.st_size == len(octets)
            and octets_of(directory, found[1], len(octets)) == octets)


def octets_of(directory: int, path: str, most: int) -> bytes:
    """
    A whole file, but nothing that a link leads to.

    @raise OSError: it has grown and is larger than C{most} now.
    """
    fd = os.open(path, _FLAGS, dir_fd=directory)
    try:
        octets = os.read(fd, _USUAL)
        if len(octets) == _USUAL:
            with open(fd, "rb", buffering=0, closefd=False) as file:
                while len(octets) <= most and (more := file.read(min(_PIECE, most + 1 - len(octets)))):
                    octets += more
        if len(octets) > most:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        return octets
    finally:
        os.close(fd)
