"""
Messages read piece by piece, by many at a time.

A large message is not held in memory for somebody who takes it slowly: it is
read from its file as it is taken, and all who read it share one descriptor.
It stays open, and so readable, when it is renamed or expunged meanwhile.  What
is worked out from the whole of it (its structure, a part decoded) is worked
out once for all, and given back when the last of them is done.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from twisted.internet.defer import Deferred, maybeDeferred, succeed
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure
from zope.interface import implementer

from simmail.concurrency import Lock, Shared
from simmail.errors import Unavailable
from simmail.interfaces import IOpened
from simmail.mailstore.maildir.files import MOST_READ, READ_FLAGS
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.threads import IWorker

#: Messages of one universe that are in memory as a whole at once, to work out something from them.
_WHOLE = 2

Key = tuple[str, str, int, int]


class OpenMessages:
    """The messages of one universe that are open."""

    def __init__(self, layout: Layout, reader: IWorker, reactor: IReactorTime) -> None:
        self._layout, self._reader, self.reactor = layout, reader, reactor
        self._open: dict[Key, OpenMessage] = {}
        self.whole = Lock(reactor, _WHOLE)

    def __len__(self) -> int:
        return len(self._open)

    def open(self, key: Key, path: str) -> Deferred[OpenMessage | None]:
        """
        Open a message; Deferred of it, None when its file is not there or cannot be read like this.

        @param key: mailbox, folder, UIDVALIDITY, UID; path: of its file, below the universe's directory.
        """
        told: Deferred[OpenMessage | None] = Deferred()

        def tell(result: OpenMessage | Failure | None) -> None:
            if not told.called:
                told.callback(result)  # type: ignore[arg-type]
            elif isinstance(result, OpenMessage):
                # Who asked was broken off meanwhile.
                result.close()

        Deferred.fromCoroutine(self._opened(key, path)).addBoth(tell)
        return told

    async def _opened(self, key: Key, path: str) -> OpenMessage | None:
        if key not in self._open:
            found: tuple[int, int] | None = await self._reader.call(_open, self._layout.root, path)
            if found is None:
                return None
            if key not in self._open:
                self._open[key] = OpenMessage(self, self._reader, key, *found)
            else:
                self._reader.send(os.close, found[0])
        return self._open[key].again()

    def closed(self, key: Key) -> None:
        """Nobody reads it any more."""
        del self._open[key]


@implementer(IOpened)
class OpenMessage:
    """One message, open; C{size}: in octets."""

    def __init__(self, messages: OpenMessages, reader: IWorker, key: Key, descriptor: int, size: int) -> None:
        self.size, self._messages, self._reader, self._key, self._descriptor = size, messages, reader, key, descriptor
        self._readers = 0
        self._derived: dict[Hashable, Any] = {}
        self._deriving: dict[Hashable, Shared[Any]] = {}

    def again(self) -> OpenMessage:
        """One more reads it."""
        self._readers += 1
        return self

    def close(self) -> None:
        self._readers -= 1
        if not self._readers:
            self._messages.closed(self._key)
            self._derived.clear()
            # Behind what is being read from it.
            self._reader.send(os.close, self._descriptor)

    def read(self, start: int, count: int) -> Deferred[bytes]:
        return self._reader.call(_read, self._descriptor, start, max(0, min(count, self.size - start)))

    def derive(self, name: Hashable, work: Callable[[bytes], Any], in_thread: Callable[..., Any]) -> Deferred[Any]:
        if name in self._derived:
            return succeed(self._derived[name])
        shared = self._deriving.get(name)
        if shared is None:
            shared = self._deriving[name] = Shared(self._messages.reactor)
        return shared.do(partial(self._derive, name, work, in_thread))

    async def _derive(self, name: Hashable, work: Callable[[bytes], Any], in_thread: Callable[..., Any]) -> Any:
        self.again()
        try:
            async with self._messages.whole:
                made = await maybeDeferred(in_thread, partial(work, await self.read(0, self.size)))
            self._derived[name] = made
            return made
        finally:
            self._deriving.pop(name, None)
            self.close()


def _open(root: int, path: str) -> tuple[int, int] | None:
    """A descriptor of a file, and its size; by the reader."""
    try:
        descriptor = os.open(path, READ_FLAGS, dir_fd=root)
    except OSError:
        # What is wrong with it, reading it as usual finds out.
        return None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_READ:
        os.close(descriptor)
        return None
    return descriptor, status.st_size


def _read(descriptor: int, start: int, count: int) -> bytes:
    octets = os.pread(descriptor, count, start)
    while len(octets) < count:
        more = os.pread(descriptor, count - len(octets), start + len(octets))
        if not more:
            raise Unavailable("the file of a message has become shorter")
        octets += more
    return octets
