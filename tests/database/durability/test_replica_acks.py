"""When a replica has what was committed."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.database.durability.replica_acks import AGAIN, COPIED, ReplicaAcks
from simmail.database.url import RedisUrl
from simmail.errors import Unavailable

ONE, OTHER = RedisUrl("10.0.0.1"), RedisUrl("10.0.0.2")


class ReplicaAcksTests(SynchronousTestCase):
    """C{ReplicaAcks}, with a primary that answers what the test says."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.asked: list[Any] = []
        self.ready, self.trouble, self.closes = False, "", 0
        self.replication = b"role:master\r\nslave0:ip=10.0.0.1,port=6379,state=online,offset=1,lag=0\r\n"
        self.wait: Any = lambda: succeed(1)
        self.acks = self.made()

    def made(self, required: bool = False) -> ReplicaAcks:
        return ReplicaAcks(self.clock, self, 1.0, lambda: "{~}:synced", required)  # type: ignore[arg-type]

    def open(self) -> None:
        self.asked.append("open")
        self.ready = True
        self.clock.callLater(0, self.acks.connected)

    def close(self) -> Deferred[None]:
        self.closes += 1
        return succeed(None)

    def call(self, args: tuple[Any, ...], *more: Any) -> Any:
        self.asked.append(args[0])
        return {"WAIT": self.wait, "INFO": lambda: succeed(self.replication)}.get(args[0], lambda: succeed(b"OK"))()

    def pass_by(self, seconds: float) -> None:
        self.clock.pump([0.05] * round(seconds / 0.05))

    def test_none(self) -> None:
        """Without a replica nobody waits, and nothing is asked."""
        self.assertFalse(self.acks.wanted)
        self.successResultOf(self.acks.wait())
        self.assertEqual((self.asked, self.clock.getDelayedCalls()), ([], []))

    def test_one_for_all(self) -> None:
        """All who come while it is asked are told by the next answer, in their order."""
        answers: list[Deferred[Any]] = []
        self.wait = lambda: answers.append(Deferred()) or answers[-1]  # type: ignore[func-returns-value]
        self.acks.known([ONE])
        self.pass_by(0.05)
        answers.pop().callback(1)
        told: list[int] = []
        for at in range(3):
            self.acks.wait().addCallback(lambda _, at=at: told.append(at))
        self.assertEqual(self.asked, ["open", "INFO", "SET", "WAIT", "SET", "WAIT"])
        answers.pop().callback(1)
        self.assertEqual(told, [0])
        answers.pop().callback(2)
        self.assertEqual((told, len(self.asked)), ([0, 1, 2], 8))

    def test_copying(self) -> None:
        """One that is still copying what there was holds nobody up, until it has that."""
        self.replication = b"role:master\r\nslave0:ip=10.0.0.1,port=6379,state=wait_bgsave,offset=0,lag=0\r\n"
        self.acks.known([ONE])
        waiting = self.acks.wait()
        self.pass_by(0.05)
        self.successResultOf(waiting)
        self.assertFalse(self.acks.wanted)
        self.replication = self.replication.replace(b"wait_bgsave", b"online")
        self.pass_by(COPIED + 0.05)
        self.assertTrue(self.acks.wanted)
        self.assertEqual(self.asked.count("WAIT"), 1)

    def test_not_confirmed(self) -> None:
        """In time, or who waits is told; then nobody waits for nothing, until one confirms again."""
        self.acks.known([ONE])
        self.pass_by(0.05)
        self.wait = lambda: succeed(0)
        waiting = self.acks.wait()
        self.pass_by(0.5)
        self.assertNoResult(waiting)
        self.pass_by(0.6)
        self.assertIn("no replica", str(self.failureResultOf(waiting, Unavailable).value))
        self.failureResultOf(self.acks.wait(), Unavailable)
        self.assertIn("no replica", self.acks.away)
        self.wait = lambda: succeed(1)
        self.pass_by(AGAIN + 1.1)
        self.assertEqual(self.acks.away, "")
        self.successResultOf(self.acks.wait())

    def test_short_trouble(self) -> None:
        """What passes in time nobody notices."""
        self.acks.known([ONE])
        self.pass_by(0.05)
        self.wait = lambda: fail(Unavailable("moved"))
        waiting = self.acks.wait()
        self.wait = lambda: succeed(1)
        self.pass_by(0.1)
        self.successResultOf(waiting)

    def test_gone(self) -> None:
        """One that the cluster takes for dead is waited for no more, though it did not confirm; another is."""
        self.acks.known([ONE])
        self.pass_by(0.05)
        self.wait = lambda: succeed(0)
        self.failureResultOf(self.waited(), Unavailable)
        self.acks.known([])
        self.pass_by(AGAIN + 0.05)
        self.assertEqual((self.acks.away, self.acks.wanted), ("", False))
        self.successResultOf(self.acks.wait())
        self.wait = lambda: succeed(1)
        self.acks.known([OTHER])
        self.assertTrue(self.acks.wanted)
        self.successResultOf(self.acks.wait())

    def waited(self) -> Deferred[None]:
        waiting = self.acks.wait()
        self.pass_by(1.2)
        return waiting

    def test_required(self) -> None:
        """Where one is required nothing goes on without."""
        self.acks = self.made(required=True)
        self.wait = lambda: succeed(0)
        self.failureResultOf(self.waited(), Unavailable)
        self.wait = lambda: succeed(1)
        self.pass_by(AGAIN + 1.1)
        self.successResultOf(self.acks.wait())

    def test_close(self) -> None:
        """Who waits is told that nobody knows, and nothing is asked any more."""
        self.acks.known([ONE])
        self.pass_by(0.05)
        self.wait = lambda: succeed(0)
        waiting = self.acks.wait()
        self.successResultOf(self.acks.close())
        self.failureResultOf(waiting, Unavailable)
        self.failureResultOf(self.acks.wait(), Unavailable)
        self.assertEqual((self.closes, self.clock.getDelayedCalls()), (1, []))
