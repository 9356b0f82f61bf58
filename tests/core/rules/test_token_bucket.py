"""The token bucket."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.rules.token_bucket import Bucket, draw


class BucketTests(SynchronousTestCase):
    """Taking tokens."""

    def test_burst(self) -> None:
        """A new bucket is whole; what is empty fills with time, and not beyond its size."""
        taken, bucket = draw(None, 2.0, 5, 8, 100.0)
        self.assertEqual((taken, bucket), (5, Bucket(0.0, 100.0)))
        self.assertEqual(draw(bucket, 2.0, 5, 1, 100.4)[0], 0)
        self.assertEqual(draw(bucket, 2.0, 5, 1, 100.5)[0], 1)
        self.assertEqual(draw(bucket, 2.0, 5, 9, 999.0)[0], 5)

    def test_set_back(self) -> None:
        """Time that was set back fills nothing, and takes nothing."""
        self.assertEqual(draw(Bucket(1.5, 100.0), 2.0, 5, 3, 50.0), (1, Bucket(0.5, 100.0)))

    @given(st.lists(st.tuples(st.integers(0, 9), st.floats(0, 10)), max_size=30))
    def test_never_more(self, steps: list[tuple[int, float]]) -> None:
        """In any time no more than a whole bucket and what flowed in since."""
        bucket, now, total = None, 0.0, 0
        for wanted, wait in steps:
            now += wait
            taken, bucket = draw(bucket, 3.0, 7, wanted, now)
            total += taken
            self.assertTrue(0 <= taken <= wanted)
            self.assertLessEqual(total, 7 + 3.0 * now + 1e-6)
