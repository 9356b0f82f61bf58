"""Turns: a lock, those who wait for one thing, work that goes on when who asked for it leaves."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from hypothesis import given, strategies as st
from twisted.internet.defer import CancelledError, Deferred, fail, succeed
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from simmail.concurrency import Halt, Lock, LongWork, Reached, STRETCH, Shared, Waiting, portions, unbroken, within
from simmail.errors import Unavailable
from simmail.mailstore import folder_cache
from simmail.mailstore.folder.folder import Folder
from tests.contracts.mailstores import DiskProvider, a_delivery, result_of

MARIA = "maria@acme.test"

#: Many more than a stack could hold, and a stack that holds few.
MANY, FRAMES = 2000, 300


@contextmanager
def low_stack() -> Iterator[None]:
    """No more than L{FRAMES} frames above the caller's."""
    usual, depth, frame = sys.getrecursionlimit(), 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(depth + FRAMES)
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)


class Passing(Clock):
    """A clock on which reading it takes time: many who are resumed at once take long."""

    def __init__(self, each: float) -> None:
        super().__init__()
        self._each = each
        self.turns = 0

    def callLater(self, delay: float, callable: Callable[..., object], *args: object, **kw: object) -> IDelayedCall:
        self.turns += 1
        return super().callLater(delay, callable, *args, **kw)

    def seconds(self) -> float:
        self.rightNow += self._each
        return float(self.rightNow)


def run(clock: Clock) -> None:
    """Turn the reactor until it has nothing to do at once."""
    while clock.getDelayedCalls():
        clock.advance(0)


