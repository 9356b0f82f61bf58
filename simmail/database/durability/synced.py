"""
What was committed and may not be in Redis's synced log yet: when it is, and how it is made again.

C{WAITAOF} tells (Redis 7.2, Valkey); it is asked on a connection of its own, behind a write of its own, for it holds
up what comes after it.  Where it is not known, twice the interval of syncs has to do; so long is waited in any case.

A Redis that syncs its log once a second, or whose log was restored, may come back with less than it had acknowledged:
always the beginning of what was done, in order.  What is missing is done again as it was, so the same events get the
same numbers; then numbers jump ahead, for somebody may have seen one of a commit that nobody was told of.  Source:
decisions, section 20.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from typing import Any, NamedTuple

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from simmail.concurrency import Reached
from simmail.database import layout
from simmail.database.connection import RedisConnection
from simmail.database.durability.replica_acks import ReplicaAcks
from simmail.errors import Unavailable

#: Octets of a block; what is longer has one of its own.
BLOCK = 1 << 18


class Blocks:
    """What is kept one behind the other: a block goes when nobody has anything of it any more."""

    def __init__(self) -> None:
        self._block = memoryview(bytearray())
        self._used = 0

    def keep(self, octets: bytes) -> memoryview:
        """The same octets, as long as the answer is kept."""
        end = self._used + len(octets)
        if end > len(self._block):
            size, self._used, end = max(BLOCK, len(octets)), 0, len(octets)
            self._block = memoryview(mmap(-1, size, MAP_PRIVATE | MAP_ANONYMOUS))
        kept = self._block[self._used:end]
        kept[:] = octets
        self._used = end
        return kept.toreadonly()


#: Octets of commits that are kept; beyond it the oldest go, however young they are.
MOST = 64 * 1024 * 1024
#: Numbers left out when any were lost: more than commits on their way can have used.
JUMP = 10_000
#: Commands that are made again in one go.
TOGETHER = 500

#: Sends a command (packed, or its words); answers a Deferred of the reply.
Ask = Callable[..., Deferred[Any]]
#: Does something once more.
Again = Callable[[Ask], Coroutine[Any, Any, None]]


class Made(NamedTuple):
    """
    One commit as it was sent, or what erased a universe, or made it by copying another.

    @ivar prefix: hash tag of the universe.
    @ivar first, last: numbers of its events, 0 for none; of an erasure, C{last} is the highest one before it.
    @ivar at: real time at which it was answered.
    @ivar again: does the erasure or copy again; None for a commit.
    @ivar copy: what a copy is called, C{""} for anything else; source: hash tag of what was copied.
    """

    prefix: str
    packed: memoryview
    first: int
    last: int
    at: float
    again: Again | None = None
    copy: str = ""
    source: str = ""


class Unsynced:
    """
    The commits of one process, oldest first, since the last one that is known to be synced.

    @param seconds: real time.
    @ivar numbers: the highest event number that was told of, by hash tag.
    @ivar total: commits ever added; gone: those of them that are not kept any more.
    """

    log = Logger()

    def __init__(self, seconds: Callable[[], float]) -> None:
        self.numbers: dict[str, int] = {}
        self.total = self.gone = 0
        self._seconds = seconds
        self._made: deque[Made] = deque()
        self._blocks = Blocks()
        self._octets = 0
        # Hash tags of which somebody may have seen numbers that nobody was told of.
        self._doubted: set[str] = set()

    def __len__(self) -> int:
        return len(self._made)

    def add(self, prefix: str, packed: bytes, first: int, events: int) -> None:
        """A commit was answered: C{first} is the number of the first of its events."""
        last = first + events - 1 if events else 0
        if last > self.numbers.get(prefix, 0):
            self.numbers[prefix] = last
        kept = self._blocks.keep(packed)
        self._append(Made(prefix, kept, first if events else 0, last, self._seconds()))

    def erased(self, prefix: str, erase: Again) -> None:
        """A universe was erased; what was committed in it before means nothing any more."""
        self._forget(prefix)
        self._append(Made(prefix, memoryview(b""), 0, self.numbers.get(prefix, 0), self._seconds(), erase))

    def copied(self, source: str, prefix: str, copy: str, last: int, again: Again) -> None:
        """
        A universe was made by copying another; what it was before means nothing any more.

        @param copy: what Redis knows the copy by; last: the highest event number it has used.
        @param again: copies once more, whatever is there of it.
        """
        self._forget(prefix)
        self.numbers[prefix] = max(last, self.numbers.get(prefix, 0))
        self._append(Made(prefix, memoryview(b""), 0, 0, self._seconds(), again, copy, source))

    def _forget(self, prefix: str) -> None:
        """What was done to a universe matters no more, but for what was copied from it."""
        copies = [at for at, one in enumerate(self._made) if one.source == prefix]
        needed = copies[-1] if copies else 0
        kept = [one for at, one in enumerate(self._made) if one.prefix != prefix or at < needed]
        self._octets = sum(len(one.packed) for one in kept)
        self.gone += len(self._made) - len(kept)
        self._made = deque(kept)

    def part(self, goes: Callable[[str], bool]) -> tuple[dict[str, int], list[Made]]:
        """Give away numbers and commits of universes that are another Redis's now, by their hash tags."""
        numbers = {prefix: number for prefix, number in self.numbers.items() if goes(prefix)}
        parted = [one for one in self._made if goes(one.prefix)]
        self.numbers = {prefix: number for prefix, number in self.numbers.items() if prefix not in numbers}
        self._made = deque(one for one in self._made if not goes(one.prefix))
        self._octets -= sum(len(one.packed) for one in parted)
        self.gone += len(parted)
        return numbers, parted

    def take(self, numbers: Mapping[str, int], made: Iterable[Made], doubted: bool = False) -> None:
        """
        Have what was another's (L{part}).

        @param doubted: that one may have used numbers that nobody here was told of.
        """
        self.numbers.update(numbers)
        if doubted:
            self._doubted.update(numbers)
        now = self._seconds()
        for one in made:
            self._append(one._replace(at=now))

    def _append(self, made: Made) -> None:
        self._made.append(made)
        self.total += 1
        self._octets += len(made.packed)
        while self._octets > MOST:
            self._drop()

    def _drop(self) -> None:
        self._octets -= len(self._made.popleft().packed)
        self.gone += 1

    def release(self, before: float, most: int) -> None:
        """What was answered before a real time is synced, C{most} of all that was ever added at the most."""
        while self._made and self._made[0].at <= before and self.gone < most:
            self._drop()

    async def restore(self, ask: Ask) -> int:
        """
        Make again what a Redis that has come back does not have; answers how many commits with events that was.

        Of those without it is not known what it has; they mean the same a second time.

        Done twice it does no harm, so it may be begun anew when the connection is lost.

        @raise Unavailable: it was.
        """
        prefixes = list(dict.fromkeys([*self.numbers, *(one.prefix for one in self._made)]))
        there: dict[str, tuple[int, int]] = {}
        copies: dict[str, str] = {}
        for prefix in prefixes:
            last, floor, copy = await ask(("HMGET", prefix + layout.META, "last", "floor", "copy"))
            there[prefix] = int(last or 0), int(floor or 0)
            copies[prefix] = bytes(copy or b"").decode()
        lost = await self._send(ask, there, copies)
        now = self._seconds()
        # They are as old as the log that has them now.
        self._made = deque(one._replace(at=now) for one in self._made)
        for prefix, number in self.numbers.items():
            if there[prefix][0] < number or prefix in self._doubted:
                await ask(("HSET", prefix + layout.META, "last", max(number, there[prefix][0]) + JUMP))
        self._doubted.clear()
        return lost

    async def _send(self, ask: Ask, there: dict[str, tuple[int, int]], copies: dict[str, str]) -> int:
        number = {prefix: last for prefix, (last, _) in there.items()}
        lost, asked = 0, list[Deferred[Any]]()
        made = _in_order(self._made)
        # Of a universe that is such a copy nothing from before is done again.
        copied = {one.prefix: at for at, one in enumerate(made) if one.copy and one.copy == copies[one.prefix]}
        for at, one in enumerate(made):
            if at <= copied.get(one.prefix, -1):
                continue
            last, floor = there[one.prefix]
            if one.again is not None:
                if one.copy or floor <= one.last:
                    await _all(asked)
                    asked = []
                    await one.again(ask)
                continue
            if one.last:
                if one.last <= last:
                    continue
                if number[one.prefix] < one.first - 1:
                    # Of others, or of commits nobody waited for: their numbers are not used again.
                    asked.append(ask(("HSET", one.prefix + layout.META, "last", one.first - 1)))
                number[one.prefix] = one.last
                lost += 1
            asked.append(ask(bytes(one.packed)))
            if len(asked) >= TOGETHER:
                await _all(asked)
                asked = []
        await _all(asked)
        return lost


