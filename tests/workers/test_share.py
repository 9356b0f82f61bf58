"""What one of several processes is told, and which universes it has."""

from __future__ import annotations

from collections import Counter

from twisted.trial.unittest import SynchronousTestCase

from simmail.workers.share import WorkerShare, owner


class WorkerShareTests(SynchronousTestCase):
    """Told on a command line."""

    def test_both_ways(self) -> None:
        """It is read as it was written."""
        share = WorkerShare(1, 2, (("smtp", "::1", 25, 3),), ("/a b/0", "/ä/1"), 4, "unix:///a?db=1")
        self.assertEqual(WorkerShare.decode(share.encode()), share)

    def test_files(self) -> None:
        """The first has the files of a single process, and no two have the same."""
        shares = [WorkerShare(number, 3, (), (), 3, "") for number in range(3)]
        self.assertEqual([one.suffix for one in shares], ["", "-1", "-2"])


class OwnerTests(SynchronousTestCase):
    """Who has which universe."""

    def test_stable(self) -> None:
        """It is a matter of the name and the number of processes alone; those written down are on disks."""
        self.assertEqual([owner(name, 2, frozenset()) for name in ("ash", "birch", "elm", "fir")], [0, 1, 1, 0])
        self.assertEqual(owner("birch", 1, frozenset()), 0)

    def test_first(self) -> None:
        """Some are always with the first."""
        self.assertEqual(owner("birch", 2, frozenset(("birch",))), 0)

    def test_spread(self) -> None:
        """Each has its part of many."""
        counts = Counter(owner(f"universe-{number}", 4, frozenset()) for number in range(10_000))
        self.assertTrue(all(2300 < counts[number] < 2700 for number in range(4)), counts)
