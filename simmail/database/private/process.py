"""
The process of a private Redis: how it is run, its lock and log, and what it is told by signals.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

#: What it must be set to, also when an earlier daemon started it.
SETTINGS = (("appendonly", "yes"), ("appendfsync", "always"), ("save", ""), ("maxmemory-policy", "noeviction"))
_LOG_SIZE = 1024 * 1024


def arguments(socket: Path) -> list[str]:
    """What the program is started with."""
    options = {
        "--port": "0", "--unixsocket": str(socket), "--unixsocketperm": "600", "--dir": ".",
        "--daemonize": "no", "--pidfile": "redis.pid", "--loglevel": "warning",
    }
    options.update((f"--{name}", value) for name, value in SETTINGS)
    return [word for option in options.items() for word in option]


def take_lock(path: Path) -> int | None:
    """A descriptor that holds the lock of a file, None when another one does."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def open_log(folder: Path) -> int:
    """A descriptor of its log, which is begun anew when it is long."""
    path = folder / "redis.log"
    if path.exists() and path.stat().st_size > _LOG_SIZE:
        path.unlink()
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def last_words(folder: Path) -> str:
    """The last line of its log."""
    try:
        with open(folder / "redis.log", "rb") as log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - 2000))
            lines = log.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return "no log"
    return lines[-1] if lines else "no word in redis.log"


def written_pid(folder: Path) -> int | None:
    """The process id it wrote down."""
    try:
        return int((folder / "redis.pid").read_text("ascii"))
    except (OSError, ValueError):
        return None


def signal_group(pid: int, number: int) -> bool:
    """A signal to it and its rewrites of the log; whether there is anybody."""
    # It leads a session of its own, so its group is it and its rewrites of the log, nothing else.
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def send_signal(pid: int, number: int) -> None:
    """The same, also in its first moment."""
    # In its first moment it leads no session yet.
    if not signal_group(pid, number):
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            pass
