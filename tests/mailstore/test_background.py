"""How often INBOXes are looked at."""

from __future__ import annotations

from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore import background
from simmail.mailstore.damage import Damage


class RestTests(SynchronousTestCase):
    """INBOXes that change all the time share the little time there is for looking at them."""

    def setUp(self) -> None:
        """Looking at one takes a second, and each of them has changed whenever it is looked at."""
        self.now, self.looked, self.seen = 0.0, list[str](), dict[str, Any]()
        self.patch(background, "monotonic", lambda: self.now)
        self.patch(background.filename, "strays", self.slowly)
        self.times = lambda: (len(self.looked), round(self.now))
        self.wall = 10.0
        self.patch(background.filename, "times_of", lambda root, box: self.times())

    def slowly(self, root: int, box: str) -> list[str]:
        self.now += 1.0
        self.looked.append(box)
        return []

    def look(self, at: float, filed: Collection[str] = ()) -> None:
        """A look at two INBOXes."""
        self.now = at
        layout: Any = SimpleNamespace(root=0, damage=Damage("main"), wall=lambda: self.wall)
        background._strays(layout, {"maria": "m", "tom": "t"}, self.seen, filed)

    def test_rest(self) -> None:
        """After a look at both nothing is looked at for twenty times as long."""
        for at in (0.0, 41.0, 43.0):
            self.look(at)
        self.assertEqual(self.looked, ["m", "t"] * 2)
        self.assertEqual(self.now, 45.0)

    def test_while_filing(self) -> None:
        """One into which we file rests longer, and as long as others when that is over."""
        for at, filed in ((0.0, {"maria"}), (50.0, {"maria"}), (160.0, {"maria"}), (200.0, set[str]())):
            self.look(at, filed)
        self.assertEqual(self.looked, ["m", "t", "t", "t", "m", "t"])

    def test_same_tick(self) -> None:
        """What changed only just is looked at again: the next change may be of the same tick of the clock."""
        self.times = lambda: (10**9, 10**10)
        for at, wall, looks in ((0.0, 10.01, 2), (50.0, 10.02, 4), (100.0, 10.2, 6), (150.0, 10.3, 6)):
            self.wall = wall
            self.look(at)
            self.assertEqual(len(self.looked), looks)


class StopTests(SynchronousTestCase):
    """Looking, and the end of it."""

    def test_closed_meanwhile(self) -> None:
        """A store that is closed in the middle of a look is no failure; what goes wrong before is told."""
        clock = Clock()

        def gone() -> None:
            if closed:
                watch.stop()
            raise OSError(9, "Bad file descriptor")

        parts: list[Any] = [
            SimpleNamespace(reactor=clock, at=SimpleNamespace(universe="main")), SimpleNamespace(all=gone),
            SimpleNamespace(all_loaded=list), None]
        for closed, told in ((False, 1), (True, 0)):
            watch = background.ExternalWatch(*parts)
            watch.start()
            clock.advance(1.0)
            self.assertEqual(len(self.flushLoggedErrors(OSError)), told)
            watch.stop()
