"""What a folder that is not loaded looks like from outside: its messages counted, by their names alone."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from simmail.mailstore.maildir import flaglog
from simmail.mailstore.maildir.filename import CUR, NEW, SEEN, names, parse, times_of


class Survey(NamedTuple):
    """
    A folder, counted.

    @ivar strays: C{new/...} and C{cur/...} without a UID.
    @ivar times: modification times of C{new} and C{cur} (nanoseconds), taken before.
    """

    total: int
    unseen: int
    recent: int
    size: int
    strays: list[str]
    times: tuple[int, int]


def survey(root: int, directory: str) -> Survey:
    """
    Count a folder.

    @param root: descriptor of the directory that C{directory} is below.
    """
    times = times_of(root, directory)
    total = octets = 0
    seen: dict[int, bool] = {}
    fresh: set[int] = set()
    strays: list[str] = []
    for part in (NEW, CUR):
        for name in names(root, f"{directory}/{part}"):
            parsed = parse(name)
            if parsed is None or (parsed[3] is None) is not (part is NEW):
                if not name.startswith("."):
                    strays.append(part + name)
                continue
            _, uid, size, letters = parsed
            total += 1
            octets += size
            seen[uid] = letters is not None and "S" in letters
            if part is NEW:
                fresh.add(uid)
    noted = flaglog.read(root, directory)
    if noted:
        uids = sorted(seen)
        for mark in noted:
            for some in mark.uids:
                for uid in uids[bisect_left(uids, some.start):bisect_left(uids, some.stop)]:
                    seen[uid] = bool(mark.mask & SEEN)
                    fresh.discard(uid)
    return Survey(total, len(seen) - sum(seen.values()), len(fresh), octets, strays, times)
