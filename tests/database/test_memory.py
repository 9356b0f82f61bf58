"""The database in dicts: what only it can do."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.commit import Commit, EventQuery, JobQuery
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.database.memory import MemoryDatabase
from simmail.errors import Invalid, Unavailable

NINE = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)


class MemoryTests(SynchronousTestCase):
    """C{MemoryDatabase}; its Deferreds have fired."""

    def setUp(self) -> None:
        self.database = MemoryDatabase()

    def commit(self, universe: str = "main", **parts: Any) -> Any:
        return self.successResultOf(self.database.commit(universe, Commit(**parts)))

    def numbers(self, **query: Any) -> list[int]:
        bodies = self.successResultOf(self.database.events("main", EventQuery(**query)))
        return [json.loads(body)["id"] for body in bodies]

    def test_away(self) -> None:
        """Away it answers nothing and changes nothing, listeners are told once, and it comes back as it was."""
        told: list[bool] = []
        self.database.on_health(told.append)
        self.commit(puts=(("t", "k", b"1"),))
        for _ in range(2):
            self.database.set_healthy(False)
        put = Commit(puts=(("t", "k", b"2"),))
        for ask in (lambda: self.database.commit("main", put), lambda: self.database.table("main", "t"),
                    lambda: self.database.erase("main"), self.database.universes):
            self.failureResultOf(ask(), Unavailable)
        self.database.set_healthy(True)
        self.assertEqual((told, self.successResultOf(self.database.table("main", "t"))), ([False, True], {"k": b"1"}))

    def test_kept_when_closed(self) -> None:
        """A test can start a service on it again."""
        self.commit(puts=(("t", "k", b"1"),))
        self.successResultOf(self.database.close())
        self.assertEqual(self.successResultOf(self.database.get("main", "t", ["k", "none"])), [b"1", None])
        self.assertEqual(self.successResultOf(self.database.universes()), ["main"])

    def test_all_or_nothing(self) -> None:
        """When a part of a commit cannot be made no part of it is."""
        self.commit(puts=(("n", "all", b"not a number"),))
        failed = self.database.commit("main", Commit(
            puts=(("t", "k", b"1"),), counts=(("n", "all", 1),), events=(Event("clock", NINE, {}),)))
        self.failureResultOf(failed, ValueError)
        self.assertEqual(self.successResultOf(self.database.table("main", "t")), {})
        self.assertEqual(self.successResultOf(self.database.last_event("main")), 0)

    def test_numbers_outlive(self) -> None:
        """Neither pruning nor erasing gives a number twice."""
        for minutes in range(4):
            self.commit(events=(Event("clock", NINE + timedelta(minutes=minutes), {}),))
        pruned = self.successResultOf(self.database.prune("main", NINE + timedelta(minutes=2)))
        self.assertEqual((pruned, self.numbers()), ((2, 0), [3, 4]))
        self.successResultOf(self.database.erase("main"))
        self.assertEqual((self.numbers(), self.commit(events=(Event("clock", NINE, {}),)).first), ([], 5))

    def test_jobs_after(self) -> None:
        """Jobs come in order of due and id, behind one that has to be there."""
        jobs = tuple(Job(f"j{n}", "reply", "pending", NINE, NINE + timedelta(minutes=n // 2)) for n in (3, 1, 0, 2))
        self.commit(jobs=jobs)

        def found(**query: Any) -> list[str]:
            return [job.id for job in self.successResultOf(self.database.jobs("main", JobQuery(**query)))]
        self.assertEqual((found(limit=3), found(after="j1")), (["j0", "j1", "j2"], ["j2", "j3"]))
        self.assertEqual(found(kind="link"), [])
        self.failureResultOf(self.database.jobs("main", JobQuery(after="j9")), Invalid)

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.integers(0, 5), max_size=12), st.integers(0, 14), st.integers(0, 14), st.integers(0, 13),
           st.booleans())
    def test_bounds(self, minutes: list[int], after: int, before: int, limit: int, descending: bool) -> None:
        """Events between two numbers, as many as are wanted, from one end or the other; instants never fall."""
        self.database = MemoryDatabase()
        for one in minutes:
            self.commit(events=(Event("clock", NINE + timedelta(minutes=one), {}),))
        expected = [number for number in range(1, len(minutes) + 1) if after < number < before]
        self.assertEqual(self.numbers(after=after, before=before, limit=limit, descending=descending),
                         (expected[::-1] if descending else expected)[:limit])
        ats = [json.loads(body)["at"] for body in self.successResultOf(self.database.events("main", EventQuery()))]
        self.assertEqual(ats, sorted(ats))
