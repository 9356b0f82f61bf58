"""A store on disk whose mail is in a store of objects too, everything done in the calling thread."""

from __future__ import annotations

import os
import shutil
from typing import Any

from twisted.internet.defer import maybeDeferred

from simmail.mailstore.images import MailImages
from simmail.mailstore.mailstore import MailStore
from simmail.mailstore.replication.replicas import Replicas
from simmail.mailstore.writer.requests import Looks
from simmail.testing.objects import MemoryObjects
from tests.contracts.mailstores import DiskProvider, QuickJournal, result_of


def clear(path: str) -> None:
    """
    Remove a folder, and close what stores that died had open in it, as the kernel does.

    What SQLite has open it closes itself.
    """
    shutil.rmtree(path, ignore_errors=True)
    for name in os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else ():
        try:
            open_in = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        if open_in.startswith((f"{path}/mail", f"{path}/journal")):
            os.close(int(name))


class ReplicatedProvider(DiskProvider):
    """
    One whose universe C{main} is replicated.

    @ivar objects: what survives the machine; boot: tells one of its boots; standby: what others have is had beforehand.
    """

    boot = "boot 1"
    standby = False

    def __init__(self, path: str, objects: MemoryObjects | None = None) -> None:
        self.objects = objects or MemoryObjects()
        self.lost: list[str] = []
        super().__init__(path)

    def start(self) -> Any:
        """A process begins."""
        self.journal = QuickJournal(
            f"{self.path}/{self.journal_name}", self.clock, apart=False, looks=lambda: Looks(self.shown, self.sought))
        self.opened: dict[str, Any] = {}
        self.images: Any = MailImages(f"{self.path}/mail", self.journal, f"{self.path}/index")
        self.replicas = Replicas(
            self.objects, self.clock, maybeDeferred, f"{self.path}/mail", self.images,  # type: ignore[arg-type]
            lambda: self.boot, self.standby)
        self.before()
        result_of(self.replicas.prepare("main", lambda: self.lost.append("main")))
        self.store: Any = self.open("main")
        return self.store

    def before(self) -> None:
        """What is done before the universe is opened."""

    def open(self, universe: str) -> Any:
        """The store of a universe."""
        if universe not in self.opened:
            self.opened[universe] = MailStore(
                universe, f"{self.path}/mail", self.journal, f"{self.path}/index", self.clock, self.digest,
                False, self.shown, sought=self.sought, replicate=self.replicas.find)
        return self.opened[universe]

    def lose(self) -> Any:
        """The machine is gone with its disk, and another one starts."""
        self.die()
        for universe in self.opened:
            self.opened[universe].layout.close()
        clear(self.path)
        return self.start()
