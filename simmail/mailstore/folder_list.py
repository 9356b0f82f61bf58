"""
Which folders of all mailboxes may hold mail: asked of the disk at most once a second, followed in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simmail.concurrency import Shared
from simmail.errors import NotFound
from simmail.mailstore.folder.load import SETTLED
from simmail.mailstore.maildir.layout import Layout

if TYPE_CHECKING:
    from simmail.mailstore.mailstore import MailStore

#: Real seconds between looks for folders that another program made.
_LOOK = 1.0
#: Mailboxes looked at in one job of the reader.
_SLICE = 200

#: A folder (mailbox, name), or a mailbox with its directory.
Named = tuple[str, str]
#: By directory of a mailbox: when it was changed (nanoseconds), its folders.
Listed = dict[str, tuple[int, list[str]]]


class Places:
    """(mailbox, folder) of one store."""

    def __init__(self, store: MailStore) -> None:
        self._store = store
        self._known: dict[Named, None] = {}
        self._listed: Listed = {}
        self._looked: float | None = None
        self._looking: Shared[None] = Shared(store.reactor)

    def came(self, mailbox: str, name: str) -> None:
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
        return (self._looked is not None and not self._store.shared
                and 0 <= self._store.seconds() - self._looked < _LOOK)

    async def _look(self) -> None:
        if self._fresh():
            # Another has just looked.
            return
        store = self._store
        try:
            # From here on, what comes is added to the same.
            known: dict[Named, None] = {}
            self._looked, self._known = store.seconds(), known
            mailboxes = store.mailboxes()
            for begin in range(0, len(mailboxes), _SLICE):
                boxes = [(mailbox, box) for mailbox in mailboxes[begin:begin + _SLICE]
                         if (box := store.boxes.find(mailbox)) is not None]
                found = await store.reader.call(_look, store.layout, boxes, self._listed, store.layout.wall() - SETTLED)
                known.update(dict.fromkeys(found))
        except BaseException:
            self._looked = None
            raise


def _look(layout: Layout, boxes: Sequence[Named], listed: Listed, settled: float) -> list[Named]:
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
