"""
Searching messages that the index does not know yet: their files are looked at, and only where that does not tell
their digests are taken.

Nobody waits until a folder is learned; that is done right behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from simmail.concurrency import Lock
from simmail.errors import Unavailable
from simmail.mailstore.index.envelope import subjects
from simmail.mailstore.index.folder import IIndexed, Key, slices
from simmail.mailstore.index.index import Index
from simmail.mailstore.index.mail_index import MailIndex, Wanted
from simmail.mailstore.maildir.filename import packed
from simmail.mailstore.maildir.files import ISought, verdicts_of
from simmail.mailstore.writer.requests import ScanFiles

#: Messages, and octets of them, that are looked at in one go, before others have their turn.
_SLICE, _OCTETS = 200, 2 * 1024 * 1024
#: Of so many messages the writer is asked for half, so few at a time; octets of one of them at most.
_MANY, _FEW, _SMALL = 64, 25, 64 * 1024

#: Messages whose envelopes are looked at in one go, for this.
_TOLD, _SUBJECT = 2000, ("in_subject",)
#: Questions that are remembered, and messages in all of their answers.
_QUESTIONS, _REMEMBERED = 16, 100_000

Verdicts = list["bool | None"]


class _Scanned:
    """
    What was found of one question to one folder: messages never change.

    @ivar turn: who asks the same meanwhile gets the same answer.
    """

    __slots__ = ("turn", "looked", "found")

    def __init__(self, reactor: IReactorTime) -> None:
        self.turn = Lock(reactor)
        self.looked: set[int] = set()
        self.found: set[int] = set()


class Scanning:
    """Questions to the folders of one index, the last few of which are remembered."""

    def __init__(self, index: MailIndex) -> None:
        self.index = index
        self._scanned: dict[tuple[Any, ...], _Scanned] = {}

    async def fitting(self, folder: IIndexed, key: Key, uids: Sequence[int], wanted: Wanted) -> set[int]:
        """Those of some messages that the index does not know which have each of some folded texts."""
        index = self.index
        if index.readers.sought is None or folder.directory is None:
            return await self._taken(folder, key, uids, wanted)
        sought, directory = index.readers.sought(wanted), folder.directory
        question = (key, tuple([(tuple(names), text) for names, text in wanted]))
        scanned = self._scanned.pop(question, None) or _Scanned(index.reactor)
        # What was asked for last is remembered longest.
        self._scanned[question] = scanned
        doubtful: list[int] = []
        async with scanned.turn:
            left = [uid for uid in uids if uid not in scanned.looked]
            if left and all([tuple(names) == _SUBJECT for names, _ in wanted]):
                left = await self._by_subject(key, left, [text for _, text in wanted], scanned)
            if left:
                with index.background.paused():
                    fits, doubtful = await self._scan(folder, directory, left, wanted, sought)
                scanned.found.update(fits)
                scanned.looked.update(set(left).difference(doubtful))
                self._forget()
            index.background.look_now(folder, uids[0])
            found = scanned.found.intersection(uids)
        return found | await self._taken(folder, key, doubtful, wanted) if doubtful else found

    async def _by_subject(
        self, key: Key, uids: Sequence[int], texts: Sequence[str], scanned: _Scanned
    ) -> list[int]:
        """What envelopes tell of subjects; those messages of which they tell nothing are left."""
        left: list[int] = []
        for begin in range(0, len(uids), _TOLD):
            some = uids[begin:begin + _TOLD]
            self.index.background.note_activity()
            told: dict[int, str] = await self.index.call(subjects, key, some)
            scanned.looked.update(told)
            scanned.found.update([uid for uid, subject in told.items() if all([text in subject for text in texts])])
            left += [uid for uid in some if uid not in told]
        self._forget()
        return left

    def _forget(self) -> None:
        room = _REMEMBERED
        for question, scanned in reversed(list(self._scanned.items())):
            room -= len(scanned.looked) + _REMEMBERED // _QUESTIONS
            if room < 0 and not scanned.turn.waiting:
                del self._scanned[question]

    async def _scan(
        self, folder: IIndexed, directory: str, uids: Sequence[int], wanted: Wanted, sought: ISought
    ) -> tuple[list[int], list[int]]:
        """Those that fit, and those that take a closer look."""
        index = self.index
        sizes = folder.column("size", uids)
        found: list[int] = []
        doubtful: list[int] = []
        for part in slices(sizes, _SLICE, _OCTETS):
            some, largest = uids[part], max(size or 0 for size in sizes[part])
            paths = folder.paths(some)
            index.background.note_activity()
            half = len(some) // 2 if largest <= _SMALL and len(some) >= _MANY else len(some)
            asked = [
                index.files.writer.call(ScanFiles(index.files.at, wanted, directory, packed(paths[at:at + _FEW])))
                .addErrback(_unable, len(paths[at:at + _FEW])) for at in range(half, len(some), _FEW)]
            verdicts: Verdicts = await index.thread.call(
                verdicts_of, index.files.layout, sought, directory, paths[:half])
            for answer in asked:
                verdicts += await answer
            found += [uid for uid, verdict in zip(some, verdicts) if verdict]
            doubtful += [uid for uid, verdict in zip(some, verdicts) if verdict is None]
        return found, doubtful

    async def _taken(self, folder: IIndexed, key: Key, uids: Sequence[int], wanted: Wanted) -> set[int]:
        """The same by their digests, which the index then has."""
        found: set[int] = set()
        async for _ in self.index.while_anew():
            async for _ in self.index.take(folder, key, uids, ()):
                pass
            found = await self.index.call(_holding, key, uids, wanted)
        return found


def _unable(failure: Failure, count: int) -> Verdicts:
    """What the writer cannot do now takes a closer look."""
    failure.trap(Unavailable)
    return [None] * count


def _holding(index: Index, key: Key, uids: Sequence[int], wanted: Wanted) -> set[int]:
    number = index.folder(*key)
    found = set(uids)
    for names, text in wanted:
        found.intersection_update(index.digests.containing(number, names, text, min(uids), max(uids)))
    return found
