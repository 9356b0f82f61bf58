"""
The directory of a universe made anew from what a store of objects has; all here waits for the disk.

UIDs, UIDVALIDITYs, flags, keywords, dates, subscriptions and annotations are what they were.  UIDNEXT and HIGHESTMODSEQ
are greater: what the last server gave and did not put there may have been seen.  What is owed is in C{.owed}, and goes
into the journal when the universe is opened.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from simmail.durable import opened
from simmail.errors import Unavailable
from simmail.mailstore.delivery.description import FolderFacts
from simmail.mailstore.delivery.external import foreign_copy
from simmail.mailstore.journal import carried
from simmail.mailstore.journal.repair import JUMP
from simmail.mailstore.maildir import filename, savedate
from simmail.mailstore.maildir.annotations import write as write_annotations
from simmail.mailstore.maildir.filename import path_of
from simmail.mailstore.maildir.layout import ABSENT, COUNTER, HELD, Layout, NAME, OWED, SUBSCRIPTIONS
from simmail.mailstore.maildir.names import HASHED, INBOX, folder_dir, mailbox_dir
from simmail.mailstore.maildir.uidlist import FILE, next_uidvalidity, write_new
from simmail.mailstore.replication.bodies import SpareBodies, write
from simmail.mailstore.replication.changes import StoredMessage, digest_of
from simmail.mailstore.replication.objects import ContentPlace, LogObject
from simmail.mailstore.replication.state import ReplicaMailbox, ReplicaState

#: Where it is made, below the directory of all universes.
RESTORING = ".restoring"
#: What the name of a draft's directory begins with; no universe's does.
_DRAFT = ".draft-"


class RestorationDraft:
    """
    Directories with messages as they were in some state, made of what was had beforehand while nobody waits.

    A restoration takes them as they are, and changes what has changed since.

    @param root: of all universes.
    """

    def __init__(self, root: str, universe: str) -> None:
        self._path = f"{root}/{RESTORING}/{_DRAFT}{mailbox_dir(universe)}"
        # What was made, by directories of folders and by paths below those: its digest and its date.
        self._made: dict[str, dict[str, tuple[bytes, int]]] = {}

    def make(self, state: ReplicaState, spare: SpareBodies) -> None:
        """Make it."""
        self.discard()
        os.makedirs(self._path, mode=0o700)
        for at, (mailbox, folder) in enumerate(state.folders()):
            where = f"{mailbox_dir(mailbox)}/{folder_dir(folder.facts.name)}".rstrip("/")
            made = self._made[where] = {}
            with _folder(f"{self._path}/{at}") as there:
                for message in folder.messages.values():
                    if message.digest in spare.known:
                        path = _path(message)
                        try:
                            spare.link(message.digest, there, path, message.date)
                        except FileNotFoundError:
                            continue
                        made[path] = message.digest, message.date

    def move(self, root: int, files: dict[bytes, list[tuple[str, int]]]) -> None:
        """
        Have what there is in its place.

        @param root: descriptor of the directory with mailboxes whose folders are there, and empty.
        @param files: what there is to be, by digests; what is there is taken out of it.
        """
        wanted = {path: (digest, date) for digest, some in files.items() for path, date in some}
        for at, (where, made) in enumerate(self._made.items()):
            try:
                for part in ("new", "cur"):
                    os.rename(f"{self._path}/{at}/{part}", f"{where}/{part}", dst_dir_fd=root)
            except FileNotFoundError:
                # The folder is gone, or has another name.
                continue
            for below, what in made.items():
                path = f"{where}/{below}"
                if wanted.get(path) == what:
                    del wanted[path]
                else:
                    os.unlink(path, dir_fd=root)
        files.clear()
        for path, (digest, date) in wanted.items():
            files.setdefault(digest, []).append((path, date))
        self.discard()

    def discard(self) -> None:
        """It is not needed."""
        self._made.clear()
        shutil.rmtree(self._path, ignore_errors=True)


def discard_drafts(root: str) -> None:
    """Remove those that a process has left."""
    try:
        names = os.listdir(f"{root}/{RESTORING}")
    except FileNotFoundError:
        return
    for name in names:
        if name.startswith(_DRAFT):
            shutil.rmtree(f"{root}/{RESTORING}/{name}", ignore_errors=True)


class Restoration:
    """
    That of one universe, of which nothing is on this disk but what was had beforehand.

    @param root: of all universes; spare: what was had beforehand, if anything was; draft: of an earlier state.
    """

    def __init__(
        self, root: str, universe: str, state: ReplicaState, spare: SpareBodies | None = None,
        draft: RestorationDraft | None = None,
    ) -> None:
        self._root, self._universe, self._state, self._spare = root, universe, state, spare
        self._draft = draft
        self._making = f"{root}/{RESTORING}/{mailbox_dir(universe)}"
        # Files to be written, by the digests of their octets: their paths with their dates.
        self._files: dict[bytes, list[tuple[str, int]]] = {}
        self._owed: dict[bytes, bytes] = {}
        # What is needed of each segment.
        self._needed: dict[tuple[int, int], list[tuple[bytes, ContentPlace]]] = {}
        self._layout: Layout | None = None

    def begin(self) -> list[tuple[int, int]]:
        """
        Make everything but messages that were not had beforehand.

        @return: the segments that have octets of those, as (epoch, number); each is to be given to L{fill}.
        @raise Unavailable: octets of a message are nowhere.
        """
        shutil.rmtree(self._making, ignore_errors=True)
        self._layout = layout = Layout(self._making, self._universe, lambda: 0.0)
        highest = 0
        for box in self._state.mailboxes.values():
            highest = max(highest, self._make_box(layout, box))
        next_uidvalidity(f"{self._root}/{COUNTER}", highest + 1)
        if self._state.held:
            os.mkdir(HELD, 0o700, dir_fd=layout.root)
        for key, digest in self._state.held.items():
            self._files.setdefault(digest, []).append((f"{HELD}/{key}", 0))
        if self._draft is not None:
            self._draft.move(layout.root, self._files)
        needed = {*self._files, *(one.digest for one in self._state.owed.values())}
        if self._spare is not None:
            needed -= self._from_spare(self._spare, needed)
        missing = needed.difference(self._state.contents)
        if missing:
            raise Unavailable(f"the object store lacks octets of {len(missing)} messages of {self._universe}")
        for digest in needed:
            place = self._state.contents[digest]
            self._needed.setdefault((place.epoch, place.number), []).append((digest, place))
        return sorted(self._needed)

    def fill(self, segments: Iterable[tuple[LogObject, bytes]]) -> None:
        """
        Write the messages whose octets are in some segments.

        @param segments: each with what it has.  @raise Unavailable: they are not what they were.
        """
        layout = self._layout
        assert layout is not None
        owed = {one.digest for one in self._state.owed.values()}
        for one, octets in segments:
            for digest, place in self._needed[one.epoch, one.number]:
                found = octets[place.begin:place.begin + place.size]
                if digest_of(found) != digest:
                    raise Unavailable(f"a message of {self._universe} in the object store is not what it was")
                if digest in owed:
                    self._owed[digest] = found
                self._write(layout.root, found, self._files.get(digest, ()))

    def _from_spare(self, spare: SpareBodies, needed: set[bytes]) -> set[bytes]:
        """Make messages of what was had beforehand; answers which."""
        assert self._layout is not None
        root, owed = self._layout.root, {one.digest for one in self._state.owed.values()}
        found = set()
        for digest in needed & spare.known.keys():
            try:
                if digest in owed:
                    self._owed[digest] = spare.read(digest)
                self._place(root, self._files.get(digest, ()), partial(spare.link, digest, root))
            except FileNotFoundError:
                # Somebody has removed it.
                continue
            found.add(digest)
        return found

    def finish(self) -> None:
        """
        Let it be there.

        It need not be on the disk: when the machine goes down it is made once more (C{ReplicaMarker}).
        """
        layout = self._layout
        assert layout is not None
        owed = self._owed_octets()
        if owed:
            _put(layout.root, OWED, owed)
        layout.close()
        os.rename(layout.path, f"{self._root}/{mailbox_dir(self._universe)}")
        shutil.rmtree(self._making, ignore_errors=True)

    # Mailboxes

    def _make_box(self, layout: Layout, box: ReplicaMailbox) -> int:
        """Make a mailbox; answers its highest UIDVALIDITY."""
        facts = box.facts
        directory = mailbox_dir(facts.mailbox)
        _make(layout.root, directory)
        if directory.startswith(HASHED):
            _put(layout.root, f"{directory}/{NAME}", facts.mailbox.encode())
        if facts.subscriptions is not None:
            _put(layout.root, f"{directory}/{SUBSCRIPTIONS}", _lines(facts.subscriptions))
        if facts.absent:
            _put(layout.root, f"{directory}/{ABSENT}", _lines(facts.absent))
        for folder in box.folders.values():
            below = folder_dir(folder.facts.name)
            where = f"{directory}/{below}" if below else directory
            if below:
                _make(layout.root, where)
                _put(layout.root, f"{where}/maildirfolder", b"")
            self._write_uids(layout, where, folder.facts)
            if folder.facts.annotations:
                write_annotations(layout, directory, folder.facts.name, folder.facts.annotations)
            saved: dict[int, list[int]] = {}
            for uid, message in sorted(folder.messages.items()):
                if message.saved is not None:
                    saved.setdefault(message.saved, []).append(uid)
                self._files.setdefault(message.digest, []).append((f"{where}/{_path(message)}", message.date))
            for at, uids in saved.items():
                savedate.note(layout, where, at, uids)
        if facts.annotations:
            write_annotations(layout, directory, "", facts.annotations)
        return max((one.facts.uidvalidity for one in box.folders.values()), default=0)

    def _write_uids(self, layout: Layout, where: str, facts: FolderFacts) -> None:
        modseq = facts.highestmodseq + JUMP
        write_new(layout.root, f"{where}/{FILE}", facts.uidvalidity, facts.objectid, facts.special_use,
                  min(facts.uidnext + JUMP, filename.HIGHEST_UID), modseq, modseq, facts.keywords)

    def _write(self, root: int, octets: bytes, files: Iterable[tuple[str, int]]) -> None:
        self._place(root, files, lambda path, date: write(root, path, octets, date, os.O_EXCL))

    def _place(self, root: int, files: Iterable[tuple[str, int]], make: Callable[[str, int], None]) -> None:
        by_date: dict[int, str] = {}
        for path, date in files:
            if date in by_date:
                # One message in several mailboxes is one file.
                os.link(by_date[date], path, src_dir_fd=root, dst_dir_fd=root)
            else:
                make(path, date)
                by_date[date] = path

    def _owed_octets(self) -> bytes:
        deliveries = []
        for one in self._state.owed.values():
            now: dict[int, carried.Place] = {}
            for at, (mailbox, objectid, uid) in one.now.items():
                box = self._state.mailboxes.get(mailbox)
                folder = box.folders.get(objectid) if box is not None else None
                if folder is not None and uid in folder.messages:
                    now[at] = mailbox, folder.facts.name, uid
            deliveries.append((one.described, self._owed[one.digest], one.places, now))
        foreign = [(copy.mailbox, INBOX, copy.uid) for copy in map(foreign_copy, self._state.foreign)
                   if (folder := self._state.folder(copy.mailbox, INBOX)) is not None and copy.uid in folder.messages]
        return carried.gathered(deliveries, foreign)


def _path(message: StoredMessage) -> str:
    """Where a message is, below its folder."""
    return path_of(message.key, message.uid, message.size, message.mask, message.recent and not message.mask)


@contextmanager
def _folder(path: str) -> Iterator[int]:
    for directory in (path, f"{path}/new", f"{path}/cur"):
        os.mkdir(directory, 0o700)
    with opened(path) as there:
        yield there


def _make(root: int, directory: str) -> None:
    os.mkdir(directory, 0o700, dir_fd=root)
    for part in ("new", "cur", "tmp"):
        os.mkdir(f"{directory}/{part}", 0o700, dir_fd=root)


def _put(root: int, path: str, octets: bytes) -> None:
    write(root, path, octets, 0, os.O_EXCL)


def _lines(names: Sequence[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode()
