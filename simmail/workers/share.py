"""
What each of several processes is told by the one that starts it: which it is, and what it shares with the others.
"""

from __future__ import annotations

import os
import socket
import threading
from zlib import crc32

import msgspec
from msgspec import Struct

from simmail.daemon.listening.listeners import Listener


class WorkerShare(Struct, frozen=True):
    """
    One process among C{count}.

    @ivar number: from 0; listeners: name, host, port and descriptor of each.
    @ivar doors: paths of the sockets at which each of them hears the others; door: the descriptor of its own.
    @ivar redis: URL of what all share.
    """

    number: int
    count: int
    listeners: tuple[tuple[str, str, int, int], ...]
    doors: tuple[str, ...]
    door: int
    redis: str

    @classmethod
    def decode(cls, text: str) -> WorkerShare:
        """Read what C{encode} wrote."""
        return msgspec.json.decode(text, type=cls)

    def encode(self) -> str:
        """Return it as an argument of a command line."""
        return msgspec.json.encode(self).decode("utf-8")

    def taken(self) -> list[Listener]:
        """Return the listeners, whose sockets all processes have."""
        found = [Listener(name, host, port, socket.socket(fileno=descriptor))
                 for name, host, port, descriptor in self.listeners]
        for one in found:
            one.socket.set_inheritable(False)
        return found

    @property
    def suffix(self) -> str:
        """Return what tells its own files from those of the others; the first has those of a single process."""
        return f"-{self.number}" if self.number else ""


def owner(name: str, count: int, first: frozenset[str]) -> int:
    """
    Return the number of the process that has a universe.

    @param name: the id by which it is placed; C{first}: those that the first process has.
    """
    return 0 if name in first else crc32(name.encode()) % count


def end_with(descriptor: int) -> None:
    """End this process at once when whoever started it is gone: what was accepted is in the journal."""
    def watch() -> None:
        while os.read(descriptor, 1):
            # Nothing is said there.
            pass
        os._exit(1)

    threading.Thread(target=watch, name="end", daemon=True).start()
