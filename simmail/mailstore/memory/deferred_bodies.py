"""Messages kept for later, of the store in memory."""

from __future__ import annotations

from collections.abc import Sequence

from twisted.internet.defer import Deferred, fail, succeed
from zope.interface import implementer

from simmail.errors import NotFound
from simmail.interfaces import IHeld


@implementer(IHeld)
class DeferredBodiesInMemory:
    """The octets, in a dict."""

    def __init__(self) -> None:
        self._octets: dict[str, bytes] = {}

    def keep(self, keys: Sequence[str], octets: bytes) -> Deferred[None]:
        """Deferred: the octets are there under each key."""
        self._octets.update(dict.fromkeys(keys, octets))
        return succeed(None)

    def read(self, key: str) -> Deferred[bytes]:
        """Deferred of the octets."""
        return succeed(self._octets[key]) if key in self._octets else fail(NotFound(f"nothing is held for {key}"))

    def drop(self, keys: Sequence[str]) -> Deferred[None]:
        """Deferred: nothing is kept under these keys."""
        for key in keys:
            self._octets.pop(key, None)
        return succeed(None)

    def keys(self) -> Deferred[list[str]]:
        """Deferred of all keys, sorted."""
        return succeed(sorted(self._octets))
