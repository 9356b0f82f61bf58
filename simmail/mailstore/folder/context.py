"""
What the folders of one store have in common: who keeps them, and which of their files are to be renamed.

Before long each file has the flags in its name that its message has; until then they are noted beside it (C{flaglog}).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct
from twisted.internet.defer import Deferred
from twisted.logger import Logger

from simmail.concurrency import Lock
from simmail.core.records.delivery import Copy
from simmail.core.records.folder import FolderChange
from simmail.errors import NotFound, Unavailable
from simmail.mailstore.delivery.maildir_delivery import DeliveryResult
from simmail.mailstore.delivery.request import Into, StoreId
from simmail.mailstore.folder.state import FolderState
from simmail.mailstore.index.mail_index import MailIndex
from simmail.mailstore.index.scan import Scanning
from simmail.mailstore.journal.journal import Journal
from simmail.mailstore.maildir.filename import Row
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.opened import OpenMessages
from simmail.mailstore.threads import IWorker
from simmail.mailstore.writer.requests import IWriter

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
        self._reactor, self._later, self._place = reactor, later, place
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


class IKeeper(Protocol):
    """Who keeps the folders of a store."""

    def unique(self) -> str:
        """Return a key for a message that no delivery brought."""

    def later(self, deferred: Deferred[Any]) -> None:
        """Log what goes wrong: nobody waits for it."""

    def catching_up(self, deferred: Deferred[Any]) -> None:
        """Log what goes wrong with what makes filed messages known; whoever looks waits for it."""

    def changed(self, folder: FolderState, change: FolderChange) -> None:
        """Hear that a loaded folder is about to tell a change."""

    def lost(self, folder: FolderState) -> None:
        """Hear that somebody else has removed a folder."""

    def filed(self, filed: DeliveryResult) -> tuple[Copy, ...]:
        """Make known what the writer has filed; return the copies."""

    def arrived(self, mailbox: str, name: str, rows: Sequence[Row], table: tuple[str, ...]) -> None:
        """Make known that messages have appeared in a folder; C{table}: the keywords their masks are to be read by."""

    async def adopt(self, mailbox: str, name: str, strays: Sequence[str]) -> bool:
        """Give UIDs to files that another program put in; return whether some have to be tried again."""


class FolderContext(Struct, frozen=True, eq=False):
    """
    What the folders of one store have in common.

    @ivar shared: other processes serve the same mail; files then always have their flags in their names.
    @ivar at: what the writer calls the store; into: how messages are appended.
    @ivar renames: of files that do not have their flags in their names yet.
    @ivar messages: those that are read piece by piece.
    """

    reactor: Any
    shared: bool
    layout: Layout
    reader: IWorker
    writer: IWriter
    at: StoreId
    journal: Journal
    into: Into
    index: MailIndex
    scanning: Scanning
    renames: PendingRenames[Any]
    messages: OpenMessages
    keeper: IKeeper
