"""Questions that are walked through in pages."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.commit import EventQuery, JobQuery
from simmail.core.records.job import Job
from simmail.database import layout, queries
from simmail.database.queries import Questions, all_of, job_of
from simmail.errors import Invalid, Unavailable

NINE = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)
START = {"query": (b"EVALSHA", b"q", b"1"), "agenda": (b"EVALSHA", b"a", b"1")}


def row(id: str) -> bytes:
    """A job as Redis has it."""
    job = Job(id, "reply", "pending", NINE, NINE)
    return layout.digits(job.due) + b"pending\0reply\0\0\0" + layout.encode_job(job)


class PageTests(SynchronousTestCase):
    """C{Questions} over a connection that answers from a list."""

    def setUp(self) -> None:
        self.patch(queries, "PAGE", 2)
        self.asked: list[tuple[Any, ...]] = []
        self.replies: list[Any] = []
        self.questions = Questions(lambda key: self, START)  # type: ignore[arg-type]

    def call(self, args: tuple[Any, ...]) -> Deferred[Any]:
        self.asked.append(args)
        return succeed(self.replies.pop(0))

    def result(self, work: Any) -> Any:
        return self.successResultOf(work if isinstance(work, Deferred) else Deferred.fromCoroutine(work))

    def test_fields(self) -> None:
        """Few fields are one question, many are several; of none nobody is asked."""
        self.replies = [[b"1", None], [b"1", b"2"], [b"3"]]
        self.assertEqual(self.result(self.questions.fields("k", ["a", "b"])), [b"1", None])
        self.assertEqual(self.result(self.questions.fields("k", ["a", "b", "c"])), [b"1", b"2", b"3"])
        self.assertEqual(self.result(self.questions.fields("k", [])), [])
        self.assertEqual(self.asked, [("HMGET", "k", "a", "b"), ("HMGET", "k", "a", "b"), ("HMGET", "k", "c")])

    def test_table(self) -> None:
        """A small table comes at once, a large one in scans, in which a field may come twice."""
        self.replies = [1, [b"a", b"1"], 3, (b"7", [b"a", b"1", b"b", b"2"]), (b"0", [b"b", b"2", b"c", b"3"])]
        self.assertEqual(self.result(self.questions.table("k")), {"a": b"1"})
        self.assertEqual(self.result(self.questions.table("k")), {"a": b"1", "b": b"2", "c": b"3"})
        self.assertEqual([args[2] for args in self.asked if args[0] == "HSCAN"], [b"0", b"7"])

    def page(self, following: bytes, *numbers: int) -> list[Any]:
        return [following, *(part for number in numbers for part in (
            b"%d" % number, b"clock", layout.digits(NINE), b"{}}"))]

    def test_events(self) -> None:
        """The next page begins behind the last event, or where Redis has stopped looking; none is asked for in vain."""
        self.replies = [self.page(b"", 1, 2), self.page(b"50"), self.page(b"", 60)]
        self.assertEqual(len(self.result(self.questions.events("{main}", EventQuery(limit=9)))), 3)
        self.assertEqual([args[5:7] for args in self.asked], [(1, 2**47), (3, 2**47), (50, 2**47)])
        self.asked.clear()
        self.replies = [self.page(b"", 9, 8), self.page(b"", 7)]
        self.result(self.questions.events("{main}", EventQuery(limit=3, descending=True, before=10)))
        self.assertEqual([args[5:7] for args in self.asked], [(1, 9), (1, 7)])
        self.asked.clear()
        for query in (EventQuery(limit=0), EventQuery(after=5, before=6), EventQuery(types=("none.*",))):
            self.assertEqual(self.result(self.questions.events("{main}", query)), [])
        self.assertEqual(self.asked, [])

    def test_jobs(self) -> None:
        """Streams of each state are put together by due and id, behind the one that is named."""
        self.replies = [row("x"), *([b"", row(f"j{n}")[:18] + b"j%d" % n, row(f"j{n}")] for n in (4, 1, 3, 2, 0))]
        found = self.result(self.questions.jobs("{main}", JobQuery(after="x", limit=3)))
        self.assertEqual([job.id for job in found], ["j0", "j1", "j2"])
        self.assertEqual(self.asked[1][4], row("x")[:18] + b"x")
        self.replies = [None]
        self.failureResultOf(
            Deferred.fromCoroutine(self.questions.jobs("{main}", JobQuery(after="none"))), Invalid)
        self.assertEqual(self.asked[-1], ("HGET", "{main}" + layout.JOBS, "none"))
        self.assertEqual(self.result(self.questions.jobs("{main}", JobQuery(limit=0))), [])

    def test_pages_of_jobs(self) -> None:
        """A page that is full, or that Redis broke off, is followed by another from its end."""
        def page(following: bytes, *ids: str) -> list[Any]:
            return [following, *(part for id in ids for part in (id.encode(), row(id)))]
        self.replies = [page(b"", "a", "b"), page(b"m"), page(b"", "z"), page(b"")]
        self.assertEqual([job.id for job in self.result(self.questions.pending("{main}"))], ["a", "b", "z"])
        self.assertEqual([args[4] for args in self.asked], [b"", b"b", b"m", b""])

    def test_job(self) -> None:
        """A job is behind a header of four fields."""
        self.assertEqual(job_of(row("j")).id, "j")

    def test_all(self) -> None:
        """All answers in order, or the failure itself, not one about a failure."""
        self.assertEqual(self.successResultOf(all_of([succeed(1), succeed(2)])), [1, 2])
        waiting: Deferred[int] = Deferred()
        together = all_of([succeed(1), waiting])
        waiting.errback(Unavailable("away"))
        self.failureResultOf(together, Unavailable)
