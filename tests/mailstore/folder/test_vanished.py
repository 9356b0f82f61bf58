"""Messages that were expunged, as far back as they are remembered."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.folder import state
from simmail.mailstore.folder.state import Vanished


class VanishedTests(SynchronousTestCase):
    """C{Vanished}."""

    def test_after(self) -> None:
        """UIDs are answered in order, whatever the order they went in; of those before nothing is said."""
        expunged = Vanished()
        expunged.add([9], 3)
        expunged.add([5, 2], 4)
        expunged.add([7], 6)
        self.assertEqual(expunged.after(0), [2, 5, 7, 9])
        self.assertEqual(expunged.after(3), [2, 5, 7])
        self.assertEqual(expunged.after(6), [])

    def test_not_so_far_back(self) -> None:
        """Who asks for more than is remembered is told that it is not known."""
        expunged = Vanished(7)
        expunged.add([1], 8)
        self.assertIsNone(expunged.after(6))
        self.assertEqual(expunged.after(7), [1])

    def test_bound(self) -> None:
        """Of too many the older half is forgotten, and asked for it is not known."""
        self.patch(state, "MOST_VANISHED", 10)
        expunged = Vanished()
        for modseq in range(1, 12):
            expunged.add([modseq], modseq)
        self.assertIsNone(expunged.after(1))
        self.assertEqual(expunged.since, 6)
        self.assertEqual(expunged.after(6), [7, 8, 9, 10, 11])
        self.assertEqual(expunged.after(10), [11])

    def test_packed(self) -> None:
        """It is again what it was; octets that cannot be it are told."""
        expunged = Vanished(7)
        expunged.add([4_294_967_295, 5], 8)
        expunged.add([1], 1 << 62)
        octets = expunged.packed()
        again = Vanished.unpacked(octets, 7)
        again.add([2], (1 << 62) + 1)
        self.assertEqual((again.since, again.after(7), again.after(8)), (7, [1, 2, 5, 4_294_967_295], [1, 2]))
        self.assertEqual(Vanished.unpacked(b"", 1).after(0), [])
        for end in range(1, 12):
            self.assertRaises(ValueError, Vanished.unpacked, octets[:-end], 7)
