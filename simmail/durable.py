"""
Small files of the state folder, written whole or not at all.
"""

from __future__ import annotations

import os
from pathlib import Path


def write(path: Path, octets: bytes, mode: int = 0o600) -> None:
    """
    A file and its name are on disk; only its owner may read it unless C{mode} says otherwise.

    @raise OSError: the disk refused; what was there is there.
    """
    temporary = path.with_name(path.name + ".new")
    temporary.unlink(missing_ok=True)
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:
            file.write(octets)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
