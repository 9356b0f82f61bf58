"""Those who are called when something happens; one that fails does not keep it from the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec

from twisted.logger import Logger

P = ParamSpec("P")


class Listeners(Generic[P]):
    """Callables with the same parameters; C{what}: what they listen to, for the log."""

    _log = Logger()

    def __init__(self, what: str) -> None:
        self._what = what
        self._called: list[Callable[P, object]] = []

    @property
    def watched(self) -> bool:
        """Whether anybody listens."""
        return bool(self._called)

    def listen(self, listener: Callable[P, object]) -> None:
        """Call it from now on."""
        self._called.append(listener)

    def unlisten(self, listener: Callable[P, object]) -> None:
        """Call it no more."""
        if listener in self._called:
            self._called.remove(listener)

    def tell(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call all of them, in the order they came."""
        for listener in list(self._called):
            try:
                listener(*args, **kwargs)
            except Exception:
                self._log.failure("a listener of {what} failed", what=self._what)
