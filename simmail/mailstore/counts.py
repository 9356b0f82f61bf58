"""
How many messages, and how many unread, each mailbox has in each folder.

Counted once by the writer, so that no delivery is counted twice or not at
all; kept up by what is filed and by the folders that are loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Shared
from simmail.core.records.folder import MailboxCounts, counted
from simmail.mailstore.maildir.filename import Row, SEEN
from simmail.mailstore.maildir.status import Counts
from simmail.mailstore.writer.requests import CountMailboxes, IWriter, StoreId

#: Mailboxes counted in one job of the writer.
_SLICE = 50

_NONE = counted({})


class MessageCounts:
    """
    L{MailboxCounts} by mailbox.

    @param at: the universe.
    @param loaded: what the folders that are loaded say, by mailbox and name.
    """

    def __init__(
        self, writer: IWriter, at: StoreId, loaded: Callable[[], dict[str, dict[str, Counts]]], reactor: IReactorTime
    ) -> None:
        self._writer = writer
        self._at = at
        self._loaded = loaded
        self._counts: dict[str, MailboxCounts] = {}
        self._totals: dict[str, int] = {}
        self._complete = False
        self._counting: Shared[None] = Shared(reactor)

    def created(self, mailbox: str) -> None:
        """There is a new mailbox."""
        if self._complete:
            self._counts[mailbox] = _NONE

    def removed(self, mailbox: str) -> None:
        """A mailbox is no more."""
        known = self._counts.pop(mailbox, None)
        if known is not None:
            for name, (total, _) in known.folders.items():
                self._totals[name] -= total

    def filed(self, mailbox: str, name: str, rows: Sequence[Row]) -> None:
        """Messages came into a folder that is not loaded."""
        known = self._counts.get(mailbox)
        if known is not None:
            total, unread = known.folders.get(name, (0, 0))
            self._put(mailbox, known, name, total + len(rows), unread + sum(not row.mask & SEEN for row in rows))

    def set(self, mailbox: str, name: str, counts: Counts) -> None:
        """What a loaded folder says now."""
        known = self._counts.get(mailbox)
        if known is not None:
            self._put(mailbox, known, name, *counts)

    def of(self, mailbox: str) -> Mapping[str, Counts]:
        """What is known of a mailbox by folder; of those that hold nothing, and before all is counted, nothing."""
        return self._counts.get(mailbox, _NONE).folders

    def _put(self, mailbox: str, known: MailboxCounts, name: str, total: int, unread: int) -> None:
        before, unread_before = known.folders.get(name, (0, 0))
        if (before, unread_before) == (total, unread):
            return
        folders = {**known.folders, name: (total, unread)}
        if not total:
            del folders[name]
        self._counts[mailbox] = MailboxCounts(
            known.total + total - before, known.unread + unread - unread_before, folders)
        self._totals[name] = self._totals.get(name, 0) + total - before

    async def counts(self, mailboxes: Callable[[], Sequence[str]]) -> dict[str, MailboxCounts]:
        """All of them; C{mailboxes} names them."""
        await self._done(mailboxes)
        return dict(self._counts)

    async def totals(self, mailboxes: Callable[[], Sequence[str]]) -> dict[str, int]:
        """Messages by folder, of all mailboxes together."""
        await self._done(mailboxes)
        return {name: total for name, total in self._totals.items() if total}

    async def _done(self, mailboxes: Callable[[], Sequence[str]]) -> None:
        while not self._complete:
            await self._counting.anew(lambda: self._count(mailboxes))

    async def _count(self, mailboxes: Callable[[], Sequence[str]]) -> None:
        if self._complete:
            return
        todo = list(mailboxes())
        for begin in range(0, len(todo), _SLICE):
            found = await self._writer.call(CountMailboxes(self._at, todo[begin:begin + _SLICE]))
            there, loaded = set(mailboxes()), self._loaded()
            for mailbox, folders in found:
                if mailbox in there:
                    # It may have been counted before, by one that did not come to its end.
                    self.removed(mailbox)
                    self._counts[mailbox] = _NONE
                    for name, counts in {**folders, **loaded.get(mailbox, {})}.items():
                        self.set(mailbox, name, counts)
        self._complete = True
        for mailbox in mailboxes():
            self._counts.setdefault(mailbox, _NONE)
