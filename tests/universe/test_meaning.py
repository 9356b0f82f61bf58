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
