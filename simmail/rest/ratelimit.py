"""
How often a caller may call, whichever process it asks.

The buckets are in the database.  A call takes its token there, those that come meanwhile take theirs together; who is
refused is refused from here until the next token is due.  While the database is away a process has buckets of its own.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from simmail.core.lru import Lru
from simmail.core.rules.token_bucket import Bucket, draw
from simmail.errors import Unavailable

#: C{draw(bucket, rate, burst, wanted, now)}: L{IDatabase}'s.
Draw = Callable[[str, float, int, int, float], "Deferred[tuple[int, float]]"]

#: Callers that are known here; those not seen for longest are forgotten.
_MOST = 10_000

#: Real seconds' worth of tokens that are taken ahead, for rates of over a hundred calls a second.
_AHEAD = 0.01


class Allowance(NamedTuple):
    """What is left of a caller's allowance; seconds until it is whole, and until one more call may be made."""

    limit: int
    remaining: int
    reset: int
    retry_after: float


class _Caller:
    """What this process knows of one: tokens at hand, which are good C{until} then; until then none are to be had."""

    __slots__ = ("waiting", "asking", "tokens", "refused", "until", "bucket")

    def __init__(self, burst: int, now: float) -> None:
        self.waiting: deque[Deferred[bool]] = deque()
        self.asking = False
        self.tokens = 0
        self.refused = False
        self.until = 0.0
        self.bucket = Bucket(float(burst), now)


class Rates:
    """
    A token bucket for each caller: C{rate} calls a second, C{burst} at once; a C{rate} of 0 is no limit.

    @ivar limited: whether there is a limit; else nothing is to be taken.
    @param name: tells these buckets from others in the database.
    @param seconds: real time.
    """

    def __init__(self, name: str, rate: float, burst: int, take: Draw, seconds: Callable[[], float]) -> None:
        self._name = name
        self._rate = rate
        self.limited = rate > 0
        self._burst = max(1, burst)
        self._draw = take
        self._seconds = seconds
        self._ahead = max(1, int(rate * _AHEAD))
        self._callers: Lru[str, _Caller] = Lru(_MOST)
        self._own: Lru[str, Bucket] = Lru(_MOST)

    async def take(self, caller: str) -> tuple[bool, Allowance]:
        """Tell whether C{caller} may make one more call, and what is then left."""
        now = self._seconds()
        known = self._callers.use(caller)
        if known is None:
            known = _Caller(self._burst, now)
            self._callers.put(caller, known)
        if now >= known.until:
            known.tokens, known.refused = 0, False
        if not known.tokens and not known.refused:
            turn: Deferred[bool] = Deferred()
            known.waiting.append(turn)
            if not known.asking:
                Deferred.fromCoroutine(self._ask(caller, known))
            allowed = await turn
        else:
            allowed = known.tokens > 0
            known.tokens -= allowed
        return allowed, self._left(known, allowed)

    async def _ask(self, caller: str, known: _Caller) -> None:
        """Take tokens for all that wait, in their order."""
        known.asking = True
        try:
            while known.waiting:
                wanted, now = max(len(known.waiting), self._ahead), self._seconds()
                taken, left = await self._drawn(f"{self._name}:{caller}", wanted, now)
                known.refused, known.bucket = taken < wanted, Bucket(left, now)
                known.until = now + ((1.0 - left) / self._rate if known.refused else _AHEAD)
                turns = [turn for turn in known.waiting if not turn.called]
                # Where there are no more, whoever came meanwhile need not ask.
                served = turns if known.refused else turns[:wanted]
                known.waiting = deque(turns[len(served):])
                known.tokens = max(0, taken - len(served))
                # Each is told what is its own: who goes on at once may call again before the next is told.
                for at, turn in enumerate(served):
                    turn.callback(at < taken)
        except Exception:
            failed, known.waiting = known.waiting, deque()
            for turn in failed:
                if not turn.called:
                    turn.errback(Failure())
        finally:
            known.asking = False

    async def _drawn(self, bucket: str, wanted: int, now: float) -> tuple[int, float]:
        try:
            return await self._draw(bucket, self._rate, self._burst, wanted, now)
        except Unavailable:
            return self._drawn_here(bucket, wanted, now)

    def _drawn_here(self, bucket: str, wanted: int, now: float) -> tuple[int, float]:
        taken, kept = draw(self._own.get(bucket), self._rate, self._burst, wanted, now)
        self._own.put(bucket, kept)
        return taken, kept.tokens

    def _left(self, known: _Caller, allowed: bool) -> Allowance:
        _, (left, _) = draw(known.bucket, self._rate, self._burst, 0, self._seconds())
        tokens = min(float(self._burst - allowed), left + known.tokens)
        return Allowance(
            self._burst, int(tokens), math.ceil((self._burst - tokens) / self._rate),
            0.0 if tokens >= 1.0 else (1.0 - tokens) / self._rate)
