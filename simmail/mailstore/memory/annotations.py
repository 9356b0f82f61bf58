"""Annotations of folders and mailboxes of the store in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from zope.interface import implementer

from simmail.interfaces import IAnnotations
from simmail.mailstore.immediate import deferred
from simmail.mailstore.maildir.annotations import AnnotationListeners, changed
from simmail.mailstore.maildir.names import existing_folder


class AnnotatedStore(Protocol):
    """What is needed of a store."""

    def require(self) -> None:
        """@raise Unavailable: the store is away."""

    def annotated(self, mailbox: str, name: str) -> dict[str, bytes]:
        """Return the annotations of a folder, or of a mailbox as a whole, to be changed."""


@implementer(IAnnotations)
class AnnotationsInMemory(AnnotationListeners):
    """Those of the store in memory."""

    def __init__(self, store: AnnotatedStore) -> None:
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
