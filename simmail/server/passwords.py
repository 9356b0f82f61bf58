"""
Passwords: hashed with argon2id in a thread, compared without telling names apart.

IMAP clients sign in again and again, so a success is remembered for a while,
under a key that dies with the process.  Unknown names take as long as known
ones (promises, S3).  A few are hashed at once, and whoever brings many is behind the others, not before them.
"""

from __future__ import annotations

import hmac
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hashlib import sha256
from secrets import choice, token_bytes
from string import ascii_letters, digits
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime


#: RFC 9106 section 4 leaves the cost to the site; this is OWASP's smallest: 19 MiB, two passes.
_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)

#: Verified against when a name is unknown, so that the answer takes as long.
_NOBODY = "$argon2id$v=19$m=19456,t=2,p=1$c2ltbWFpbC1ub2JvZHk$SjX0z9mFGvMuHZ8f2jmQ0zKc1o2hMRuHBN7nPzTn3kE"

_REMEMBERED = 4096

#: Each hash takes 19 MiB and a core: more at once would only make all slower.
AT_ONCE = 4


def new_password() -> str:
    """
    Make a password nobody has had before: 16 letters and digits, 95 bits.

    Nothing else, because people put it after C{--password} and into URLs, where a leading C{-} would be an option.
    """
    return "".join(choice(ascii_letters + digits) for _ in range(16))


class HashQueue:
    """
    Costly work, a few pieces at once: a lane of those who wait for each who brings it, the lanes served in turn.

    Who brings work limits how much of it may wait (C{SignInLimit} does for passwords).

    @param width: pieces of work that are done at once.
    @param reactor: C{IReactorTime}.
    """

    def __init__(self, width: int, reactor: IReactorTime) -> None:
        self._free = width
        self._reactor = reactor
        self._lanes: OrderedDict[str, deque[Deferred[None]]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, lane: str) -> AsyncIterator[None]:
        """Around a piece of work."""
        if self._free:
            self._free -= 1
        else:
            waiting: Deferred[None] = Deferred()
            self._lanes.setdefault(lane, deque()).append(waiting)
            await waiting
        try:
            yield
        finally:
            # In a turn of its own: whoever is next may be done at once, and would end inside of this.
            if self._lanes:
                self._reactor.callLater(0, self._next)
            else:
                self._free += 1

    def _next(self) -> None:
        while self._lanes:
            name, lane = self._lanes.popitem(last=False)
            waiting = lane.popleft()
            if lane:
                self._lanes[name] = lane
            # Whoever waited no more was cancelled.
            if not waiting.called:
                waiting.callback(None)
                return
        self._free += 1


class Passwords:
    """
    Hash and verify.

    @param in_thread: C{in_thread(function, *arguments)} -> Deferred, such as C{deferToThreadPool} bound.
    @param reactor: C{IReactorTime}.
    """

    def __init__(self, in_thread: Callable[..., Any], reactor: IReactorTime) -> None:
        self._in_thread = in_thread
        self._key = token_bytes(32)
        self._good: OrderedDict[bytes, None] = OrderedDict()
        self._queue = HashQueue(AT_ONCE, reactor)

    async def hash(self, password: str) -> str:
        """The text to store."""
        async with self._queue.turn(""):
            result: str = await self._in_thread(_hasher.hash, password)
        return result

    async def verify(self, stored: str, password: str, remote: str = "") -> bool:
        """
        Whether a password is the one stored; C{stored} empty: nobody's.

        @param remote: the address it comes from, C{""} for a caller of the API; each has its turn after the others.
        """
        tag = hmac.new(self._key, f"{stored}\0{password}".encode("utf-8", "surrogatepass"), sha256).digest()
        if self._known(stored, tag):
            return True
        async with self._queue.turn(remote):
            # Another may have found it good meanwhile.
            if self._known(stored, tag):
                return True
            good: bool = await self._in_thread(_verify, stored or _NOBODY, password)
        if good and stored:
            self._good[tag] = None
            if len(self._good) > _REMEMBERED:
                self._good.popitem(last=False)
            return True
        return False

    def _known(self, stored: str, tag: bytes) -> bool:
        if not stored or tag not in self._good:
            return False
        self._good.move_to_end(tag)
        return True


def _verify(stored: str, password: str) -> bool:
    try:
        return _hasher.verify(stored, password)
    except (VerificationError, InvalidHashError):
        return False
