"""
Annotations of folders and of mailboxes as a whole: C{simmail-metadata} in a folder, and C{simmail-metadata-server}.

Each is a JSON object of values in base 64 by the names of entries.  Written by
the writer, all of a change or nothing of it, and synced.
Source: RFC 5464.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import msgspec
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from zope.interface import implementer

from simmail.errors import OverAllowance
from simmail.interfaces import IAnnotations
from simmail.mailstore.delivery.delivery import Filer
from simmail.mailstore.immediate import deferred
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.names import existing_folder, mailbox_dir

if TYPE_CHECKING:
    from simmail.mailstore.mailstore import MailStore
    from simmail.mailstore.memory.mailstore import MemoryMailStore

FILE, SERVER = "simmail-metadata", "simmail-metadata-server"

#: Entries of one folder, and octets of their names and values together.
MOST, ROOM = 100, 1 << 20

Listener = Callable[[str, str, "tuple[str, ...]", object], None]

_decode = msgspec.json.Decoder(dict[str, str]).decode


def changed(entries: Mapping[str, bytes], changes: Mapping[str, bytes | None]) -> dict[str, bytes]:
    """
    Entries after a change.

    @raise OverAllowance: they have become more, or larger, than they may be.
    """
    after = {name: value for name, value in {**entries, **changes}.items() if value is not None}
    if len(after) > max(MOST, len(entries)) or _weight(after) > max(ROOM, _weight(entries)):
        raise OverAllowance("too many annotations")
    return after


def _weight(entries: Mapping[str, bytes]) -> int:
    return sum(len(name) + len(value) for name, value in entries.items())


class Listeners:
    """Who is told of changes."""

    log = Logger()

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        """Call it for each change."""
        self._listeners.append(listener)

    def unlisten(self, listener: Listener) -> None:
        """Stop."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def tell(self, mailbox: str, folder: str, names: tuple[str, ...], origin: object) -> None:
        """These entries have changed."""
        for listener in list(self._listeners):
            try:
                listener(mailbox, folder, names, origin)
            except Exception:
                self.log.failure("a listener of annotations failed")


@implementer(IAnnotations)
class Annotations(Listeners):
    """Those of one store on disk."""

    def __init__(self, store: MailStore) -> None:
        super().__init__()
        self._store = store

    def read(self, mailbox: str, folder: str) -> Deferred[dict[str, bytes]]:
        """Deferred of values by the names of entries."""
        return Deferred.fromCoroutine(self._read(mailbox, folder))

    async def _read(self, mailbox: str, folder: str) -> dict[str, bytes]:
        store = self._store
        box = store.boxes.require(mailbox)
        found: dict[str, bytes] = await store.reader.call(_read, store.layout, box, folder and existing_folder(folder))
        return found

    def write(
        self, mailbox: str, folder: str, changes: Mapping[str, bytes | None], origin: object = None
    ) -> Deferred[None]:
        """Deferred: some entries are changed, all or none."""
        return Deferred.fromCoroutine(self._write(mailbox, folder, dict(changes), origin))

    async def _write(
        self, mailbox: str, folder: str, changes: dict[str, bytes | None], origin: object
    ) -> None:
        store = self._store
        store.boxes.require(mailbox)
        folder = folder and existing_folder(folder)
        told = await store.writer.call(_write, store.filer, mailbox, folder, changes)
        if told:
            self.tell(mailbox, folder, tuple(told), origin)


@implementer(IAnnotations)
class AnnotationsInMemory(Listeners):
    """Those of the store in memory."""

    def __init__(self, store: MemoryMailStore) -> None:
        super().__init__()
        self._store = store

    @deferred
    def read(self, mailbox: str, folder: str) -> dict[str, bytes]:
        """Values by the names of entries."""
        self._store.require()
        return dict(self._store.annotated(mailbox, folder))

    @deferred
    def write(
        self, mailbox: str, folder: str, changes: Mapping[str, bytes | None], origin: object = None
    ) -> None:
        """Some entries are changed, all or none."""
        self._store.require()
        entries = self._store.annotated(mailbox, folder)
        after = changed(entries, changes)
        told = tuple(name for name in changes if entries.get(name) != after.get(name))
        entries.clear()
        entries.update(after)
        if told:
            self.tell(mailbox, folder and existing_folder(folder), told, origin)


# On disk


def _path(layout: Layout, box: str, folder: str) -> str | None:
    """
    The file of a folder, or of the mailbox as a whole; None where the folder is not made yet.

    @raise NotFound: there is no such mailbox or folder.
    """
    if not folder:
        return f"{box}/{SERVER}"
    directory = layout.directory(box, folder)
    return f"{directory}/{FILE}" if directory is not None else None


def _read(layout: Layout, box: str, folder: str) -> dict[str, bytes]:
    path = _path(layout, box, folder)
    try:
        return {name: b64decode(value) for name, value in _decode(layout.read(path)).items()} if path else {}
    except FileNotFoundError:
        return {}
    except ValueError:
        # Another program has been at it.
        return {}


def _write(filer: Filer, mailbox: str, folder: str, changes: dict[str, bytes | None]) -> list[str]:
    layout, box = filer.layout, mailbox_dir(mailbox)
    entries = _read(layout, box, folder)
    after = changed(entries, changes)
    told = [name for name in changes if entries.get(name) != after.get(name)]
    if told:
        path = _path(layout, box, folder) or f"{filer.make(mailbox, folder)}/{FILE}"
        layout.write(path, msgspec.json.encode({name: b64encode(value).decode() for name, value in after.items()}))
    return told


def copy(filer: Filer, mailbox: str, source: str, target: str) -> None:
    """A folder gets all annotations of another; by the writer."""
    _write(filer, mailbox, target, dict(_read(filer.layout, mailbox_dir(mailbox), source)))
