"""Files of another program that are larger than a message may be."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

from tests.contracts.mailstores import result_of
from tests.mailstore.test_by_hand import MARIA, DamageCase


class OversizeTests(DamageCase):
    """Dropped into C{new/}."""

    size = 1024 * 1024 * 1024

    def drop(self, name: str, octets: bytes, size: int = 0) -> Path:
        """A file in C{new/}, sparse from the end of C{octets} on."""
        path = self.box(MARIA) / "new" / name
        with open(path, "wb") as file:
            file.write(octets)
            file.truncate(size or self.size)
        return path

    def test_stub(self) -> None:
        """It is shown with its header fields and its size, and was put aside, not read."""
        header = (b"Received: from x\nFrom: Maria <maria@acme.test>\nSubject: many\n pictures\nMessage-ID: <1@x>\n"
                  b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\nSubject: no\n")
        folder = self.folder()
        self.drop("1.large", header)
        self.drop("2.large", b"\0" * 100)
        Path("/proc/self/clear_refs").write_text("5")
        before = self.peak()
        result_of(folder.poll())
        self.assertEqual(list(folder.uids), [1, 2, 3, 4, 5])
        octets = dict(result_of(folder.reads([4, 5])))
        result_of(folder.digests([4, 5]))
        self.assertLess(self.peak() - before, 32 * 1024)
        text = f"This message has {self.size} octets."
        self.assertIn(text.encode(), octets[4])
        self.assertIn(b"simmail-large/1.large", octets[4])
        self.assertTrue(octets[4].startswith(
            b"From: Maria <maria@acme.test>\r\nSubject: many\r\n pictures\r\nMessage-ID: <1@x>\r\nMIME-Version: 1.0\r\n"
            b"Content-Type: text/plain"), octets[4])
        self.assertIn(b"Subject: This message is too large\r\n", octets[5])
        for uid, one in octets.items():
            self.assertEqual(folder.entry(uid).size, len(one))
            self.assertNotIn(b"\n", one.replace(b"\r\n", b""))
        self.assertEqual({path.name: path.stat().st_size for path in (self.box(MARIA) / "simmail-large").iterdir()},
                         {"1.large": self.size, "2.large": self.size})
        self.assertEqual([name for name in os.listdir(self.box(MARIA) / "new") if "large" in name and "," not in name],
                         [])

    def peak(self) -> int:
        """The most memory that this process had since it was last asked to forget that, KiB."""
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0])

    def test_again(self) -> None:
        """One that a crash left between the stub and the file is not shown twice; names are not used twice."""
        self.drop("1.large", b"Subject: a\n\n")
        os.utime(self.box(MARIA) / "new" / "1.large", (1000, 1000))
        real = os.rename

        def fail(source: str, target: str, **more: Any) -> None:
            if target.startswith("simmail-large/"):
                raise OSError(errno.EIO, "gone")
            real(source, target, **more)
        trouble = self.patch(os, "rename", fail)
        result_of(self.folder().poll())
        trouble.restore()
        self.store = self.provider.crash()
        folder = self.folder()
        result_of(folder.poll())
        self.assertEqual(len(folder.uids), 4)
        self.drop("1.large", b"Subject: b\n\n")
        result_of(folder.poll())
        # A UID was used up in vain before: it is looked at once more, in another turn.
        self.provider.clock.advance(0)
        self.assertEqual(len(folder.uids), 5)
        self.assertEqual(len(os.listdir(self.box(MARIA) / "simmail-large")), 2)

    def test_bound(self) -> None:
        """What is exactly as large as a message may be is one."""
        self.store._external._most = 1000
        for size in (1000, 1001):
            self.drop(f"{size}.x", b"Subject: x\r\n\r\n", size)
        folder = self.folder()
        result_of(folder.poll())
        self.assertEqual([b"too large" in one or b"This message has 1001 octets" in one
                          for _, one in result_of(folder.reads([4, 5]))], [False, True])

    def test_own_name(self) -> None:
        """One that is named as ours are is not read whole either."""
        path = self.box(MARIA) / "cur" / f"x,U=2,S={self.size}:2,"
        self.provider.stop()
        shutil.rmtree(Path(self.path, "index"), ignore_errors=True)
        next((self.box(MARIA) / "new").glob("d-1,*")).unlink()
        with open(path, "wb") as file:
            file.truncate(self.size)
        self.store = self.provider.start()
        self.assertIn(b"This message cannot be read", result_of(self.folder().read(2)))
