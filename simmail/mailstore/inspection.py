"""
Looking for damage in a state folder, without changing anything: in the journal, in mailboxes, their UID files, indexes.

The service may run or not.  What is found says what would mend it.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from msgspec import MsgspecError

from simmail.durable import opened
from simmail.mailstore.journal.retained import decoded
from simmail.mailstore.journal.segment import Segment
from simmail.mailstore.journal.segmentpool import DAMAGED, ENDING, describe_damage
from simmail.mailstore.maildir import filename
from simmail.mailstore.maildir.files import READ_FLAGS
from simmail.mailstore.maildir.names import mailbox_dir
from simmail.mailstore.maildir.uidlist import UidList, UidListDamaged
from simmail.mailstore.mending import appear_anew, drop_index, Mend, mend_uids, put_aside

_CHUNK = 1 << 20


class FileDamage(NamedTuple):
    """
    Something that is damaged.

    @ivar where: a file or folder, below the state folder; trouble: what is wrong.
    @ivar remedy: what mending does, C{""} where nothing can be done; mend: does it, while no service runs.
    """

    where: str
    trouble: str
    remedy: str = ""
    mend: Mend | None = None

    def __str__(self) -> str:
        """One line."""
        return f"{self.where}: {self.trouble}" + (f" (mending: {self.remedy})" if self.remedy else "")


class Inspection:
    """
    One look at a state folder.

    @param universe: only at its mail, C{""} for all.
    @param wall: the wall clock's Unix time, as files have it.
    @ivar segments, folders, messages: how many were looked at.
    """

    def __init__(self, state: Path, universe: str = "", wall: Callable[[], float] = lambda: 0.0) -> None:
        self.segments = self.folders = self.messages = 0
        self._state, self._wall = state, wall
        self._only = mailbox_dir(universe) if universe else ""

    def findings(self) -> Iterator[FileDamage]:
        """What is damaged."""
        # Each of several processes has a journal of its own.
        journals = sorted(one.name for one in self._state.glob("journal*"))
        for look, name in (*((self._journal, name) for name in journals), (self._mail, "mail"), (self._index, "index")):
            path = self._state / name
            try:
                names = sorted(os.listdir(path))
            except FileNotFoundError:
                continue
            except OSError as error:
                yield _unreadable(name, error)
                continue
            for each in names:
                if not self._only or look == self._journal or each.partition(".")[0] == self._only:
                    yield from look(path / each, f"{name}/{each}")

    # The journal

    def _journal(self, path: Path, name: str) -> Iterator[FileDamage]:
        if path.suffix not in (ENDING, DAMAGED):
            return
        try:
            segment = Segment.open(str(path), write=False)
        except FileNotFoundError:
            # The service needs it no more.
            return
        except OSError as error:
            yield _unreadable(name, error)
            return
        if segment is None:
            return
        self.segments += 1
        try:
            for one in segment.records():
                try:
                    decoded(one)
                except MsgspecError as error:
                    yield FileDamage(name, f"a record before {one.at} says nothing that can be understood: {error}")
            # One that is kept for that only is needed by nobody.
            remedy, mend = ("it is removed", partial(path.unlink, True)) if path.suffix == DAMAGED else ("", None)
            for text in describe_damage(name, segment):
                yield FileDamage(name, text.removeprefix(f"{name}: "), remedy, mend)
        except OSError as error:
            yield _unreadable(name, error)
        finally:
            segment.close()

    # Mail

    def _mail(self, universe: Path, name: str) -> Iterator[FileDamage]:
        if universe.name.startswith(".") or not universe.is_dir():
            return
        self._universe = universe
        try:
            with opened(universe) as root:
                for box in sorted(os.listdir(root)):
                    if not box.startswith("."):
                        yield from self._box(root, box, name)
        except OSError as error:
            yield _unreadable(name, error)

    def _box(self, root: int, box: str, name: str) -> Iterator[FileDamage]:
        try:
            there = filename.names(root, box)
        except FileNotFoundError:
            return
        except OSError as error:
            yield _unreadable(f"{name}/{box}", error)
            return
        for directory in (box, *(f"{box}/{one}" for one in sorted(there) if one.startswith("."))):
            try:
                if "cur" in filename.names(root, directory):
                    yield from self._folder(root, directory, f"{name}/{directory}")
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                yield _unreadable(f"{name}/{directory}", error)

    def _folder(self, root: int, directory: str, name: str) -> Iterator[FileDamage]:
        self.folders += 1
        seen: dict[int, str] = {}
        for part in (filename.NEW, filename.CUR):
            try:
                there = filename.names(root, f"{directory}/{part}")
            except OSError as error:
                yield _unreadable(f"{name}/{part}", error)
                continue
            for each in there:
                parsed = filename.parse(each)
                if parsed is None:
                    continue
                key, uid, size, _ = parsed
                self.messages += 1
                taken = seen.setdefault(uid, key) != key
                octets = _octets(root, f"{directory}/{part}{each}", size)
                place = self._universe, directory, part + each, self._wall
                if isinstance(octets, str):
                    yield FileDamage(f"{name}/{part}{each}", octets, _ASIDE, partial(put_aside, *place))
                elif octets != size:
                    yield FileDamage(f"{name}/{part}{each}", f"has {octets} octets of {size}", _ANEW,
                                     partial(appear_anew, *place))
                elif taken:
                    yield FileDamage(name, f"UID {uid} is that of two messages", "one of them gets another UID",
                                     partial(appear_anew, *place))
        # Last: UIDs that are given meanwhile are known to it.
        for damage in _uids(root, directory, name, max(seen, default=0)):
            mend = partial(mend_uids, self._universe, directory, self._wall)
            yield damage._replace(mend=mend) if damage.remedy else damage

    # Indexes

    def _index(self, path: Path, name: str) -> Iterator[FileDamage]:
        if path.suffix != ".sqlite":
            return
        try:
            connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0.0)
            try:
                (said,) = connection.execute("pragma quick_check(1)").fetchone()
            finally:
                connection.close()
        except sqlite3.OperationalError as error:
            # Its service has it, and sees to it.
            said = "ok" if "locked" in str(error) else str(error)
        except sqlite3.DatabaseError as error:
            said = str(error)
        if said != "ok":
            yield FileDamage(name, f"the index is damaged: {said}", "it is made anew from the mail",
                             partial(drop_index, path))


_ASIDE = "it is moved to .damaged of the universe"
_ANEW = "what there is gets another UID"
_NEW_UIDS = "the folder gets another one, with another UIDVALIDITY"


def _unreadable(name: str, error: OSError) -> FileDamage:
    return FileDamage(name, f"cannot be read: {error.strerror}")


def _uids(root: int, directory: str, name: str, highest: int) -> Iterator[FileDamage]:
    try:
        uids = UidList.open(root, directory, write=False)
    except FileNotFoundError:
        if highest:
            yield FileDamage(name, "there is no UID file, though messages have UIDs", _NEW_UIDS)
        return
    except UidListDamaged:
        yield FileDamage(name, "the UID file cannot be understood", _NEW_UIDS)
        return
    except OSError as error:
        yield FileDamage(name, f"the UID file cannot be read: {error.strerror}")
        return
    uids.close()
    if highest >= uids.uidnext:
        yield FileDamage(name, f"the next UID would be {uids.uidnext}, but there is a message with {highest}",
                         "the next UID is a greater one")


def _octets(root: int, path: str, size: int) -> int | str:
    """How many octets a file has that can be read, or what is wrong with it; C{size} where it has gone meanwhile."""
    try:
        fd = os.open(path, READ_FLAGS, dir_fd=root)
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                return "is no file"
            found = 0
            while octets := os.read(fd, _CHUNK):
                found += len(octets)
        finally:
            os.close(fd)
    except FileNotFoundError:
        # It has gone, or has other flags by now.
        return size
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return found if found or not size else f"is empty, and should have {size} octets"
