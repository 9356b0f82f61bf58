"""
A service of one's own, in a folder that goes with it: for tests that need nothing running.
"""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
import sys
import tempfile
from functools import cache, cached_property
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simmail.client import Client

#: Where the clocks of tests begin, and stand until they are moved: a Monday morning.
START = "2026-03-02T09:00:00Z"

#: Real seconds within which it must serve, and end; a start takes about one.
PATIENCE = 60.0

#: Any free ports, no limit on requests, and nothing to look around in.
CONFIG = {
    "listen": {"smtp": 0, "smtps": 0, "submission": 0, "imap": 0, "imaps": 0, "http": 0},
    "http": {"rate": 0}, "server": {"demo": False},
}


class OwnService:
    """C{simmail run} as a process, which is waited for when somebody asks where it is."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="simmail-"))
        self._log, config = self._folder / "log", self._folder / "config.yaml"
        # JSON is YAML.
        config.write_text(json.dumps(CONFIG), encoding="utf-8")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "simmail", "run", "--ready-line", "--state", str(self._folder / "state"),
             "--config", str(config), "--log", str(self._log)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    @cached_property
    def place(self) -> tuple[str, str]:
        """
        Where its API is, and an administrator's key, once it serves.

        @raise RuntimeError: it does not start; with what it logged.
        """
        assert self._process.stdout is not None
        overdue = Timer(PATIENCE, self._process.terminate)
        overdue.start()
        line = self._process.stdout.readline()
        overdue.cancel()
        if not line:
            said = self._log.read_text(encoding="utf-8") if self._log.exists() else ""
            raise RuntimeError(f"simmail does not start:\n{said[-2000:]}")
        ready = json.loads(line)["ready"]
        http = ready["listeners"]["http"]
        return f"http://{http['host']}:{http['port']}", Path(ready["key_file"]).read_text(encoding="utf-8").strip()

    def stop(self) -> None:
        """End it, and remove what it kept."""
        self._process.terminate()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)


@cache
def shared(url: str = "", key: str = "") -> Client:
    """Return a service with an administrator's key: the one that is named, else one of one's own, for this process."""
    from simmail.client import Client

    if not url:
        own = OwnService()
        atexit.register(own.stop)
        url, key = own.place
    client = Client(url, key)
    atexit.register(client.close)
    return client
