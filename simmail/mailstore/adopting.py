"""
Files that another program put into a folder get their UIDs.

Done in the writer thread, a few at a time.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Sequence
from typing import NamedTuple

from simmail.core.delivery import Copy
from simmail.mailstore import maildir
from simmail.mailstore.filing import Added, Filer, Place
from simmail.mailstore.layout import TMP
from simmail.mailstore.maildir import Row
from simmail.mailstore.names import INBOX

#: Octets that are read at once, which is all of most messages.
_USUAL = 64 * 1024

_BARE_LF = re.compile(rb"(?<!\r)\n")


class Adopted(NamedTuple):
    """
    What became of files that another program put into a folder.

    @ivar owed: ids of those that were delivered and are here now; lost: ids of those that went away meanwhile.
    @ivar failed: some could not be taken and are to be tried again.
    """

    added: list[Added]
    owed: list[tuple[str, Copy]]
    lost: list[str]
    failed: bool


def foreign_id(copy: Copy) -> str:
    """The id of a message that another program delivered."""
    return f"foreign-{copy.uidvalidity}-{copy.uid}-{copy.mailbox}"


def foreign_copy(foreign: str) -> Copy:
    """Where the message of such an id was put."""
    _, uidvalidity, uid, mailbox = foreign.split("-", 3)
    return Copy(mailbox, INBOX, int(uid), int(uidvalidity))


def adopt(
    filer: Filer, mailbox: str, name: str, strays: Sequence[str], owe: Callable[[list[str]], None]
) -> Adopted:
    """
    Give UIDs to files that another program put into a folder; a few at a time, as their UIDs are noted together.

    Lines that end in a bare LF get CRLF, as messages in the store have them.

    @param owe: keeps the ids of what was delivered, durably, before it is there.
    """
    place = filer.place(mailbox, name, create=False)
    if place.sorted is None:
        place.learn(filer.root)
    found = Adopted([], [], [], False)
    with maildir.opened(filer.root, place.directory) as directory:
        dated = [(stray, date) for stray in strays if (date := _date_of(directory, stray)) is not None]
        if not dated:
            return found
        with place.uids.locked():
            uid, modseq = place.uids.take(len(dated), len(dated))
            ids = {
                at: foreign_id(Copy(mailbox, name, uid + at, place.uids.uidvalidity))
                for at, (stray, _) in enumerate(dated) if name == INBOX and stray.startswith(maildir.NEW)}
            if ids:
                owe(list(ids.values()))
            for at, (stray, date) in enumerate(dated):
                row = None
                try:
                    row = _adopted(filer, place, directory, stray, date, uid + at, modseq + at)
                except FileNotFoundError:
                    pass
                except OSError:
                    found = found._replace(failed=True)
                if row is not None:
                    found.added.append(Added(mailbox, name, row, place.uids.keywords))
                if at in ids:
                    if row is not None:
                        found.owed.append((ids[at], foreign_copy(ids[at])))
                    else:
                        found.lost.append(ids[at])
    return found


def _date_of(directory: int, stray: str) -> int | None:
    """The modification time of a file in microseconds; None for what is no file."""
    try:
        status = os.stat(stray, dir_fd=directory, follow_symlinks=False)
    except OSError:
        return None
    return status.st_mtime_ns // 1000 if stat.S_ISREG(status.st_mode) else None


def _adopted(
    filer: Filer, place: Place, directory: int, stray: str, date: int, uid: int, modseq: int
) -> Row | None:
    part, _, file_name = stray.partition("/")
    key = maildir.key_of_stray(file_name)
    octets = fixed = octets_of(directory, stray)
    if octets.count(b"\n") != octets.count(b"\r\n"):
        fixed = _BARE_LF.sub(b"\r\n", octets)
        if maildir.parse(file_name) is None and place.may_have(key) and _was_adopted(directory, key, date, fixed):
            os.unlink(stray, dir_fd=directory)
            return None
    mask = maildir.mask_of(maildir.letters_of_stray(file_name)) if part == "cur" else 0
    row = Row(uid, mask, len(fixed), date, modseq, part == "new", key)
    path = maildir.path_of(key, uid, row.size, mask, row.recent)
    if fixed is octets:
        os.rename(stray, path, src_dir_fd=directory, dst_dir_fd=directory)
    else:
        temporary = f"{TMP}/{filer.layout.unique()}"
        filer.write(temporary, fixed, date)
        os.rename(temporary, path, src_dir_fd=filer.root, dst_dir_fd=directory)
        os.unlink(stray, dir_fd=directory)
    place.remember(key)
    return row


def _was_adopted(directory: int, key: str, date: int, octets: bytes) -> bool:
    """Adopted before, when a crash came between the new file and the removal of the old one?"""
    found = maildir.find(directory, ".", key)
    if found is None:
        return False
    status = os.stat(found[1], dir_fd=directory)
    return status.st_mtime_ns // 1000 == date and octets_of(directory, found[1]) == octets


def octets_of(directory: int, path: str) -> bytes:
    """A whole file, but nothing that a link leads to."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW, dir_fd=directory)
    try:
        octets = os.read(fd, _USUAL)
        if len(octets) == _USUAL:
            with open(fd, "rb", buffering=0, closefd=False) as file:
                octets += file.readall()
        return octets
    finally:
        os.close(fd)
