"""
Files that are to be renamed: before long each has the flags in its name that its message has.

Until then they are noted beside it (C{flaglog}).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from simmail.concurrency import Lock
from simmail.errors import NotFound, Unavailable
from simmail.mailstore.folder.state import FolderState

#: Real seconds after which files get the flags in their names.
_PLACE = 1.0


F = TypeVar("F", bound=FolderState)


class PendingRenames(Generic[F]):
    """
    Folders of one store with such files.

    @param later: takes a Deferred that nobody waits for.
    @param place: renames the files of a folder; raises L{NotFound} when it is gone, L{Unavailable} when the disk
        refused.
    """

    log = Logger()

    def __init__(
        self, reactor: Any, later: Callable[[Deferred[Any]], None], place: Callable[[F], Awaitable[None]]
    ) -> None:
        self._reactor = reactor
        self._later = later
        self._place = place
        self._folders: dict[F, None] = {}
        self._call: Any = None
        self._turn = Lock(reactor)
        self._finished = False

    def add(self, folder: F) -> None:
        """Before long, the files of a folder get the names they should have."""
        self._folders[folder] = None
        if self._call is None and not self._finished:
            self._call = self._reactor.callLater(_PLACE, self._begin)

    def _begin(self) -> None:
        self._call = None
        self._later(self._in_turn())

    def _in_turn(self) -> Deferred[None]:
        # Whoever finishes waits for what was begun before.
        return self._turn.run(self._place_all)

    async def _place_all(self) -> None:
        folders, self._folders = list(self._folders), {}
        for folder in folders:
            try:
                await self._place(folder)
            except NotFound:
                continue
            except Unavailable as error:
                self.log.warn("cannot rename files in {name} of {mailbox}: {error}",
                              name=folder.name, mailbox=folder.mailbox, error=error)
                self.add(folder)

    async def finish(self) -> None:
        """All files get their names now; no more are renamed later."""
        self._finished = True
        if self._call is not None:
            self._call.cancel()
            self._call = None
        await self._in_turn()
