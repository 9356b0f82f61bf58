"""How often a caller may call: buckets that all processes share."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import Deferred, succeed
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from simmail.database.memory import MemoryDatabase
from simmail.errors import Unavailable
from simmail.rest import ratelimit
from simmail.rest.ratelimit import Rates


class Time:
    """Real time that stands still."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Slow:
    """A database whose answers come when they are let go."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, Deferred[tuple[int, float]]]] = []

    def draw(self, bucket: str, rate: float, burst: int, wanted: int, now: float) -> Deferred[tuple[int, float]]:
        """Remember what is wanted."""
        self.asked.append((wanted, Deferred()))
        return self.asked[-1][1]


class RatesTests(SynchronousTestCase):
    """One caller, of one process and of several."""

    def take(self, one: Rates, caller: str = "x") -> tuple[bool, Any]:
        """One call."""
        return self.successResultOf(Deferred.fromCoroutine(one.take(caller)))

    @given(st.lists(st.tuples(st.floats(0, 3), st.booleans()), max_size=80), st.integers(1, 5), st.integers(1, 10))
    def test_never_more(self, calls: list[tuple[float, bool]], rate: int, burst: int) -> None:
        """In any stretch of time two processes let in no more calls than the burst and what the rate gives."""
        time, database = Time(), MemoryDatabase()
        one, other = (Rates("key", rate, burst, database.draw, time) for _ in range(2))
        taken: list[float] = []
        for pause, which in calls:
            time.now += pause
            allowed, left = self.take(one if which else other)
            self.assertTrue(0 <= left.remaining < burst)
            self.assertTrue(allowed or left.retry_after > 0)
            if allowed:
                taken.append(time.now)
        for first, begin in enumerate(taken):
            for last in range(first, len(taken)):
                self.assertLessEqual(last - first + 1, burst + (taken[last] - begin) * rate + 1e-6)

    def test_shared(self) -> None:
        """What one process let in, another one and one that is started afterwards count."""
        time, database = Time(), MemoryDatabase()
        one, other = (Rates("key", 20, 100, database.draw, time) for _ in range(2))
        answers = [self.take(both)[0] for _ in range(60) for both in (one, other)]
        self.assertEqual(sum(answers), 100)
        self.assertFalse(self.take(Rates("key", 20, 100, database.draw, time))[0])
        self.assertTrue(self.take(Rates("console", 20, 100, database.draw, time))[0])
        self.assertTrue(self.take(one, "y")[0])
        time.now += 0.05
        self.assertEqual([self.take(other)[0], self.take(one)[0]], [True, False])

    def test_together(self) -> None:
        """Calls that come while one asks are asked for together, and are let in in their order."""
        database = Slow()
        one = Rates("key", 20, 100, database.draw, Time())
        calls = [Deferred.fromCoroutine(one.take("x")) for _ in range(5)]
        self.assertEqual([wanted for wanted, _ in database.asked], [1])
        database.asked[0][1].callback((1, 2.0))
        self.assertEqual([wanted for wanted, _ in database.asked], [1, 4])
        database.asked[1][1].callback((2, 0.0))
        self.assertEqual([self.successResultOf(call)[0] for call in calls], [True, True, True, False, False])

    def test_again_at_once(self) -> None:
        """Who is let in and calls again at once, as with requests sent ahead, takes nobody's turn."""
        database = Slow()
        one = Rates("key", 20, 100, database.draw, Time())
        calls = [Deferred.fromCoroutine(one.take("x")) for _ in range(3)]
        again: list[Deferred[Any]] = []
        calls[1].addCallback(lambda answer: again.append(Deferred.fromCoroutine(one.take("x"))) or answer)
        database.asked[0][1].callback((1, 9.0))
        database.asked[1][1].callback((2, 7.0))
        self.assertEqual([self.successResultOf(call)[0] for call in calls], [True, True, True])
        self.assertEqual([wanted for wanted, _ in database.asked], [1, 2, 1])
        database.asked[2][1].callback((1, 6.0))
        self.assertTrue(self.successResultOf(again[0])[0])

    def test_refused_here(self) -> None:
        """Who is refused does not reach the database again before the next token is due."""
        time, asked = Time(), []

        def draw(*args: Any) -> Deferred[tuple[int, float]]:
            asked.append(args)
            return succeed((0, 0.5))

        one = Rates("key", 20, 100, draw, time)
        for _ in range(1000):
            allowed, left = self.take(one)
            self.assertFalse(allowed)
        self.assertEqual((len(asked), left.retry_after), (1, 0.025))
        time.now += 0.025
        self.take(one)
        self.assertEqual(len(asked), 2)

    def test_high_rates(self) -> None:
        """Of a high rate a hundredth of a second's tokens are taken at once, and are good for as long."""
        time, database = Time(), MemoryDatabase()
        one, other = (Rates("key", 1000, 50, database.draw, time) for _ in range(2))
        self.assertEqual(self.take(one)[1].remaining, 49)
        self.assertEqual(sum(self.take(other)[0] for _ in range(60)), 40)
        self.assertEqual(sum(self.take(one)[0] for _ in range(60)), 9)

    def test_away(self) -> None:
        """While the database is away the process counts alone."""
        time, database = Time(), MemoryDatabase()
        database.set_healthy(False)
        one = Rates("key", 2, 3, database.draw, time)
        self.assertEqual([self.take(one)[0] for _ in range(4)], [True, True, True, False])
        database.set_healthy(True)
        time.now += 1
        self.assertTrue(self.take(one)[0])

    def test_defect(self) -> None:
        """What else goes wrong is told to all that wait, and the next one asks anew."""
        database = Slow()
        one = Rates("key", 20, 100, database.draw, Time())
        calls = [Deferred.fromCoroutine(one.take("x")) for _ in range(2)]
        database.asked[0][1].errback(Failure(RuntimeError("no such script")))
        for call in calls:
            self.failureResultOf(call, RuntimeError)
        again = Deferred.fromCoroutine(one.take("x"))
        database.asked[1][1].errback(Failure(Unavailable("away")))
        self.assertTrue(self.successResultOf(again)[0])

    def test_gone(self) -> None:
        """A caller that left takes nobody's turn."""
        database = Slow()
        one = Rates("key", 20, 100, database.draw, Time())
        gone, stays = (Deferred.fromCoroutine(one.take("x")) for _ in range(2))
        gone.cancel()
        self.failureResultOf(gone)
        database.asked[0][1].callback((1, 9.0))
        if len(database.asked) > 1:
            database.asked[1][1].callback((1, 8.0))
        self.assertTrue(self.successResultOf(stays)[0])

    def test_memory(self) -> None:
        """Callers not seen for longest are forgotten."""
        self.patch(ratelimit, "_MOST", 100)
        one = Rates("key", 20, 100, MemoryDatabase().draw, Time())
        for n in range(1000):
            self.take(one, str(n))
        self.assertEqual(len(one._callers), 100)
