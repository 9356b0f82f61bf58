"""
Mending what L{simmail.mailstore.inspection} finds, while no service runs: as little as makes it whole.

No octet of mail is removed: what cannot stay where it is lies in C{.damaged} of its universe afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from simmail.mailstore.journal.sync import sync_disk
from simmail.mailstore.maildir import filename
from simmail.mailstore.maildir.filename import CUR, letters_of, mask_of
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.maildir.names import mailbox_of

DAMAGED = ".damaged"

#: Does what is needed to mend one thing.
Mend = Callable[[], None]


@contextmanager
def _folder(universe: Path, directory: str, wall: Callable[[], float]) -> Iterator[Layout]:
    """The layout of a universe, of which a folder is not shared with another; what is changed is synced."""
    name = mailbox_of(universe.name)
    if name is None:
        raise OSError(f"{universe.name} is no universe")
    layout = Layout(str(universe.parent), name, wall)
    try:
        layout.borrowed.own(directory.partition("/")[0])
        layout.borrowed.own_parts(directory, ("new", "cur"))
        yield layout
        sync_disk(layout.root)
    finally:
        layout.close()


def put_aside(universe: Path, directory: str, path: str, wall: Callable[[], float]) -> None:
    """A file that says nothing is not in the way any more; C{path}: below its folder."""
    with _folder(universe, directory, wall) as layout:
        os.makedirs(f"{layout.path}/{DAMAGED}", 0o700, exist_ok=True)
        name = os.path.basename(path)[:200]
        os.rename(f"{directory}/{path}", f"{DAMAGED}/{os.urandom(4).hex()}-{name}", src_dir_fd=layout.root,
                  dst_dir_fd=layout.root)


def appear_anew(universe: Path, directory: str, path: str, wall: Callable[[], float]) -> None:
    """A message that is not what its UID told of gets another UID, for it looks as if another program had put it in."""
    with _folder(universe, directory, wall) as layout:
        parsed = filename.parse(os.path.basename(path))
        assert parsed is not None
        # Letters of keywords mean nothing in a file of others.
        letters = letters_of(mask_of("".join(one for one in parsed[3] or "" if one.isupper())))
        os.rename(f"{directory}/{path}", f"{directory}/{CUR}{parsed[0][:80]}.{os.urandom(4).hex()}:2,{letters}",
                  src_dir_fd=layout.root, dst_dir_fd=layout.root)


def mend_uids(universe: Path, directory: str, wall: Callable[[], float]) -> None:
    """A folder has a UID file, made anew if it was damaged; no UID that a message has is given again."""
    with _folder(universe, directory, wall) as layout:
        uids = layout.open_uids(directory)
        try:
            with uids.locked():
                uids.raise_to(filename.highest_uid(layout.root, directory) + 1)
        finally:
            uids.close()


def drop_index(path: Path) -> None:
    """An index is not there any more; it is made anew from the mail when it is needed."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
