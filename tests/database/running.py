"""A private Redis and a database on it, for one test."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from twisted.internet import reactor
from twisted.trial.unittest import TestCase

from simmail.database.database import Database
from simmail.database.link import parse
from simmail.database.server import PrivateRedis
from simmail.errors import Unavailable


class RedisTestCase(TestCase):
    """A test with C{self.server} and C{self.database}, both gone afterwards."""

    timeout = 60

    async def setUp(self) -> None:
        # Not trial's own folder: the path of a socket is short.
        self.state = Path(tempfile.mkdtemp(prefix="simmail-test-"))
        self.addCleanup(shutil.rmtree, self.state, True)
        self.server = PrivateRedis(reactor, self.state)
        try:
            await self.server.start()
        except Unavailable as error:
            self.skipTest(str(error))
        self.addCleanup(self.server.stop)
        self.database = await self.opened()

    async def opened(self, timeout: float = 2.0) -> Database:
        """Another database on the same server, closed after the test."""
        database = Database(reactor, parse(self.server.url), timeout)
        self.addCleanup(database.close)
        await database.open(5.0)
        return database

    def kill_redis(self, number: int = 9) -> None:
        """C{kill -9} of the server."""
        assert self.server.pid is not None
        os.kill(self.server.pid, number)


async def until(condition: Any, within: float = 5.0) -> float:
    """Wait for a condition; the real seconds that took.  @raise AssertionError: too long."""
    from twisted.internet.task import deferLater

    start = reactor.seconds()  # type: ignore[attr-defined]
    while not condition():
        taken = reactor.seconds() - start  # type: ignore[attr-defined]
        if taken > within:
            raise AssertionError(f"not within {within} s")
        await deferLater(reactor, 0.005)
    return float(reactor.seconds() - start)  # type: ignore[attr-defined]
