"""
The state folder: one daemon has it at a time, and tells other programs there where it listens.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from simmail.durable import write
from simmail.errors import Invalid, Unavailable

#: Where a daemon says where it listens.
ENDPOINTS = "endpoints.json"

#: Real seconds before something is tried again that the disk had no room for.
ROOM = 1.0


def take(state: Path) -> int:
    """
    Make the state folder; it is ours while the descriptor returned is open.

    @raise Invalid: it cannot be made or written.  @raise Unavailable: another daemon has it.
    """
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(state / "daemon.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Invalid("server.state", f"{state} cannot be used: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise Unavailable(f"another simmail is running on {state}; stop it, or name another folder with --state"
                          ) from None
    # Where an earlier daemon listened is of no use to anybody who waits for this one.
    (state / ENDPOINTS).unlink(missing_ok=True)
    return lock


class EndpointsFile:
    """
    C{endpoints.json}: host and port of each listener, for other programs, while the service is ready.

    @param reactor: C{IReactorTime}.
    """

    log = Logger()

    def __init__(self, state: Path, reactor: IReactorTime) -> None:
        self._path = state / ENDPOINTS
        self._reactor = reactor
        self._again: IDelayedCall | None = None

    def write(self, endpoints: Mapping[str, Mapping[str, object]]) -> None:
        """Write the file; on a full disk as soon as there is room."""
        first, self._again = self._again is None, None
        try:
            write(self._path, json.dumps(endpoints, indent=1).encode() + b"\n", 0o644)
        except OSError as error:
            if first:
                self.log.warn("endpoints.json cannot be written: {error}", error=error)
            self._again = self._reactor.callLater(ROOM, self.write, endpoints)

    def remove(self) -> None:
        """Remove the file; nothing is written any more."""
        if self._again is not None:
            self._again.cancel()
            self._again = None
        self._path.unlink(missing_ok=True)
