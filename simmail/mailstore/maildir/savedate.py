"""
When messages were put into a folder, where that is not their own date: C{simmail-saved}, one line a change.

A line is C{<microseconds since 1970> <UIDs as 1:3,7>}; the last line about a
message holds.  It is written before the messages appear, by the writer, who
now and then leaves out what is gone.
Source: RFC 8514.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from simmail.mailstore.maildir import filename, flaglog
from simmail.mailstore.maildir.layout import Layout

FILE = "simmail-saved"

#: Whenever the file has grown by so many octets, what is gone is left out.
_STEP = 256 * 1024
_LINE = re.compile(r"(-?[0-9]{1,18}) ([0-9:,]+)", re.ASCII)


def note(layout: Layout, directory: str, at: int, uids: Iterable[int]) -> None:
    """Messages with these UIDs, ascending, are about to appear.  @raise OSError: the disk refused."""
    octets = _line(at, uids)
    before = filename.append(layout.root, f"{directory}/{FILE}", octets)
    if before // _STEP < (before + len(octets)) // _STEP:
        _compact(layout, directory, set(uids))


def _line(at: int, uids: Iterable[int]) -> bytes:
    return f"{at} {flaglog.shown(uids)}\n".encode("ascii")


def _compact(layout: Layout, directory: str, coming: set[int]) -> None:
    there = filename.uids(layout.root, directory) | coming
    dates = {uid: at for at, runs in _read(layout.root, directory) for run in runs for uid in run if uid in there}
    by_date: dict[int, list[int]] = {}
    for uid in sorted(dates):
        by_date.setdefault(dates[uid], []).append(uid)
    layout.write(f"{directory}/{FILE}", b"".join([_line(at, uids) for at, uids in by_date.items()]))


def _read(root: int, directory: str) -> Iterator[tuple[int, list[range]]]:
    for text in filename.lines(root, f"{directory}/{FILE}"):
        match = _LINE.fullmatch(text)
        if match is not None:
            yield int(match[1]), flaglog.ranges(match[2])


def find(root: int, directory: str | None, uids: Sequence[int], dates: Sequence[int]) -> list[int]:
    """
    When messages were saved, in microseconds since 1970; in the reader thread.

    @param dates: those of the messages themselves.
    """
    found = dict(zip(uids, dates))
    if directory is not None:
        for at, runs in _read(root, directory):
            for run in runs:
                for uid in run if len(run) < len(found) else [uid for uid in found if uid in run]:
                    if uid in found:
                        found[uid] = at
    return list(found.values())
