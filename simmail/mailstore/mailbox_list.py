"""Which mailboxes there are: asked of the disk once, followed from then on."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable

from simmail.errors import Invalid, NotFound
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.names import mailbox_dir

#: Real seconds between looks for mailboxes that another process made.
_LOOK = 1.0


class Boxes:
    """
    The mailboxes of one universe, with their directories.

    @param seconds: real seconds.
    @param made, gone: called with a mailbox that was not known before, or is no more; C{gone} also for one that was
        never known.
    """

    def __init__(
        self, layout: Layout, seconds: Callable[[], float], made: Callable[[str], None], gone: Callable[[str], None],
    ) -> None:
        self._layout = layout
        self._seconds = seconds
        self._made, self._gone = made, gone
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
            self._made(mailbox)

    def forget(self, mailbox: str) -> None:
        """There is none any more."""
        if self._known.pop(mailbox, None) is not None:
            self._sorted.remove(mailbox)
        self._gone(mailbox)

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