class LockTests(SynchronousTestCase):
    """One at a time, in order, whatever happens."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.lock = Lock(self.clock)
        self.order: list[int] = []

    async def hold(self, number: int, work: Callable[[], Awaitable[None]] | None = None) -> int:
        """Take the lock, note it, do something, give it back."""
        async with self.lock:
            self.order.append(number)
            if work is not None:
                await work()
        return number

    def begin(self, number: int, work: Callable[[], Awaitable[None]] | None = None) -> Deferred[int]:
        """The same, begun."""
        return Deferred.fromCoroutine(self.hold(number, work))

    def test_alone(self) -> None:
        """Who finds it free has it at once, without the reactor."""
        self.assertEqual(self.successResultOf(self.begin(1)), 1)
        self.assertFalse(self.lock.locked)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_another_turn(self) -> None:
        """Releasing it resumes nobody; the next goes on in another turn of the reactor."""
        self.successResultOf(self.lock.acquire())
        second = self.begin(2)
        self.lock.release()
        self.assertNoResult(second)
        self.assertTrue(self.lock.locked)
        self.clock.advance(0)
        self.assertEqual(self.successResultOf(second), 2)
        self.assertFalse(self.lock.locked)

    def test_nobody_overtakes(self) -> None:
        """Who asks between a release and the next one's turn stands behind that one."""
        self.successResultOf(self.lock.acquire())
        begun = [self.begin(1)]
        self.lock.release()
        begun.append(self.begin(2))
        run(self.clock)
        self.assertEqual(self.order, [1, 2])
        self.assertEqual([self.successResultOf(one) for one in begun], [1, 2])

    def test_many(self) -> None:
        """Thousands of those who wait are served in order on a small stack, whether they wait inside or not."""
        for work in (None, self.later):
            self.order.clear()
            self.successResultOf(self.lock.acquire())
            begun = [self.begin(number, work) for number in range(MANY)]
            self.assertEqual(self.lock.waiting, MANY)
            with low_stack():
                self.lock.release()
                run(self.clock)
            self.assertEqual([self.successResultOf(one) for one in begun], list(range(MANY)))
            self.assertEqual(self.order, list(range(MANY)))
            self.assertFalse(self.lock.locked)

    async def later(self) -> None:
        """A turn of the reactor."""
        turn: Deferred[None] = Deferred()
        self.clock.callLater(0, turn.callback, None)
        await turn

    def test_errors(self) -> None:
        """What fails inside is told to who asked, and the next goes on."""
        async def wrong() -> None:
            raise ValueError("wrong")

        self.successResultOf(self.lock.acquire())
        failing, after = [self.begin(number, wrong) for number in range(MANY)], self.begin(MANY)
        with low_stack():
            self.lock.release()
            run(self.clock)
        for one in failing:
            self.failureResultOf(one, ValueError)
        self.assertEqual(self.successResultOf(after), MANY)

    def test_cancelled(self) -> None:
        """Who leaves the row is left out; who leaves while it holds the lock gives it back."""
        holding = self.begin(0, lambda: Deferred())
        waiting = [self.begin(number) for number in range(1, 4)]
        waiting[1].cancel()
        self.failureResultOf(waiting[1], CancelledError)
        self.assertEqual(self.lock.waiting, 2)
        holding.cancel()
        self.failureResultOf(holding, CancelledError)
        run(self.clock)
        self.assertEqual(self.order, [0, 1, 3])
        self.assertFalse(self.lock.locked)

    def test_held(self) -> None:
        """It knows for how long it has been held by the one who has it."""
        self.assertEqual(self.lock.held(), 0)
        self.clock.advance(7)
        self.successResultOf(self.lock.acquire())
        self.clock.advance(11)
        self.assertEqual(self.lock.held(), 11)
        second: Deferred[None] = Deferred()
        self.begin(2, lambda: second)
        self.lock.release()
        self.clock.advance(0)
        self.clock.advance(3)
        self.assertEqual(self.lock.held(), 3)
        second.callback(None)
        self.assertEqual(self.lock.held(), 0)

    def test_stretches(self) -> None:
        """Many who hold it shortly are served in one turn, but the reactor has its own before long."""
        clock = Passing(STRETCH / 10)
        lock, served = Lock(clock), []
        self.successResultOf(lock.acquire())
        for number in range(100):
            lock.run(served.append, number)
        lock.release()
        self.assertEqual(served, [])
        run(clock)
        self.assertEqual(served, list(range(100)))
        self.assertTrue(10 <= clock.turns <= 50, clock.turns)

    def test_several(self) -> None:
        """So many hold it at once as it lets, and no more."""
        lock = Lock(self.clock, 2)
        inside: list[Deferred[int]] = []

        def work() -> Deferred[int]:
            inside.append(Deferred())
            return inside[-1]

        done = [lock.run(work) for _ in range(5)]
        self.assertEqual((len(inside), lock.waiting), (2, 3))
        for number, most in enumerate((3, 4, 5, 5, 5)):
            inside[number].callback(number)
            run(self.clock)
            self.assertEqual(len(inside), most)
        self.assertEqual([self.successResultOf(one) for one in done], list(range(5)))
        self.assertFalse(lock.locked)

    def test_run(self) -> None:
        """What is run under it may answer at once, later or never well."""
        self.assertEqual(self.successResultOf(self.lock.run(max, 1, 2)), 2)
        self.failureResultOf(self.lock.run(int, "x"), ValueError)
        self.assertEqual(self.successResultOf(self.lock.run(self.hold_nothing)), None)
        self.assertFalse(self.lock.locked)

    async def hold_nothing(self) -> None:
        """A coroutine."""


