"""
The application under test: a command that has turns while the simulated clock stands still.

A turn is over when the command has ended, so that nothing depends on how long it takes.  One that stays (C{resident})
is started once, and its turn is over when nothing has happened for some real time.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from simmail.client import Client
from simmail.config import shipped_path
from simmail.core.time.instant import format_instant
from simmail.errors import Invalid
from simmail.scenario.script import Seat

#: Real seconds that a turn may take.
PATIENCE = 300.0

#: Real seconds without an event after which one that stays has ended its turn, unless told otherwise.
QUIET = 1.0

#: Applications that come with the distribution.
EXAMPLES = ("careful", "careless")


class NotRunning(Exception):
    """The application cannot be started, or does not end its turn."""


class TestedCommand(Struct, frozen=True):
    """
    How the application is run.

    @ivar command: as in a shell, or one of L{EXAMPLES}; C{""} for none.
    @ivar resident: it stays; quiet: see L{QUIET}.
    @ivar environment: what it gets besides its own settings.
    """

    command: str = ""
    resident: bool = False
    quiet: float = QUIET
    patience: float = PATIENCE
    environment: Mapping[str, str] = {}

    def arguments(self) -> list[str]:
        """Return the command.  @raise Invalid: it is none."""
        if self.command in EXAMPLES:
            return [sys.executable, str(shipped_path(f"examples/{self.command}_bot.py"))]
        try:
            return shlex.split(self.command)
        except ValueError as error:
            raise Invalid("--app", str(error).lower()) from None


def settings(client: Client, seat: Seat) -> dict[str, str]:
    """Return what is in the environment of the application of a universe."""
    login = client.login
    (smtp, smtp_port), (imap, imap_port) = client.place("SMTP"), client.place("IMAP")
    return {
        "SIMMAILD_SMTP": f"{smtp}:{smtp_port}", "SIMMAILD_IMAP": f"{imap}:{imap_port}",
        "SIMMAILD_USERNAME": login.username, "SIMMAILD_PASSWORD": login.password, "SIMMAILD_ADDRESS": login.address,
        "SIMMAILD_URL": client.url, "SIMMAILD_KEY": client.key,
        "SIMMAILD_OWNER": seat.owner, "SIMMAILD_TASK": seat.task}


class ApplicationProcess:
    """
    The application in one universe.

    @ivar turns: how many it had; failures: what was wrong with those that did not end well, with their instants.
    """

    def __init__(self, program: TestedCommand, client: Client, seat: Seat) -> None:
        self.turns = 0
        self.failures: list[str] = []
        self._program = program
        self._client = client
        self._arguments = program.arguments()
        self._folder = Path(tempfile.mkdtemp(prefix="simmail-app-"))
        self._environment = {
            **program.environment, **settings(client, seat), "SIMMAILD_FOLDER": str(self._folder)}
        self._process: subprocess.Popen[bytes] | None = None
        self._arrived = False

    def turn(self, now: datetime) -> None:
        """
        Let it do what it will; comes back when it has.

        @raise NotRunning: it cannot be started, has ended though it should stay, or goes on for too long.
        """
        if not self._arguments:
            return
        self.turns += 1
        if self._process is None or not self._program.resident:
            self._start(now)
        assert self._process is not None
        if self._program.resident:
            self._rest(self._process)
            return
        try:
            status = self._process.wait(self._program.patience)
        except subprocess.TimeoutExpired:
            raise NotRunning(f"{self._program.command}: has not ended its turn of {format_instant(now)} within "
                             f"{self._program.patience:g} s") from None
        if status:
            said = (self._folder / "output").read_text(encoding="utf-8", errors="replace").strip().splitlines()
            self.failures.append(f"{format_instant(now)}: status {status}{f': {said[-1]}' if said else ''}")

    def check(self) -> None:
        """Check that one turn at least ended well.  @raise NotRunning: none did."""
        if self.turns and len(self.failures) == self.turns:
            raise NotRunning(f"{self._program.command}: no turn ended well; the last: {self.failures[-1]}")

    def _start(self, now: datetime) -> None:
        try:
            with open(self._folder / "output", "wb") as output:
                self._process = subprocess.Popen(
                    self._arguments, env={**self._environment, "SIMMAILD_NOW": format_instant(now)},
                    stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        except OSError as error:
            raise NotRunning(f"{self._arguments[0]}: {error.strerror}") from None

    def _rest(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until it has signed in at first, and nothing was recorded for a while."""
        deadline, last, since = time.monotonic() + self._program.patience, None, time.monotonic()
        while not self._arrived or time.monotonic() - since < self._program.quiet:
            if process.poll() is not None:
                raise NotRunning(f"{self._program.command}: has ended with status {process.returncode}")
            if time.monotonic() > deadline:
                raise NotRunning(f"{self._program.command}: has not signed in and become quiet within "
                                 f"{self._program.patience:g} s")
            self._arrived = self._arrived or bool(self._client.call("GET", "/api/events?type=auth.*&limit=1"))
            newest = self._client.call("GET", "/api/events?limit=1")
            if newest != last:
                last, since = newest, time.monotonic()
            time.sleep(min(0.05, self._program.quiet / 4))

    def stop(self) -> None:
        """End it, and remove what it kept."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)
