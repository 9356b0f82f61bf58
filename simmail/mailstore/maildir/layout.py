"""
Directories of one universe's mail: C{<root>/<universe>/<mailbox>/.<folder>/{cur,new,tmp}}.

A mailbox or folder appears whole, by a rename out of C{.tmp}, and goes whole,
by a rename into C{.gone}.  The standard folders of a mailbox are made when
something is first put into them; until then they are merely shown, under the
UIDVALIDITY of their INBOX.  Those that were deleted are listed in
C{simmail-absent}.  Every path is below one open directory.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterable
from itertools import count
from typing import NamedTuple

from simmail.core.records.delivery import Delivery, SPECIAL_FOLDERS
from simmail.durable import opened
from simmail.errors import Conflict, NotFound
from simmail.mailstore.damage import Damage
from simmail.mailstore.journal.sync import NotSynced, sync_file
from simmail.mailstore.maildir import filename
from simmail.mailstore.maildir.names import (
    HASHED, INBOX, STANDARD, check_mailbox, folder_dir, folder_of, is_inferior, mailbox_dir, mailbox_of, renamed_use,
    use_of,
)
from simmail.mailstore.maildir.sharing import Borrowed
from simmail.mailstore.maildir.uidlist import (
    FILE, UidList, UidListDamaged, next_uidvalidity, put_aside, write_new,
)

TMP, GONE = ".tmp", ".gone"
#: What is kept for jobs, in no mailbox.
HELD = ".held"
#: What is owed for mail that was copied, until the copy is opened.
OWED = ".owed"
COUNTER = ".uidvalidity"
NAME, ABSENT, SUBSCRIPTIONS = "simmail-mailbox", "simmail-absent", "subscriptions"
_PARTS = ("new", "cur", "tmp")
#: What is wrong with a place, as it is told.
_NO_MAILBOX = "something that is no directory is in the place of a mailbox"
_NO_PART = "something that is no directory is in the place of new/ or cur/ of a folder"
_REPLACED = "a folder was removed or replaced; what is there now has a new UIDVALIDITY"
_UIDS = f"{FILE} of a folder was damaged; the folder has a new UIDVALIDITY"


class ListedFolder(NamedTuple):
    """A folder as a mailbox has it; C{directory} None: not made yet."""

    name: str
    directory: str | None


class Layout:
    """
    The directories of one universe.

    @ivar root: descriptor of the universe's directory; tmp: of its C{.tmp}; both -1 when closed.
    @ivar damage: is told what is found damaged; borrowed: what is shared with other universes.
    @param wall: the wall clock's Unix time, as files have it: the least a new UIDVALIDITY may be.
    @ivar doubted: called when the disk may have lost what was written.
    """

    def __init__(self, path: str, universe: str, wall: Callable[[], float]) -> None:
        self.base, self.universe = path, universe
        self.path = f"{path}/{mailbox_dir(universe)}"
        self._counter = f"{path}/{COUNTER}"
        self.wall = wall
        self.doubted: Callable[[NotSynced], None] = lambda error: None
        self._names = count(1)
        self._strangers: set[str] = set()
        self.damage = Damage(universe)
        for each in (path, self.path, f"{self.path}/{TMP}", f"{self.path}/{GONE}"):
            os.makedirs(each, mode=0o700, exist_ok=True)
        self.root = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self.tmp = os.open(f"{self.path}/{TMP}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self.borrowed = Borrowed(self.path, self.root, lambda: f"{TMP}/{self.unique()}")

    def close(self) -> None:
        """Nothing more is asked."""
        if self.root >= 0:
            os.close(self.tmp)
            os.close(self.root)
            self.root = self.tmp = -1

    def unique(self) -> str:
        """A name in C{.tmp} that nobody else uses."""
        return f"{os.getpid()}-{next(self._names)}"

    def next_uidvalidity(self) -> int:
        """A UIDVALIDITY greater than all that were given before."""
        return next_uidvalidity(self._counter, int(self.wall()))

    # Mailboxes

    def boxes(self) -> dict[str, str]:
        """All mailboxes, with their directories."""
        found, strangers = {}, set()
        with os.scandir(self.root) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if not entry.is_dir(follow_symlinks=False) and not self.borrowed.has(entry.name):
                    strangers.add(entry.name)
                    continue
                mailbox = self.name_of(entry.name)
                if mailbox is not None:
                    found[mailbox] = entry.name
        for name in strangers:
            self.damage.found(name, _NO_MAILBOX)
        for name in self._strangers - strangers:
            self.damage.well(name)
        self._strangers = strangers
        return found

    def name_of(self, box: str) -> str | None:
        """Return the mailbox in a directory, None for a directory that no mailbox has."""
        if not box.startswith(HASHED):
            return mailbox_of(box)
        try:
            mailbox = self.read(f"{box}/{NAME}").decode("utf-8")
            return mailbox if mailbox_dir(mailbox) == box else None
        except (OSError, ValueError):
            return None

    def has_box(self, box: str) -> bool:
        """Whether there is a mailbox in a directory."""
        try:
            os.stat(f"{box}/cur", dir_fd=self.root)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def changed(self) -> int:
        """A number that is another one when mailboxes came or went."""
        return os.fstat(self.root).st_mtime_ns

    def box_changed(self, box: str) -> int:
        """A number that is another one when folders of a mailbox came or went.  @raise FileNotFoundError: no such."""
        return os.stat(box, dir_fd=self.root).st_mtime_ns

    def make_box(self, mailbox: str) -> bool:
        """Make a mailbox; False when it was there."""
        box = mailbox_dir(check_mailbox(mailbox))
        if self.has_box(box):
            return False
        uidvalidity = self.next_uidvalidity()
        fresh = self._make(uidvalidity, f"{uidvalidity:x}", "")
        if box.startswith(HASHED):
            self.write(f"{fresh}/{NAME}", mailbox.encode("utf-8"))
        return self._appear(fresh, box)

    # Folders

    def folders(self, box: str) -> dict[str, ListedFolder]:
        """The folders of a mailbox, by name.  @raise NotFound: no such mailbox."""
        shown = {INBOX: ListedFolder(INBOX, box)}
        try:
            names = filename.names(self.root, box)
        except (FileNotFoundError, NotADirectoryError):
            raise NotFound("there is no such mailbox") from None
        if "cur" not in names and FILE not in names:
            raise NotFound("there is no such mailbox")
        for directory in names:
            name = folder_of(directory) if directory.startswith(".") else None
            if name is not None and self._is_folder(f"{box}/{directory}"):
                shown[name] = ListedFolder(name, f"{box}/{directory}")
        absent = self.lines(f"{box}/{ABSENT}") if ABSENT in names else ()
        for name, _ in SPECIAL_FOLDERS:
            if name not in shown:
                shown[name] = ListedFolder(name, self._anew(box, name) if name in absent else None)
        return shown

    def _anew(self, box: str, name: str) -> str:
        """Make a standard folder, which cannot be lost, anew, so that nobody takes it for the old one."""
        try:
            return self.make_folder(box, name)
        except Conflict:
            # Another process was before us.
            return f"{box}/{folder_dir(name)}"

    def _is_folder(self, directory: str) -> bool:
        try:
            os.stat(f"{directory}/cur", dir_fd=self.root)
        except NotADirectoryError:
            return False
        except FileNotFoundError:
            if not self.has(f"{directory}/{FILE}"):
                return False
            # Somebody has removed a part of it.
            self.mend(directory)
        return True

    def directory(self, box: str, name: str) -> str | None:
        """
        The directory of a folder; None for one that is not made yet.

        @raise NotFound: there is no such mailbox or folder.
        """
        below = folder_dir(name)
        directory = f"{box}/{below}" if below else box
        if self._is_folder(directory):
            return directory
        if below and name in STANDARD and self.has_box(box):
            return self._anew(box, name) if name in self.lines(f"{box}/{ABSENT}") else None
        raise NotFound(f"there is no folder {name}")

    def directory_of(self, mailbox: str, name: str) -> str:
        """Where a folder is or would be."""
        below = folder_dir(name)
        return f"{mailbox_dir(mailbox)}/{below}" if below else mailbox_dir(mailbox)

    def harmed(self, delivery: Delivery) -> bool:
        """Whether a place that it goes to is known to be damaged."""
        said = self.damage.said
        return any(self.directory_of(one.mailbox, one.folder) in said or mailbox_dir(one.mailbox) in said
                   for one in delivery.placements)

    def open_uids(self, directory: str) -> UidList:
        """
        The UID file of a folder that is there; made, when another program made the folder.

        @raise NotFound: there is no such folder.
        """
        try:
            return UidList.open(self.root, directory)
        except UidListDamaged:
            aside = f"{FILE}.damaged"
            put_aside(self.root, directory, f"{aside}-{self.unique()}" if self.has(f"{directory}/{aside}") else aside)
            self.damage.mended(directory, _UIDS)
        except FileNotFoundError:
            if not self._is_folder(directory):
                raise NotFound("the folder is gone") from None
        self.mend(directory)
        uidvalidity = self.next_uidvalidity()
        temporary = f"{TMP}/{self.unique()}"
        write_new(self.root, temporary, uidvalidity, f"{uidvalidity:x}",
                  uidnext=filename.highest_uid(self.root, directory) + 1)
        try:
            os.link(temporary, f"{directory}/simmail-uids", src_dir_fd=self.root, dst_dir_fd=self.root)
        except FileExistsError:
            pass
        finally:
            os.unlink(temporary, dir_fd=self.root)
        return UidList.open(self.root, directory)

    def mend(self, directory: str) -> None:
        """The directory of a folder has the parts that it must have."""
        self.borrowed.own(directory.partition("/")[0])
        for part in _PARTS:
            try:
                os.mkdir(f"{directory}/{part}", 0o700, dir_fd=self.root)
            except FileExistsError:
                pass

    def broken(self, directory: str) -> NotFound:
        """What to raise when the files of a folder are not to be had: it is gone, or a part of it is, or is none."""
        if self._is_folder(directory):
            self.mend(directory)
            if not all(os.path.isdir(f"{self.path}/{directory}/{part}") for part in _PARTS):
                self.damage.found(directory, _NO_PART)
        return NotFound("the folder is gone")

    def replaced(self, directory: str) -> None:
        """There is another folder where one was."""
        self.damage.mended(directory, _REPLACED)

    def read_uids(self, directory: str) -> UidList:
        """Return what the UID file of a folder says; it is closed again.  @raise NotFound: there is no such folder."""
        try:
            # Not to be written: what is on a read-only disk can be read.
            uids = UidList.open(self.root, directory, write=False)
        except (FileNotFoundError, UidListDamaged):
            uids = self.open_uids(directory)
        uids.close()
        return uids

    def identity(self, box: str, name: str) -> tuple[int, str]:
        """The UIDVALIDITY and object id that a standard folder has before it is made."""
        inbox = self.read_uids(box)
        return inbox.uidvalidity, f"{inbox.objectid}-{name.lower()}"

    def make_folder(self, box: str, name: str, special_use: str = "") -> str:
        """Make a folder in a mailbox that is there, and answer its directory.  @raise Conflict: there is one."""
        self.borrowed.own(box)
        directory = f"{box}/{folder_dir(name)}"
        absent = self.lines(f"{box}/{ABSENT}")
        if name in STANDARD and name not in absent:
            uidvalidity, objectid = self.identity(box, name)
        else:
            uidvalidity = self.next_uidvalidity()
            objectid = f"{uidvalidity:x}"
        fresh = self._make(uidvalidity, objectid, special_use or use_of(name), subfolder=True)
        if not self._appear(fresh, directory):
            raise Conflict(f"folder {name} exists")
        if name in absent:
            self._set_absent(box, [one for one in absent if one != name])
        return directory

    def drop_folder(self, box: str, name: str) -> str | None:
        """
        The folder, which is no standard one, is gone; answers what is to be cleared away.

        @raise NotFound: there is none.
        """
        self.borrowed.own(box)
        directory = self.directory(box, name)
        return self.vanish(directory) if directory is not None else None

    def rename_folder(self, box: str, old: str, new: str) -> list[tuple[str, str]]:
        """
        Rename a folder other than INBOX, and its inferiors; in the place of a standard one is a new one then.

        @return: (old name, new name) of each.
        @raise NotFound: there is none.  @raise Conflict: a new name exists, or is below the old one.
        """
        self.borrowed.own(box)
        shown = self.folders(box)
        moves = [(name, new + name[len(old):]) for name in sorted(shown) if name == old or is_inferior(name, old)]
        if not moves:
            raise NotFound(f"there is no folder {old}")
        if is_inferior(new, old):
            raise Conflict(f"{new} is below {old}")
        for _, target in moves:
            folder_dir(target)
            if target in shown:
                raise Conflict(f"folder {target} exists")
        for source, target in moves:
            directory = shown[source].directory or self.make_folder(box, source)
            uids = self.open_uids(directory)
            try:
                with uids.locked():
                    uids.change(renamed_use(source, target, uids.special_use), self.next_uidvalidity())
                    if source in STANDARD:
                        self._set_absent(box, [*self.lines(f"{box}/{ABSENT}"), source])
                    os.rename(directory, f"{box}/{folder_dir(target)}", src_dir_fd=self.root, dst_dir_fd=self.root)
            finally:
                uids.close()
            if source in STANDARD:
                self._anew(box, source)
        return moves

    # Making and clearing away

    def _make(self, uidvalidity: int, objectid: str, special_use: str, subfolder: bool = False) -> str:
        fresh = f"{TMP}/{self.unique()}"
        os.mkdir(fresh, 0o700, dir_fd=self.root)
        for part in _PARTS:
            os.mkdir(f"{fresh}/{part}", 0o700, dir_fd=self.root)
        if subfolder:
            os.close(os.open(f"{fresh}/maildirfolder", os.O_WRONLY | os.O_CREAT, 0o600, dir_fd=self.root))
        write_new(self.root, f"{fresh}/simmail-uids", uidvalidity, objectid, special_use)
        return fresh

    def _appear(self, fresh: str, directory: str) -> bool:
        try:
            os.rename(fresh, directory, src_dir_fd=self.root, dst_dir_fd=self.root)
        except OSError:
            self.clear(fresh)
            if self._is_folder(directory):
                return False
            raise
        return True

    def vanish(self, directory: str) -> str:
        """Take a mailbox or folder away; return what is to be cleared away."""
        gone = f"{GONE}/{self.unique()}-{os.urandom(4).hex()}"
        os.rename(directory, gone, src_dir_fd=self.root, dst_dir_fd=self.root)
        return gone

    def clear(self, gone: str) -> None:
        """Remove what was answered as gone, whatever is in it."""
        try:
            os.unlink(gone, dir_fd=self.root)
        except OSError:
            shutil.rmtree(f"{self.path}/{gone}", ignore_errors=True)

    def leftovers(self) -> list[str]:
        """What a crash left to be cleared away, and files in C{.tmp} older than a day and a half."""
        gone = [f"{GONE}/{name}" for name in os.listdir(f"{self.path}/{GONE}")]
        before = self.wall() - 36 * 3600
        with os.scandir(self.tmp) as entries:
            gone += [f"{TMP}/{entry.name}" for entry in entries if entry.stat(follow_symlinks=False).st_ctime < before]
        return gone

    # Small files

    def read(self, path: str) -> bytes:
        """A small file.  @raise FileNotFoundError: there is none, but perhaps something else."""
        # Not waiting for whoever might write to a pipe.
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=self.root)
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise FileNotFoundError(errno.ENOENT, "it is no file", path)
            with open(fd, "rb", closefd=False) as file:
                return file.read()
        finally:
            os.close(fd)

    def has(self, path: str) -> bool:
        """Whether anything is there."""
        try:
            os.stat(path, dir_fd=self.root, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def write(self, path: str, octets: bytes) -> None:
        """A small file, all or nothing; it and its name are synced."""
        self.borrowed.own(path.partition("/")[0])
        temporary = f"{TMP}/{self.unique()}"
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=self.root)
        try:
            with open(fd, "wb") as file:
                file.write(octets)
                file.flush()
                self._sync(fd)
            os.rename(temporary, path, src_dir_fd=self.root, dst_dir_fd=self.root)
        except BaseException:
            os.unlink(temporary, dir_fd=self.root)
            raise
        with opened(os.path.dirname(path) or ".", self.root) as directory:
            self._sync(directory)

    def rewrite(self, path: str) -> None:
        """Write the same into a small file once more, if it is there."""
        try:
            fd = os.open(path, os.O_RDWR | os.O_CLOEXEC, dir_fd=self.root)
        except FileNotFoundError:
            return
        with open(fd, "r+b") as file:
            octets = file.read()
            file.seek(0)
            file.write(octets)

    def _sync(self, fd: int) -> None:
        try:
            sync_file(fd)
        except NotSynced as error:
            self.doubted(error)
            raise

    def lines(self, path: str) -> list[str]:
        """The lines of a small file; none when it is not there."""
        try:
            return self.read(path).decode("utf-8", "replace").split("\n")[:-1]
        except FileNotFoundError:
            return []

    def _set_absent(self, box: str, names: Iterable[str]) -> None:
        self.write(f"{box}/{ABSENT}", "".join(f"{name}\n" for name in dict.fromkeys(names)).encode("utf-8"))
