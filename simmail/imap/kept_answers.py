"""
Answers that take long to work out of messages alone, for who asks the same of the same messages again.

Messages never change, so such an answer is true as long as it is of the same ones.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple
from weakref import ref

from simmail.core.lru import Lru
from simmail.interfaces import IFolder

#: Octets of one answer, and of all with the numbers that they are of.
LONGEST, _ROOM = 1 << 20, 4 << 20


class KeptAnswer(NamedTuple):
    """
    An answer.

    @ivar uids: of the messages it is of; numbers: what they are called in it, in the same order.
    """

    uids: array[int]
    numbers: array[int]
    octets: bytes


class KeptAnswers:
    """The last answers to each kind of question in the folders asked last."""

    def __init__(self) -> None:
        # By folder and kind; one that nobody has loaded any more is equal to no other.
        self._kept: Lru[tuple[ref[IFolder], bytes], KeptAnswer] = Lru(_ROOM, _cost)

    def find(self, folder: IFolder, kind: bytes, uids: array[int], numbers: array[int]) -> bytes | None:
        """Return the answer about these messages, called so."""
        kept = self._kept.use((ref(folder), kind))
        return kept.octets if kept is not None and kept.uids == uids and kept.numbers == numbers else None

    def keep(self, folder: IFolder, kind: bytes, answer: KeptAnswer) -> None:
        """Remember an answer in the place of the last one of that kind, unless it is too long."""
        if len(answer.octets) <= LONGEST:
            self._kept.put((ref(folder), kind), answer)


def _cost(answer: KeptAnswer) -> int:
    uids, numbers, octets = answer
    return len(octets) + uids.itemsize * len(uids) + (numbers.itemsize * len(numbers) if numbers is not uids else 0)