class WaitingTests(SynchronousTestCase):
    """All who wait are told, none inside another."""

    def setUp(self) -> None:
        self.clock = Clock()

    def test_told(self) -> None:
        """All who wait now are told at once; who waits from then on is told the next time."""
        waiting: Waiting[int] = Waiting(self.clock)
        first = [waiting.wait() for _ in range(3)]
        first[1].cancel()
        self.failureResultOf(first[1], CancelledError)
        waiting.wake(1)
        second = waiting.wait()
        self.assertEqual([self.successResultOf(first[0]), self.successResultOf(first[2])], [1, 1])
        self.assertNoResult(second)
        waiting.fail(Failure(Unavailable("gone")))
        self.failureResultOf(second, Unavailable)
        self.assertEqual((len(waiting), self.clock.getDelayedCalls()), (0, []))

    def test_many(self) -> None:
        """Each of thousands wakes those who wait next; the stack does not grow."""
        waiting: Waiting[None] = Waiting(self.clock)
        told = []

        async def pass_on(number: int) -> None:
            await waiting.wait()
            told.append(number)
            again = waiting.wait()
            waiting.wake(None)
            await again

        done = [Deferred.fromCoroutine(pass_on(number)) for number in range(MANY)]
        with low_stack():
            waiting.wake(None)
            run(self.clock)
        for one in done:
            self.successResultOf(one)
        self.assertEqual(told, list(range(MANY)))

    def test_stretches(self) -> None:
        """Many are told in several turns of the reactor."""
        clock = Passing(STRETCH / 10)
        waiting: Waiting[None] = Waiting(clock)
        told = [waiting.wait() for _ in range(100)]
        waiting.wake(None)
        self.assertTrue(1 <= sum(one.called for one in told) <= 12)
        run(clock)
        self.assertTrue(8 <= clock.turns <= 50, clock.turns)
        for one in told:
            self.successResultOf(one)

    def test_reached(self) -> None:
        """Those who wait for a number are told when it is reached, or at once when it is."""
        reached = Reached(self.clock)
        asked = [reached.wait(number) for number in (0, 1, 1, 3)]
        self.assertEqual([one.called for one in asked], [True, False, False, False])
        reached.reach(2)
        self.assertEqual([one.called for one in asked], [True, True, True, False])
        reached.reach(3)
        self.assertTrue(asked[3].called)

    def test_shared(self) -> None:
        """Work is done once for all who ask meanwhile, and anew for who asks afterwards."""
        begun: list[Deferred[int]] = []
        shared: Shared[int] = Shared(self.clock)

        async def work() -> int:
            begun.append(Deferred())
            return await begun[-1]

        asked = [shared.do(work) for _ in range(MANY)]
        asked[0].cancel()
        self.failureResultOf(asked.pop(0), CancelledError)
        with low_stack():
            begun[0].callback(7)
            run(self.clock)
        self.assertEqual({self.successResultOf(one) for one in asked}, {7})
        again = [shared.do(work) for _ in range(2)]
        begun[1].errback(Unavailable("not now"))
        for one in again:
            self.failureResultOf(one, Unavailable)
        self.assertEqual(len(begun), 2)

    def test_anew(self) -> None:
        """Who asks for it anew gets the outcome of what began afterwards, once for all of them."""
        begun: list[Deferred[int]] = []
        shared: Shared[int] = Shared(self.clock)

        async def work() -> int:
            begun.append(Deferred())
            return await begun[-1]

        first = shared.do(work)
        anew = [Deferred.fromCoroutine(shared.anew(work)) for _ in range(MANY)]
        self.assertEqual(len(begun), 1)
        with low_stack():
            begun[0].errback(Unavailable("not now"))
            run(self.clock)
        self.failureResultOf(first, Unavailable)
        self.assertEqual(len(begun), 2)
        begun[1].callback(2)
        run(self.clock)
        self.assertEqual({self.successResultOf(one) for one in anew}, {2})


class UnbrokenTests(SynchronousTestCase):
    """Several ask for the same; the first leaves."""

    def setUp(self) -> None:
        self.provider = DiskProvider(self.mktemp())
        self.store = self.provider.store
        self.addCleanup(self.provider.stop)
        result_of(self.store.accept(a_delivery(0, MARIA)))

    def test_unbroken(self) -> None:
        """The work goes on; an unknown error of what nobody waits for is logged, a refusal is not."""
        for error in (Unavailable("x"), ValueError("y")):
            turn: Deferred[None] = Deferred()
            done: list[str] = []

            async def work(turn: Deferred[None] = turn, done: list[str] = done, error: Exception = error) -> None:
                await turn
                done.append("done")
                raise error

            asked = unbroken(work())
            asked.cancel()
            self.failureResultOf(asked, CancelledError)
            turn.callback(None)
            self.assertEqual(done, ["done"])
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 1)
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_loading(self) -> None:
        """A folder that others wait for is loaded for them."""
        turn: Deferred[None] = Deferred()
        load = folder_cache.load

        async def later(folder: Folder) -> None:
            await turn
            await load(folder)

        with patch.object(folder_cache, "load", later):
            first, second = [Deferred.fromCoroutine(self.store.cache.load((MARIA, "INBOX"))) for _ in range(2)]
            first.cancel()
            self.failureResultOf(first, CancelledError)
            self.assertNoResult(second)
            turn.callback(None)
        self.assertEqual(list(self.successResultOf(second).uids), [1])

    def test_counting(self) -> None:
        """Counts that others wait for are told when all is counted; when counting fails, each counts anew."""
        turns: list[Deferred[Any]] = []
        call = self.store.writer.call

        def later(request: Any) -> Deferred[Any]:
            turns.append(Deferred().addCallback(lambda _: call(request)))
            return turns[-1]

        with patch.object(self.store.writer, "call", later):
            asked = [self.store.counts() for _ in range(3)]
            asked[0].cancel()
            self.failureResultOf(asked[0], CancelledError)
            for one in asked[1:]:
                self.assertNoResult(one)
            turns[0].errback(Unavailable("not now"))
            self.assertEqual(len(turns), 2)
            turns[1].callback(None)
        for one in asked[1:]:
            self.assertEqual(self.successResultOf(one), {MARIA: (1, 1, {"INBOX": (1, 1)})})

    def test_looking(self) -> None:
        """A look at what others changed ends before the next change begins."""
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        turn: Deferred[None] = Deferred()
        look, looked = folder.notice, []

        async def later() -> None:
            await turn
            await look()
            looked.append(True)

        with patch.object(folder, "notice", later):
            polled = folder.poll()
            polled.cancel()
            self.failureResultOf(polled, CancelledError)
            expunged = folder.expunge([1])
            self.assertNoResult(expunged)
            turn.callback(None)
            self.provider.clock.advance(0)
        self.assertEqual((looked, self.successResultOf(expunged)), ([True], [1]))


