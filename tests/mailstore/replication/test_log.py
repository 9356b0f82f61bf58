"""Tests for C{simmail.mailstore.replication.log}: what is large is digested elsewhere, what comes then waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.mailstore.replication.changes import BodiesHeld, digest_of
from simmail.mailstore.replication.log import LARGE, ReplicaLog
from simmail.mailstore.replication.objects import LogObject, name_of, read_segment
from simmail.mailstore.replication.state import ReplicaState
from simmail.testing.objects import MemoryObjects
from simmail.testing.universe import now

LONG, SHORT = b"x" * LARGE, b"y"


class LargeTests(SynchronousTestCase):
    """A log whose threads end when a test lets them."""

    def setUp(self) -> None:
        self.objects = MemoryObjects()
        self.threads: list[tuple[Deferred[Any], Callable[[], Any]]] = []
        self.log = ReplicaLog(self.objects, Clock(), "main", 1, ReplicaState(), "n", self.in_thread)

    def in_thread(self, do: Callable[..., Any], *more: Any) -> Deferred[Any]:
        """Begin to do it."""
        done: Deferred[Any] = Deferred()
        self.threads.append((done, lambda: do(*more)))
        return done

    def end(self) -> None:
        """The oldest thread ends."""
        done, do = self.threads.pop(0)
        done.callback(do())

    def put(self, key: str, octets: bytes) -> Deferred[None]:
        """Put octets under a key."""
        return self.log.append([BodiesHeld((key,), digest_of(octets))], [(digest_of(octets), octets)])

    def segment(self, number: int) -> list[str]:
        """Whose octets a segment has."""
        name = name_of("main", LogObject(1, number))
        said: Any = read_segment(self.objects.objects[name], name)
        self.assertEqual([self.objects.objects[name][begin:begin + size] for begin, size in said.places.values()],
                         [{"long": LONG, "short": SHORT}[one.keys[0]] for one in said.changes])
        return [one.keys[0] for one in said.changes]

    def test_named(self) -> None:
        """What is small is known at once, what is large when a thread has looked."""
        self.assertEqual(now(Deferred.fromCoroutine(self.log.name([SHORT]))), [(digest_of(SHORT), SHORT)])
        named = Deferred.fromCoroutine(self.log.name([SHORT, LONG]))
        self.assertNoResult(named)
        self.end()
        self.assertEqual(self.successResultOf(named), [(digest_of(one), one) for one in (SHORT, LONG)])

    def test_in_order(self) -> None:
        """What comes while a large segment is made is in the next one, and answered after it."""
        first, second = self.put("long", LONG), self.put("short", SHORT)
        self.assertEqual(self.objects.objects, {})
        self.assertEqual(self.log.waiting, 2)
        self.end()
        self.successResultOf(first)
        self.successResultOf(second)
        self.assertEqual([self.segment(1), self.segment(2)], [["long"], ["short"]])
        self.assertEqual(self.log.state.held, {"long": digest_of(LONG), "short": digest_of(SHORT)})

    def test_closed(self) -> None:
        """A log that is closed meanwhile puts nothing more, and says so."""
        done = self.put("long", LONG)
        self.log.close()
        self.failureResultOf(done, Unavailable)
        self.end()
        self.assertEqual(self.objects.objects, {})
