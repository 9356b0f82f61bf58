"""
When what was committed is in Redis's synced log.

C{WAITAOF} tells (Redis 7.2, Valkey); it is asked on a connection of its own,
behind a write of its own, for it holds up what comes after it.  Where it is not
known, twice the interval of syncs has to do; so long is waited in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from simmail.concurrency import Reached
from simmail.database import keys
from simmail.database.connection import RedisConnection
from simmail.database.unsynced import Unsynced
from simmail.errors import Unavailable

#: Real seconds between two looks.
TICK = 0.25
#: Real seconds that a commit is kept: twice the longest interval between two syncs, by C{appendfsync}.
HOLD, HOLD_LAZY = 2.0, 60.0
#: Milliseconds that Redis may take to answer C{WAITAOF}.
LONGEST = 1000


class Synced:
    """
    Releases L{Unsynced} as Redis syncs its log.

    @param connection: opened when it is first needed.
    @ivar hold: real seconds that commits are kept.
    """

    log = Logger()

    def __init__(
        self, reactor: Any, unsynced: Unsynced, connection: RedisConnection, looked: Callable[[], object]
    ) -> None:
        """@param looked: called after each look."""
        self.hold = HOLD
        self._reactor, self._unsynced, self._connection, self._looked = reactor, unsynced, connection, looked
        # Whether Redis syncs before it answers, and whether it can be asked what is synced.
        self._at_once = self._asks = False
        self._opened = self._asking = self._closed = False
        # How many of all that was ever made are known to be synced.
        self._known = 0
        self._timer: IDelayedCall | None = None
        # Those who have asked since the last look; those before them, with what there was.
        self._asked: Deferred[None] | None = None
        self._released = Reached(reactor)

    def configured(self, settings: Mapping[bytes, bytes]) -> None:
        """How often Redis syncs: answers of C{CONFIG GET}, where it gives any."""
        lasting = settings.get(b"appendonly", b"yes") == b"yes"
        sync = settings.get(b"appendfsync", b"everysec")
        self.hold = HOLD if lasting and sync != b"no" else HOLD_LAZY
        self._at_once = lasting and sync == b"always"
        self._asks = lasting and sync == b"everysec"

    def made(self) -> None:
        """Something was committed."""
        if self._timer is None and not self._closed:
            self._timer = self._reactor.callLater(TICK, self._tick)

    def made_again(self) -> None:
        """Redis had lost some; nothing is known of what it has now."""
        self._known = self._unsynced.gone

    def round(self) -> Deferred[None]:
        """
        Fires when all that was committed so far is synced; never, when the database is closed before.

        It is the same one for all who ask between two looks: callbacks of theirs must not wait.
        """
        if not len(self._unsynced):
            return succeed(None)
        if self._asked is None:
            self._asked = Deferred()
        self.made()
        return self._asked

    def _tick(self) -> None:
        self._timer = None
        self._close_round()
        if self._asks and not self._asking and self._known < self._unsynced.total:
            self._asking = True
            Deferred.fromCoroutine(self._ask())
        self._release(self._reactor.seconds() - self.hold)
        if len(self._unsynced):
            self.made()
        self._looked()

    def _close_round(self) -> None:
        if self._asked is not None:
            self._released.wait(self._unsynced.total).addCallback(self._asked.callback)
            self._asked = None

    def _release(self, before: float) -> None:
        self._unsynced.release(before, self._known if self._asks else self._unsynced.total)
        self._released.reach(self._unsynced.gone)

    async def _ask(self) -> None:
        try:
            if not self._opened:
                self._opened = True
                self._connection.open()
            if self._connection.ready:
                await self._sync()
        except Unavailable:
            # Asked again at the next look.
            pass
        except RuntimeError:
            # It does not know the command, or syncs nothing: time has to do.
            self._asks = False
        finally:
            self._asking = False

    async def _sync(self) -> None:
        total, known = self._unsynced.total, self._known
        # It waits for what this connection wrote, so something has to be written, behind all that was answered.
        await self._connection.call(("SET", keys.SYNCED_KEY, total))
        local, _ = await self._connection.call(("WAITAOF", 1, 0, LONGEST))
        if local and self._known >= known:
            self._known = max(self._known, total)

    async def finish(self) -> None:
        """No more is committed: what is known to be synced is released, however young it is."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._close_round()
        if self._asks and len(self._unsynced) and self._connection.ready:
            try:
                await self._sync()
            except (Unavailable, RuntimeError):
                pass
        if self._asks or self._at_once:
            self._release(self._reactor.seconds())

    def close(self) -> Deferred[None]:
        """The connection is closed."""
        return self._connection.close() if self._opened else succeed(None)
