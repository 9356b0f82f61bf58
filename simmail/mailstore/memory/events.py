"""What happens to folders of the store in memory, told to who listens to a mailbox."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from zope.interface import implementer

from simmail.core.records.folder import FolderEvent
from simmail.interfaces import IFolderEvents
from simmail.mailstore.immediate import deferred
from simmail.mailstore.listeners import Listeners

Listener = Callable[[FolderEvent], None]


@implementer(IFolderEvents)
class EventsInMemory:
    """
    Those of the store in memory.

    @param require: raises L{NotFound} when there is no such mailbox.
    """

    def __init__(self, require: Callable[[str], None]) -> None:
        self._require = require
        self._listeners: dict[str, Listeners[[FolderEvent]]] = {}

    @deferred
    def listen(self, mailbox: str, listener: Listener) -> None:
        """Call it with each event of a mailbox."""
        self._require(mailbox)
        self._listeners.setdefault(mailbox, Listeners("a mailbox")).add(listener)

    def unlisten(self, mailbox: str, listener: Listener) -> None:
        """Stop."""
        listeners = self._listeners.get(mailbox)
        if listeners is not None:
            listeners.remove(listener)
            if not listeners:
                del self._listeners[mailbox]

    def tell(self, mailbox: str, kind: Any, name: str, old: str = "") -> None:
        """Something happened."""
        listeners = self._listeners.get(mailbox)
        if listeners is not None:
            listeners.tell(FolderEvent(kind, name, old))
