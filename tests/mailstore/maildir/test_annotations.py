"""Annotations on disk: whatever becomes of the index, the process, the disk and the file."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.mailstore.maildir import annotations as annotating
from tests.contracts.mailstores import DiskProvider, a_delivery, result_of

MARIA = "maria@acme.test"


class AnnotationTests(SynchronousTestCase):
    """A store on disk."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.provider = DiskProvider(self.path)
        result_of(self.provider.store.accept(a_delivery(0, MARIA)))
        self.write({"/private/x": b"one"})

    def tearDown(self) -> None:
        self.provider.stop()

    def read(self, folder: str = "INBOX") -> Any:
        """Maria's."""
        return result_of(self.provider.store.annotations.read(MARIA, folder))

    def write(self, changes: Any, folder: str = "INBOX") -> None:
        """Maria's."""
        result_of(self.provider.store.annotations.write(MARIA, folder, changes))

    def file(self) -> Path:
        """That of the INBOX."""
        return next(Path(self.path).glob(f"mail/*/{MARIA}")) / annotating.FILE

    def test_index_gone(self) -> None:
        """It does not need the index, nor an orderly end."""
        self.provider.die()
        shutil.rmtree(f"{self.path}/index", ignore_errors=True)
        self.provider.start()
        self.assertEqual(self.read(), {"/private/x": b"one"})

    def test_synced(self) -> None:
        """What is answered is on disk, and complete before it takes the place of what was there."""
        done: list[str] = []
        for name in ("fsync", "rename"):
            real = getattr(os, name)
            self.patch(os, name, lambda *args, name=name, real=real, **kwargs: (
                done.append(name), real(*args, **kwargs))[1])
        self.write({"/private/x": b"two"})
        self.assertEqual(done, ["fsync", "rename", "fsync"])

    def test_full(self) -> None:
        """On a full disk nothing is changed, and the client is told."""
        def full(*args: Any, **kwargs: Any) -> None:
            raise OSError(errno.ENOSPC, "full")

        trouble = self.patch(os, "fsync", full)
        self.assertRaises(Unavailable, self.write, {"/private/x": b"two"})
        trouble.restore()
        self.assertEqual(self.read(), {"/private/x": b"one"})

    def test_damaged(self) -> None:
        """What another program wrote there counts for nothing, and is written over."""
        for octets in (b"", b"\xff", b'{"/private/x": 1}', b'{"/private/x": "\xc3\xa4"}', b"[]"):
            self.file().write_bytes(octets)
            self.assertEqual(self.read(), {})
        self.write({"/private/y": b"two"})
        self.assertEqual(self.read(), {"/private/y": b"two"})

    def test_folder_made(self) -> None:
        """A standard folder that was only shown is made for it, and keeps its identity."""
        folder = result_of(self.provider.store.folder(MARIA, "Drafts"))
        before = folder.uidvalidity, folder.objectid
        self.write({"/private/x": b"drafts"}, "Drafts")
        self.provider.restart()
        folder = result_of(self.provider.store.folder(MARIA, "Drafts"))
        self.assertEqual((folder.uidvalidity, folder.objectid), before)
        self.assertEqual(self.read("Drafts"), {"/private/x": b"drafts"})
