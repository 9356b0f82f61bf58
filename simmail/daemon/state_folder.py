"""
The state folder: one daemon has it at a time, and tells other programs there where it listens.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from simmail.config import Config
from simmail.daemon.listening.listeners import Listener, TITLES, reached_at
from simmail.durable import write
from simmail.errors import Invalid, Unavailable

if TYPE_CHECKING:
    from simmail.daemon.bootstrap import First

#: Where a daemon says where it listens.
ENDPOINTS = "endpoints.json"

#: Where it says how many processes share the folder.
PROCESSES = "processes"

#: Links to where universes are carried to and from, which who may write here puts there for as long as that takes.
EXPORTS = "exports"

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


def unfinished(state: Path) -> int:
    """
    Return how many processes the last run had, if it ended without stopping: what it had accepted waits in journals.

    @return: 0 where nothing waits.
    """
    if not any(one.name != "lock" for folder in state.glob("journal*") for one in folder.iterdir()):
        return 0
    try:
        return int((state / PROCESSES).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 1


def note_processes(state: Path, count: int) -> None:
    """Write down how many processes share the folder from now on; of one nothing is said."""
    if count > 1:
        write(state / PROCESSES, b"%d\n" % count)
    else:
        (state / PROCESSES).unlink(missing_ok=True)


@contextmanager
def stopped(state: Path) -> Iterator[None]:
    """Nobody else has a state folder meanwhile.  @raise Unavailable: a daemon has it."""
    lock = take(state)
    try:
        yield
    finally:
        os.close(lock)


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
        """Remove the file, if the disk lets us; nothing is written any more."""
        if self._again is not None:
            self._again.cancel()
            self._again = None
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            # The next start removes it; this one still has to end.
            self.log.warn("endpoints.json cannot be removed: {error}", error=error)


class Announcement:
    """
    Tells where the service listens, once it serves: to people, to the log, and to programs in C{endpoints.json}.

    @param banner: what a start tells goes to standard output; else to the log, without secrets.
    @param ready_line: a line for programs goes there.
    """

    log = Logger()

    def __init__(
        self, config: Config, state: Path, listeners: Sequence[Listener], banner: bool, ready_line: bool,
        reactor: IReactorTime,
    ) -> None:
        self._config = config
        self._state = state
        self._listeners = listeners
        self._banner = banner
        self._ready_line = ready_line
        self._file = EndpointsFile(state, reactor)

    def tell(self, first: First) -> None:
        """Tell it; C{first}: what the start made."""
        from simmail.daemon.bootstrap import First, banner, ready

        config, state, endpoints = self._config, self._state, reached_at(self._listeners)
        self._file.write(endpoints)
        allowed = config.imap.plain_auth_allowed
        plain = config.local if allowed is None else allowed
        if self._banner:
            print(banner(state, endpoints, TITLES, first, plain, config.auth_required),
                  file=sys.__stdout__, flush=True)
        else:
            # Without secrets, which are no matter of a log: where they are kept.
            text = banner(state, endpoints, TITLES, First(False, False, first.found), plain)
            for line in filter(None, text.split("\n")):
                self.log.info("{line}", line=line)
        facts = ready(state, endpoints, config.tls.certificate or str(state / "certificate.pem"))
        if self._ready_line:
            print(json.dumps({"ready": facts}), file=sys.__stdout__, flush=True)
        self.log.info("ready: {listeners}", ready=facts, listeners=", ".join(
            f"{TITLES[one.name]} {one.host}:{one.port}" for one in self._listeners))

    def end(self) -> None:
        """Nobody is to come any more."""
        self._file.remove()
