"""
What happens to folders, told to who listens to a mailbox: also of folders that are not loaded.

Of a mailbox to which nobody listens nothing is kept.  Of others it is known which folders there are and which are
subscribed to, so that what another program did to them is found, and nothing is told twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from zope.interface import implementer

from simmail.core.records.folder import FolderEvent
from simmail.errors import NotFound, Unavailable
from simmail.interfaces import IFolderEvents
from simmail.mailstore.immediate import deferred, fail_now
from simmail.mailstore.maildir import filename
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.subscriptions import subscriptions

if TYPE_CHECKING:
    from simmail.mailstore.mailstore import MailStore
    from simmail.mailstore.memory.mailstore import MemoryMailStore

Listener = Callable[[FolderEvent], None]
#: When C{new} and C{cur} of a folder were changed, in nanoseconds.
Times = tuple[int, int]

#: Real seconds between looks for what other programs did, at least; and how many times longer they are than a look.
_LOOK, _RARELY = 1.0, 20.0
#: Real seconds after which a look goes on some other time: others are looked after between.
_STRETCH = 0.1
#: Folders looked at in one job of the reader.
_SLICE = 200

_OF_MESSAGES = frozenset(("added", "expunged", "flags", "changed"))


class _Heard:
    """
    A mailbox that somebody listens to.

    @ivar names, subscribed: of its folders, as they were told; None before they are known.
    @ivar turns: counts changes of these, so that a look that was overtaken by one is not believed.
    """

    def __init__(self) -> None:
        self.listeners: list[Listener] = []
        self.names: set[str] | None = None
        self.subscribed: set[str] = set()
        self.times: dict[str, Times] = {}
        self.turns = 0

    def is_news(self, kind: Any, name: str, old: str) -> bool:
        """Note a change of names; whether it was not told before."""
        self.turns += 1
        names, subscribed = self.names, self.subscribed
        if names is None:
            return True
        if kind in ("subscribed", "unsubscribed"):
            news = (name in subscribed) is not (kind == "subscribed")
            (subscribed.add if kind == "subscribed" else subscribed.discard)(name)
            return news
        news = (name in names) is not (kind != "gone")
        (names.discard if kind == "gone" else names.add)(name)
        names.discard(old)
        return news


class _Telling:
    """Who listens, by mailbox."""

    log = Logger()

    def __init__(self) -> None:
        self._heard: dict[str, _Heard] = {}

    def unlisten(self, mailbox: str, listener: Listener) -> None:
        """Stop."""
        heard = self._heard.get(mailbox)
        if heard is not None and listener in heard.listeners:
            heard.listeners.remove(listener)
            if not heard.listeners:
                del self._heard[mailbox]

    def _hear(self, mailbox: str, listener: Listener) -> _Heard:
        heard = self._heard.setdefault(mailbox, _Heard())
        heard.listeners.append(listener)
        return heard

    def _tell(self, heard: _Heard, event: FolderEvent) -> None:
        for listener in list(heard.listeners):
            try:
                listener(event)
            except Exception:
                self.log.failure("a listener of {name} failed", name=event.name)


@implementer(IFolderEvents)
class FolderEvents(_Telling):
    """Those of one store on disk."""

    def __init__(self, store: MailStore) -> None:
        super().__init__()
        self._store = store
        self._turn: list[str] = []
        self._next = self._took = 0.0

    def listen(self, mailbox: str, listener: Listener) -> Deferred[None]:
        """Call it with each event of a mailbox; Deferred that fires when nothing is missed."""
        try:
            self._store.boxes.require(mailbox)
        except NotFound:
            return fail_now()
        return Deferred.fromCoroutine(self._begin(mailbox, self._hear(mailbox, listener)))

    async def _begin(self, mailbox: str, heard: _Heard) -> None:
        while heard.names is None and heard.listeners:
            await self._look_at(mailbox, heard)

    def tell(self, mailbox: str, kind: Any, name: str, old: str = "") -> None:
        """Something happened."""
        heard = self._heard.get(mailbox)
        if heard is None:
            return
        if kind in _OF_MESSAGES:
            if heard.names is not None and name not in heard.names:
                # Mail was filed into a folder that was not there.
                self.tell(mailbox, "made", name)
        elif not heard.is_news(kind, name, old):
            return
        self._tell(heard, FolderEvent(kind, name, old))

    # What other programs did

    async def look(self) -> None:
        """Tell what other programs did, if it is time for that."""
        store, began = self._store, self._store.seconds()
        if not self._turn:
            if began < self._next:
                return
            self._turn, self._took = list(self._heard), 0.0
        while self._turn and store.seconds() - began < _STRETCH:
            mailbox = self._turn.pop()
            heard = self._heard.get(mailbox)
            try:
                if heard is not None:
                    await self._look_at(mailbox, heard)
            except NotFound:
                continue
        ended = store.seconds()
        self._took += ended - began
        self._next = ended + max(_LOOK, self._took * _RARELY)

    async def _look_at(self, mailbox: str, heard: _Heard) -> None:
        store, turns = self._store, heard.turns
        places, subscribed = await store.reader.call(_outline, store.layout, store.boxes.require(mailbox))
        if turns == heard.turns:
            self._named(mailbox, heard, places.keys(), subscribed)
        times: dict[str, Times] = {}
        items = list(places.items())
        for begin in range(0, len(items), _SLICE):
            times.update(await store.reader.call(_times, store.layout.root, items[begin:begin + _SLICE]))
        before, heard.times = heard.times, times
        for name, one in times.items():
            if before.get(name, one) == one:
                continue
            folder = store.catalogue.loaded((mailbox, name))
            if folder is None:
                self.tell(mailbox, "changed", name)
            elif not folder.busy:
                # It tells what it notices; of a damaged one it is said where that is met.
                try:
                    await folder.poll()
                except (NotFound, Unavailable):
                    continue

    def _named(self, mailbox: str, heard: _Heard, names: Iterable[str], subscribed: set[str]) -> None:
        """There are these folders."""
        there = set(names)
        if heard.names is None:
            heard.names, heard.subscribed = there, subscribed
            return
        for name in sorted(heard.names - there):
            self.tell(mailbox, "gone", name)
        for name in sorted(there - heard.names):
            self.tell(mailbox, "made", name)
        for name in sorted(heard.subscribed - subscribed):
            self.tell(mailbox, "unsubscribed", name)
        for name in sorted(subscribed - heard.subscribed):
            self.tell(mailbox, "subscribed", name)


def _outline(layout: Layout, box: str) -> tuple[dict[str, str], set[str]]:
    """Directories of the folders of a mailbox (empty for one that is not made) by name, and those subscribed to."""
    return {name: one.directory or "" for name, one in layout.folders(box).items()}, set(subscriptions(layout, box))


def _times(root: int, places: Iterable[tuple[str, str]]) -> dict[str, Times]:
    found: dict[str, Times] = {}
    for name, directory in places:
        try:
            found[name] = filename.times_of(root, directory) if directory else (0, 0)
        except (FileNotFoundError, NotADirectoryError):
            continue
    return found


@implementer(IFolderEvents)
class EventsInMemory(_Telling):
    """Those of the store in memory."""

    def __init__(self, store: MemoryMailStore) -> None:
        super().__init__()
        self._store = store

    @deferred
    def listen(self, mailbox: str, listener: Listener) -> None:
        """Call it with each event of a mailbox."""
        self._store.require_box(mailbox)
        self._hear(mailbox, listener)

    def tell(self, mailbox: str, kind: Any, name: str, old: str = "") -> None:
        """Something happened."""
        heard = self._heard.get(mailbox)
        if heard is not None:
            self._tell(heard, FolderEvent(kind, name, old))
