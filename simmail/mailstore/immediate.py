"""Calls whose answer is there at once, where a Deferred is expected."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from twisted.internet.defer import Deferred, maybeDeferred

P = ParamSpec("P")
T = TypeVar("T")


def deferred(call: Callable[P, T]) -> Callable[P, Deferred[T]]:
    """What it answers or raises comes in a Deferred that has fired."""
    @wraps(call)
    def deferring(*args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
        return maybeDeferred(call, *args, **kwargs)
    return deferring


def fail_now() -> Deferred[Any]:
    """Deferred that has failed with what is being handled."""
    failed: Deferred[Any] = Deferred()
    failed.errback()
    return failed
