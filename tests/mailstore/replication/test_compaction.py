"""Tests of how old objects go: nothing that is needed goes, and what was needed once does not stay for ever."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twisted.internet.defer import maybeDeferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Fenced, Unavailable
from simmail.mailstore.replication.compaction import Compaction
from simmail.mailstore.replication.objects import LogObject, id_of
from tests.contracts.mailstores import a_delivery, a_mail, result_of
from tests.mailstore.contracts.test_model import BEGINNING, COMMANDS, Side
from tests.mailstore.replication.providers import clear, ReplicatedProvider
from tests.mailstore.replication.test_replicas import identities, shown

MARIA = "maria@acme.test"


class Compacting(ReplicatedProvider):
    """One that has another base after every few segments."""

    segments = 3

    def start(self) -> Any:
        """A process begins."""
        store = super().start()
        self.compaction = Compaction(
            self.objects, self.replicas._logs["main"], maybeDeferred, segments=self.segments)  # type: ignore[arg-type]
        return store

    def ids(self) -> list[LogObject]:
        """What there is."""
        return sorted(filter(None, (id_of("main", name) for name in self.objects.objects)))


class CompactionTests(SynchronousTestCase):
    """A store whose log is short."""

    def setUp(self) -> None:
        """It has nothing yet."""
        self.provider = Compacting(self.mktemp())
        self.objects = self.provider.objects
        self.addCleanup(self.provider.stop)

    def deliver(self, *numbers: int) -> None:
        """Deliver messages, a segment for each."""
        for number in numbers:
            result_of(self.provider.store.accept(a_delivery(number, MARIA, octets=a_mail(f"mail {number}", "x" * 500))))

    def folder(self) -> Any:
        """Maria's INBOX."""
        return result_of(self.provider.store.folder(MARIA, "INBOX"))

    def test_bounded(self) -> None:
        """However much comes and goes, few objects stay, of this epoch and of those before."""
        for round in range(6):
            for number in range(10):
                self.deliver(100 * round + number)
                self.provider.store.committed([f"d-{100 * round + number}"])
                result_of(self.folder().expunge(self.folder().uids))
            self.provider.restart()
        ids = self.provider.ids()
        self.assertLess(len(ids), 20)
        # Of each earlier epoch the seal stays, and nothing else for long.
        self.assertEqual([len([one for one in ids if one.epoch == epoch]) for epoch in range(1, 5)], [1] * 4)

    def test_short_lives(self) -> None:
        """Nor are there more and more of servers that each had it for a short time."""
        self.provider.stop()
        self.provider.segments = 12
        for life in range(9):
            self.provider.start()
            self.deliver(*range(4 * life, 4 * life + 4))
            self.provider.stop()
        self.provider.start()
        state = self.provider.replicas._logs["main"].state
        self.assertLess(len({(one.epoch, one.number) for one in state.contents.values()}), 16)
        self.assertEqual(len(self.folder().uids), 36)

    def test_needed(self) -> None:
        """Octets that are needed stay, wherever they were put."""
        self.deliver(*range(20))
        kept = self.folder().uids[::7]
        result_of(self.folder().expunge([uid for uid in self.folder().uids if uid not in kept]))
        for number in range(30, 36):
            self.deliver(number)
        before = {uid: octets for uid, octets in result_of(self.folder().reads(self.folder().uids))}
        self.assertEqual(len(before), 9)
        self.provider.lose()
        self.assertEqual({uid: octets for uid, octets in result_of(self.folder().reads(self.folder().uids))}, before)
        self.provider.lose()
        self.assertEqual({uid: octets for uid, octets in result_of(self.folder().reads(self.folder().uids))}, before)

    def test_put_again(self) -> None:
        """A segment of which little is needed goes, and what is needed is put again."""
        self.objects.held = []
        waiting = [self.provider.store.accept(a_delivery(number, MARIA, octets=a_mail(f"mail {number}", "x" * 500)))
                   for number in range(30)]
        while self.objects.held:
            self.objects.held.pop(0)()
        self.objects.held = None
        for one in waiting:
            self.successResultOf(one)
        self.provider.store.committed([f"d-{number}" for number in range(30)])
        self.provider.later()
        state = self.provider.replicas._logs["main"].state
        place = {(one.epoch, one.number) for one in state.contents.values()}
        result_of(self.folder().expunge(self.folder().uids[1:]))
        for number in range(40, 50):
            self.deliver(number)
        self.assertEqual({(one.epoch, one.number) for one in state.contents.values()} & place, set())
        for epoch, number in place:
            self.assertNotIn(LogObject(epoch, number), self.provider.ids())
        self.provider.lose()
        self.assertEqual(len(result_of(self.folder().reads(self.folder().uids))), 11)

    def test_seal_stays(self) -> None:
        """A server that was cut off for long finds the seal of its epoch, however much went by meanwhile."""
        self.deliver(1)
        other = Compacting(self.mktemp(), self.objects)
        self.addCleanup(lambda: other.stop())
        for number in range(2, 12):
            result_of(other.store.accept(a_delivery(number, MARIA)))
        other.restart()
        for number in range(12, 22):
            result_of(other.store.accept(a_delivery(number, MARIA)))
        self.assertRaises(Fenced, self.deliver, 99)
        self.assertEqual(len(result_of(other.store.folder(MARIA, "INBOX")).uids), 21)

    def test_away(self) -> None:
        """Where the store goes away meanwhile, nothing is lost, and it is done later."""
        self.deliver(1, 2)
        put = self.objects.put
        self.objects.put = lambda name, octets: self.objects._away()  # type: ignore[method-assign]
        self.deliver(3, 4, 5)
        self.objects.put = put  # type: ignore[method-assign]
        self.deliver(*range(6, 12))
        self.assertTrue(any(one.base and one.number for one in self.provider.ids()))
        self.provider.lose()
        self.assertEqual(len(self.folder().uids), 11)

    def test_damaged(self) -> None:
        """What is not what was put is never taken for it."""
        self.deliver(1)
        result_of(self.provider.store.close())
        for name, octets in list(self.objects.objects.items()):
            self.objects.objects[name] = octets[:-1] + bytes([octets[-1] ^ 1])
            self.assertRaises(Unavailable, result_of, self.provider.replicas.prepare("main"))
            self.objects.objects[name] = octets
        result_of(self.provider.replicas.prepare("main"))
        self.provider.opened.clear()
        self.provider.store = self.provider.open("main")
        self.assertEqual(len(self.folder().uids), 1)

    @settings(max_examples=int(os.environ.get("MODEL_EXAMPLES", "30")), deadline=None,
              suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(COMMANDS, max_size=25), st.integers(1, 4))
    def test_equal(self, commands: list[tuple[Any, ...]], segments: int) -> None:
        """With a base after every few segments, what another machine restores is equal, twice."""
        path = tempfile.mkdtemp(prefix="replica")
        self.patch(Compacting, "segments", segments)
        side = Side(Compacting(path))
        try:
            for command in (*BEGINNING, *commands):
                side.does(command)
            before, known = shown(side), identities(side.store)
            for _ in range(2):
                side.provider.later()
                side.leave()
                side.store = side.provider.lose()
                self.assertEqual(shown(side), before)
                self.assertEqual(identities(side.store), known)
        finally:
            side.provider.stop()
            clear(path)
