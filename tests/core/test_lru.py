"""A cache bounded by what it costs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.lru import Lru


class LruTests(SynchronousTestCase):
    """Values that cost one each, or as much as they are long."""

    def test_oldest_goes(self) -> None:
        """What was put or used longest ago goes first; looking is no use."""
        kept: Lru[str, int] = Lru(2)
        kept.put("a", 1)
        kept.put("b", 2)
        self.assertEqual(kept.use("a"), 1)
        self.assertEqual(kept.get("b"), 2)
        kept.put("c", 3)
        self.assertEqual((list(kept), kept.use("b")), (["a", "c"], None))

    def test_replaced(self) -> None:
        """A value in the place of another costs what it costs itself, and is the last to go."""
        kept: Lru[str, str] = Lru(10, len)
        for key in "abc":
            kept.put(key, "xyz")
        kept.put("a", "x")
        self.assertEqual((list(kept), kept.spent), (["b", "c", "a"], 7))
        kept.put("d", "123456")
        self.assertEqual((list(kept), kept.spent), (["c", "a", "d"], 10))

    def test_too_large(self) -> None:
        """What is larger than the room is not kept, nor anything else then."""
        kept: Lru[str, str] = Lru(3, len)
        kept.put("a", "xy")
        kept.put("b", "xyzzy")
        self.assertEqual((list(kept), kept.spent), ([], 0))

    @given(st.lists(st.tuples(st.sampled_from("abcdef"), st.text(max_size=8), st.booleans()), max_size=60))
    def test_spent(self, steps: list[tuple[str, str, bool]]) -> None:
        """However it is used, what it costs is the sum of what is in it, and fits."""
        kept: Lru[str, str] = Lru(12, len)
        for key, value, put in steps:
            if put:
                kept.put(key, value)
            else:
                kept.use(key)
            self.assertEqual(kept.spent, sum(map(len, kept.values())))
            self.assertLessEqual(kept.spent, kept.room)
