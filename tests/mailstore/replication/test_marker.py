"""Tests of what is said of the mail of a universe on a disk."""

from __future__ import annotations

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.replication.marker import MARKER, NEWEST, ReplicaMarker, read_marker, write_marker


class MarkerTests(SynchronousTestCase):
    """A directory."""

    def test_holds(self) -> None:
        """The disk has all of an epoch if it was the last, and the machine has not gone down, or it was closed."""
        for marker, holds in ((ReplicaMarker(3, "boot"), True), (ReplicaMarker(3, "other"), False),
                              (ReplicaMarker(3), True), (ReplicaMarker(2), False), (ReplicaMarker(4, "boot"), False),
                              (ReplicaMarker(NEWEST), True)):
            self.assertEqual(marker.holds(3, "boot"), holds, marker)

    def test_kept(self) -> None:
        """It is read as it was written; what cannot be understood says nothing."""
        root = self.mktemp()
        self.assertIsNone(read_marker(root, "main"))
        write_marker(root, "main", ReplicaMarker(7, "boot"))
        self.assertEqual(read_marker(root, "main"), ReplicaMarker(7, "boot"))
        for octets in (b"", b"{}", b'{"epoch": "x"}', b"\xff"):
            Path(root, "main", MARKER).write_bytes(octets)
            self.assertIsNone(read_marker(root, "main"))
