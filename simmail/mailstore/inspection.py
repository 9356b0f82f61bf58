"""
Looking for damage in a state folder, without changing anything: in the journal, in mailboxes and their UID files.

The service may run or not.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from msgspec import MsgspecError

from simmail.mailstore.journal.retained import decoded
from simmail.mailstore.journal.segment import Segment
from simmail.mailstore.journal.segmentpool import DAMAGED, ENDING, describe_damage
from simmail.mailstore.maildir import filename
from simmail.mailstore.maildir.uidlist import UidList, UidListDamaged

_CHUNK = 1 << 20
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class Inspection:
    """
    One look at a state folder.

    @ivar segments, folders, messages: how many were looked at.
    """

    def __init__(self, state: Path) -> None:
        self.segments = self.folders = self.messages = 0
        self._state = state

    def findings(self) -> Iterator[str]:
        """What is damaged, a line each."""
        for look, name in ((self._journal, "journal"), (self._mail, "mail")):
            path = self._state / name
            try:
                names = sorted(os.listdir(path))
            except FileNotFoundError:
                continue
            except OSError as error:
                yield f"{name}: cannot be read: {error.strerror}"
                continue
            for each in names:
                yield from look(path / each, f"{name}/{each}")

    # The journal

    def _journal(self, path: Path, name: str) -> Iterator[str]:
        if path.suffix not in (ENDING, DAMAGED):
            return
        try:
            segment = Segment.open(str(path), write=False)
        except FileNotFoundError:
            # The service needs it no more.
            return
        except OSError as error:
            yield f"{name}: cannot be read: {error.strerror}"
            return
        if segment is None:
            return
        self.segments += 1
        try:
            for one in segment.records():
                try:
                    decoded(one)
                except MsgspecError as error:
                    yield f"{name}: a record before {one.at} says nothing that can be understood: {error}"
            yield from describe_damage(name, segment)
        except OSError as error:
            yield f"{name}: cannot be read: {error.strerror}"
        finally:
            segment.close()

    # Mail

    def _mail(self, universe: Path, name: str) -> Iterator[str]:
        if universe.name.startswith(".") or not universe.is_dir():
            return
        root = os.open(universe, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for box in sorted(os.listdir(root)):
                if not box.startswith("."):
                    yield from self._box(root, box, name)
        except OSError as error:
            yield f"{name}: cannot be read: {error.strerror}"
        finally:
            os.close(root)

    def _box(self, root: int, box: str, name: str) -> Iterator[str]:
        try:
            there = filename.names(root, box)
        except FileNotFoundError:
            return
        except OSError as error:
            yield f"{name}/{box}: cannot be read: {error.strerror}"
            return
        for directory in (box, *(f"{box}/{one}" for one in sorted(there) if one.startswith("."))):
            try:
                if "cur" in filename.names(root, directory):
                    yield from self._folder(root, directory, f"{name}/{directory}")
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                yield f"{name}/{directory}: cannot be read: {error.strerror}"

    def _folder(self, root: int, directory: str, name: str) -> Iterator[str]:
        self.folders += 1
        seen: dict[int, str] = {}
        for part in (filename.NEW, filename.CUR):
            try:
                there = filename.names(root, f"{directory}/{part}")
            except OSError as error:
                yield f"{name}/{part}: cannot be read: {error.strerror}"
                continue
            for each in there:
                parsed = filename.parse(each)
                if parsed is None:
                    continue
                key, uid, size, _ = parsed
                self.messages += 1
                wrong = _wrong(root, f"{directory}/{part}{each}", size)
                if wrong:
                    yield f"{name}/{part}{each}: {wrong}"
                if seen.setdefault(uid, key) != key:
                    yield f"{name}: UID {uid} is that of two messages"
        # Last: UIDs that are given meanwhile are known to it.
        yield from _uids(root, directory, name, max(seen, default=0))


def _uids(root: int, directory: str, name: str, highest: int) -> Iterator[str]:
    try:
        uids = UidList.open(root, directory, write=False)
    except FileNotFoundError:
        if highest:
            yield f"{name}: there is no UID file, though messages have UIDs"
        return
    except UidListDamaged:
        yield f"{name}: the UID file cannot be understood"
        return
    except OSError as error:
        yield f"{name}: the UID file cannot be read: {error.strerror}"
        return
    uids.close()
    if highest >= uids.uidnext:
        yield f"{name}: the next UID would be {uids.uidnext}, but there is a message with {highest}"


def _wrong(root: int, path: str, size: int) -> str:
    """What is wrong with the file of a message; C{""} for nothing."""
    try:
        fd = os.open(path, _FLAGS, dir_fd=root)
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
        return ""
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if found == size:
        return ""
    return f"has {found} octets of {size}" if found else f"is empty, and should have {size} octets"
