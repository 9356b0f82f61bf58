"""What a folder that is not loaded looks like from outside: its messages counted, by their names alone."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

from simmail.errors import NotFound
from simmail.mailstore.maildir import flaglog
from simmail.mailstore.maildir.filename import CUR, NEW, SEEN, names, parse, times_of
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.names import mailbox_dir

#: Messages, and how many of them are unread.
Counts = tuple[int, int]


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
    """Count a folder; C{root}: descriptor of the directory that C{directory} is below."""
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


def count_mailboxes(layout: Layout, mailboxes: Iterable[str]) -> list[tuple[str, dict[str, Counts]]]:
    """Count the folders of mailboxes that hold anything, by name; mailboxes that are not there are left out."""
    found = []
    for mailbox in mailboxes:
        try:
            listed = layout.folders(mailbox_dir(mailbox))
        except NotFound:
            continue
        folders = {}
        for name, (_, directory) in listed.items():
            try:
                one = survey(layout.root, directory) if directory is not None else None
            except (FileNotFoundError, NotADirectoryError):
                # Another program has removed it just now, or put something else in its place.
                continue
            if one is not None and one.total:
                folders[name] = one.total, one.unseen
        found.append((mailbox, folders))
    return found
