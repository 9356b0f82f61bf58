"""
Small files of the state folder, written whole or not at all; and directories, opened.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
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
    with opened(path.parent) as folder:
        os.fsync(folder)


@contextmanager
def opened(path: str | bytes | Path, below: int | None = None) -> Iterator[int]:
    """A descriptor of a directory, so that names in it need not be looked up from the root; C{below}: of another."""
    there = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=below)
    try:
        yield there
    finally:
        os.close(there)
