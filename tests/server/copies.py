"""What the tests of snapshots, forks and resets share."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any, TypeVar

from twisted.internet.defer import Deferred

from simmail.testing.universe import MemoryServer, now
from simmail.universe.fingerprint import fingerprint
from simmail.universe.universe import Universe
from tests.universe.test_road import MAIL, RoadTestCase, persona

T = TypeVar("T")

LOGIN, PASSWORD = "app@sim.test", "s3cret"


class Killed(Exception):
    """The process is gone."""


class Killing:
    """
    Lets so many changes of a database and the mail happen, and none after them.

    @ivar made: how many there were.
    """

    def __init__(self, server: MemoryServer, after: int | None = None) -> None:
        self.made = 0
        self._after = after
        self._undo: list[Callable[[], None]] = []
        for thing, names in ((server.database, ("commit", "copy", "erase")), (server.images, ("copy", "erase"))):
            for name in names:
                self._watch(thing, name)
        for store in server.stores.values():
            for name in ("reset", "erase", "create"):
                self._watch(store, name)

    def _watch(self, thing: Any, name: str) -> None:
        call = getattr(thing, name)

        def watched(*args: Any, **options: Any) -> Any:
            if self._after is not None and self.made >= self._after:
                raise Killed
            self.made += 1
            return call(*args, **options)

        setattr(thing, name, watched)
        self._undo.append(lambda: delattr(thing, name))

    def over(self) -> None:
        """Another process begins."""
        for undo in self._undo:
            undo()


class CopiesTestCase(RoadTestCase):
    """A universe with somebody who answers, a login, and a mail on its way."""

    def setUp(self) -> None:
        """Make them."""
        super().setUp()
        self.roster = self.server.roster
        now(self.universe.people.create(persona()))
        now(self.roster.accounts(self.universe).create({"address": LOGIN, "password": PASSWORD}))
        self.server.send(self.universe, LOGIN, "maria@acme.test", MAIL)

    def done(self, work: Coroutine[Any, Any, T]) -> T:
        """What comes of it, when everybody has had their turn."""
        deferred = Deferred.fromCoroutine(work)
        for _ in range(50):
            if deferred.called:
                break
            self.server.reactor.advance(0)
        return now(deferred)

    def snapshot(self) -> Any:
        """A snapshot of the universe."""
        return self.done(self.roster.snapshots.create(self.universe))

    def fork(self, snapshot: Any, **options: Any) -> Universe:
        """A fork."""
        universe: Universe = self.done(self.roster.snapshots.fork(snapshot, **options)).universe
        return universe

    def lived(self, universe: Universe, nth: int = 2) -> str:
        """A mail more and a day on; the fingerprint."""
        self.server.send(universe, LOGIN, "maria@acme.test", MAIL.replace(b"<one@", b"<n%d@" % nth).replace(
            b"12:30", b"%d:30" % (nth + 10)))
        self.done(universe.scheduler.advance(by=timedelta(days=1)))
        return self.taken(universe)

    def taken(self, universe: Universe) -> str:
        """A fingerprint."""
        return self.done(fingerprint(universe)).fingerprint

    def restarted(self) -> None:
        """Another process begins on what is there."""
        self.roster = self.server.roster = self.server.started()
        self.roster.begin()
        self.universe = self.roster.universe("main")
