"""
The index of one store, as folders ask it: the file, its thread, and what is done about it when there is time.

Digests that are missing are taken from the files of messages when they are
asked for, in slices, so that other work comes in between.

What is found damaged is thrown away, and what was asked is done again.
A file of an index may be overwritten or cut by anybody at any time.  Nothing is lost by that, for all of
it follows from the Maildirs.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.core.message.summary import Digest
from simmail.core.message.thread_keys import ThreadKeys
from simmail.errors import Unavailable
from simmail.mailstore.delivery.request import StoreId
from simmail.mailstore.index.background import Background
from simmail.mailstore.index.folder import IIndexed, Key, key_of, slices
from simmail.mailstore.index.index import Index
from simmail.mailstore.index.kept_columns import KeptColumns
from simmail.mailstore.index.messages import SHOWN, Unread, is_shown, span
from simmail.mailstore.maildir.filename import packed
from simmail.mailstore.maildir.files import ISought, Shown, read_files
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.threads import IWorker
from simmail.mailstore.writer.requests import IWriter, ReadShown

#: Messages, and octets of them, whose digests are taken in one go.
_SLICE, _OCTETS = 512, 2 * 1024 * 1024
#: Of so many messages the writer is asked for half; octets of one of them, and messages of one question, at most.
_MANY, _SMALL, _FEW = 128, 64 * 1024, 32
#: Attempts of a question to an index that is damaged again and again.
_TRIES = 3
#: What SQLite says of a file that is not what it wrote (SQLITE_ERROR, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB):
#: tables that are gone are an error of the first kind, octets that are gone one of the second.
_DAMAGED = frozenset((1, 10, 11, 26))

#: UIDs, and what will be answered of them.
Asked = tuple[list[int], "Deferred[list[tuple[bytes, bytes] | None]]"]
#: Texts to be found, each in one of some fields.
Wanted = Sequence[tuple[Sequence[str], str]]

T = TypeVar("T")


class MessageReaders(NamedTuple):
    """
    How messages are looked at.

    @ivar digest: takes the digest of one; shown: takes only its envelope and structure, None for always all.
    @ivar sought: tells by a look whether it has some texts, as its digest would, None for never.
    @ivar threaded: reads what it is threaded by, as its digest has it, None for never.
    """

    digest: Callable[[bytes], Digest]
    shown: Shown | None = None
    sought: Callable[[Wanted], ISought] | None = None
    threaded: Callable[[bytes], ThreadKeys] | None = None


class MessageFiles(NamedTuple):
    """
    Where the files of messages are, and who else reads them: the writer is asked for some of many.

    @ivar at: what the writer calls the store.
    """

    layout: Layout
    writer: IWriter
    at: StoreId


class MailIndex:
    """
    The index of one store.

    @param index: used in the thread of C{worker} only; later: takes a Deferred that nobody waits for.
    @param kept: what was read of it lately, which stores may share.
    @ivar thread: the same, as a worker for what needs no index.
    @ivar background: what is left for when there is nothing else to do.
    """

    log = Logger()

    def __init__(
        self, index: Index, worker: IWorker, readers: MessageReaders, files: MessageFiles, reactor: Any,
        later: Callable[[Deferred[Any]], None], kept: KeptColumns,
    ) -> None:
        self.tables, self.thread, self.readers, self.files, self.reactor, self.later, self.kept = (
            index, worker, readers, files, reactor, later, kept)
        self.background = Background(
            reactor, self.take_missing, lambda folder: self.call(_learn, None if folder is None else key_of(folder)))

    def call(self, function: Callable[..., Any], *args: Any) -> Deferred[Any]:
        """Deferred of what C{function(index, *args)} answers, in the thread."""
        return self.thread.call(_surely, self.tables, function, *args)

    async def ask(self, function: Callable[..., T], *args: Any) -> T | None:
        """Return what C{function(index, *args)} answers, None while the index is away."""
        try:
            answer: T = await self.call(function, *args)
            return answer
        except Unavailable as error:
            self.log.warn("{error}", error=error)
            return None

    async def while_anew(self) -> AsyncIterator[None]:
        """Go round once, and again when the index was found damaged meanwhile: what was known then is not any more."""
        for _ in range(_TRIES):
            born = self.tables.born
            yield
            if self.tables.born == born:
                return

    def forget(self, mailbox: str, name: str | None = None) -> None:
        """Drop what is known of a folder, or of all of a mailbox."""
        self.later(self.call(Index.forget, mailbox, name))

    # Digests

    def missing(self, folder: IIndexed, uids: Sequence[int]) -> Deferred[list[int]]:
        """Deferred of those messages of whose digests not all is there."""
        return self.call(_missing, key_of(folder), uids)

    async def take_missing(self, folder: IIndexed, uids: Sequence[int]) -> None:
        """Take what digests of some messages are missing."""
        async for _ in self.take(folder, key_of(folder), await self.missing(folder, uids), ()):
            pass

    async def take_envelopes(self, folder: IIndexed, uids: Sequence[int]) -> None:
        """Take what FETCH shows of some messages, if that can be had apart from the rest."""
        if self.readers.shown is None:
            return
        async for _ in self.take(folder, key_of(folder), uids, SHOWN, alone=True):
            pass

    def keep_envelopes(self, folder: IIndexed, rows: Sequence[tuple[int, tuple[bytes, bytes]]]) -> Deferred[Any]:
        """Deferred: the index knows what FETCH shows of some messages, which somebody has looked at."""
        return self.call(_keep, key_of(folder), rows, ())

    async def take(
        self, folder: IIndexed, key: Key, uids: Sequence[int], names: Sequence[str], alone: bool = False
    ) -> AsyncIterator[dict[int, tuple[Any, ...]]]:
        """
        Take the digests of messages, a slice at a time; some fields of them.

        @param alone: by the thread of the index, whatever else there is.
        """
        for part in slices(folder.column("size", uids), _SLICE, _OCTETS):
            some = uids[part]
            paths = dict(zip(some, folder.paths(some)))
            dates = dict(zip(some, folder.column("arrival", some)))
            if folder.directory is None:
                continue
            asked = [] if alone else self._share(folder, folder.directory, paths, names)
            found: dict[int, tuple[Any, ...]] = await self.call(
                _take_files, self.files.layout, key, folder.directory, paths, dates, names)
            if asked:
                found.update(await self.call(_keep, key, await _gathered(asked), names))
            lost = [uid for uid in some if uid not in found]
            if lost:
                # Renamed meanwhile, or gone.
                messages = [Unread(uid, dates[uid] or 0, octets) for uid, octets in await folder.reads(lost)]
                found.update(await self.call(_take, key, messages, names))
            yield found

    def _share(
        self, folder: IIndexed, directory: str, paths: dict[int, str | None], names: Sequence[str]
    ) -> list[Asked]:
        """
        Ask the writer for half of many messages; what it is asked for is taken out of C{paths}.

        Small ones only, a few at a time: deliveries wait behind them.
        """
        if self.readers.shown is None or not is_shown(names) or len(paths) < _MANY:
            return []
        theirs = list(paths)[len(paths) // 2:]
        theirs = [uid for uid, size in zip(theirs, folder.column("size", theirs))
                  if size is not None and size <= _SMALL]
        asked: list[Asked] = []
        for begin in range(0, len(theirs), _FEW):
            some = theirs[begin:begin + _FEW]
            answer: Deferred[list[tuple[bytes, bytes] | None]] = self.files.writer.call(
                ReadShown(self.files.at, directory, packed([paths.pop(uid) for uid in some])))
            asked.append((some, answer.addErrback(_none)))
        return asked


def _none(failure: Failure) -> list[tuple[bytes, bytes] | None]:
    """What the writer cannot do now is done here."""
    failure.trap(Unavailable)
    return []


async def _gathered(asked: Sequence[Asked]) -> list[tuple[int, tuple[bytes, bytes]]]:
    rows = []
    for uids, answer in asked:
        rows += [(uid, row) for uid, row in zip(uids, await answer) if row is not None]
    return rows


# In the thread


def _surely(index: Index, function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(index, *args)
    except (sqlite3.DatabaseError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        if not _is_damage(error):
            raise
        index.distrust(error)
    # From an empty index it is answered as if nothing had been known.
    return function(index, *args)


def _is_damage(error: Exception) -> bool:
    """Whether an error tells of a file that holds something else than was written; not of a full disk, say."""
    if isinstance(error, sqlite3.Error):
        # Errors of this module itself, which have no number, are none of the file.
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED
    return True


def _learn(index: Index, key: Key | None) -> bool:
    return index.fulltext.learn() if key is None else index.fulltext.learn(*span(index.folder(*key)))


def _missing(index: Index, key: Key, uids: Sequence[int]) -> list[int]:
    return index.digests.missing(index.folder(*key), uids)


def _keep(
    index: Index, key: Key, rows: Sequence[tuple[int, tuple[bytes, bytes]]], names: Sequence[str]
) -> dict[int, tuple[Any, ...]]:
    return index.digests.keep_shown(index.folder(*key), rows, names)


def _take(
    index: Index, key: Key, messages: Sequence[Unread], names: Sequence[str]
) -> dict[int, tuple[Any, ...]]:
    return index.digests.take(index.folder(*key), messages, names)


def _take_files(
    index: Index, layout: Layout, key: Key, directory: str, paths: dict[int, str | None],
    dates: dict[int, int | None], names: Sequence[str],
) -> dict[int, tuple[Any, ...]]:
    """Read messages and take their digests; none of those whose file is not there."""
    number = index.folder(*key)
    # Somebody else may have asked for the same.
    found = index.digests.fetch(number, list(paths), names)
    missing = [uid for uid in paths if uid not in found]
    if missing:
        octets = read_files(layout, directory, [paths[uid] for uid in missing])
        found.update(index.digests.take(number, [
            Unread(uid, dates[uid] or 0, one) for uid, one in zip(missing, octets) if one is not None], names))
    return found
