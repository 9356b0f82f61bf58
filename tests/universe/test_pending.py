"""Tests for C{simmail.universe.pending}: what is to be done, in its order."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.job import Job
from simmail.testing.universe import START
from simmail.universe.pending import PendingJobs


def job(n: int, minutes: int = 0, **fields: Any) -> Job:
    """A pending job due so many minutes after the start."""
    return Job(**{"id": f"j_{n}", "kind": "reply", "state": "pending", "created": START, "persona_id": "p_1",
                  "due": START + timedelta(minutes=minutes), "thread": f"t{n}", "data": {"to": "a@x.test"}, **fields})


class PendingJobsTests(SynchronousTestCase):
    """The jobs of one universe."""

    def setUp(self) -> None:
        """Nothing to be done; who is told of changes counts."""
        self.pending = PendingJobs()
        self.changes = 0

        def changed() -> None:
            self.changes += 1

        self.pending.changed = changed

    @given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 5), st.booleans()), max_size=30))
    def test_order(self, changes: list[tuple[int, int, bool]]) -> None:
        """Whatever was added, moved and finished: the first is the least of what is left by (due, id)."""
        pending, left = PendingJobs(), dict[str, Job]()
        for n, minutes, alive in changes:
            one = job(n, minutes, state="pending" if alive else "done")
            pending.add((one,))
            left.pop(one.id, None)
            if alive:
                left[one.id] = one
            first = min(left.values(), key=lambda other: (other.due, other.id), default=None)
            self.assertIs(pending.first(), first)
            self.assertEqual(pending.earliest_pending(), first.due if first is not None else None)
            self.assertEqual((pending.by_id, len(pending)), (left, len(left)))

    def test_replies(self) -> None:
        """A planned reply is found by persona, thread and addressee until it is done; other kinds are no replies."""
        one, other = job(1), job(2, thread="t1", kind="nudge")
        self.pending.add((one, other))
        self.assertIs(self.pending.reply_in("p_1", "t1", "a@x.test"), one)
        for key in (("p_2", "t1", "a@x.test"), ("p_1", "t2", "a@x.test"), ("p_1", "t1", "b@x.test")):
            self.assertIsNone(self.pending.reply_in(*key))
        self.pending.add((replace(one, state="skipped"),))
        self.assertIsNone(self.pending.reply_in("p_1", "t1", "a@x.test"))
        self.assertEqual((self.changes, list(self.pending.by_id)), (2, ["j_2"]))

    def test_following(self) -> None:
        """What comes after the first one, no further than the clock is being moved; nothing while it is not."""
        self.pending.add(job(n, n) for n in range(6))
        self.assertEqual(self.pending.following(3), [])
        self.pending.bound = START + timedelta(minutes=4)
        self.assertEqual([one.id for one in self.pending.following(3)], ["j_1", "j_2", "j_3"])
        self.assertEqual([one.id for one in self.pending.following(10)], ["j_1", "j_2", "j_3", "j_4"])
        first = self.pending.first()
        assert first is not None
        self.assertEqual(first.id, "j_0")

    def test_alike(self) -> None:
        """The first ones of one kind, until another kind or a later instant comes between."""
        kinds = ("link", "link", "link", "reply", "link")
        self.pending.add(job(n, n, kind=kind) for n, kind in enumerate(kinds))
        late = START + timedelta(hours=1)
        self.assertEqual([one.id for one in self.pending.alike(late, 8)], ["j_0", "j_1", "j_2"])
        self.assertEqual([one.id for one in self.pending.alike(late, 2)], ["j_0", "j_1"])
        self.assertEqual([one.id for one in self.pending.alike(START, 8)], ["j_0"])
        self.pending.drop(("j_0", "j_nobody"))
        self.assertEqual([one.id for one in self.pending.alike(late, 8)], ["j_1", "j_2"])
