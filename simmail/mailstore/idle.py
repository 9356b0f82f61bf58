"""
What is left for when there is nothing else to do: new messages of loaded folders are looked at for the index.

Who then lists them need not wait for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from simmail.errors import Refusal

if TYPE_CHECKING:
    from simmail.mailstore.folder import Folder

#: Real seconds without new mail after which there is nothing else to do; messages looked at in one go.
_IDLE, _SLICE = 0.3, 64
#: Messages that wait, at most; the others are looked at when they are asked for.
_MOST = 20_000


class Idle:
    """
    Looks at new messages while nothing else happens.

    @param look: takes the digests of some messages of a folder.
    """

    log = Logger()

    def __init__(self, reactor: Any, look: Callable[[Folder, list[int]], Awaitable[Any]]) -> None:
        self._reactor = reactor
        self._look = look
        self._from: dict[Folder, int] = {}
        self._last = 0.0
        self._call: Any = None
        self._stopped = False

    def came(self, folder: Folder, uid: int) -> None:
        """Messages from this UID on have come into a folder."""
        self._last = self._reactor.seconds()
        if not self._stopped:
            self._from.setdefault(folder, uid)
            self._later()

    def stop(self) -> None:
        """No more."""
        self._stopped = True
        self._from.clear()
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _later(self) -> None:
        if self._call is None and self._from:
            self._call = self._reactor.callLater(_IDLE, self._begin)

    def _begin(self) -> None:
        self._call = None
        if self._reactor.seconds() - self._last < _IDLE * 0.9:
            self._later()
        else:
            Deferred.fromCoroutine(self._work()).addErrback(
                lambda failure: self.log.failure("cannot look at new messages", failure))

    async def _work(self) -> None:
        began = self._last
        while self._from and self._last == began and not self._stopped:
            folder, uid = next(iter(self._from.items()))
            del self._from[folder]
            uids = [] if folder.gone else [one for one in folder.uids[-_MOST:] if one >= uid]
            if not uids:
                continue
            if len(uids) > _SLICE:
                self._from[folder] = uids[_SLICE]
            try:
                await self._look(folder, uids[:_SLICE])
            except Refusal:
                # It will be tried again by who asks for them.
                continue
        self._later()
