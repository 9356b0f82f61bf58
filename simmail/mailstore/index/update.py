"""
The index follows what happens to messages: what it keeps of them is copied, moved and dropped with them.

Nobody waits for it: who asked for the change is answered first.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import sleep

from simmail.mailstore.index.folder import IKeyed, Key, key_of
from simmail.mailstore.index.index import Index
from simmail.mailstore.index.mail_index import MailIndex

#: Messages whose digests are copied at once.
_SLICE = 500
#: Real seconds before the index begins with so many messages.  It would have the interpreter while the answer to the
#: change is put together; with fewer it is done before that is felt.
_REST, _MANY = 0.003, 100


def transferred(index: MailIndex, source: IKeyed, target: IKeyed, pairs: Sequence[tuple[int, int]], move: bool) -> None:
    """Messages were copied or moved, from UID to UID."""
    _rest(index, len(pairs))
    for begin in range(0, len(pairs), _SLICE):
        some = pairs[begin:begin + _SLICE]
        index.later(index.call(_copy, key_of(source), key_of(target), some))
        if move:
            _gone(index, source, [uid for uid, _ in some])


def expunged(index: MailIndex, folder: IKeyed, uids: Sequence[int]) -> None:
    """Messages are gone."""
    _rest(index, len(uids))
    _gone(index, folder, uids)


def _rest(index: MailIndex, messages: int) -> None:
    # Not for few: a client that expunges one by one would have every search behind it wait.
    if messages >= _MANY:
        index.thread.send(sleep, _REST)


def _gone(index: MailIndex, folder: IKeyed, uids: Sequence[int]) -> None:
    index.later(index.call(_drop, key_of(folder), uids))


def _copy(index: Index, source: Key, target: Key, pairs: Sequence[tuple[int, int]]) -> None:
    index.digests.copy(index.folder(*source), index.folder(*target), pairs)


def _drop(index: Index, folder: Key, uids: Sequence[int]) -> None:
    index.digests.expunge(index.folder(*folder), uids)
