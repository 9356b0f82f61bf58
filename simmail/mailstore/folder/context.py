"""What the folders of one store have in common, and what they tell those who keep them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import Struct
from twisted.internet.defer import Deferred

from simmail.core.records.delivery import Copy
from simmail.core.records.folder import FolderChange
from simmail.mailstore.delivery.delivery import DeliveryResult
from simmail.mailstore.delivery.request import Into, StoreId
from simmail.mailstore.folder.renames import PendingRenames
from simmail.mailstore.folder.state import FolderState
from simmail.mailstore.index.mail_index import MailIndex
from simmail.mailstore.index.scan import Scanning
from simmail.mailstore.journal.journal import Journal
from simmail.mailstore.maildir.filename import Row
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.opened import OpenMessages
from simmail.mailstore.threads import IWorker
from simmail.mailstore.writer.requests import IWriter


class IKeeper(Protocol):
    """Who keeps the folders of a store."""

    def unique(self) -> str:
        """Return a key for a message that no delivery brought."""

    def later(self, deferred: Deferred[Any]) -> None:
        """Log what goes wrong: nobody waits for it."""

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
