"""
A store of objects in memory, which a test can have fail.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from twisted.internet.defer import Deferred, fail, succeed
from zope.interface import implementer

from simmail.core.records.objects import ObjectPage
from simmail.errors import NotFound, Unavailable
from simmail.interfaces import IObjectStore

T = TypeVar("T")


@implementer(IObjectStore)
class MemoryObjects:
    """
    Objects in a dict.

    @ivar objects: by name.  @ivar asked: (operation, name) of each call.
    @ivar trouble: set by a test, it is away.
    @ivar losing: set by a test, what is put is there and the answer is lost.
    @ivar held: set to a list by a test, answers to what is put wait there until they are called.
    """

    page = 1000

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.asked: list[tuple[str, str]] = []
        self.trouble = ""
        self.losing = False
        self.held: list[Callable[[], None]] | None = None

    def put(self, name: str, octets: bytes) -> Deferred[None]:
        """Put an object."""
        def put() -> None:
            self.objects[name] = octets
        return self._put("put", name, put)

    def put_new(self, name: str, octets: bytes) -> Deferred[bool]:
        """Put an object where none is."""
        return self._put("put_new", name, lambda: self.objects.setdefault(name, octets) == octets)

    def _put(self, operation: str, name: str, do: Callable[[], T]) -> Deferred[T]:
        self.asked.append((operation, name))
        if self.trouble:
            return self._away()
        if self.held is None:
            done = do()
            return self._away() if self.losing else succeed(done)
        waiting: Deferred[T] = Deferred()
        self.held.append(lambda: waiting.callback(do()))
        return waiting

    def get(self, name: str) -> Deferred[bytes]:
        """Read an object."""
        self.asked.append(("get", name))
        if self.trouble:
            return self._away()
        octets = self.objects.get(name)
        return fail(NotFound(f"there is no object {name}")) if octets is None else succeed(octets)

    def list(self, prefix: str, token: str = "") -> Deferred[ObjectPage]:
        """List names."""
        self.asked.append(("list", prefix))
        if self.trouble:
            return self._away()
        found = sorted(name for name in self.objects if name.startswith(prefix) and name > token)
        page = found[:self.page]
        return succeed(ObjectPage(page, page[-1] if len(found) > len(page) else ""))

    def delete(self, name: str) -> Deferred[None]:
        """Remove an object."""
        self.asked.append(("delete", name))
        if self.trouble:
            return self._away()
        self.objects.pop(name, None)
        return succeed(None)

    def _away(self) -> Deferred[T]:
        return fail(Unavailable(f"the object store is away: {self.trouble or 'no answer'}"))
