"""
The index follows what happens to messages: what it keeps of them is copied, moved and dropped with them.

Nobody waits for it: who asked for the change is answered first.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import sleep
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simmail.mailstore.folder.changes import Changing
    from simmail.mailstore.index.index import Index
    from simmail.mailstore.mailstore import MailStore

#: Messages whose digests are copied at once.
_SLICE = 500
#: Real seconds before the index begins with so many messages.  It would have the interpreter while the answer to the
#: change is put together; with fewer it is done before that is felt.
_REST, _MANY = 0.003, 100

Key = tuple[str, str, int]


def transferred(
    store: MailStore, source: Changing, target: Changing, pairs: Sequence[tuple[int, int]], move: bool
) -> None:
    """Messages were copied or moved, from UID to UID."""
    if move:
        store.journal.changed()
    _rest(store, len(pairs))
    for begin in range(0, len(pairs), _SLICE):
        some = pairs[begin:begin + _SLICE]
        store.later(store.indexer.call(_copy, store.index, _key(source), _key(target), some))
        if move:
            _gone(store, source, [uid for uid, _ in some])


def expunged(store: MailStore, folder: Changing, uids: Sequence[int]) -> None:
    """Messages are gone."""
    store.journal.changed()
    _rest(store, len(uids))
    _gone(store, folder, uids)


def _rest(store: MailStore, messages: int) -> None:
    # Not for few: a client that expunges one by one would have every search behind it wait.
    if messages >= _MANY:
        store.indexer.send(sleep, _REST)


def _gone(store: MailStore, folder: Changing, uids: Sequence[int]) -> None:
    store.later(store.indexer.call(_drop, store.index, _key(folder), uids))


def _key(folder: Changing) -> Key:
    return folder.mailbox, folder.name, folder.uidvalidity


def _copy(index: Index, source: Key, target: Key, pairs: Sequence[tuple[int, int]]) -> None:
    index.digests.copy(index.folder(*source), index.folder(*target), pairs)


def _drop(index: Index, folder: Key, uids: Sequence[int]) -> None:
    index.digests.expunge(index.folder(*folder), uids)
