"""
How a folder is loaded, and how what others changed in it is found.

Runs in the reader thread and changes nothing on disk; what has to be changed
(files without a UID) is named in the answer.
"""

from __future__ import annotations

from typing import NamedTuple

from simmail.errors import NotFound
from simmail.mailstore.folder.rows import Rows
from simmail.mailstore.folder.state import Vanished
from simmail.mailstore.index.index import Snapshot
from simmail.mailstore.maildir import filename, flaglog
from simmail.mailstore.maildir.filename import Listing, Row
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.names import mailbox_dir, use_of
from simmail.mailstore.maildir.uidlist import stamp_of


#: Real seconds after which a modification time says for certain that nothing has changed since: kernels take it
#: from a clock that ticks a hundred times a second or more.
SETTLED = 0.05


class Another(NotFound):
    """The folder is gone, and another one is in its place."""


class FolderHead(NamedTuple):
    """
    What the UID file of a folder says.

    @ivar directory: None when it is not made yet.
    @ivar stamp: as L{stamp_of} answers it, taken before.
    """

    directory: str | None
    uidvalidity: int
    uidnext: int
    highestmodseq: int
    expunged: int
    objectid: str
    special_use: str
    keywords: tuple[str, ...]
    stamp: tuple[int, int] = (0, 0)


class Difference(NamedTuple):
    """
    What a folder has become.

    @ivar added: in the order of UIDs; gone: UIDs; restated: (UID, flags as bits, in C{new/}) of files.
    """

    added: list[Row]
    gone: list[int]
    restated: list[tuple[int, int, bool]]
    strays: list[str]
    times: tuple[int, int]


def head(layout: Layout, mailbox: str, name: str) -> FolderHead:
    """What the UID file says.  @raise NotFound: there is no such folder."""
    box = mailbox_dir(mailbox)
    directory = layout.directory(box, name)
    if directory is None:
        uidvalidity, objectid = layout.identity(box, name)
        return FolderHead(None, uidvalidity, 1, 1, 0, objectid, use_of(name), ())
    stamp = stamp_of(layout.root, directory)
    uids = layout.read_uids(directory)
    # The standard folders keep their use when another program made them.
    return FolderHead(
        directory, uids.uidvalidity, uids.uidnext, uids.highestmodseq, uids.expunged, uids.objectid,
        uids.special_use or use_of(name), uids.keywords, stamp)


def difference(layout: Layout, directory: str, rows: Rows, times: tuple[int, int], uidnext: int) -> Difference | None:
    """
    What has changed in a folder since it was as C{rows} at C{times}; None for nothing.

    Meanwhile C{rows} may only grow.

    @param uidnext: UIDs that are not in C{rows} are new only from here on; below, somebody brought back a
        name that was used before.
    """
    root, known = layout.root, len(rows)
    now = filename.times_of(root, directory)
    if now == times:
        return None
    parts = (filename.NEW,) if now[1] == times[1] else (filename.NEW, filename.CUR)

    def date_of(uid: int, key: str) -> int | None:
        at = rows.find(uid)
        return rows.dates[at] if at >= 0 else None

    places = range(known) if len(parts) > 1 else [at for at, in_new in zip(range(known), rows.in_new) if in_new]
    paths = rows.paths(places)
    expected = frozenset(paths)
    listing = filename.listing(root, directory, date_of, parts, expected)
    highest = _behind_a_gap(listing, rows, uidnext)
    if highest:
        again = filename.listing(root, directory, date_of, parts, expected)
        listing = _up_to(highest, again, rows)._replace(times=listing.times)
    gone = [uid for uid, path in zip(map(rows.uids.__getitem__, places), paths)
            if path not in listing.same and uid not in listing.rows]
    if gone:
        # A file that is renamed while a directory is read may not be seen at all: look again.
        again = filename.listing(root, directory, date_of)
        for uid in gone:
            if uid in again.rows:
                listing.rows[uid] = again.rows[uid]
        gone = [uid for uid in gone if uid not in again.rows]
    added, restated, strays = [], [], list(listing.strays)
    # Read after listing: what was delivered meanwhile has UIDs beyond those known before.
    given = layout.read_uids(directory).uidnext
    for uid in sorted(listing.rows):
        row = listing.rows[uid]
        at = rows.find(uid)
        if at < 0:
            if not uidnext <= uid < given:
                strays.append(filename.path_of(row.key, uid, row.size, row.mask, row.recent))
            else:
                added.append(row)
        elif rows.path(at) in listing.same and not (rows.in_new[at] and not row.recent and row.key == rows.key(at)):
            # The file of that message is where it was, and was not moved to cur/ meanwhile: this is another one.
            if row.key != rows.key(at):
                strays.append(filename.path_of(row.key, uid, row.size, row.mask, row.recent))
        elif rows.placed[at] != row.mask or bool(rows.in_new[at]) is not row.recent:
            restated.append((uid, row.mask, row.recent))
    return Difference(added, gone, restated, strays, listing.times)


class Seen(NamedTuple):
    """
    A folder as it was seen.

    @ivar stamp: as L{stamp_of} answers it; (0, 0) for not seen yet.
    @ivar times: of C{new} and C{cur} (nanoseconds).
    """

    uidvalidity: int
    stamp: tuple[int, int]
    times: tuple[int, int]


