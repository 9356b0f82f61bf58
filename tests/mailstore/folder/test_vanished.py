"""Messages that were expunged, as far back as they are remembered."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.folder import state
from simmail.mailstore.folder.state import Vanished


class VanishedTests(SynchronousTestCase):
    """C{Vanished}."""

    def test_after(self) -> None:
        """UIDs are answered in order, whatever the order they went in; of those before nothing is said."""
        expunged = Vanished([(3, 9)])
        expunged.add([5, 2], 4)
        expunged.add([7], 6)
        self.assertEqual(expunged.after(0), [2, 5, 7, 9])
        self.assertEqual(expunged.after(3), [2, 5, 7])
        self.assertEqual(expunged.after(6), [])

    def test_not_so_far_back(self) -> None:
        """Who asks for more than is remembered is told that it is not known."""
        expunged = Vanished([(8, 1)], 7)
        self.assertIsNone(expunged.after(6))
        self.assertEqual(expunged.after(7), [1])

    def test_bound(self) -> None:
        """Of too many the older half is forgotten, and asked for it is not known."""
        self.patch(state, "MOST_VANISHED", 10)
        expunged = Vanished()
        for modseq in range(1, 12):
            expunged.add([modseq], modseq)
        self.assertLessEqual(len(expunged.known), 10)
        self.assertEqual(expunged.known[-1], (11, 11))
        self.assertIsNone(expunged.after(1))
        self.assertEqual(expunged.after(expunged.since), [uid for _, uid in expunged.known])
        self.assertEqual(expunged.after(10), [11])
