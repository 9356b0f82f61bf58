"""Tests for C{simmail.universe.mailflow.in_flight}: how far each message has got."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.testing.universe import START
from simmail.universe.mailflow import in_flight
from simmail.universe.mailflow.in_flight import MailInFlight, PATIENCE


class _Syncing:
    """No more of a store and of a database than settling needs."""

    def __init__(self) -> None:
        self.settled: list[list[str]] = []
        self.round: Deferred[None] = Deferred()

    def committed(self, ids: list[str]) -> None:
        self.settled.append(ids)

    def synced(self) -> Deferred[None]:
        return self.round


class MailInFlightTests(SynchronousTestCase):
    """The messages of one universe."""

    def setUp(self) -> None:
        """Nothing is under way."""
        self.clock = Clock()
        self.syncing: Any = _Syncing()
        self.mail = MailInFlight(self.syncing, self.syncing, self.clock)

    def test_under_way(self) -> None:
        """The clock waits for the oldest; idle is when all have ended."""
        self.successResultOf(self.mail.when_idle())
        self.assertIsNone(self.mail.earliest_pending())
        for n in range(2):
            self.mail.begin(f"d{n}", START + timedelta(minutes=n))
        idle = self.mail.when_idle()
        self.assertEqual(self.mail.earliest_pending(), START)
        self.mail.end("d0")
        self.assertNoResult(idle)
        self.assertEqual(self.mail.earliest_pending(), START + timedelta(minutes=1))
        self.mail.end("d1")
        self.successResultOf(idle)

    def test_left(self) -> None:
        """What the clock need not wait for is owed its commit still."""
        self.mail.begin("d0", START)
        self.mail.add_uncommitted("d0", 10)
        self.mail.leave("d0")
        committed = self.mail.when_committed()
        self.assertIsNone(self.mail.earliest_pending())
        self.assertEqual((self.mail.is_uncommitted("d0"), self.mail.uncommitted), (True, 1))
        self.assertNoResult(committed)
        self.mail.end("d0")
        self.successResultOf(committed)
        self.assertFalse(self.mail.is_uncommitted("d0"))

    @given(st.permutations(range(6)), st.integers(0, 5))
    def test_committed(self, order: list[int], asked: int) -> None:
        """Who asks waits for all that was accepted by then, in whatever order they end, and for nothing later."""
        mail = MailInFlight(self.syncing, self.syncing, Clock())
        for n in range(asked + 1):
            mail.add_uncommitted(f"d{n}", 1)
        committed = mail.when_committed()
        for n in range(asked + 1, 6):
            mail.add_uncommitted(f"d{n}", 1)
        ended = set[int]()
        for n in order:
            self.assertEqual(committed.called, ended >= set(range(asked + 1)))
            mail.end(f"d{n}")
            ended.add(n)
        self.successResultOf(committed)

    def test_patience(self) -> None:
        """Who asks for what was recorded goes on when Redis takes too long."""
        self.mail.add_uncommitted("d0", 1)
        recorded = self.mail.when_recorded()
        self.clock.advance(PATIENCE - 0.1)
        self.assertNoResult(recorded)
        self.clock.advance(0.1)
        self.successResultOf(recorded)

    def test_over(self) -> None:
        """Who ends waits for what is under way and has then to be committed, unless that takes too long."""
        self.successResultOf(self.mail.when_over())
        self.mail.begin("d0", START)
        over, late = self.mail.when_over(), self.mail.when_over()
        self.mail.add_uncommitted("d0", 1)
        self.mail.leave("d0")
        self.clock.advance(1.0)
        self.assertNoResult(over)
        self.mail.end("d0")
        self.successResultOf(over)
        self.successResultOf(late)
        self.mail.begin("d1", START)
        over = self.mail.when_over()
        self.clock.advance(PATIENCE)
        self.successResultOf(over)

    def test_crowded(self) -> None:
        """Many messages, or large ones."""
        self.patch(in_flight, "MOST_UNCOMMITTED", 2)
        self.patch(in_flight, "MOST_OCTETS", 100)
        for n in range(3):
            self.assertFalse(self.mail.crowded)
            self.mail.add_uncommitted(f"d{n}", 1)
        self.assertTrue(self.mail.crowded)
        self.mail.end("d0")
        self.mail.end("d1")
        self.assertFalse(self.mail.crowded)
        self.mail.add_uncommitted("d3", 100)
        self.assertTrue(self.mail.crowded)

    def test_settled(self) -> None:
        """The journal may forget what is synced: at once, or all of a round together."""
        for n in range(2):
            self.mail.settle(f"d{n}")
        self.assertEqual(self.syncing.settled, [])
        before, self.syncing.round = self.syncing.round, Deferred()
        self.mail.settle("d2")
        before.callback(None)
        self.assertEqual(self.syncing.settled, [["d0", "d1"]])
        self.syncing.round.callback(None)
        self.syncing.round = succeed(None)
        self.mail.settle("d3")
        self.assertEqual(self.syncing.settled, [["d0", "d1"], ["d2"], ["d3"]])
