"""A file system that stops dead, as when its disk is torn off: what was not synced is lost.  Only root can make one."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.journeys.disk import Unmountable
from tests.journeys.load import Load
from tests.journeys.running import SOON, JourneyCase, Service, command, redis_pid, until

#: EXT4_IOC_SHUTDOWN, and EXT4_GOING_FLAGS_NOLOGFLUSH: not even what is in the file system's own log is written.
_SHUTDOWN, _NOLOGFLUSH = 0x8004587D, b"\2\0\0\0"


class FailingDisk:
    """An ext4 in a file, mounted on a folder."""

    def __init__(self, image: Path, folder: Path) -> None:
        self._image, self._folder = image, folder

    def make(self, size: int) -> None:
        """Make and mount it.  @raise Unmountable: it cannot be."""
        if os.geteuid() != 0 or not shutil.which("mkfs.ext4"):
            raise Unmountable("only root, and with mkfs.ext4, can have a file system that fails")
        self._folder.mkdir(exist_ok=True)
        with open(self._image, "wb") as file:
            file.truncate(size)
        for arguments in (["mkfs.ext4", "-q", "-F", str(self._image)], self._mount()):
            done = subprocess.run(arguments, capture_output=True)
            if done.returncode:
                raise Unmountable(done.stderr.decode("utf-8", "replace").strip())

    def _mount(self) -> list[str]:
        return ["mount", "-o", "loop,errors=remount-ro", str(self._image), str(self._folder)]

    def settle(self) -> None:
        """What was written is as if it were from long ago."""
        subprocess.run(["sync", "-f", str(self._folder)], check=True)

    def fail(self) -> None:
        """Whatever is asked of it from now on fails."""
        fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(fd, _SHUTDOWN, _NOLOGFLUSH)
        finally:
            os.close(fd)

    def unmount(self) -> None:
        """As soon as nobody uses it."""
        until(lambda: subprocess.run(["umount", str(self._folder)], capture_output=True).returncode == 0, SOON)

    def repair(self) -> None:
        """Unmount, check and mount it again."""
        self.unmount()
        checked = subprocess.run(["e2fsck", "-f", "-y", str(self._image)], capture_output=True)
        # 1: errors were corrected.
        if checked.returncode > 1:
            raise AssertionError(checked.stdout.decode("utf-8", "replace"))
        subprocess.run(self._mount(), check=True)


@contextmanager
def failing_disk(folder: Path, size: int = 6 << 30) -> Iterator[FailingDisk]:
    """One on a folder, in a file beside it that grows as it is used.  @raise Unmountable: there can be none here."""
    image = folder.with_name(folder.name + ".ext4")
    disk = FailingDisk(image, folder)
    try:
        disk.make(size)
        try:
            yield disk
        finally:
            disk.unmount()
    finally:
        image.unlink(missing_ok=True)


class Failed(NamedTuple):
    """
    What a file system that stopped dead in mid-load did.

    @ivar acknowledged: messages; replies: to what was sent after it had stopped; ready: what C{/readyz} said then.
    @ivar lost: what was written again, as the log says; start: seconds until it served after the repair.
    @ivar changed: UIDs that clients were told and that are others now.
    """

    acknowledged: int
    replies: dict[int, int]
    ready: str
    lost: str
    start: float
    changed: int


def fail(case: JourneyCase, service: Service, disk: FailingDisk, messages: int, sessions: int, within: float) -> Failed:
    """Stop the file system in the middle of mail, repair it, and look whether all that was acknowledged is there."""
    disk.settle()
    load = Load(service)
    load.create_people()
    load.begin(sessions, again=True, pause=0.0)
    until(lambda: len(load.acknowledged) >= messages * 3 // 4, within)
    told = load.uids()
    until(lambda: len(load.acknowledged) >= messages, within)
    redis = redis_pid(service.state)
    disk.fail()
    before = load.refused.copy()
    until(lambda: (load.refused - before).total() > sessions)
    ready = service.get("/readyz")
    load.end()
    service.kill()
    if redis is not None:
        try:
            os.kill(redis, signal.SIGKILL)
        except ProcessLookupError:
            # It has ended, for it could not write either.
            pass
    disk.repair()
    took = service.start()
    now = load.uids()
    load.check(case, within)
    case.assertEqual(load.permanent, [])
    case.assertEqual(len(set(now.values())), len(now))
    lost = [line.partition(": ")[2] for line in service.logged().splitlines() if "the disk has lost" in line]
    # The journal goes with an orderly stop; all has to be on the disk by then.
    case.assertEqual(service.stop(), 0)
    disk.repair()
    service.start()
    load.check(case, within)
    checked = command("admin", "check", "--state", str(service.state), timeout=within)
    case.assertEqual(checked.returncode, 0, checked.stdout)
    return Failed(len(load.acknowledged), dict(load.refused - before), f"{ready.status} {ready.json()['checks']}",
                  "; ".join(lost), took, sum(now.get(name) != uid for name, uid in told.items()))
