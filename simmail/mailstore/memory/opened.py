"""A message that is read piece by piece, of the store in memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from twisted.internet.defer import Deferred, maybeDeferred
from zope.interface import implementer

from simmail.interfaces import IOpened
from simmail.mailstore.immediate import deferred


@implementer(IOpened)
class OpenMessageInMemory:
    """A message that is in memory anyway."""

    def __init__(self, octets: bytes) -> None:
        self.size = len(octets)
        self._octets = octets

    @deferred
    def read(self, start: int, count: int) -> bytes:
        """Some of its octets."""
        return self._octets[start:start + count]

    def derive(self, name: Any, work: Callable[[bytes], Any], in_thread: Callable[..., Any]) -> Deferred[Any]:
        """What is worked out from them."""
        return maybeDeferred(in_thread, partial(work, self._octets))

    def close(self) -> None:
        """Nothing is open."""
