"""Tests of how an epoch is sealed and the next one begun, whoever comes between."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import maybeDeferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Fenced, Unavailable
from simmail.mailstore.replication.changes import BodiesHeld, digest_of, named
from simmail.mailstore.replication.log import ReplicaLog
from simmail.mailstore.replication.objects import LogObject, SEAL, name_of
from simmail.mailstore.replication.opening import OpenedEpoch, begin
from simmail.testing.objects import MemoryObjects
from tests.contracts.mailstores import result_of


class OpeningTests(SynchronousTestCase):
    """A universe in memory."""

    def setUp(self) -> None:
        """There is nothing of it."""
        self.objects = MemoryObjects()
        # Several pages.
        self.objects.page = 2
        self.opened = 0

    def begin(self) -> OpenedEpoch:
        """Open it."""
        self.opened += 1
        opened: OpenedEpoch = result_of(begin(
            self.objects, "main", maybeDeferred, f"n{self.opened}"))  # type: ignore[arg-type]
        return opened

    def log(self, opened: OpenedEpoch, nonce: str = "a") -> ReplicaLog:
        """The log of an epoch."""
        return ReplicaLog(self.objects, Clock(), "main", opened.epoch, opened.state, nonce, maybeDeferred)

    def hold(self, log: ReplicaLog, key: str) -> Any:
        """Say something."""
        return log.append([BodiesHeld((key,), digest_of(key.encode()))], named([key.encode()]))

    def test_first(self) -> None:
        """Of what nobody knows there is nothing; each who opens it begins another epoch."""
        self.assertEqual([(one.epoch, one.before) for one in (self.begin(), self.begin(), self.begin())],
                         [(1, 0), (2, 1), (3, 2)])

    def test_all(self) -> None:
        """Whatever was said is there, over several epochs."""
        for epoch in range(3):
            log = self.log(self.begin())
            for number in range(3):
                result_of(self.hold(log, f"{epoch}-{number}"))
        state = self.begin().state
        self.assertEqual(len(state.held), 9)
        self.assertEqual({(one.epoch, one.number) for one in state.contents.values()},
                         {(epoch, number) for epoch in (1, 2, 3) for number in (1, 2, 3)})

    def test_sealed(self) -> None:
        """Who had it before can say nothing more, and what it says is nowhere."""
        log = self.log(self.begin())
        result_of(self.hold(log, "one"))
        opened = self.begin()
        self.assertRaises(Fenced, result_of, self.hold(log, "two"))
        self.assertEqual(set(opened.state.held), {"one"})
        self.assertEqual(self.objects.objects[name_of("main", LogObject(1, 2))], SEAL)
        self.assertEqual(set(self.begin().state.held), {"one"})

    def test_put_meanwhile(self) -> None:
        """What is put while it is being sealed is read, for it is acknowledged."""
        log = self.log(self.begin())
        result_of(self.hold(log, "one"))
        put_new = self.objects.put_new

        def meanwhile(name: str, octets: bytes) -> Any:
            if octets == SEAL and "two" not in log.state.held:
                result_of(self.hold(log, "two"))
            return put_new(name, octets)

        self.objects.put_new = meanwhile  # type: ignore[method-assign]
        self.assertEqual(set(self.begin().state.held), {"one", "two"})

    def test_two_at_once(self) -> None:
        """Of two who open it one is before the other, and only the later one has it then."""
        put_new, others = self.objects.put_new, list[OpenedEpoch]()

        def meanwhile(name: str, octets: bytes) -> Any:
            if name == name_of("main", LogObject(2, 0, True)) and not others:
                self.objects.put_new = put_new  # type: ignore[method-assign]
                others.append(self.begin())
            return put_new(name, octets)

        result_of(self.hold(self.log(self.begin()), "one"))
        self.objects.put_new = meanwhile  # type: ignore[method-assign]
        opened = self.begin()
        self.assertEqual((others[0].epoch, opened.epoch), (2, 3))
        other = self.log(others[0], "b")
        self.assertRaises(Fenced, result_of, self.hold(other, "two"))
        result_of(self.hold(self.log(opened, "c"), "three"))

    def test_slower_than_several(self) -> None:
        """One that stood still while others came and cleared away what it looks at begins again."""
        put_new = self.objects.put_new
        first = name_of("main", LogObject(2, 0, True))

        def meanwhile(name: str, octets: bytes) -> Any:
            if name == first:
                self.objects.put_new = put_new  # type: ignore[method-assign]
                self.begin()
                log = self.log(self.begin(), "b")
                result_of(self.hold(log, "others"))
                result_of(self.objects.delete(first))
            return put_new(name, octets)

        self.begin()
        self.objects.put_new = meanwhile  # type: ignore[method-assign]
        opened = self.begin()
        self.assertEqual((opened.epoch, set(opened.state.held)), (4, {"others"}))

    def test_not_understood(self) -> None:
        """What cannot be understood is told, and nothing is begun."""
        self.begin()
        name = name_of("main", LogObject(1, 0, True))
        self.objects.objects[name] = b"<html>"
        before = dict(self.objects.objects)
        self.assertRaises(Unavailable, self.begin)
        self.assertEqual(self.objects.objects, before)
