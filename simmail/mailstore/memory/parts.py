"""What the store in memory has beside its folders: listeners, annotations, what is kept for jobs, open messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from twisted.internet.defer import Deferred, fail, maybeDeferred, succeed
from zope.interface import implementer

from simmail.core.message.summary import Digest
from simmail.core.records.folder import FolderEvent
from simmail.errors import NotFound, Unavailable
from simmail.interfaces import IAnnotations, IFolderEvents, IHeld, IOpened
from simmail.mailstore.listeners import Listeners
from simmail.mailstore.maildir.annotations import changed
from simmail.mailstore.maildir.names import existing_folder

Listener = Callable[[FolderEvent], None]


@implementer(IFolderEvents)
class EventsInMemory:
    """
    What happens to folders, told to who listens to a mailbox.

    @param require: raises L{NotFound} when there is no such mailbox.
    """

    def __init__(self, require: Callable[[str], None]) -> None:
        self._require = require
        self._listeners: dict[str, Listeners[[FolderEvent]]] = {}

    def listen(self, mailbox: str, listener: Listener) -> Deferred[None]:
        return maybeDeferred(self._require, mailbox).addCallback(
            lambda _: self._listeners.setdefault(mailbox, Listeners("a mailbox")).listen(listener))

    def unlisten(self, mailbox: str, listener: Listener) -> None:
        listeners = self._listeners.get(mailbox)
        if listeners is not None:
            listeners.unlisten(listener)
            if not listeners.watched:
                del self._listeners[mailbox]

    def tell(self, mailbox: str, kind: Any, name: str, old: str = "") -> None:
        """Tell that something happened."""
        listeners = self._listeners.get(mailbox)
        if listeners is not None:
            listeners.tell(FolderEvent(kind, name, old))


@implementer(IAnnotations)
class AnnotationsInMemory(Listeners[[str, str, tuple[str, ...], object]]):
    """
    Annotations of folders and mailboxes.

    @param entries: answers those of a folder, or of a mailbox as a whole, to be changed.
    """

    def __init__(self, entries: Callable[[str, str], dict[str, bytes]]) -> None:
        super().__init__("annotations")
        self._entries = entries

    def read(self, mailbox: str, folder: str) -> Deferred[dict[str, bytes]]:
        return maybeDeferred(lambda: dict(self._entries(mailbox, folder)))

    def write(
        self, mailbox: str, folder: str, changes: Mapping[str, bytes | None], origin: object = None
    ) -> Deferred[None]:
        return maybeDeferred(self._write, mailbox, folder, changes, origin)

    def _write(self, mailbox: str, folder: str, changes: Mapping[str, bytes | None], origin: object) -> None:
        entries = self._entries(mailbox, folder)
        after = changed(entries, changes)
        told = tuple(name for name in changes if entries.get(name) != after.get(name))
        entries.clear()
        entries.update(after)
        if told:
            self.tell(mailbox, folder and existing_folder(folder), told, origin)


@implementer(IHeld)
class DeferredBodiesInMemory:
    """Octets of messages that jobs will need, in a dict."""

    def __init__(self) -> None:
        self._octets: dict[str, bytes] = {}

    def keep(self, keys: Sequence[str], octets: bytes) -> Deferred[None]:
        self._octets.update(dict.fromkeys(keys, octets))
        return succeed(None)

    def read(self, key: str) -> Deferred[bytes]:
        return succeed(self._octets[key]) if key in self._octets else fail(NotFound(f"nothing is held for {key}"))

    def drop(self, keys: Sequence[str]) -> Deferred[None]:
        for key in keys:
            self._octets.pop(key, None)
        return succeed(None)

    def keys(self) -> Deferred[list[str]]:
        return succeed(sorted(self._octets))

    def copied(self) -> DeferredBodiesInMemory:
        """Return the same, kept apart."""
        held = DeferredBodiesInMemory()
        held._octets = dict(self._octets)
        return held

    def __len__(self) -> int:
        return len(self._octets)


@implementer(IOpened)
class OpenMessageInMemory:
    """A message that is read piece by piece, in memory anyway."""

    def __init__(self, octets: bytes) -> None:
        self.size = len(octets)
        self._octets = octets

    def read(self, start: int, count: int) -> Deferred[bytes]:
        return succeed(self._octets[start:start + count])

    def derive(self, name: Any, work: Callable[[bytes], Any], in_thread: Callable[..., Any]) -> Deferred[Any]:
        return maybeDeferred(in_thread, partial(work, self._octets))

    def close(self) -> None:
        """Let go of nothing: none is open."""


class MemoryContext:
    """
    What the folders of one store have in common.

    @ivar away: set it to make every call fail with L{Unavailable}.
    @ivar digest_of: takes the digest of a message.
    @ivar keys_made: how many keys were.
    """

    def __init__(self, digest: Callable[[bytes], Digest], require_mailbox: Callable[[str], None]) -> None:
        self.away = False
        self.digest_of = digest
        self.events = EventsInMemory(require_mailbox)
        self.keys_made = 0

    def require(self) -> None:
        """@raise Unavailable: the store is made to be away."""
        if self.away:
            raise Unavailable("the mail store is away")

    def unique(self) -> str:
        """Return a key for a message that no delivery brought."""
        self.keys_made += 1
        return f"append-{self.keys_made}"
