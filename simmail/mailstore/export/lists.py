"""
The lists of an export: C{<name>.jsonl}, a row of JSON a line, counted and with a digest of all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from simmail.errors import Invalid
from simmail.mailstore.export.copying import opened_file

T = TypeVar("T")

ENDING = ".jsonl"
#: No line is longer (octets).
LONGEST = 64 * 1024 * 1024

_CHUNK = 1 << 20


class Listed(Struct, frozen=True, forbid_unknown_fields=True):
    """What the manifest says of a list.  C{sha256}: of its octets, in hexadecimal."""

    lines: int
    sha256: str


class ListWriter:
    """
    One list that is being written.

    @param folder: descriptor of the export's folder.
    """

    def __init__(self, folder: int, name: str) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self._file = open(os.open(name + ENDING, flags, 0o600, dir_fd=folder), "wb", _CHUNK)
        self._lines, self._digest = 0, sha256()

    def add(self, rows: Iterable[Any]) -> None:
        """Write rows behind the others."""
        lines = [msgspec.json.encode(row) + b"\n" for row in rows]
        octets = b"".join(lines)
        self._lines += len(lines)
        self._digest.update(octets)
        self._file.write(octets)

    def close(self) -> Listed:
        """It is complete, and on the disk when that is synced."""
        self._file.close()
        return Listed(self._lines, self._digest.hexdigest())


def rows(folder: int, name: str, type: type[T], expected: Listed) -> Iterator[tuple[int, T]]:
    """
    Read a list: (number of the line, row).

    @raise Invalid: what is wrong with it, naming file and line; that it is not all that was written, at the end.
    """
    shown = name + ENDING
    decode, digest, count = msgspec.json.Decoder(type).decode, sha256(), 0
    with open(opened_file(folder, shown, shown), "rb", _CHUNK) as file:
        while line := file.readline(LONGEST):
            count += 1
            if not line.endswith(b"\n"):
                raise Invalid(f"{shown}, line {count}", "is cut off")
            digest.update(line)
            try:
                row = decode(line)
            except (msgspec.MsgspecError, ValueError) as error:
                raise Invalid(f"{shown}, line {count}", str(error)) from None
            yield count, row
    if count != expected.lines:
        raise Invalid(f"{shown}, line {count}", f"is the last, but there should be {expected.lines}")
    if digest.hexdigest() != expected.sha256:
        raise Invalid(shown, "is not what was written: its digest is another")
