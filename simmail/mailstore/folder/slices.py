"""Work on many messages, a slice at a time: others have their turns between."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from twisted.internet.defer import Deferred

T = TypeVar("T")

#: File operations in one slice, and in the first of those that are begun ahead: the writer need not wait long for it.
SLICE, FIRST = 500, 125


async def in_slices(
    uids: Sequence[int], todo: Callable[[Sequence[int]], list[T]],
    do: Callable[[list[T]], Coroutine[Any, Any, list[int]]], size: int, ahead: int,
) -> list[int]:
    """
    Do something in slices.

    @param todo: what is to be done for UIDs, as the state is now.
    @param do: does a slice; answers the UIDs whose files were not there.
    @param size: of a slice, 0 for the usual one; ahead: slices that are begun while one is being done.
    @return: all that C{do} answered.
    """
    size = size or SLICE
    lost: list[int] = []
    begun: deque[Deferred[list[int]]] = deque()
    begin, count = 0, min(FIRST, size) if ahead else size
    try:
        while begin < len(uids):
            items = todo(uids[begin:begin + count])
            begin, count = begin + count, min(2 * count, size)
            if items:
                begun.append(Deferred.fromCoroutine(do(items)))
            if len(begun) > ahead:
                lost += await begun.popleft()
        while begun:
            lost += await begun.popleft()
    except Exception:
        # What was begun is done first.
        for one in begun:
            try:
                await one
            except Exception:
                continue
        raise
    return lost
