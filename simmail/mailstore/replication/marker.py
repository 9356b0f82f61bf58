"""
Whether the mail of a universe on this disk is what the store of objects has, said by C{.replica} in its directory.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from msgspec import Struct

from simmail.durable import write
from simmail.mailstore.maildir.names import mailbox_dir

MARKER = ".replica"


class ReplicaMarker(Struct, frozen=True):
    """
    What is said of a directory.

    @ivar epoch: in which it was last changed, L{NEWEST}: it was put in the place of what the store has.
    @ivar boot: of the machine when it was opened, C{""}: it was closed in order, with everything in the store.
    """

    epoch: int
    boot: str = ""

    def holds(self, epoch: int, boot: str) -> bool:
        """Whether all that the store has of an epoch, the last one, is in the directory."""
        return self.epoch == NEWEST or self.epoch == epoch and self.boot in ("", boot)


NEWEST = -1


def read_marker(root: str, universe: str) -> ReplicaMarker | None:
    """Return what is said of a universe's directory, None for nothing that can be understood."""
    try:
        with open(f"{root}/{mailbox_dir(universe)}/{MARKER}", "rb") as file:
            return msgspec.json.decode(file.read(), type=ReplicaMarker)
    except (OSError, msgspec.MsgspecError):
        return None


def write_marker(root: str, universe: str, marker: ReplicaMarker) -> None:
    """Say it, durably."""
    path = f"{root}/{mailbox_dir(universe)}"
    os.makedirs(path, mode=0o700, exist_ok=True)
    write(Path(path, MARKER), msgspec.json.encode(marker))
