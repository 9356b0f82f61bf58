"""
Taking turns in one reactor: a lock, those who wait for one thing, work that many ask for, or that takes long.

A Deferred that is fired resumes whoever waits for it inside the call that
fires it.  Where that one fires the next, the stack grows with the number of
those who wait, and at about a hundred Python gives up in the middle.  So
nobody here is resumed from within the one before, however many wait, and no
stretch of resuming them keeps the reactor from its connections for long.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.errors import Refusal

P = ParamSpec("P")
T = TypeVar("T")

_log = Logger()

#: Real seconds for which others are resumed one after another before the reactor has its turn.
STRETCH = 0.005


class Lock:
    """
    Held by one at a time (or C{at_once}), in the order in which it was asked for.

    Releasing it resumes nobody: the next goes on in another turn of the reactor.

    @param reactor: C{IReactorTime}.
    """

    __slots__ = ("_reactor", "_free", "_waiting", "_since", "_begun", "_handing", "__weakref__")

    def __init__(self, reactor: IReactorTime, at_once: int = 1) -> None:
        self._reactor = reactor
        self._free = at_once
        self._waiting: deque[Deferred[None]] = deque()
        self._since = 0.0
        # Whether the next is about to be resumed, and whether that is being done.
        self._begun = self._handing = False

    @property
    def locked(self) -> bool:
        """Whether who asks now has to wait."""
        return not self._free or bool(self._waiting)

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(not one.called for one in self._waiting)

    def held(self) -> float:
        """Real seconds for which it has been held by the one who got it last; 0 while it is free."""
        return 0.0 if self._free else max(0.0, self._reactor.seconds() - self._since)

    def acquire(self) -> Deferred[None]:
        """Deferred that fires when it is the caller's; cancelling it gives the place in the row up."""
        turn: Deferred[None] = Deferred()
        if self._free and not self._waiting:
            self._take()
            turn.callback(None)
        else:
            self._waiting.append(turn)
        return turn

    def release(self) -> None:
        """Give it back; the next gets it in another turn of the reactor."""
        self._free += 1
        self._hand_over()

    def _take(self) -> None:
        self._free -= 1
        self._since = self._reactor.seconds()

    def _hand_over(self) -> None:
        if self._waiting and self._free and not self._begun and not self._handing:
            self._begun = True
            self._reactor.callLater(0, self._resume)

    def _resume(self) -> None:
        self._begun, self._handing = False, True
        begin = self._reactor.seconds()
        try:
            while self._waiting and self._free:
                turn = self._waiting.popleft()
                if turn.called:
                    # Cancelled: it wants its turn no more.
                    continue
                self._take()
                turn.callback(None)
                if not 0 <= self._reactor.seconds() - begin < STRETCH:
                    break
        finally:
            self._handing = False
            self._hand_over()

    def run(self, work: Callable[..., Any], *arguments: Any) -> Deferred[Any]:
        """Deferred of what C{work(*arguments)} answers, which is called when it is its turn, or fails with."""
        return Deferred.fromCoroutine(self._run(work, arguments))

    async def _run(self, work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        async with self:
            return await maybeDeferred(work, *arguments)

    async def __aenter__(self) -> Lock:
        await self.acquire()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()


class Waiting(Generic[T]):
    """
    Those who wait for one thing: all are told of it, each outside the other's call.

    The first few are resumed at once, the others when the reactor has had its turn.

    @param reactor: C{IReactorTime}.
    """

    __slots__ = ("_reactor", "_waiting", "_many", "_ready", "_begun", "_firing")

    def __init__(self, reactor: IReactorTime) -> None:
        self._reactor = reactor
        self._waiting: list[Deferred[T]] = []
        # So many, and those who wait no more are looked for.
        self._many = 100
        self._ready: deque[tuple[Deferred[T], T | Failure]] = deque()
        self._begun = self._firing = False

    def __len__(self) -> int:
        return len(self._waiting)

    def wait(self) -> Deferred[T]:
        """Deferred of what L{wake} is called with next, or of the failure of L{fail}; it may be cancelled."""
        one: Deferred[T] = Deferred()
        self._waiting.append(one)
        if len(self._waiting) > self._many:
            self._waiting = [other for other in self._waiting if not other.called]
            self._many = 2 * len(self._waiting) + 100
        return one

    def wake(self, result: T) -> None:
        """Tell all who wait now."""
        waiting, self._waiting = self._waiting, []
        self._tell((one, result) for one in waiting)

    def fail(self, failure: Failure) -> None:
        """Tell all who wait now that it failed."""
        waiting, self._waiting = self._waiting, []
        self._tell((one, failure) for one in waiting)

    def _tell(self, told: Any) -> None:
        self._ready.extend(told)
        if not self._firing and not self._begun:
            self._fire()

    def _fire(self) -> None:
        self._begun, self._firing = False, True
        begin = self._reactor.seconds()
        try:
            while self._ready:
                one, result = self._ready.popleft()
                if one.called:
                    continue
                if isinstance(result, Failure):
                    one.errback(result)
                else:
                    one.callback(result)
                if not 0 <= self._reactor.seconds() - begin < STRETCH:
                    break
        finally:
            self._firing = False
            if self._ready and not self._begun:
                self._begun = True
                self._reactor.callLater(0, self._fire)


class Reached:
    """
    A count that rises, and those who wait until it has reached a number.

    @param reactor: C{IReactorTime}.
    """

    __slots__ = ("_reactor", "_waiting", "count")

    def __init__(self, reactor: IReactorTime) -> None:
        self._reactor = reactor
        self._waiting: deque[tuple[int, Waiting[None]]] = deque()
        self.count = 0

    def wait(self, number: int) -> Deferred[None]:
        """Deferred that fires when the count is C{number}, which is no lower than anybody's before, or more."""
        if not self._waiting or self._waiting[-1][0] != number:
            self._waiting.append((number, Waiting(self._reactor)))
        waiting = self._waiting[-1][1].wait()
        self.reach(self.count)
        return waiting

    def reach(self, count: int) -> None:
        """The count is so much now."""
        self.count = count
        while self._waiting and self._waiting[0][0] <= count:
            self._waiting.popleft()[1].wake(None)


class Shared(Generic[T]):
    """
    Work that whoever asks for it while it is under way gets the outcome of.

    @param reactor: C{IReactorTime}.
    """

    __slots__ = ("_reactor", "_waiting", "_ended", "__weakref__")

    def __init__(self, reactor: IReactorTime) -> None:
        self._reactor = reactor
        self._waiting: Waiting[T] | None = None
        self._ended: Waiting[None] = Waiting(reactor)

    def do(self, work: Callable[[], Coroutine[Any, Any, T]]) -> Deferred[T]:
        """Deferred of the outcome of C{work()}, begun now or before; cancelling it leaves the work alone."""
        if self._waiting is not None:
            return self._waiting.wait()
        waiting = self._waiting = Waiting(self._reactor)
        return unbroken(self._do(work, waiting))

    async def anew(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The outcome of C{work()} that began no earlier than now, also shared."""
        if self._waiting is not None:
            await self._ended.wait()
        return await self.do(work)

    async def _do(self, work: Callable[[], Coroutine[Any, Any, T]], waiting: Waiting[T]) -> T:
        try:
            result = await work()
        except BaseException:
            self._waiting = None
            waiting.fail(Failure())  # type: ignore[no-untyped-call]
            self._ended.wake(None)
            raise
        self._waiting = None
        waiting.wake(result)
        self._ended.wake(None)
        return result


def as_deferred(work: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Deferred[T]]:
    """Let who calls a coroutine function get a Deferred: the work is begun at once, as far as it goes."""
    @wraps(work)
    def begin(*args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
        return Deferred.fromCoroutine(work(*args, **kwargs))
    return begin


class Requiring(Protocol):
    """What may be unable to answer now."""

    def require(self) -> None:
        """@raise Refusal: it cannot be asked."""


R = TypeVar("R", bound=Requiring)


def at_once(call: Callable[Concatenate[R, P], T]) -> Callable[Concatenate[R, P], Deferred[T]]:
    """Let what a method answers or raises, or C{require} of its object before, come in a Deferred that has fired."""
    def require_and_call(self: R, /, *args: P.args, **kwargs: P.kwargs) -> T:
        self.require()
        return call(self, *args, **kwargs)

    @wraps(call)
    def answer(self: R, /, *args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
        return maybeDeferred(require_and_call, self, *args, **kwargs)
    return answer


def unbroken(work: Coroutine[Any, Any, T]) -> Deferred[T]:
    """
    Deferred of what C{work} answers; cancelling it leaves the work alone.

    A request that is broken off (its client has left) breaks off what it awaits; loading a folder that others
    wait for, or a look at it that has begun to change what is known of it, must not be among that.
    """
    told: Deferred[T] = Deferred()

    def tell(result: Any) -> None:
        if not told.called:
            told.callback(result)
        elif isinstance(result, Failure) and result.check(Refusal) is None:
            _log.failure("what nobody waits for any more went wrong", result)

    Deferred.fromCoroutine(work).addBoth(tell)
    return told


def portions(costs: Sequence[int], room: int) -> Iterator[int]:
    """Where to cut a row of things so that each portion costs no more than C{room}, or is one thing."""
    left = room
    for at, cost in enumerate(costs):
        left -= cost
        if left < 0 and left + cost < room:
            yield at
            left = room - cost
    if costs:
        yield len(costs)


class LongWork:
    """
    Work that would keep the reactor for long, in stretches: others get their turn in between.

    @param reactor: C{IReactorTime}.
    @param stretch: real seconds without a turn for others, at most.
    """

    __slots__ = ("_reactor", "_stretch", "_began")

    def __init__(self, reactor: IReactorTime, stretch: float = 4 * STRETCH) -> None:
        self._reactor = reactor
        self._stretch = stretch
        self._began = reactor.seconds()

    async def yield_to_reactor(self) -> None:
        """Let others have their turn, if this stretch has been long enough."""
        if self._reactor.seconds() - self._began >= self._stretch:
            await deferLater(self._reactor, 0)
            self._began = self._reactor.seconds()


class Halt:
    """
    Work that waits is asked to end with what it has done so far: nobody waits any longer.

    @param reactor: C{IReactorTime}.
    @ivar asked: all who do it are to end.
    """

    __slots__ = ("asked", "_waiting")

    def __init__(self, reactor: IReactorTime) -> None:
        self.asked = False
        self._waiting: Waiting[None] = Waiting(reactor)

    def ask(self) -> None:
        """From here on they are to end, and those who wait go on."""
        self.asked = True
        self._waiting.wake(None)

    def unless(self, done: Deferred[None]) -> Deferred[None]:
        """Deferred that fires as C{done} does, or when they are to end."""
        result = self._waiting.wait()

        def over(value: Any) -> None:
            if not result.called:
                result.callback(value)

        done.addBoth(over)
        if self.asked:
            over(None)
        return result


def within(reactor: IReactorTime, done: Deferred[Any], seconds: float) -> Deferred[None]:
    """
    Deferred that fires when C{done} does, or after so many real seconds; fails as C{done} fails before.

    C{done} goes on; a failure of it that nobody waits for any more is logged.
    """
    result: Deferred[None] = Deferred()
    timer: IDelayedCall | None = None

    def ended(value: Any) -> None:
        if timer is not None and timer.active():
            timer.cancel()
        if not result.called:
            result.errback(value) if isinstance(value, Failure) else result.callback(None)
        elif isinstance(value, Failure):
            _log.failure("what nobody waits for any more went wrong", value)

    done.addBoth(ended)
    if not result.called:
        timer = reactor.callLater(seconds, lambda: None if result.called else result.callback(None))
    return result
