"""Whether what was written is on the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.mailstore.journal.sync import Hands, Condition, Doubts


class DoubtTests(SynchronousTestCase):
    """The doubts of one writer."""

    def setUp(self) -> None:
        self.steps: list[str] = []
        self.broken: dict[str, Exception] = {}
        self.queue: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
        self.reasons: list[str] = []
        self.doubts = Doubts(
            lambda: self.step("begin"), self.rewrite, Hands(float, self.send, self.send, lambda: self.step("sync")),
            lambda: self.reasons.append(self.doubts.reason))

    def send(self, function: Callable[..., Any], *args: Any) -> None:
        self.queue.append((function, args))

    def step(self, name: str) -> None:
        self.steps.append(name)
        if name in self.broken:
            raise self.broken[name]

    def rewrite(self) -> Iterator[None]:
        for name in ("first", "second"):
            self.step(name)
            yield

    def run_all(self) -> None:
        while self.queue:
            function, args = self.queue.pop(0)
            function(*args)

    def arise(self, reason: str = "broken") -> None:
        with capturedLogs():
            self.doubts.arise(reason)

    def test_well(self) -> None:
        """Without a doubt nothing is looked at."""
        self.doubts.check()
        self.assertEqual((self.steps, self.queue), ([], []))

    def test_passed(self) -> None:
        """It is known again when a new segment, a sync, all mail written once more and a sync have passed."""
        self.arise()
        self.doubts.check()
        self.doubts.check()
        self.run_all()
        self.assertEqual(self.steps, ["begin", "sync", "first", "second", "sync"])
        self.assertEqual(self.reasons, ["broken", ""])

    def test_anywhere(self) -> None:
        """Wherever it fails the doubt stays, and all is looked at again from the beginning."""
        self.arise()
        errors = (("begin", OSError()), ("sync", OSError()), ("first", OSError()), ("second", Unavailable("x")))
        for name, error in errors:
            self.broken, self.steps = {name: error}, []
            self.doubts.check()
            self.run_all()
            self.assertEqual((self.steps[-1], self.doubts.reason), (name, "broken"))
        self.broken, self.steps = {}, []
        self.doubts.check()
        self.run_all()
        self.assertEqual((len(self.steps), self.doubts.reason), (5, ""))

    def test_another_meanwhile(self) -> None:
        """A doubt that comes while it is being looked at is not forgotten."""
        self.arise()
        self.doubts.check()
        self.arise("broken again")
        self.run_all()
        self.assertEqual((self.doubts.reason, self.reasons), ("broken again", ["broken", "broken again"]))
        self.doubts.check()
        self.run_all()
        self.assertEqual(self.doubts.reason, "")

    def test_told_once(self) -> None:
        """The same doubt is told once."""
        self.arise()
        self.arise()
        self.assertEqual(self.reasons, ["broken"])

    def test_condition(self) -> None:
        """People are told what it means."""
        self.assertEqual(Condition().told, "")
        self.assertIn("no mail is taken", Condition("broken").told)
