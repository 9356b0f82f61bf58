"""
An image: all mail of a universe once more, under another id, as it is at one moment.

Messages are hard links, for their files are never written to again; what is small is copied.  It is made below
C{.making}, where nobody looks, and appears by a rename.  Most is done while mail comes and goes; what has changed since
then is found by the times of directories, and made good at the moment that counts, when nothing else is done.  What was
made is put where it can be shared (L{sharing}); of an image that has not changed since, only links are made.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from time import monotonic

from simmail.durable import opened
from simmail.errors import Conflict
from simmail.mailstore.maildir import filename
from simmail.mailstore.maildir.filename import ASIDE
from simmail.mailstore.maildir.layout import COUNTER, GONE, HELD, OWED
from simmail.mailstore.maildir.names import mailbox_dir, mailbox_of
from simmail.mailstore.maildir.sharing import (
    SHARED, can_exchange, copy_file, folders_in, furnish, is_borrowed, is_small, link, link_all, target_of,
)
from simmail.mailstore.maildir.uidlist import FILE, UidList, UidListDamaged, inode_of, next_uidvalidity

MAKING = ".making"
#: A directory without files.
EMPTY = ".empty"

_PARTS = ("new", "cur")
#: Files that are linked between two looks at the time; real seconds after which others have their turn.
_TOGETHER, _STEP = 50, 0.005
#: Real seconds after which a modification time says for certain that nothing has changed since.
_SETTLED = 0.05


def universes(base: str) -> list[str]:
    """The ids of universes that have mail, sorted."""
    names = [mailbox_of(name) for name in os.listdir(base) if not name.startswith(".")]
    return sorted(name for name in names if name is not None and has_mail(base, name))


def has_mail(base: str, universe: str) -> bool:
    """Whether a universe has a mailbox, or anything kept for jobs."""
    path = f"{base}/{mailbox_dir(universe)}"
    try:
        with os.scandir(path) as entries:
            return any(not entry.name.startswith(".") or entry.name == HELD and bool(os.listdir(entry.path))
                       for entry in entries)
    except FileNotFoundError:
        return False


def vanish(base: str, universe: str) -> None:
    """Take all mail of a universe away, to be cleared away."""
    try:
        _make(f"{base}/{GONE}")
        os.rename(f"{base}/{mailbox_dir(universe)}", f"{base}/{GONE}/{os.urandom(8).hex()}")
    except FileNotFoundError:
        pass


def _make(directory: str) -> None:
    """One directory, and not those above it: of mail that was taken away nothing is made anew."""
    try:
        os.mkdir(directory, 0o700)
    except FileExistsError:
        pass


def leftovers(base: str) -> list[str]:
    """Directories of images that are being made or not, of what is gone, and of what nobody shares any more."""
    found = [f"{base}/{part}/{name}" for part in (MAKING, GONE) for name in _names(f"{base}/{part}")]
    shared = _names(f"{base}/{SHARED}")
    if shared:
        places = [base, *(f"{base}/{MAKING}",) * os.path.isdir(f"{base}/{MAKING}")]
        used = {_shared_by(f"{place}/{name}") for place in places for name in os.listdir(place)}
        found += [f"{base}/{SHARED}/{name}" for name in shared if name not in used]
    return found


def clearing(path: str) -> Iterator[None]:
    """Remove a directory with all that is in it, whatever it is, a file at a step."""
    try:
        with os.scandir(path) as entries:
            found = [(entry.path, entry.is_dir(follow_symlinks=False)) for entry in entries]
    except OSError:
        return
    for one, is_directory in found:
        if is_directory:
            yield from clearing(one)
        else:
            _quietly(os.unlink, one)
        yield
    _quietly(os.rmdir, path)


def _quietly(remove: Callable[[str], None], path: str) -> None:
    try:
        remove(path)
    except OSError:
        pass


def _names(path: str) -> list[str]:
    try:
        return os.listdir(path)
    except FileNotFoundError:
        return []


def _shared_by(path: str) -> str:
    """The directory of what a universe may have borrowed, below C{.shared}; C{""} for none."""
    try:
        return os.path.basename(os.readlink(f"{path}/{SHARED}"))
    except OSError:
        return ""


def _all(steps: Iterable[None]) -> None:
    for _ in steps:
        pass


def _is_message(name: str) -> bool:
    return filename.parse(name) is not None


def _is_anything(name: str) -> bool:
    return True


class ImageMaker:
    """
    Makes one image.

    @param base: the directory of all universes; source: whose mail it is; target: the id it is for.
    @param wall: the wall clock's Unix time, as files have it.
    @param still: nobody opens the source: it is as it was left.
    @raise Conflict: there is mail of that id.
    @ivar fresh: the directory that it is made in; finished: all of it is made.
    @ivar renewed: every folder is to have a greater UIDVALIDITY; that cannot be changed any more where the image is
        made of C{links} only.
    """

    def __init__(
        self, base: str, source: str, target: str, wall: Callable[[], float], still: bool = False,
        renewed: bool = False,
    ) -> None:
        self.source, self.renewed = source, renewed
        self._base, self._target, self._wall = base, target, wall
        self._check()
        self._source = f"{base}/{mailbox_dir(source)}"
        _make(f"{base}/{MAKING}")
        self.fresh = f"{base}/{MAKING}/{os.urandom(8).hex()}"
        os.mkdir(self.fresh, 0o700)
        self._image, self.finished = self.fresh, False
        # Where links cannot be exchanged for what is to take their place all is made at once.
        self._shares = can_exchange(self.fresh)
        self.links = still and self._shares and self._is_unchanged()
        # When directories and small files were as they are in the image.
        self._seen: dict[str, tuple[int, int]] = {}
        self._steps: Iterator[None] | None = self._linked() if self.links else self._mirror()

    def _check(self) -> None:
        if has_mail(self._base, self._target):
            raise Conflict(f"universe {self._target} has mail already")

    def _is_unchanged(self) -> bool:
        """Whether the source has borrowed all it has."""
        if not _shared_by(self._source):
            return False
        with opened(self._source) as root:
            return all(name.startswith(".") or is_borrowed(root, name) for name in os.listdir(root))

    def step(self) -> bool:
        """Do a little beforehand; whether there is more."""
        began = monotonic()
        while self._steps is not None:
            if next(self._steps, self) is self:
                self._steps = None
            if monotonic() - began >= _STEP:
                break
        return self._steps is not None

    def finish(self, owed: bytes = b"") -> bool:
        """
        It is as the source is now.

        @param owed: what is owed for it, if anything is.
        @return: whether it has files of its own, which are to be on the disk before it is there.
        """
        if self.links and not self._is_unchanged():
            self.links, self._steps = False, None
            self.fresh += ".again"
            os.mkdir(self.fresh, 0o700)
        image = self.fresh
        if self.links:
            _all(self._steps or ())
            if os.path.isdir(f"{self._source}/{HELD}"):
                link_all(f"{self._source}/{HELD}", f"{image}/{HELD}")
        else:
            _all(self._mirror())
            if self._shares:
                image = f"{self.fresh}.image"
                os.mkdir(image, 0o700)
                _all(self._borrow(image, self.fresh))
                if os.path.isdir(f"{self.fresh}/{HELD}"):
                    os.rename(f"{self.fresh}/{HELD}", f"{image}/{HELD}")
            elif self.renewed:
                with opened(image) as root:
                    for box in os.listdir(root):
                        self._renew(root, box)
        self._steps = None
        self._owe(image, owed)
        self._image, self.finished = image, True
        return self.renewed or bool(owed) or not self.links

    def _owe(self, image: str, owed: bytes) -> None:
        if not owed and os.path.exists(f"{self._source}/{OWED}"):
            # Nobody has opened the source so far.
            copy_file(f"{self._source}/{OWED}", f"{image}/{OWED}")
        elif owed:
            with open(f"{image}/{OWED}", "wb") as file:
                file.write(owed)

    def publish(self) -> None:
        """It is there."""
        self._check()
        if self._image != self.fresh:
            _make(f"{self._base}/{SHARED}")
            os.rename(self.fresh, f"{self._base}/{SHARED}/{os.path.basename(self.fresh)}")
        # What it may have is empty.
        vanish(self._base, self._target)
        os.rename(self._image, f"{self._base}/{mailbox_dir(self._target)}")

    def _linked(self) -> Iterator[None]:
        """What the source has borrowed is borrowed once more."""
        return self._borrow(self.fresh, f"{self._base}/{SHARED}/{_shared_by(self._source)}", self._source)

    def _borrow(self, image: str, shared: str, source: str = "") -> Iterator[None]:
        """Mailboxes are borrowed of a directory, those that the source has."""
        os.symlink(f"../{SHARED}/{os.path.basename(shared)}", f"{image}/{SHARED}")
        with opened(image) as root:
            for box in os.listdir(source or shared):
                if box.startswith("."):
                    continue
                if self.renewed:
                    # Nobody waits for links in what will perhaps never be changed.
                    furnish(f"{shared}/{box}", f"{image}/{box}", box, 0)
                    self._renew(root, box)
                else:
                    os.symlink(target_of(box), f"{image}/{box}")
                yield

    # What is there

    def _mirror(self) -> Iterator[None]:
        names = _names(self._source)
        boxes = [name for name in names if not name.startswith(".") and os.path.isdir(f"{self._source}/{name}/cur")]
        self._only("", {*boxes, HELD, EMPTY})
        for box in boxes:
            try:
                yield from self._box(box)
            except (FileNotFoundError, NotADirectoryError):
                # It went away under our hands; that is seen at the end.
                continue
        if HELD in names:
            yield from self._links(HELD)

    def _only(self, directory: str, wanted: set[str]) -> None:
        """Remove what has gone since it was last seen."""
        for name in set(os.listdir(f"{self.fresh}/{directory}")) - wanted:
            path = f"{self.fresh}/{directory}/{name}"
            if os.path.isdir(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)

    def _box(self, box: str) -> Iterator[None]:
        names = os.listdir(f"{self._source}/{box}")
        folders = [name for name in folders_in(names) if os.path.isdir(f"{self._source}/{box}/{name}/cur")]
        yield from self._folder(box, names, folders)
        for name in folders:
            directory = f"{box}/{name}"
            yield from self._folder(directory, os.listdir(f"{self._source}/{directory}"), [])

    def _folder(self, directory: str, names: list[str], folders: list[str]) -> Iterator[None]:
        self._make(directory)
        if not self._shares:
            self._make(f"{directory}/tmp")
        files = [name for name in names if is_small(name) and self._copy(f"{directory}/{name}")]
        self._only(directory, {*files, *folders, *_PARTS, "tmp", *((ASIDE,) if ASIDE in names else ())})
        for part in _PARTS:
            yield from self._links(f"{directory}/{part}", True)
        if ASIDE in names:
            yield from self._links(f"{directory}/{ASIDE}")

    def _make(self, directory: str) -> None:
        try:
            os.mkdir(f"{self.fresh}/{directory}", 0o700)
        except FileExistsError:
            pass

    def _copy(self, path: str) -> bool:
        """A small file; whether it is there."""
        looked = self._wall()
        try:
            status = os.stat(f"{self._source}/{path}")
        except FileNotFoundError:
            return False
        seen = status.st_mtime_ns, status.st_ino
        if self._seen.get(path) != seen:
            copy_file(f"{self._source}/{path}", f"{self.fresh}/{path}")
            self._note(path, seen, looked)
        return True

    def _note(self, path: str, seen: tuple[int, int], looked: float) -> None:
        if seen[0] / 1e9 < looked - _SETTLED:
            self._seen[path] = seen
        else:
            self._seen.pop(path, None)

    def _links(self, path: str, messages: bool = False) -> Iterator[None]:
        """The files of a directory; C{messages}: only those that have UIDs, which all that was taken have."""
        looked = self._wall()
        status = os.stat(f"{self._source}/{path}")
        seen = status.st_mtime_ns, status.st_ino
        if self._seen.get(path) == seen:
            return
        with opened(f"{self._source}/{path}") as source:
            there, wanted = set(os.listdir(source)), _is_message if messages else _is_anything
            empty = messages and not any(map(wanted, there))
            self._prepare(path, empty)
            if not (empty and self._shares):
                yield from self._link_to(path, source, there, wanted)
        self._note(path, seen, looked)
        yield

    def _prepare(self, path: str, empty: bool) -> None:
        """There is a directory; what is empty is one directory for all, for each costs more than ten files."""
        target = f"{self.fresh}/{path}"
        if not self._shares:
            self._make(path)
        elif not empty:
            if os.path.islink(target):
                os.unlink(target)
            self._make(path)
        elif not os.path.islink(target):
            if os.path.isdir(target):
                shutil.rmtree(target)
            self._make(EMPTY)
            os.symlink(f"{'../' * path.count('/')}{EMPTY}", target)

    def _link_to(
        self, path: str, source: int, there: set[str], wanted: Callable[[str], bool]
    ) -> Iterator[None]:
        with opened(f"{self.fresh}/{path}") as fresh:
            have = set(os.listdir(fresh))
            for name in have - there:
                os.unlink(name, dir_fd=fresh)
            # Of names only those that are new are looked at.
            for count, name in enumerate(sorted(filter(wanted, there - have)), 1):
                try:
                    link(name, source, fresh)
                except FileNotFoundError:
                    continue
                if not count % _TOGETHER:
                    yield

    # UIDVALIDITY

    def _renew(self, root: int, box: str) -> None:
        if not box.startswith("."):
            for directory in (box, *(f"{box}/{name}" for name in folders_in(filename.names(root, box)))):
                if inode_of(root, f"{directory}/{FILE}"):
                    self._renew_folder(root, directory)

    def _renew_folder(self, root: int, directory: str) -> None:
        try:
            uids = UidList.open(root, directory)
        except UidListDamaged:
            # Made anew, with another UIDVALIDITY, when it is needed.
            os.unlink(f"{directory}/{FILE}", dir_fd=root)
            return
        try:
            uids.change(uids.special_use, next_uidvalidity(f"{self._base}/{COUNTER}", int(self._wall())))
        finally:
            uids.close()
