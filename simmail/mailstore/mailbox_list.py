"""
Which mailboxes there are, and which of their folders may hold mail.

The disk is asked at most once a second, and what happens here is followed in between.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence

from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Shared
from simmail.errors import Invalid, NotFound
from simmail.mailstore.folder.load import SETTLED
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.names import mailbox_dir
from simmail.mailstore.threads import IWorker

#: Real seconds between looks for mailboxes or folders that another program made.
_LOOK = 1.0
#: Mailboxes looked at in one job of the reader.
_SLICE = 200

#: A folder (mailbox, name), or a mailbox with its directory.
Named = tuple[str, str]
#: By directory of a mailbox: when it was changed (nanoseconds), its folders.
Listed = dict[str, tuple[int, list[str]]]


class MailboxList:
    """
    The mailboxes of one universe, with their directories.

    @param seconds: real seconds.
    @param created, removed: called with a mailbox that was not known before, or is no more; C{removed} also for one
        that was never known.
    """

    def __init__(
        self, layout: Layout, seconds: Callable[[], float], created: Callable[[str], None],
        removed: Callable[[str], None],
    ) -> None:
        self._layout = layout
        self._seconds = seconds
        self._created, self._removed = created, removed
        self._known = layout.boxes()
        self._sorted = sorted(self._known)
        self._looked = seconds(), layout.changed()

    def __contains__(self, mailbox: str) -> bool:
        """Whether it is known, without a look at the disk."""
        return mailbox in self._known

    def learn(self, mailbox: str) -> None:
        """There is such a mailbox."""
        if mailbox not in self._known:
            self._known[mailbox] = mailbox_dir(mailbox)
            insort(self._sorted, mailbox)
            self._created(mailbox)

    def forget(self, mailbox: str) -> None:
        """There is none any more."""
        if self._known.pop(mailbox, None) is not None:
            self._sorted.remove(mailbox)
        self._removed(mailbox)

    def find(self, mailbox: str) -> str | None:
        """The directory of a mailbox, None when there is none."""
        box = self._known.get(mailbox)
        if box is None:
            try:
                box = mailbox_dir(mailbox)
            except Invalid:
                return None
            if not self._layout.has_box(box):
                return None
            self.learn(mailbox)
        return box

    def require(self, mailbox: str) -> str:
        """The directory of a mailbox.  @raise NotFound: there is none."""
        box = self.find(mailbox)
        if box is None:
            raise NotFound(f"there is no mailbox {mailbox}")
        return box

    def all(self) -> list[str]:
        """All addresses, sorted; those that another process made are among them a second later."""
        now = self._seconds()
        if not self._looked[0] <= now < self._looked[0] + _LOOK:
            changed = self._layout.changed()
            if changed != self._looked[1]:
                found = self._layout.boxes()
                for mailbox in found.keys() - self._known.keys():
                    self.learn(mailbox)
                for mailbox in self._known.keys() - found.keys():
                    self.forget(mailbox)
            self._looked = now, changed
        return list(self._sorted)


class FolderList:
    """
    (mailbox, folder) of one store.

    @param shared: other processes serve the same mail.
    """

    def __init__(
        self, layout: Layout, reader: IWorker, mailboxes: MailboxList, reactor: IReactorTime, shared: bool
    ) -> None:
        self._layout, self._reader, self._mailboxes, self._shared = layout, reader, mailboxes, shared
        self._seconds: Callable[[], float] = reactor.seconds
        self._known: dict[Named, None] = {}
        self._listed: Listed = {}
        self._looked: float | None = None
        self._looking: Shared[None] = Shared(reactor)

    def arrived(self, mailbox: str, name: str) -> None:
        """A message has appeared."""
        if self._looked is not None:
            self._known[mailbox, name] = None

    def changed(self) -> None:
        """Folders are called something else."""
        self._looked = None
        self._listed.clear()

    async def all(self) -> list[Named]:
        """All of them, in no order; some may have gone."""
        if not self._fresh():
            await self._looking.anew(self._look)
        return list(self._known)

    def _fresh(self) -> bool:
        # What another process files is there at once.
        return (self._looked is not None and not self._shared
                and 0 <= self._seconds() - self._looked < _LOOK)

    async def _look(self) -> None:
        if self._fresh():
            # Another has just looked.
            return
        try:
            # From here on, what comes is added to the same.
            known: dict[Named, None] = {}
            self._looked, self._known = self._seconds(), known
            mailboxes = self._mailboxes.all()
            for begin in range(0, len(mailboxes), _SLICE):
                boxes = [(mailbox, box) for mailbox in mailboxes[begin:begin + _SLICE]
                         if (box := self._mailboxes.find(mailbox)) is not None]
                found = await self._reader.call(
                    _list_folders, self._layout, boxes, self._listed, self._layout.wall() - SETTLED)
                known.update(dict.fromkeys(found))
        except BaseException:
            self._looked = None
            raise


def _list_folders(layout: Layout, boxes: Sequence[Named], listed: Listed, settled: float) -> list[Named]:
    """The folders of mailboxes (with their directories), by the reader; only what changed is listed again."""
    found: list[Named] = []
    for mailbox, box in boxes:
        try:
            changed = layout.box_changed(box)
            known = listed.get(box)
            if known is None or known[0] != changed or changed / 1e9 >= settled:
                names = [one.name for one in layout.folders(box).values() if one.directory is not None]
                known = listed[box] = changed, names
        except (NotFound, FileNotFoundError, NotADirectoryError):
            listed.pop(box, None)
            continue
        found += [(mailbox, name) for name in known[1]]
    return found
