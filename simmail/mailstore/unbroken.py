"""
Work that others rely on, and that goes on when who asked for it leaves.

A request that is broken off (its client has left) breaks off what it awaits;
loading a folder that others wait for, or a look at it that has begun to
change what is known of it, must not be among that.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.errors import Refusal

T = TypeVar("T")

_log = Logger()


def unbroken(work: Coroutine[Any, Any, T]) -> Deferred[T]:
    """Deferred of what C{work} answers; cancelling it leaves the work alone."""
    told: Deferred[T] = Deferred()

    def tell(result: Any) -> None:
        if not told.called:
            told.callback(result)
        elif isinstance(result, Failure) and result.check(Refusal) is None:
            _log.failure("what nobody waits for any more went wrong", result)

    Deferred.fromCoroutine(work).addBoth(tell)
    return told
