"""
What happens to folders, told to who listens to a mailbox: also of folders that are not loaded.

Of a mailbox to which nobody listens nothing is kept.  Of others it is known which folders there are and which are
subscribed to, so that what another program did to them is found, and nothing is told twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from twisted.internet.defer import Deferred, fail
from zope.interface import implementer

from simmail.core.records.folder import FolderEvent
from simmail.errors import NotFound, Unavailable
from simmail.interfaces import IFolderEvents
from simmail.mailstore.folder.folder import Folder
from simmail.mailstore.listeners import Listeners
from simmail.mailstore.maildir import filename
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.subscriptions import subscriptions
from simmail.mailstore.threads import IWorker

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
    """A mailbox that is listened to; C{turns}: counts changes, so that a look that one overtook is not believed."""

    def __init__(self) -> None:
        self.listeners: Listeners[[FolderEvent]] = Listeners("a mailbox")
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


@implementer(IFolderEvents)
class FolderEvents:
    """
    Those of one store on disk.

    @param seconds: real seconds.
    @param require: answers the directory of a mailbox or raises L{NotFound}; loaded: a folder if it is loaded.
    """

    def __init__(
        self, layout: Layout, reader: IWorker, seconds: Callable[[], float], require: Callable[[str], str],
        loaded: Callable[[tuple[str, str]], Folder | None],
    ) -> None:
        self._heard: dict[str, _Heard] = {}
        self._layout, self._reader, self._seconds, self._require, self._loaded = (
            layout, reader, seconds, require, loaded)
        self._turn: list[str] = []
        self._next = self._took = 0.0

    def listen(self, mailbox: str, listener: Listener) -> Deferred[None]:
        try:
            self._require(mailbox)
        except NotFound:
            return fail()
        heard = self._heard.setdefault(mailbox, _Heard())
        heard.listeners.listen(listener)
        return Deferred.fromCoroutine(self._begin(mailbox, heard))

    def unlisten(self, mailbox: str, listener: Listener) -> None:
        heard = self._heard.get(mailbox)
        if heard is not None:
            heard.listeners.unlisten(listener)
            if not heard.listeners.watched:
                del self._heard[mailbox]

    async def _begin(self, mailbox: str, heard: _Heard) -> None:
        while heard.names is None and heard.listeners.watched:
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
        heard.listeners.tell(FolderEvent(kind, name, old))

    # What other programs did

    async def look(self) -> None:
        """Tell what other programs did, if it is time for that."""
        began = self._seconds()
        if not self._turn:
            if began < self._next:
                return
            self._turn, self._took = list(self._heard), 0.0
        while self._turn and self._seconds() - began < _STRETCH:
            mailbox = self._turn.pop()
            heard = self._heard.get(mailbox)
            try:
                if heard is not None:
                    await self._look_at(mailbox, heard)
            except NotFound:
                continue
        ended = self._seconds()
        self._took += ended - began
        self._next = ended + max(_LOOK, self._took * _RARELY)

    async def _look_at(self, mailbox: str, heard: _Heard) -> None:
        turns = heard.turns
        places, subscribed = await self._reader.call(_outline, self._layout, self._require(mailbox))
        if turns == heard.turns:
            self._named(mailbox, heard, places.keys(), subscribed)
        times: dict[str, Times] = {}
        items = list(places.items())
        for begin in range(0, len(items), _SLICE):
            times.update(await self._reader.call(_times, self._layout.root, items[begin:begin + _SLICE]))
        before, heard.times = heard.times, times
        for name, one in times.items():
            if before.get(name, one) == one:
                continue
            folder = self._loaded((mailbox, name))
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
        for kind, found in (("gone", heard.names - there), ("made", there - heard.names),
                            ("unsubscribed", heard.subscribed - subscribed),
                            ("subscribed", subscribed - heard.subscribed)):
            for name in sorted(found):
                self.tell(mailbox, kind, name)


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
