"""
Files copied into and out of an export; links in it are followed nowhere.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from simmail.errors import Invalid

_CHUNK = 1 << 20
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW


def put(folder: int, path: str, octets: bytes) -> None:
    """A new file; C{folder}: descriptor of what C{path} is below."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder), "wb") as file:
        file.write(octets)


def copied(source: int, name: str, target: int, new: str) -> str:
    """Copy a file; its SHA-256."""
    with open(os.open(name, _FLAGS, dir_fd=source), "rb", 0) as file:
        return copied_file(file, target, new)[0]


def copied_file(file: Any, target: int, new: str) -> tuple[str, int]:
    """Copy what is open; its SHA-256 and its octets."""
    digest, size = sha256(), 0
    fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=target)
    with open(fd, "wb", 0) as made:
        while octets := file.read(_CHUNK):
            digest.update(octets)
            size += len(octets)
            made.write(octets)
    return digest.hexdigest(), size


def opened_file(folder: int, name: str, shown: str) -> int:
    """A descriptor of an ordinary file.  @raise Invalid: there is none; links are followed nowhere."""
    try:
        fd = os.open(name, _FLAGS | os.O_NONBLOCK, dir_fd=folder)
    except OSError as error:
        raise Invalid(shown, "is a link" if error.errno == errno.ELOOP else f"cannot be read: {error.strerror}"
                      ) from None
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise Invalid(shown, "is no file")
    return fd


@contextmanager
def descended(folder: int, path: str) -> Iterator[int]:
    """A descriptor of a directory below an export.  @raise Invalid: it, or one above it, is a link, or is not there."""
    fd = os.dup(folder)
    try:
        for name in path.split("/"):
            try:
                below = os.open(name, _FLAGS | os.O_DIRECTORY, dir_fd=fd)
            except OSError as error:
                # Linux says of a link that it is no directory.
                raise Invalid(path, f"cannot be read: {error.strerror}") from None
            os.close(fd)
            fd = below
        yield fd
    finally:
        os.close(fd)
