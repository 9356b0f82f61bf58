"""
One Redis: a connection for changes, one for questions, and what it may have lost when it comes back.

Changes go over a connection of their own, so they are done in the order made and Redis syncs its log once for all that
came together.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from simmail.concurrency import Waiting
from simmail.database import layout
from simmail.database.connection import RedisConnection
from simmail.database.lua import load
from simmail.database.queries import all_of
from simmail.database.durability.replica_acks import ReplicaAcks
from simmail.database.durability.synced import Ask, Made, Synced, Unsynced, run_of
from simmail.database.url import RedisUrl, weakness
from simmail.errors import Unavailable

_READ = ("query", "agenda", "inhabited")
_WRITE = ("commit", "sweep", "erase", "retire", "lease", "opened", "copy", "pack", "unpack", "prune", "draw")


class Scripts:
    """
    The scripts, read once.

    @ivar start: how a call of each begins.
    """

    def __init__(self) -> None:
        scripts = {name: load(name) for name in _READ + _WRITE}
        self.start = {name: (b"EVALSHA", script.sha, b"1") for name, script in scripts.items()}
        self.read = [scripts[name] for name in _READ]
        self.write = [scripts[name] for name in _WRITE]


class RedisPrimary:
    """
    A Redis that takes changes.

    @ivar link: where it is.
    @ivar run: of the Redis that is known to have everything (L{run_of}); None before there was any.
    @ivar tag: a hash tag whose keys it has.
    @ivar weak: what its settings may lose (L{weakness}).
    @ivar acks: tells when a replica has what was committed.
    """

    _log = Logger()

    def __init__(
        self, reactor: Any, link: RedisUrl, timeout: float, scripts: Scripts, changed: Callable[[], object],
        came_back: Callable[[RedisPrimary, Ask], Awaitable[None]], looked: Callable[[], object],
        moved: Callable[[str], object] | None = None, tag: str = layout.prefix(""), asking: bool = False,
        replica_required: bool = False,
    ) -> None:
        """
        @param changed: called when C{healthy} may have changed.
        @param came_back: awaited when it may have lost something, before what was committed is made again.
        @param looked: called after each look at what is synced.
        @param moved: called when it says that keys are elsewhere.
        @param asking: it is asked for a slot that is being moved to it.
        @param replica_required: a replica is waited for also where there is none.
        """
        self.link, self.tag, self.asking = link, tag, asking
        self.run: str | None = None
        self.weak = ""
        # Something was given to it that it may not have.
        self._lacking = False
        self._came_back = came_back
        self.reads = RedisConnection(
            reactor, link, timeout, scripts.read, changed, lambda: Deferred.fromCoroutine(self._prepare_reads()),
            moved, asking)
        self.writes = RedisConnection(
            reactor, link, timeout, scripts.write, changed, lambda: Deferred.fromCoroutine(self._prepare_writes()),
            moved, asking)
        self.unsynced = Unsynced(reactor.seconds)
        self.acks = ReplicaAcks(
            reactor, RedisConnection(reactor, link, timeout, (), lambda: self.acks.connected(), asking=asking),
            timeout / 2, lambda: self.tag + layout.SYNCED, replica_required)
        self.synced = Synced(
            reactor, self.unsynced, RedisConnection(reactor, link, timeout, (), lambda: None, asking=asking), looked,
            lambda: self.tag + layout.SYNCED, self.acks)
        # Those who wait for a Redis that has everything.
        self._whole: Waiting[None] = Waiting(reactor)

    @property
    def healthy(self) -> bool:
        """Both connections are up."""
        return self.reads.ready and self.writes.ready

    @property
    def held(self) -> bool:
        """Whether calls wait until it is known where their keys are."""
        return self.reads.held or self.writes.held

    @property
    def locked_out(self) -> bool:
        """It does not take the user or password that is given, or that none is."""
        return self.reads.locked_out or self.writes.locked_out

    @property
    def untrusted(self) -> bool:
        """Nobody vouches for its certificate, or that is of another name."""
        return self.reads.untrusted or self.writes.untrusted

    @property
    def trouble(self) -> str:
        """What was wrong the last time, for people."""
        return self.writes.trouble or self.reads.trouble or "no answer"

    def open(self) -> None:
        """Begin to connect."""
        self.reads.open()
        self.writes.open()

    def close(self) -> Deferred[list[None]]:
        """Connect no more.  What was not answered fails."""
        return all_of([self.reads.close(), self.writes.close(), self.synced.close(), self.acks.close()])

    async def take_over(self, numbers: Mapping[str, int], made: Iterable[Made], died: bool = False) -> None:
        """
        Have what was committed to another that had its keys before, whatever of that it has.

        @param died: the other may have done what it answered to nobody: numbers of events jump ahead.
        """
        self.unsynced.take(numbers, made, died)
        self._lacking = True
        if self.writes.ready:
            try:
                await self.writes.hold()
                await self._make_again()
            except Unavailable:
                # When it is back it is done first.
                self.writes.drop("it does not take over what was another's")
            else:
                self.writes.release(lambda key: self.writes)

    async def _configured(self) -> None:
        """How durable it is."""
        settings: dict[bytes, bytes] = {}
        for name in ("appendonly", "appendfsync", "maxmemory-policy"):
            try:
                reply = await self.writes.ask(("CONFIG", "GET", name))
            except RuntimeError:
                # Hosted Redis often keeps CONFIG to itself: then nothing is said.
                continue
            settings.update(zip(reply[::2], reply[1::2]))
        self.synced.configured(settings)
        self.weak = weakness(settings)

    async def _prepare_writes(self) -> None:
        run = await run_of(self.writes.ask)
        if self.run is None:
            await self._configured()
        if self._lacking or self.run is not None and (not run or run != self.run):
            await self._make_again()
        # What is true already: it asks whether Redis takes anything now.
        await self.writes.ask(("SET", self.tag + layout.LAYOUT_NAME, layout.LAYOUT, "NX"))
        self.run = run
        self._whole.wake(None)

    async def _make_again(self) -> None:
        self.synced.made_again()
        await self._came_back(self, self.writes.ask)
        again = await self.unsynced.restore(self.writes.ask)
        if again:
            self._log.warn("{link} came back with less than it had: {again} commits were made again",
                           link=self.link, again=again)
        self._lacking = False

    async def _prepare_reads(self) -> None:
        run = await run_of(self.reads.ask)
        # A member of a cluster that is down says so to who asks for a key.
        await self.reads.ask(("EXISTS", self.tag + layout.LAYOUT_NAME))
        if self.writes.ready and run == self.run:
            return
        if self.writes.ready:
            self.writes.drop("it is another Redis than before")
        # Nobody is shown what is not whole.
        await self._whole.wait()