def look(
    layout: Layout, directory: str, rows: Rows, seen: Seen, uidnext: int
) -> tuple[Difference | None, tuple[str, ...], tuple[int, int]]:
    """
    What others changed in a folder, its table of keywords now, and the stamp of its UID file.

    @raise NotFound: it is gone, or cannot be read.
    @raise Another: it is not the folder that was seen.
    """
    try:
        stamp = stamp_of(layout.root, directory)
        if stamp != seen.stamp:
            _check(layout, directory, seen, uidnext)
        found = difference(layout, directory, rows, seen.times, uidnext)
        if found is None:
            return None, (), stamp
        return found, layout.read_uids(directory).keywords, stamp
    except (FileNotFoundError, NotADirectoryError):
        raise layout.broken(directory) from None


def _check(layout: Layout, directory: str, seen: Seen, uidnext: int) -> None:
    uids = layout.read_uids(directory)
    if uids.uidvalidity != seen.uidvalidity or seen.stamp[0] not in (0, uids.inode) or uids.uidnext < uidnext:
        raise Another("the folder is another one")


def _behind_a_gap(listing: Listing, rows: Rows, uidnext: int) -> int:
    """
    The highest UID of mail that has come (from C{uidnext} on) when one before it was not seen, else 0: a name that
    comes while a directory is read is seen or not.
    """
    came = [uid for uid in listing.rows if uid >= uidnext and rows.find(uid) < 0]
    highest = max(came, default=0)
    there = highest - uidnext + 1 == len(came) or all(
        uid in listing.rows or rows.find(uid) >= 0 for uid in range(uidnext, highest))
    return 0 if there else highest


def _up_to(highest: int, again: Listing, rows: Rows) -> Listing:
    """What was seen reading again, but for mail behind C{highest}: all before are there by now, in order of UIDs."""
    return again._replace(rows={uid: row for uid, row in again.rows.items() if uid <= highest or rows.find(uid) >= 0})


class Loaded(NamedTuple):
    """
    A folder, loaded.

    @ivar noticed: UIDs whose MODSEQ is to be a new one.
    @ivar marked: flags are noted that names of files may not have.
    @ivar expunges: what is known to be expunged, but for C{gone}.
    """

    rows: Rows
    noticed: list[int]
    gone: list[int]
    strays: list[str]
    times: tuple[int, int]
    expunges: Vanished
    marked: bool = False


def load(layout: Layout, head: FolderHead, snapshot: Snapshot | None) -> Loaded:
    """Load a folder whose UID file was read before.  @raise NotFound: it has gone meanwhile."""
    if head.directory is None:
        return Loaded(Rows(), [], [], [], (0, 0), Vanished())
    loaded = _load(layout, head, head.directory, snapshot)
    layout.damage.well(head.directory)
    noted = flaglog.read(layout.root, head.directory)
    rows, noticed = loaded.rows, set(loaded.noticed)
    for mark in noted:
        for uids in mark.uids:
            for at in rows.between(uids):
                rows.restate(at, mark.mask, False)
                if mark.modseq > rows.modseqs[at]:
                    rows.modseqs[at] = mark.modseq
    return loaded._replace(noticed=sorted(noticed), marked=bool(noted))


def _load(layout: Layout, head: FolderHead, directory: str, snapshot: Snapshot | None) -> Loaded:
    try:
        known = snapshot and (
            Rows.unpacked(snapshot.rows), Vanished.unpacked(snapshot.vanished, snapshot.vanished_from))
    except ValueError:
        known = None
    try:
        if snapshot is None or known is None:
            return _listed(layout, head)
        rows, expunges = known
        found = difference(layout, directory, rows, snapshot.times, snapshot.uidnext)
    except (FileNotFoundError, NotADirectoryError):
        raise layout.broken(directory) from None
    if head.expunged > snapshot.highestmodseq:
        # What came and went since then nobody knows.
        expunges.since = head.expunged
    if found is None:
        return Loaded(rows, [], [], [], snapshot.times, expunges)
    rows.remove([rows.find(uid) for uid in found.gone])
    for uid, mask, recent in found.restated:
        at = rows.find(uid)
        rows.restate(at, mask, recent)
        rows.place(at)
    strays = list(found.strays)
    if found.added:
        rows.extend(found.added)
    return Loaded(
        rows, [uid for uid, _, _ in found.restated] + [row.uid for row in found.added], found.gone, strays,
        found.times, expunges)


def _listed(layout: Layout, head: FolderHead) -> Loaded:
    assert head.directory is not None
    listing = filename.listing(layout.root, head.directory, lambda uid, key: None)
    highest = _behind_a_gap(listing, Rows(), head.uidnext)
    if highest:
        again = filename.listing(layout.root, head.directory, lambda uid, key: None)
        listing = _up_to(highest, again, Rows())._replace(times=listing.times)
    given = layout.read_uids(head.directory).uidnext
    rows, strays, ours = Rows(), list(listing.strays), []
    for uid in sorted(listing.rows):
        row = listing.rows[uid]
        if uid < given:
            ours.append(row)
        else:
            strays.append(filename.path_of(row.key, uid, row.size, row.mask, row.recent))
    if ours:
        rows.extend(ours)
    return Loaded(rows, list(rows.uids), [], strays, listing.times, Vanished(head.highestmodseq))