def _in_order(made: Iterable[Made]) -> list[Made]:
    """As they were done: one whose answer was lost was added when it was asked for again."""
    placed, at, copies = [], dict[str, int](), 0
    for one in made:
        if one.first:
            at[one.prefix] = max(at.get(one.prefix, 0), one.first)
        # What one universe has is another's from a copy on: all before it comes before it.
        copies += bool(one.copy)
        placed.append((copies, not one.copy and (one.first or at.get(one.prefix, 0)), one))
        copies += bool(one.copy)
    return [one for _, _, one in sorted(placed, key=lambda place: place[:2])]


async def _all(asked: list[Deferred[Any]]) -> None:
    # Each is waited for, whatever became of those before it.
    failed: Unavailable | None = None
    for one in asked:
        try:
            await one
        except Unavailable as error:
            failed = failed or error
        except Exception:
            # It was taken once; what is behind it must not wait for it for ever.
            Unsynced.log.failure("a commit that was lost cannot be made again")
    if failed is not None:
        raise failed


async def run_of(ask: Callable[..., Awaitable[Any]]) -> str:
    """What is another one whenever Redis was started anew; C{""} where it does not tell."""
    try:
        reply = await ask(("INFO", "server"))
    except RuntimeError:
        return ""
    _, _, rest = bytes(reply).partition(b"run_id:")
    return rest.split(b"\r\n", 1)[0].decode("ascii", "replace")


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
        self, reactor: Any, unsynced: Unsynced, connection: RedisConnection, looked: Callable[[], object],
        key: Callable[[], str] = lambda: layout.prefix("") + layout.SYNCED, acks: ReplicaAcks | None = None,
    ) -> None:
        """
        @param looked: called after each look; key: names what is written to ask.
        @param acks: what is synced has to be on a replica too, where one is waited for.
        """
        self.hold = HOLD
        self._reactor, self._unsynced, self._connection, self._looked = reactor, unsynced, connection, looked
        self._key, self._acks = key, acks
        # Whether Redis syncs before it answers, and whether it can be asked what is synced.
        self._at_once = self._asks = False
        self._opened = self._asking = self._closed = False
        # How many of all that was ever made are known to be synced; how many another has taken and not synced yet.
        self._known = self._elsewhere = 0
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

    def passed_on(self, count: int, synced: Deferred[Any]) -> None:
        """Others have taken so many (L{Unsynced.part}); C{synced} fires when these have synced them."""
        self._elsewhere += count
        self._close_round()
        synced.addCallback(self._synced_elsewhere, count)

    def _synced_elsewhere(self, result: object, count: int) -> None:
        self._elsewhere -= count
        self._reach()

    def _reach(self) -> None:
        if not self._elsewhere:
            self._released.reach(self._unsynced.gone)

    def _tick(self) -> None:
        self._timer = None
        self._close_round()
        if self._is_asked and not self._asking and self._known < self._unsynced.total:
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
        self._unsynced.release(before, self._known if self._is_asked else self._unsynced.total)
        self._reach()

    async def _ask(self) -> None:
        try:
            if self._asks and not self._opened:
                self._opened = True
                self._connection.open()
            if self._connection.ready or not self._asks:
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
        if self._asks and not await self._synced_here(total):
            return
        if self._acks is not None:
            await self._acks.wait()
        if self._known >= known:
            self._known = max(self._known, total)

    async def _synced_here(self, total: int) -> bool:
        # It waits for what this connection wrote, so something has to be written, behind all that was answered.
        await self._connection.call(("SET", self._key(), total))
        local, _ = await self._connection.call(("WAITAOF", 1, 0, LONGEST))
        return bool(local)

    @property
    def _is_asked(self) -> bool:
        """Whether what is synced is known from answers; else from how long ago it was committed."""
        return self._asks or self._acks is not None and self._acks.wanted

    async def finish(self) -> None:
        """No more is committed: what is known to be synced is released, however young it is."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._close_round()
        if self._is_asked and len(self._unsynced) and (self._connection.ready or not self._asks):
            try:
                await self._sync()
            except (Unavailable, RuntimeError):
                pass
        if self._is_asked or self._at_once:
            self._release(self._reactor.seconds())

    def close(self) -> Deferred[None]:
        """The connection is closed, and nothing is looked at any more."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        return self._connection.close() if self._opened else succeed(None)
