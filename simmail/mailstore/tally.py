"""
How many messages, and how many unread, each INBOX has.

Counted once by the writer, so that no delivery is counted twice or not at
all; kept up by what is filed and by the folders that are loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Shared
from simmail.mailstore.filing import Filer
from simmail.mailstore.maildir import SEEN, Row
from simmail.mailstore.names import mailbox_dir
from simmail.mailstore.survey import survey
from simmail.mailstore.worker import IWorker

#: Mailboxes counted in one job of the writer.
_SLICE = 50

Counts = tuple[int, int]


class Tally:
    """
    (total, unread) by mailbox.

    @param filer: of the universe.
    @param loaded: what a loaded INBOX says, None when it is not loaded.
    """

    def __init__(
        self, writer: IWorker, filer: Filer, loaded: Callable[[str], Counts | None], reactor: IReactorTime
    ) -> None:
        self._writer = writer
        self._filer = filer
        self._loaded = loaded
        self._counts: dict[str, Counts] = {}
        self._complete = False
        self._counting: Shared[None] = Shared(reactor)

    def made(self, mailbox: str) -> None:
        """There is a new mailbox."""
        if self._complete:
            self._counts[mailbox] = (0, 0)

    def gone(self, mailbox: str) -> None:
        """A mailbox is no more."""
        self._counts.pop(mailbox, None)

    def filed(self, mailbox: str, rows: Sequence[Row]) -> None:
        """Messages came into an INBOX that is not loaded."""
        counts = self._counts.get(mailbox)
        if counts is not None:
            unseen = sum(not row.mask & SEEN for row in rows)
            self._counts[mailbox] = (counts[0] + len(rows), counts[1] + unseen)

    def says(self, mailbox: str, counts: Counts) -> None:
        """What a loaded INBOX says now."""
        if mailbox in self._counts:
            self._counts[mailbox] = counts

    async def counts(self, mailboxes: Callable[[], Sequence[str]]) -> dict[str, Counts]:
        """All of them; C{mailboxes} names them."""
        while not self._complete:
            await self._counting.anew(lambda: self._count(mailboxes))
        return dict(self._counts)

    async def _count(self, mailboxes: Callable[[], Sequence[str]]) -> None:
        if self._complete:
            return
        todo = list(mailboxes())
        for begin in range(0, len(todo), _SLICE):
            found = await self._writer.call(_survey, self._filer, todo[begin:begin + _SLICE])
            there = set(mailboxes())
            for mailbox, counts in found:
                if mailbox in there:
                    self._counts[mailbox] = self._loaded(mailbox) or counts
        self._complete = True
        for mailbox in mailboxes():
            self._counts.setdefault(mailbox, (0, 0))


def _survey(filer: Filer, mailboxes: Iterable[str]) -> list[tuple[str, Counts]]:
    found = []
    for mailbox in mailboxes:
        try:
            counted = survey(filer.root, mailbox_dir(mailbox))
        except FileNotFoundError:
            continue
        found.append((mailbox, (counted.total, counted.unseen)))
    return found
