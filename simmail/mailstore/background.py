"""
What is done about mail while nobody asks: other programs are noticed, and the index is kept up.

Every mailbox's INBOX is looked at now and then, in slices; a folder that
somebody watches about once a second.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from time import monotonic
from typing import NamedTuple

from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from simmail.errors import NotFound, Unavailable
from simmail.mailstore.folder.context import FolderContext
from simmail.mailstore.folder.events import FolderEvents
from simmail.mailstore.folder.load import SETTLED
from simmail.mailstore.folder_cache import FolderCache
from simmail.mailstore.mailbox_list import MailboxList
from simmail.mailstore.maildir import filename
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.names import INBOX

#: Real seconds between looks, and how many INBOXes are looked at in one.
_TICK, _SLICE = 0.5, 200
#: Real seconds between savings of what the index does not have yet.
_SAVE = 30.0
#: Real seconds before files that could not be taken are tried again.
_AGAIN = 30.0
#: What was looked at is left alone for so many times what looking took: for a folder, or for INBOXes all together.
_RARELY = 20.0
#: The same for an INBOX while mail is filed into it: most likely nobody else has changed it.
_MORE_RARELY = 100.0


class _Seen(NamedTuple):
    """
    An INBOX as it was seen.

    @ivar rest: when it may be looked at again, by the monotonic clock; longer: when it may be while mail is filed into
        it; again: it has to be, changed or not.
    """

    times: tuple[int, int]
    rest: float
    longer: float
    again: bool = False


class ExternalWatch:
    """Looks after the folders of one store."""

    log = Logger()

    def __init__(
        self, context: FolderContext, mailboxes: MailboxList, cache: FolderCache, events: FolderEvents
    ) -> None:
        self._context, self._mailboxes, self._cache, self._events = context, mailboxes, cache, events
        self._seconds: Callable[[], float] = context.reactor.seconds
        self._seen: dict[str, _Seen] = {}
        self._next: dict[str, float] = {}
        self._turn: list[str] = []
        self._filed: set[str] = set()
        self._saved = self._seconds()
        self._call = LoopingCall(lambda: Deferred.fromCoroutine(self._look()))
        self._call.clock = context.reactor  # type: ignore[assignment]
        self._running: Deferred[LoopingCall] | None = None

    def start(self) -> None:
        """Begin, if not begun yet."""
        if self._running is None:
            self._running = self._call.start(_TICK, now=False)

    def stop(self) -> None:
        """No more."""
        if self._running is not None and self._call.running:
            self._call.stop()
        self._running = None

    def filed(self, mailbox: str) -> None:
        """Mail was filed into an INBOX by us."""
        self._filed.add(mailbox)

    async def _look(self) -> None:
        try:
            wrong = await self._look_at_watched()
            await self._look_at_inboxes()
            await self._events.look()
            if wrong is not None:
                raise wrong
            if self._seconds() - self._saved > _SAVE:
                self._saved = self._seconds()
                await self._cache.save()
        except Unavailable as error:
            self.log.warn("cannot look after the mailboxes of {universe}: {error}",
                          universe=self._context.at.universe, error=error)
        except Exception:
            # Stopped meanwhile: what was looked at is closed.
            if self._running is not None:
                self.log.failure("cannot look after the mailboxes of {universe}", universe=self._context.at.universe)

    async def _look_at_watched(self) -> Unavailable | None:
        """What was wrong with the last folder that something was wrong with."""
        wrong = None
        for folder in self._cache.all_loaded():
            if not folder.watched or folder.busy:
                continue
            key = f"{folder.mailbox} {folder.name}"
            started = self._seconds()
            if self._next.get(key, 0.0) > started:
                continue
            try:
                await folder.poll()
            except NotFound:
                continue
            except Unavailable as error:
                # Of one folder: all others are looked at.
                wrong = error
            took = self._seconds() - started
            self._next[key] = started + max(1.0, took * _RARELY)
        if len(self._next) > 10_000:
            self._next.clear()
        return wrong

    async def _look_at_inboxes(self) -> None:
        if not self._turn:
            self._turn = self._mailboxes.all()
        some = self._turn[-_SLICE:]
        del self._turn[-_SLICE:]
        boxes = {mailbox: box for mailbox in some if (box := self._mailboxes.find(mailbox)) is not None}
        filed, self._filed = self._filed, set()
        strays = await self._context.reader.call(
            _strays, self._context.layout, boxes, self._seen, filed)
        seen = {mailbox: self._seen.pop(mailbox) for mailbox in strays}
        for mailbox, names in strays.items():
            if await self._not_taken(mailbox, names):
                again = monotonic() + _AGAIN
                self._seen[mailbox] = _Seen(seen[mailbox].times, again, again, True)
                self.log.warn("some files in new/ of {mailbox} cannot be taken", mailbox=mailbox)
            else:
                self._seen[mailbox] = seen[mailbox]
        if len(self._seen) > 2 * len(self._mailboxes.all()) + 1000:
            self._seen.clear()

    async def _not_taken(self, mailbox: str, names: list[str]) -> bool:
        """Files of one mailbox are taken in; whether some have to be tried again."""
        try:
            return await self._context.keeper.adopt(mailbox, INBOX, names)
        except Unavailable as error:
            self.log.warn("cannot take in what is new in {mailbox}: {error}", mailbox=mailbox, error=error)
            return True


def _strays(
    layout: Layout, boxes: dict[str, str], seen: dict[str, _Seen], filed: Collection[str] = (),
) -> dict[str, list[str]]:
    """
    Files without a UID in C{new/} of INBOXes that changed since they were last seen; in the reader thread.

    @param filed: into these mail was filed just now.
    """
    found: dict[str, list[str]] = {}
    changed: dict[str, tuple[int, int]] = {}
    began, settled = monotonic(), (layout.wall() - SETTLED) * 1e9
    for mailbox, box in boxes.items():
        try:
            times = filename.times_of(layout.root, box)
            known = seen.get(mailbox)
            if known is not None and ((known.longer if mailbox in filed else known.rest) > began
                                      or (known.times == times and not known.again)):
                continue
            strays = filename.strays(layout.root, box)
        except (FileNotFoundError, NotADirectoryError):
            layout.broken(box)
            continue
        if layout.damage.said:
            layout.damage.well(box)
        changed[mailbox] = times
        if strays:
            found[mailbox] = strays
    ended = monotonic()
    # One rest for all, or else the more of them are busy the more of a processor this takes.
    rest, longer = (ended + (ended - began) * factor for factor in (_RARELY, _MORE_RARELY))
    # What comes within a tick of the clock that the times are from does not change them.
    seen.update({mailbox: _Seen(times, rest, longer, max(times) > settled) for mailbox, times in changed.items()})
    return found
