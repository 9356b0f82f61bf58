"""
Messages that come into a folder from another one, or from another program.

Done in the writer thread, a slice at a time.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Sequence
from typing import NamedTuple

from simmail.core.delivery import Copy
from simmail.errors import Unavailable
from simmail.mailstore import maildir
from simmail.mailstore.filing import SYSTEM_MASK, Added, Filer, Restated
from simmail.mailstore.layout import TMP
from simmail.mailstore.maildir import Row
from simmail.mailstore.names import INBOX

_BARE_LF = re.compile(rb"(?<!\r)\n")


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
    done: list[tuple[str, str]] = []
    before = maildir.times_of(root, origin.directory)
    with place.uids.locked():
        place.uids.define(list({keyword: None for source in sources for keyword in source.keywords}))
        uid, modseq = place.uids.take(len(sources), len(sources))
        try:
            for at, source in enumerate(sources):
                row = source.row
                mask = row.mask & SYSTEM_MASK | place.mask(source.keywords)
                new = row._replace(uid=uid + at, modseq=modseq + at, mask=mask)
                old_path = f"{origin.directory}/{source.path}"
                new_path = f"{place.directory}/{maildir.path_of(row.key, new.uid, row.size, mask, row.recent)}"
                try:
                    if move:
                        os.rename(old_path, new_path, src_dir_fd=root, dst_dir_fd=root)
                    else:
                        os.link(old_path, new_path, src_dir_fd=root, dst_dir_fd=root)
                except FileNotFoundError:
                    added.append(None)
                    continue
                done.append((old_path, new_path))
                place.remember(row.key)
                added.append(Added(*target, new, place.uids.keywords))
        except BaseException:
            for old_path, new_path in done:
                if move:
                    os.rename(new_path, old_path, src_dir_fd=root, dst_dir_fd=root)
                else:
                    filer.discard(new_path)
            raise
    if not move:
        return Transferred(added, None)
    with origin.uids.locked():
        gone = origin.uids.take(0, 1, expunge=True)[1]
    return Transferred(added, Restated(gone, [], before, maildir.times_of(root, origin.directory)))


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
    strays = [stray for stray in strays if _is_file(filer.root, f"{place.directory}/{stray}")]
    found = Adopted([], [], [], False)
    if not strays:
        return found
    with place.uids.locked():
        uid, modseq = place.uids.take(len(strays), len(strays))
        ids = {
            at: foreign_id(Copy(mailbox, name, uid + at, place.uids.uidvalidity))
            for at, stray in enumerate(strays) if name == INBOX and stray.startswith(maildir.NEW)}
        if ids:
            owe(list(ids.values()))
        for at, stray in enumerate(strays):
            one = None
            try:
                one = _adopted(filer, mailbox, name, stray, uid + at, modseq + at)
            except FileNotFoundError:
                pass
            except OSError:
                found = found._replace(failed=True)
            if one is not None:
                found.added.append(one)
            if at in ids:
                if one is not None:
                    found.owed.append((ids[at], foreign_copy(ids[at])))
                else:
                    found.lost.append(ids[at])
    return found


def _is_file(root: int, path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path, dir_fd=root, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _adopted(filer: Filer, mailbox: str, name: str, stray: str, uid: int, modseq: int) -> Added | None:
    place, root = filer.place(mailbox, name, create=False), filer.root
    old_path = f"{place.directory}/{stray}"
    date = os.stat(old_path, dir_fd=root).st_mtime_ns // 1000
    part, _, file_name = stray.partition("/")
    key = maildir.key_of_stray(file_name)
    octets = filer.layout.read(old_path)
    fixed = _BARE_LF.sub(b"\r\n", octets)
    if maildir.parse(file_name) is None and place.may_have(key) and len(fixed) != len(octets):
        # Adopted before, when a crash came between the new file and the removal of the old one?
        found = maildir.find(root, place.directory, key)
        if found is not None:
            path = f"{place.directory}/{found[1]}"
            same = os.stat(path, dir_fd=root).st_mtime_ns // 1000 == date
            if same and filer.layout.read(path) == fixed:
                os.unlink(old_path, dir_fd=root)
                return None
    mask = maildir.mask_of(maildir.letters_of_stray(file_name)) if part == "cur" else 0
    row = Row(uid, mask, len(fixed), date, modseq, part == "new", key)
    new_path = f"{place.directory}/{maildir.path_of(key, uid, row.size, mask, row.recent)}"
    if len(fixed) == len(octets):
        os.rename(old_path, new_path, src_dir_fd=root, dst_dir_fd=root)
    else:
        temporary = f"{TMP}/{filer.layout.unique()}"
        filer.write(temporary, fixed, date)
        os.rename(temporary, new_path, src_dir_fd=root, dst_dir_fd=root)
        os.unlink(old_path, dir_fd=root)
    place.remember(key)
    return Added(mailbox, name, row, place.uids.keywords)


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
