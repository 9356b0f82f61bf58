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
import time
from functools import cache
from pathlib import Path

from simmail.client import ApiError, Client

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
    """
    C{simmail run} as a process.

    @ivar url, key: where its API is, and an administrator's key.
    @raise RuntimeError: it does not start; with what it logged.
    """

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="simmail-"))
        state, log, config = self._folder / "state", self._folder / "log", self._folder / "config.yaml"
        # JSON is YAML.
        config.write_text(json.dumps(CONFIG), encoding="utf-8")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "simmail", "run", "--state", str(state), "--config", str(config), "--log", str(log)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        while not self._serves(state):
            if self._process.poll() is not None or time.monotonic() > deadline:
                said = log.read_text(encoding="utf-8") if log.exists() else ""
                self.stop()
                raise RuntimeError(f"simmail does not start:\n{said[-2000:]}")
            time.sleep(0.02)

    def _serves(self, state: Path) -> bool:
        try:
            http = json.loads((state / "endpoints.json").read_text(encoding="utf-8"))["http"]
            self.url = f"http://{http['host']}:{http['port']}"
            self.key = (state / "admin.key").read_text(encoding="utf-8").strip()
            with Client(self.url) as client:
                client.call("GET", "/readyz")
        except (OSError, ValueError, ApiError):
            return False
        return True

    def stop(self) -> None:
        """End it, and remove what it kept."""
        self._process.terminate()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


@cache
def shared(url: str = "", key: str = "") -> Client:
    """Return a service with an administrator's key: the one that is named, else one of one's own, for this process."""
    if not url:
        own = OwnService()
        atexit.register(own.stop)
        url, key = own.url, own.key
    client = Client(url, key)
    atexit.register(client.close)
    return client
