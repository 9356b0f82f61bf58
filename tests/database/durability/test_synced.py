"""When what was committed is known to be synced."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.database.durability.synced import HOLD, HOLD_LAZY, Synced, TICK, Unsynced
from simmail.errors import Unavailable

EVERY_SECOND = {b"appendonly": b"yes", b"appendfsync": b"everysec"}


class SyncedTests(SynchronousTestCase):
    """C{Synced}, with a Redis that answers what the test says."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.unsynced = Unsynced(self.clock.seconds)
        self.asked: list[str] = []
        self.waitaof: Any = lambda: succeed([1, 0])
        self.ready, self.looks, self.closes = True, 0, 0
        self.synced = Synced(self.clock, self.unsynced, self, self.looked)  # type: ignore[arg-type]

    def open(self) -> None:
        self.asked.append("open")

    def close(self) -> Deferred[None]:
        self.closes += 1
        return succeed(None)

    def call(self, args: tuple[Any, ...]) -> Any:
        self.asked.append(args[0])
        return self.waitaof() if args[0] == "WAITAOF" else succeed(b"OK")

    def looked(self) -> None:
        self.looks += 1

    def commit(self) -> None:
        self.unsynced.add("{main}", b"packed", 0, 0)
        self.synced.made()

    def pass_by(self, seconds: float) -> None:
        self.clock.pump([TICK] * round(seconds / TICK))

    def test_by_time(self) -> None:
        """Where Redis cannot be asked commits are kept twice the longest interval between its syncs, then let go."""
        self.commit()
        waiting = self.synced.round()
        self.pass_by(HOLD - TICK)
        self.assertNoResult(waiting)
        self.pass_by(2 * TICK)
        self.successResultOf(waiting)
        self.assertEqual((self.asked, len(self.unsynced)), ([], 0))

    def test_told(self) -> None:
        """Where it can be asked it must also have said so, behind a write of its own."""
        self.synced.configured(EVERY_SECOND)
        answers: list[Deferred[Any]] = []
        self.waitaof = lambda: answers.append(Deferred()) or answers[-1]  # type: ignore[func-returns-value]
        self.commit()
        waiting = self.synced.round()
        self.pass_by(2 * HOLD)
        self.assertNoResult(waiting)
        self.assertEqual(self.asked, ["open", "SET", "WAITAOF"])
        answers[0].callback([1, 0])
        self.pass_by(TICK)
        self.successResultOf(waiting)

    def test_one_for_all(self) -> None:
        """All who ask between two looks wait for the same; who asks later waits for what came since."""
        self.assertIsNone(self.successResultOf(self.synced.round()))
        self.commit()
        first, second = self.synced.round(), self.synced.round()
        self.assertIs(first, second)
        self.pass_by(TICK)
        self.commit()
        later = self.synced.round()
        self.assertIsNot(first, later)
        self.pass_by(HOLD)
        self.successResultOf(first)
        self.pass_by(2 * TICK)
        self.successResultOf(later)

    def test_passed_on(self) -> None:
        """What another has taken is synced when that one says so, with what was asked for before and not."""
        self.commit()
        waiting = self.synced.round()
        heir: Deferred[None] = Deferred()
        numbers, made = self.unsynced.part(lambda prefix: True)
        self.synced.passed_on(len(made), heir)
        self.commit()
        later = self.synced.round()
        self.clock.pump([TICK] * 20)
        self.assertEqual(len(self.unsynced), 0)
        self.assertNoResult(waiting)
        self.assertNoResult(later)
        heir.callback(None)
        self.successResultOf(waiting)
        self.successResultOf(later)
        self.commit()
        self.successResultOf(self.synced.close())
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_trouble(self) -> None:
        """Away it is asked again at the next look; one that does not know the question is not asked again."""
        self.synced.configured(EVERY_SECOND)
        self.waitaof = lambda: fail(Unavailable("away"))
        self.commit()
        self.pass_by(3 * TICK)
        self.assertEqual(self.asked.count("WAITAOF"), 3)
        self.waitaof = lambda: fail(RuntimeError("unknown command"))
        self.pass_by(2 * HOLD)
        self.assertEqual((self.asked.count("WAITAOF"), len(self.unsynced)), (4, 0))

    def test_settings(self) -> None:
        """How long commits are kept follows from how often Redis syncs."""
        for settings, hold in (({}, HOLD), (EVERY_SECOND, HOLD), ({b"appendfsync": b"always"}, HOLD),
                               ({b"appendfsync": b"no"}, HOLD_LAZY), ({b"appendonly": b"no"}, HOLD_LAZY)):
            self.synced.configured(settings)
            self.assertEqual(self.synced.hold, hold, settings)

    def test_lost(self) -> None:
        """What Redis had lost and was made again counts as not synced, whatever it said before."""
        self.synced.configured(EVERY_SECOND)
        self.commit()
        self.pass_by(2 * TICK)
        self.synced.made_again()
        self.waitaof = lambda: succeed([0, 0])
        self.pass_by(2 * HOLD)
        self.assertEqual(len(self.unsynced), 1)

    def test_end(self) -> None:
        """At the end what is known to be synced is let go, however young; nothing is asked after that."""
        self.synced.configured(EVERY_SECOND)
        self.commit()
        self.pass_by(TICK)
        self.commit()
        waiting = self.synced.round()
        self.successResultOf(Deferred.fromCoroutine(self.synced.finish()))
        self.successResultOf(waiting)
        self.synced.made()
        self.assertEqual((len(self.unsynced), self.clock.getDelayedCalls()), (0, []))
        self.successResultOf(self.synced.close())
        self.assertEqual(self.closes, 1)