class HaltTests(SynchronousTestCase):
    """Who waits until something is done, and is asked to end."""

    def setUp(self) -> None:
        self.halt = Halt(Clock())

    def test_done(self) -> None:
        """What is done, or failed, before is told."""
        self.successResultOf(self.halt.unless(succeed(None)))
        done: Deferred[None] = Deferred()
        waiting = self.halt.unless(done)
        self.assertNoResult(waiting)
        done.errback(ValueError())
        self.failureResultOf(waiting, ValueError)

    def test_asked(self) -> None:
        """Asked, all go on, and nobody waits any more; what is done later harms nobody."""
        done: Deferred[None] = Deferred()
        waiting = [self.halt.unless(done) for _ in range(3)]
        self.halt.ask()
        for one in (*waiting, self.halt.unless(done), self.halt.unless(Deferred())):
            self.assertIsNone(self.successResultOf(one))
        done.callback(None)
        self.assertTrue(self.halt.asked)


class LongWorkTests(SynchronousTestCase):
    """Work in stretches."""

    def test_yields(self) -> None:
        """A short stretch goes on at once, a long one when the reactor has had its turn; then a new one begins."""
        clock = Clock()
        work = LongWork(clock, 0.5)
        clock.rightNow += 0.4
        self.successResultOf(Deferred.fromCoroutine(work.yield_to_reactor()))
        clock.rightNow += 0.1
        turn = Deferred.fromCoroutine(work.yield_to_reactor())
        self.assertNoResult(turn)
        clock.advance(0)
        self.successResultOf(turn)
        self.successResultOf(Deferred.fromCoroutine(work.yield_to_reactor()))


class WithinTests(SynchronousTestCase):
    """What is waited for no longer than so long."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.done: Deferred[str] = Deferred()

    def test_in_time(self) -> None:
        """It fires, or fails, as what it waits for does, and leaves no timer."""
        waiting = within(self.clock, self.done, 1.0)
        self.assertNoResult(waiting)
        self.done.callback("x")
        self.assertIsNone(self.successResultOf(waiting))
        self.failureResultOf(within(self.clock, fail(Unavailable("away")), 1.0), Unavailable)
        self.assertIsNone(self.successResultOf(within(self.clock, succeed("x"), 1.0)))
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_late(self) -> None:
        """After so long it fires; what fails later is in the log, what is done later harms nobody."""
        waiting, other = within(self.clock, self.done, 1.0), Deferred[None]()
        within(self.clock, other, 1.0)
        self.clock.advance(1.0)
        self.assertIsNone(self.successResultOf(waiting))
        self.done.callback("x")
        other.errback(ValueError("late"))
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 1)


class PortionTests(SynchronousTestCase):
    """Where rows are cut."""

    @given(st.lists(st.integers(0, 20), max_size=12), st.integers(1, 30))
    def test_portions(self, costs: list[int], room: int) -> None:
        """Every thing is in one portion; none is empty, and one over the limit holds one thing that counts."""
        cuts = list(portions(costs, room))
        self.assertEqual(cuts[-1:], [len(costs)][: len(costs)])
        begin = 0
        for end in cuts:
            self.assertGreater(end, begin)
            portion = costs[begin:end]
            self.assertTrue(sum(portion) <= room or len([cost for cost in portion if cost]) == 1, (costs, cuts))
            begin = end
