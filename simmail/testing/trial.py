"""
For trial: a test case that gives each of its tests a universe of its own.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from functools import cache
from typing import Any, ParamSpec, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread
from twisted.trial.unittest import TestCase

from simmail.client import ApiError, Client
from simmail.testing.service import START, shared

P = ParamSpec("P")
T = TypeVar("T")


@cache
def _begun(url: str, key: str) -> tuple[Client, Client]:
    """The service of the run, and the universe that those of its tests begin as; both go when the process ends."""
    admin = shared(url, key)
    base = admin.create(clock=START, seed="tests")
    atexit.register(admin.delete, base.universe)
    return admin, base


class UniverseTestCase(TestCase):
    """
    Tests of which each has a universe, whose clock stands still on a Monday morning.

    @cvar url, key: of a running service, and an administrator's key of it; without them one is started for the run.
    @cvar seed: what happens is drawn from it.
    @ivar simmail: the universe of the test, with a login of its own.
    """

    url = ""
    key = ""
    seed = "tests"
    simmail: Client
    _told: Callable[[], int]

    def run(self, result: Any = None) -> Any:
        """Run the test; who runs it knows whether it has failed."""
        self._told = lambda: len(result.failures) + len(result.errors)
        return super().run(result)

    def setUp(self) -> None:
        """Fork."""
        admin, base = _begun(self.url, self.key)
        self.simmail = base.fork(seed=self.seed)
        self.addCleanup(self._end, admin, self._told())

    def later(self, call: Callable[P, T], /, *arguments: P.args, **more: P.kwargs) -> Deferred[T]:
        """
        Make a call of C{simmail} that takes its time, while the reactor and the application in it go on.

        C{await self.later(self.simmail.wait_reply, "maria@acme.test", advance=True)}
        """
        return deferToThread(call, *arguments, **more)

    def _end(self, admin: Client, told: int) -> None:
        if self._told() > told:
            try:
                print(f"\n{self.id()}: what happened\n{self.simmail.explain()}")
            except ApiError as error:
                print(error)
        self.simmail.close()
        admin.delete(self.simmail.universe)
