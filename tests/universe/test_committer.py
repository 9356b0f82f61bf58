"""Tests for C{simmail.universe.committer}: how changes become true."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
from twisted.internet.defer import Deferred, fail
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.commit import Commit, EventQuery
from simmail.core.records.event import Event
from simmail.core.rules.quota_plan import SELF_HOSTED
from simmail.core.time.instant import format_instant
from simmail.database.memory import MemoryDatabase
from simmail.errors import Unavailable
from simmail.testing.universe import START, now
from simmail.universe import committer
from simmail.universe.committer import AGAIN, Committer
from simmail.universe.eventlog import EventLog
from simmail.universe.usage import MAIL, Usage

EVENT = Event("pace", START, {"factor": 1.0})


class CommitterTests(SynchronousTestCase):
    """Changes of one universe."""

    def setUp(self) -> None:
        """A database in memory, and who hears of events."""
        self.clock, self.database = Clock(), MemoryDatabase()
        self.log = EventLog("main", self.database, self.clock)
        self.usage = Usage("main", self.database, self.clock, lambda: SELF_HOSTED)
        self.owed = 0
        self.committer = Committer(
            "main", self.database, self.clock, self.log, self.usage, self.fail, lambda: self.owed)
        self.committer.start()
        self.heard: list[Any] = []
        self.log.watch(lambda first, events: self.heard.append((first, [event.type for event in events])))

    def table(self, name: str) -> dict[str, bytes]:
        return now(self.database.table("main", name))

    def test_told(self) -> None:
        """What is true is told and counted, once for each C{once}."""
        commit = Commit(once="d1", puts=(("t", "k", b"1"),), events=(EVENT,), counts=self.usage.one_more(MAIL))
        for _ in range(2):
            now(self.committer.commit(commit))
        self.assertEqual((self.heard, self.usage.used(MAIL), self.table("t")), ([(1, ["pace"])], 1, {"k": b"1"}))

    def test_retired(self) -> None:
        """Outcomes that the journal never asks for again are forgotten, in two steps; what it owes is known."""
        self.patch(committer, "FIRST_LOOK", 2)
        self.patch(committer, "NEXT_LOOK", 3)
        self.patch(committer, "KNOWN", 2)
        unsettled: list[Deferred[list[str]]] = []

        def asked() -> Deferred[list[str]]:
            unsettled.append(Deferred())
            return unsettled[-1]

        one = Committer("main", self.database, self.clock, self.log, self.usage, unsettled=asked)
        ids = [f"d{number}" for number in range(9)]

        def commit(*ids: str) -> None:
            for id in ids:
                now(one.commit(Commit(once=id)))
            now(one.commit(Commit()))

        commit("d0", "d0")
        self.assertEqual(unsettled, [])
        commit("d1")
        # Until the journal has said, nothing is forgotten; what comes meanwhile is not old.
        unsettled[0].callback(["d0"])
        commit("d2", "d3")
        self.assertEqual(len(unsettled), 1)
        commit("d4")
        unsettled[1].callback(["d0", "d3"])
        self.assertEqual(now(self.database.seen("main", ids)), {"d0", "d2", "d3", "d4"})
        # A disk that refuses keeps everything known.
        commit("d5", "d6", "d7")
        unsettled[2].errback(OSError("full"))
        commit("d8")
        self.assertEqual(now(self.database.seen("main", ids)), set(ids) - {"d1"})

    def test_not_retired(self) -> None:
        """A universe that stops, or is being deleted, forgets nothing more."""
        self.patch(committer, "FIRST_LOOK", 1)
        self.patch(committer, "NEXT_LOOK", 1)
        self.patch(committer, "KNOWN", 1)
        for end in (Committer.stop, Committer.close):
            asked: Deferred[list[str]] = Deferred()
            one = Committer("main", self.database, self.clock, self.log, self.usage, unsettled=lambda: asked)
            now(one.commit(Commit(once=end.__name__)))
            end(one)
            asked.callback([])
        self.assertIs(now(self.database.retire("main", [], 2)), True)

    def test_aside(self) -> None:
        """What happens beside the simulation lends its time to nothing that is owed, and has its own otherwise."""
        later = Event("auth.ok", START + timedelta(hours=2), {})
        owed = Event("pace", START + timedelta(hours=1), {"factor": 2.0})
        now(self.committer.commit(Commit(events=(EVENT,))))
        self.owed = 1
        self.committer.record(later)
        self.committer.keep(Commit(events=(later,)))
        now(self.committer.commit(Commit(events=(owed,))))
        self.owed = 0
        self.committer.record(later)
        instants = [msgspec.json.decode(row)["at"] for row in now(self.log.query(EventQuery(after=0)))]
        self.assertEqual(instants, [format_instant(one) for one in (
            START, START, START, owed.at, later.at)])

    def test_away(self) -> None:
        """While Redis is away C{commit} fails, C{commit_surely} waits, and nothing is told before it is true."""
        self.database.set_healthy(False)
        self.assertFalse(self.committer.available)
        self.assertRaises(Unavailable, self.committer.require_available)
        self.assertRaises(Unavailable, now, self.committer.commit(Commit(events=(EVENT,))))
        surely = self.committer.commit_surely(Commit(events=(EVENT,)))
        self.committer.keep(Commit(puts=(("t", "k", b"1"),)))
        self.committer.record(EVENT)
        self.assertNoResult(surely)
        self.assertEqual(self.heard, [])
        self.database.set_healthy(True)
        self.clock.advance(0)
        self.assertTrue(self.successResultOf(surely).fresh)
        # What was only to be recorded is lost with the outage.
        self.assertEqual((self.heard, self.table("t")), ([(1, ["pace"])], {"k": b"1"}))

    def test_answers_later(self) -> None:
        """A Redis that answers that it cannot now is asked again after a while, not at once."""
        commit, tries = self.database.commit, list[Any]()

        def loading(*arguments: Any) -> Any:
            tries.append(self.clock.seconds())
            if len(tries) == 1:
                return fail(Unavailable("loading"))
            return commit(*arguments)

        self.patch(self.database, "commit", loading)
        self.committer.keep(Commit(events=(EVENT,)))
        self.clock.pump([AGAIN / 2, AGAIN])
        self.assertEqual((tries, self.heard), ([0.0, 1.5 * AGAIN], [(1, ["pace"])]))

    def test_stops(self) -> None:
        """Who waits for Redis when it all stops is told so; closed, nothing becomes true any more."""
        self.database.set_healthy(False)
        surely = self.committer.commit_surely(Commit(events=(EVENT,)))
        # What nobody waits for is said to be lost, as no defect.
        self.committer.keep(Commit(events=(EVENT,)))
        self.committer.stop()
        self.failureResultOf(surely, Unavailable)
        self.assertEqual(self.flushLoggedErrors(), [])
        self.failureResultOf(self.committer.database_back(), Unavailable)
        self.database.set_healthy(True)
        self.assertRaises(Unavailable, self.committer.require_available)
        self.committer.close()
        self.assertRaises(Unavailable, now, self.committer.commit(Commit(events=(EVENT,))))
        self.assertEqual(self.heard, [])
