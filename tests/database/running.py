"""A private Redis and a database on it, for one test."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from twisted.internet import reactor
from twisted.internet.task import deferLater
from twisted.trial.unittest import SkipTest, TestCase

from simmail.database.private.program import data_folder, known_socket
from simmail.database.private.server import PrivateRedis
from simmail.database.redis import RedisDatabase
from simmail.database.url import unix_url
from simmail.errors import Invalid, Unavailable
from tests.stopwatch import Stopwatch


def state_folder(test: TestCase) -> Path:
    """A state folder for one test; not under trial's own, because the path of a socket is short."""
    state = Path(tempfile.mkdtemp(prefix="simmail-test-"))
    test.addCleanup(shutil.rmtree, state, True)
    return state


def url_of(state: Path) -> str:
    """The URL of the private Redis of a state folder, as another process finds it; C{""} where there is none."""
    path = known_socket(data_folder(state))
    return unix_url(str(path)) if path is not None and path.exists() else ""


class RedisTestCase(TestCase):
    """A test with C{self.server} and C{self.database}, both gone afterwards."""

    timeout = 60

    #: The server to run, "" for the one that would be run.
    program = ""

    #: The name under which C{self.database} takes leases.
    node = ""

    async def setUp(self) -> None:
        self.state = state_folder(self)
        self.server = PrivateRedis(reactor, self.state, self.program)
        try:
            await self.server.start()
        except (Invalid, Unavailable) as error:
            raise SkipTest(str(error)) from None
        self.addCleanup(self.server.stop)
        self.database = await self.opened()

    async def opened(self, timeout: float = 2.0, node: str | None = None) -> RedisDatabase:
        """Another database on the same server, closed after the test."""
        database = RedisDatabase(reactor, self.server.url, timeout, node=self.node if node is None else node)
        self.addCleanup(database.close)
        await database.connect(5.0)
        return database

    def kill_redis(self, number: int = 9) -> None:
        """C{kill -9} of the server."""
        assert self.server.pid is not None
        os.kill(self.server.pid, number)


async def until(condition: Any, within: float = 5.0) -> float:
    """Wait for a condition; the seconds that took by a stopwatch.  @raise AssertionError: too long."""
    watch = Stopwatch()
    while not condition():
        if watch.seconds() > within:
            raise AssertionError(f"not within {within} s")
        await deferLater(reactor, 0.005)
    return watch.seconds()
