"""Small files beside mail."""

from __future__ import annotations

import os
import time
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.maildir.layout import Layout


class WriteTests(SynchronousTestCase):
    """All or nothing, and on the disk."""

    def test_synced(self) -> None:
        """First the octets, then the name: it is in a directory that is synced when it is there."""
        layout = Layout(self.mktemp(), "main", time.time)
        self.addCleanup(layout.close)
        folder = Path(os.readlink(f"/proc/self/fd/{layout.root}"))
        synced: list[tuple[str, bool]] = []
        sync = os.fsync

        def noted(fd: int) -> None:
            sync(fd)
            synced.append((os.readlink(f"/proc/self/fd/{fd}"), (folder / "box" / "note").exists()))

        (folder / "box").mkdir()
        self.patch(os, "fsync", noted)
        layout.write("box/note", b"one")
        self.assertEqual([there for _, there in synced], [False, True])
        self.assertEqual(synced[-1][0], str(folder / "box"))
        self.assertEqual((folder / "box" / "note").read_bytes(), b"one")
