"""The language model of a process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from subprocess import run
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.trial.unittest import SynchronousTestCase

from simmail.universe.meaning import Meaning


class MeaningTests(SynchronousTestCase):
    """Asked ahead, and when it is used."""

    def test_ahead(self) -> None:
        """What is asked ahead is worked out in a thread, once, and is what it would have been."""
        asked: list[list[str]] = []

        def in_thread(work: Callable[[list[str]], Any], texts: list[str]) -> Deferred[Any]:
            asked.append(texts)
            return succeed(work(texts))

        one, other = Meaning(in_thread), Meaning()
        texts = ["Where is my parcel?", "Happy birthday!", "Where is my parcel?"]
        for _ in range(2):
            self.successResultOf(Deferred.fromCoroutine(one.ahead(texts)))
        self.assertEqual(asked, [texts[:2]])
        for text in texts:
            self.assertEqual(one.kinds(text), other.kinds(text))
        self.assertIn("status", one.kinds(texts[0]))
        self.assertEqual(asked, [texts[:2]])

    def test_worked_out(self) -> None:
        """Work is done again when what it asked was found in a thread, also what it asks only then."""
        asked: list[list[str]] = []
        waiting: list[Deferred[Any]] = []

        def in_thread(work: Callable[[list[str]], Any], texts: list[str]) -> Deferred[Any]:
            asked.append(texts)
            waiting.append(Deferred())
            return waiting[-1].addCallback(lambda _: work(texts))

        meaning = Meaning(in_thread)
        call, phone = "How can we call you?", "our phone number"

        def work() -> tuple[float, list[str]]:
            near = meaning.nearness(call, phone)
            return near, list(meaning.kinds("Where is my parcel?")) if near > 0.1 else []

        done = Deferred.fromCoroutine(meaning.worked_out(work))
        for nth in range(2):
            self.assertNoResult(done)
            waiting[nth].callback(None)
        self.assertEqual(asked, [[call, phone], ["Where is my parcel?"]])
        near, kinds = self.successResultOf(done)
        self.assertEqual(near, Meaning().nearness(call, phone))
        self.assertIn("status", kinds)
        self.assertEqual(self.successResultOf(Deferred.fromCoroutine(meaning.worked_out(work))), (near, kinds))
        self.assertEqual(len(asked), 2)

    def test_worked_out_after_failure(self) -> None:
        """Work that fails says so, and what is asked afterwards is answered at once."""
        meaning = Meaning()

        async def failing() -> None:
            await meaning.worked_out(lambda: meaning.nearness("one", "two") / 0)

        self.failureResultOf(Deferred.fromCoroutine(failing()), ZeroDivisionError)
        self.assertEqual(meaning.nearness("one", "one"), 1)

    def test_bounded(self) -> None:
        """So many texts are kept, and what went has the same answer again."""
        meaning = Meaning(most=2)
        first = meaning.kinds("The first one is ill.")
        for nth in range(4):
            meaning.kinds(f"Text {'x' * nth}")
        self.assertEqual(len(meaning._vectors), 2)
        self.assertEqual(meaning.kinds("The first one is ill."), first)

    def test_nearness(self) -> None:
        """What means the same is near."""
        meaning = Meaning()
        self.assertEqual(meaning.nearness("our phone number", "our phone number"), 1)
        self.assertGreater(meaning.nearness("our phone number", "How can we call you?"),
                           meaning.nearness("our phone number", "Which colour is the roof?"))

    def test_lazy(self) -> None:
        """Who never asks has not loaded anything of it."""
        told = run(
            [sys.executable, "-c", "import sys, simmail.universe.universe; print('numpy' in sys.modules)"],
            capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertEqual(told.stdout.strip(), "False")
