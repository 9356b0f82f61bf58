"""
Flags that are set and not yet in the names of files: C{simmail-flags}, one line a change.

A change of flags is true when its line is written; the files are renamed a
little later, all at once for what was changed several times.  A line is
C{<modseq> <letters or -> <UIDs as 1:3,7>}; the last line about a message holds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import NamedTuple

from simmail.mailstore.maildir import filename
from simmail.mailstore.maildir.filename import letters_of, lines, mask_of

FILE = "simmail-flags"

_LINE = re.compile(r"([0-9]{1,20}) (-|[A-Za-z]{1,32}) ([0-9:,]+)", re.ASCII)
_RUN = re.compile(r"([0-9]{1,10})(?::([0-9]{1,10}))?", re.ASCII)


class Mark(NamedTuple):
    """One line: these messages have these flags; C{modseq} 0 when it is not another one."""

    modseq: int
    mask: int
    uids: list[range]


def shown(uids: Iterable[int]) -> str:
    """UIDs, ascending, as C{1:3,7}."""
    runs: list[str] = []
    begin = last = 0
    for uid in uids:
        if uid == last + 1 and begin:
            last = uid
            continue
        if begin:
            runs.append(str(begin) if begin == last else f"{begin}:{last}")
        begin = last = uid
    if begin:
        runs.append(str(begin) if begin == last else f"{begin}:{last}")
    return ",".join(runs)


def ranges(text: str) -> list[range]:
    """The same as ranges."""
    ends = [_RUN.fullmatch(run) for run in text.split(",")]
    return [range(int(one[1]), int(one[2] or one[1]) + 1) for one in ends if one is not None]


def line(modseq: int, mask: int, uids: Iterable[int]) -> bytes:
    """A line; C{uids} ascend."""
    runs = shown(uids)
    return f"{modseq} {letters_of(mask) or '-'} {runs}\n".encode("ascii") if runs else b""


def read(root: int, directory: str) -> list[Mark]:
    """The lines of a folder, in order; what a crash left half written is none."""
    matches = map(_LINE.fullmatch, lines(root, f"{directory}/{FILE}"))
    return [Mark(int(match[1]), 0 if match[2] == "-" else mask_of(match[2]), ranges(match[3])) for match in matches
            if match is not None]


def append(root: int, directory: str, octets: bytes) -> None:
    """Write lines behind the others.  @raise OSError: the disk refused, and nothing is written."""
    filename.append(root, f"{directory}/{FILE}", octets)


def is_marked(root: int, directory: str) -> bool:
    """Whether a folder has any."""
    try:
        return os.stat(f"{directory}/{FILE}", dir_fd=root).st_size > 0
    except FileNotFoundError:
        return False


def clear(root: int, directory: str) -> None:
    """All files have the flags in their names."""
    try:
        os.unlink(f"{directory}/{FILE}", dir_fd=root)
    except FileNotFoundError:
        pass
