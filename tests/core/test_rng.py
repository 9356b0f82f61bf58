"""Repeatable draws."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.rng import Dice

KEYS = st.lists(st.text(max_size=4) | st.integers(), max_size=4).map(tuple)


class DiceTests(SynchronousTestCase):
    """Functions of a seed and of what a draw is about."""

    @given(st.text(), KEYS)
    def test_again(self, seed: str, key: tuple[str | int, ...]) -> None:
        """The same question has the same answer, in part or as a whole, whatever was drawn meanwhile."""
        dice = Dice(seed)
        first = dice.bits(*key)
        dice.uniform("something else")
        self.assertEqual(dice.bits(*key), first)
        self.assertEqual(dice.on(*key[:1]).bits(*key[1:]), first)
        self.assertTrue(0 <= dice.uniform(*key) < 1)

    @given(KEYS, KEYS)
    def test_keys_do_not_run_together(self, one: tuple[str | int, ...], other: tuple[str | int, ...]) -> None:
        """Different keys are different draws, wherever one part ends."""
        if [str(part) for part in one] != [str(part) for part in other]:
            self.assertNotEqual(Dice("s").bits(*one), Dice("s").bits(*other))

    def test_even(self) -> None:
        """Draws are even, and those by weight have their shares."""
        dice = Dice("s")
        self.assertLess(abs(sum(dice.uniform(n) for n in range(4000)) / 4000 - 0.5), 0.02)
        self.assertLess(abs(sum(dice.chance(0.3, n) for n in range(4000)) / 4000 - 0.3), 0.03)
        counts = Counter(dice.weighted((("a", 1), ("b", 3)), n) for n in range(4000))
        self.assertLess(abs(counts["b"] / 4000 - 0.75), 0.03)
        self.assertEqual({dice.below(3, n) for n in range(100)}, {0, 1, 2})

    def test_lognormal(self) -> None:
        """Half of the draws lie below the median, two thirds within one spread of it."""
        drawn = [Dice("s").lognormal(60.0, 2.0, n) for n in range(4000)]
        self.assertLess(abs(sum(one < 60 for one in drawn) / 4000 - 0.5), 0.03)
        self.assertLess(abs(sum(30 < one < 120 for one in drawn) / 4000 - 0.683), 0.03)
        self.assertEqual(round(Dice("s").lognormal(60.0, 1.0, 1), 6), 60.0)

    def test_orders_and_names(self) -> None:
        """A shuffle keeps all; a token has its length and no letters that look alike."""
        self.assertEqual(sorted(Dice("s").shuffled(range(20), "x")), list(range(20)))
        self.assertNotEqual(Dice("s").shuffled(range(20), "x"), Dice("s").shuffled(range(20), "y"))
        tokens = {Dice("s").token(12, n) for n in range(500)}
        self.assertEqual((len(tokens), {len(one) for one in tokens}), (500, {12}))
        self.assertFalse(set("".join(tokens)) & set("ilou"))
