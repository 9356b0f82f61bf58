"""Annotations of folders and mailboxes of one store on disk: read by the reader, written by the writer."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from zope.interface import implementer

from simmail.concurrency import as_deferred
from simmail.interfaces import IAnnotations
from simmail.mailstore.delivery.mailboxes import Annotate
from simmail.mailstore.delivery.request import StoreId
from simmail.mailstore.listeners import Listeners
from simmail.mailstore.maildir.annotations import read
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.names import existing_folder
from simmail.mailstore.threads import IWorker
from simmail.mailstore.writer.requests import IWriter


@implementer(IAnnotations)
class Annotations(Listeners[[str, str, tuple[str, ...], object]]):
    """Those of one store on disk; C{require}: answers the directory of a mailbox, or raises L{NotFound}."""

    def __init__(
        self, layout: Layout, require: Callable[[str], str], reader: IWorker, writer: IWriter, at: StoreId
    ) -> None:
        super().__init__("annotations")
        self._layout, self._require, self._reader, self._writer, self._at = layout, require, reader, writer, at

    @as_deferred
    async def read(self, mailbox: str, folder: str) -> dict[str, bytes]:
        box = self._require(mailbox)
        found: dict[str, bytes] = await self._reader.call(read, self._layout, box, folder and existing_folder(folder))
        return found

    @as_deferred
    async def write(
        self, mailbox: str, folder: str, changes: Mapping[str, bytes | None], origin: object = None
    ) -> None:
        self._require(mailbox)
        folder = folder and existing_folder(folder)
        names = await self._writer.call(Annotate(self._at, mailbox, folder, changes))
        if names:
            self.tell(mailbox, folder, tuple(names), origin)
