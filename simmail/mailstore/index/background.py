"""
What is left for when there is nothing else to do: new messages of loaded folders are looked at for the index.

Who then lists or searches them need not wait for it.  Folders that somebody searches are looked at at once, and no
others with them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from simmail.errors import Refusal
from simmail.mailstore.index.folder import IIndexed

#: Real seconds without new mail after which there is nothing else to do; messages looked at in one go, few because
#: whoever comes meanwhile shares the interpreter with them.
_IDLE, _SLICE = 0.3, 16
#: Real seconds in which who waited for something is likely to wait for more.
_SOON = 0.05
#: Real seconds after which a little is done though there is never nothing else to do.
_PATIENCE = 10.0
#: Real seconds of searches that look at files which it waits for, until it has come to an end.
_BORNE = 1.0
#: Messages that wait, at most; the others are looked at when they are asked for.
_MOST = 20_000


class Background:
    """
    Looks at new messages while nothing else happens, then learns their words.

    @param look: the index shall know some messages of a folder.
    @param learn: learns some words, of one folder or (None) of any; answers whether there are more.
    """

    log = Logger()

    def __init__(
        self, reactor: Any, look: Callable[[IIndexed, list[int]], Awaitable[Any]],
        learn: Callable[[IIndexed | None], Awaitable[bool]],
    ) -> None:
        self._reactor = reactor
        self._look = look
        self._learn = learn
        self._from: dict[IIndexed, int] = {}
        # Those that are searched, in the order in which they are looked at.
        self._hurried: dict[IIndexed, None] = {}
        self._unlearned = False
        self._last, self._rested = -inf, 0.0
        self._call: Any = None
        self._working = self._stopped = False
        self._pauses, self._borne = 0, 0.0

    def arrived(self, folder: IIndexed, uid: int) -> None:
        """Messages from this UID on have come into a folder."""
        if not self._stopped:
            self._from.setdefault(folder, uid)
            self.note_activity()

    def look_now(self, folder: IIndexed, uid: int) -> None:
        """Messages from this UID on were searched that the index does not know: they are looked at at once."""
        if not self._stopped:
            self._from[folder] = min(uid, self._from.get(folder, uid))
            self.hurry(folder)

    def hurry(self, folder: IIndexed) -> None:
        """
        Somebody searches a folder: what is left to do of it is done at once, also while there is something else to do.

        Of other folders nothing is: nobody asks for them, and who searches would wait for that.
        """
        if not self._stopped:
            self._hurried[folder] = None
            self._unlearned = True
            self._at_once()

    def _at_once(self) -> None:
        if self._call is not None:
            self._call.cancel()
            self._call = None
        if not self._working:
            self._call = self._reactor.callLater(0, self._begin)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """
        Somebody waits for a search that looks at files, with which this would share the interpreter.

        Who goes on searching like that is made to wait a little, or else the index would never know the files.
        """
        began = self._reactor.seconds()
        self._pauses += 1
        try:
            yield
        finally:
            self._pauses -= 1
            self._borne += self._reactor.seconds() - began
            if self._hurried and not self._stopped:
                self._at_once()

    @property
    def _is_paused(self) -> bool:
        return self._pauses > 0 and self._borne < _BORNE

    def is_behind(self, folder: IIndexed, uid: int) -> bool:
        """Whether a message has come so lately that the index does not know it."""
        begin = self._from.get(folder)
        return begin is not None and uid >= begin

    def note_activity(self) -> None:
        """Something else is being done, of which words may be left to learn."""
        self._last = self._reactor.seconds()
        if not self._stopped:
            self._unlearned = True
            self._later()

    def note_waiting(self) -> None:
        """Somebody waits for something that leaves nothing to do here."""
        self._last = self._reactor.seconds()

    @property
    def is_awaited(self) -> bool:
        """Whether somebody has just waited for something, and is likely to go on."""
        return not self._stopped and self._reactor.seconds() - self._last < _SOON

    def stop(self) -> None:
        """No more."""
        self._stopped = True
        self._from.clear()
        self._hurried.clear()
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _later(self) -> None:
        if self._call is None and not self._working and not self._stopped and (self._from or self._unlearned):
            if not self._rested:
                self._rested = self._reactor.seconds()
            self._call = self._reactor.callLater(_IDLE, self._begin)

    def _begin(self) -> None:
        self._call = None
        now = self._reactor.seconds()
        if self._is_paused or not self._hurried and now - self._last < _IDLE * 0.9 and now - self._rested < _PATIENCE:
            self._later()
            return
        self._working = True
        Deferred.fromCoroutine(self._work()).addErrback(
            lambda failure: self.log.failure("cannot look at new messages", failure)).addBoth(self._worked)

    def _worked(self, _: Any) -> None:
        self._working = False
        self._rested = 0.0
        if not (self._from or self._unlearned):
            self._borne = 0.0
        self._later()

    async def _work(self) -> None:
        # For others there has been no rest.
        began = self._last if not self._hurried else None
        while not self._stopped and not self._is_paused and (self._from or self._unlearned):
            try:
                if self._hurried:
                    await self._look_at_hurried(next(iter(self._hurried)))
                elif self._from:
                    await self._look_at_some(next(iter(self._from)))
                else:
                    self._unlearned = False
                    self._unlearned = await self._learn(None) or self._unlearned
            except Refusal:
                # It will be tried again by who asks for them.
                self._hurried.clear()
                continue
            if self._last != began and not self._hurried:
                return

    async def _look_at_hurried(self, folder: IIndexed) -> None:
        if folder in self._from:
            await self._look_at_some(folder)
        # Who searches goes on searching: without its words each search would compare all messages.
        elif folder.gone or not await self._learn(folder):
            self._hurried.pop(folder, None)

    async def _look_at_some(self, folder: IIndexed) -> None:
        uid = self._from.pop(folder)
        there = [] if folder.gone else folder.uids
        begin = bisect_left(there, uid, max(len(there) - _MOST, 0))
        uids = list(there[begin:begin + _SLICE])
        if begin + _SLICE < len(there):
            self._from[folder] = there[begin + _SLICE]
        if uids:
            self._unlearned = True
            await self._look(folder, uids)
