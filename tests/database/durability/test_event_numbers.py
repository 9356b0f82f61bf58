"""Numbers of events that are not used again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.database.durability.event_numbers import EventNumbers, JUMP, NotedNumbers, NoteKeeper, ahead

LAST = st.integers(0, 10**9)


class FileTests(SynchronousTestCase):
    """The file."""

    def setUp(self) -> None:
        self.path = Path(self.mktemp())
        self.numbers = EventNumbers(self.path)

    def test_none(self) -> None:
        """There is none at first."""
        self.assertIsNone(self.numbers.read())
        self.assertFalse(self.numbers.broken)

    def test_there_and_back(self) -> None:
        """What was noted last is read."""
        self.numbers.write("run", {"a": 1}, False)
        self.numbers.write("run", {"a": 7, "b": 2}, True)
        self.assertEqual(EventNumbers(self.path).read(), NotedNumbers("run", True, {"a": 7, "b": 2}))

    def test_broken(self) -> None:
        """Half a file says nothing, and that it is so."""
        self.numbers.write("run", {"a": 1}, True)
        for octets in (b"", self.path.read_bytes()[:-3], b"[]", b'{"last": {"a": "x"}}'):
            self.path.write_bytes(octets)
            numbers = EventNumbers(self.path)
            self.assertEqual((numbers.read(), numbers.broken), (NotedNumbers(), True))


class AheadTests(SynchronousTestCase):
    """Where a universe goes on."""

    @given(LAST, LAST)
    def test_known(self, noted: int, last: int) -> None:
        """After an orderly end, and with the same Redis, at the highest that is known."""
        for one in (NotedNumbers("r", True, {"a": noted}), NotedNumbers("now", False, {"a": noted})):
            self.assertEqual(ahead(one, "now", "a", last), max(noted, last))

    @given(LAST, LAST)
    def test_lost(self, noted: int, last: int) -> None:
        """Otherwise past all that can have been used."""
        for run in ("now", ""):
            lost = NotedNumbers("before", False, {"a": noted})
            self.assertEqual(ahead(lost, run, "a", last), max(noted, last) + JUMP)
        self.assertEqual(ahead(NotedNumbers(), "", "b", last), last + JUMP)


class Reactor(Clock):
    """A clock whose threads work when they are let."""

    def __init__(self) -> None:
        super().__init__()
        self.work: list[Callable[[], object]] = []

    def getThreadPool(self) -> Reactor:
        """It is its own."""
        return self

    def callInThreadWithCallback(
        self, done: Callable[[bool, Any], object], work: Callable[..., Any], *args: Any
    ) -> None:
        """Keep work for L{run}."""
        self.work.append(lambda: done(True, work(*args)))

    def callFromThread(self, call: Callable[..., Any], *args: Any) -> None:
        """At once."""
        call(*args)

    def run(self) -> int:
        """Do what there is, and count it."""
        work, self.work = self.work, []
        for one in work:
            one()
        return len(work)


class NoteKeeperTests(SynchronousTestCase):
    """The file as it is kept."""

    def setUp(self) -> None:
        self.path = Path(self.mktemp())
        self.reactor = Reactor()
        self.reactor.advance(100.0)
        self.used = {"a": 1}
        self.notes = self.kept()

    def kept(self) -> NoteKeeper:
        """Another one of the same file."""
        return NoteKeeper(EventNumbers(self.path), self.reactor, lambda: "run", lambda: dict(self.used))

    def noted(self) -> NotedNumbers | None:
        """What is in the file."""
        return EventNumbers(self.path).read()

    def test_once_a_second(self) -> None:
        """What was used is noted in a thread, nothing twice, and no more often than once a second."""
        self.notes.look()
        self.assertIsNone(self.noted())
        self.assertEqual(self.reactor.run(), 1)
        self.assertEqual(self.noted(), NotedNumbers("", False, {"a": 1}))
        self.used["a"] = 2
        self.notes.look()
        self.assertEqual(self.reactor.run(), 0)
        self.reactor.advance(1.0)
        self.notes.look()
        self.notes.look()
        self.assertEqual(self.reactor.run(), 1)
        self.assertEqual(self.noted(), NotedNumbers("", False, {"a": 2}))
        self.reactor.advance(1.0)
        self.notes.look()
        self.assertEqual(self.reactor.run(), 0)

    def test_continued(self) -> None:
        """Redis goes on only if it is the one that was noted with all there was."""
        self.assertIsNone(self.notes.read())
        self.notes.write()
        for recover, continued in ((False, False), (True, False), (False, True), (False, True)):
            notes = self.kept()
            notes.read()
            self.assertEqual(notes.continued, continued)
            if recover:
                notes.recovered()
                self.reactor.run()
            else:
                notes.write()

    def test_closed(self) -> None:
        """At the end all is noted, behind what is being written, and nothing afterwards."""
        self.notes.look()
        self.used["a"] = 3
        ended = Deferred.fromCoroutine(self.notes.close())
        self.assertNoResult(ended)
        self.reactor.run()
        self.assertIsNone(self.successResultOf(ended))
        self.assertEqual(self.noted(), NotedNumbers("", True, {"a": 3}))
        self.notes.recovered()
        self.assertEqual(self.reactor.run(), 0)

    def test_refused(self) -> None:
        """A disk that refuses stops nothing."""
        self.path.mkdir()
        self.notes.write()
        self.notes.recovered()
        self.assertEqual(self.reactor.run(), 1)
