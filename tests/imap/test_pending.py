"""What waits to be told."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap import pending
from simmail.imap.pending import PendingResponses


class PendingTests(SynchronousTestCase):
    """Responses by what they are about."""

    @given(st.lists(st.tuples(st.integers(0, 5), st.binary(min_size=1, max_size=3))))
    def test_last_word(self, puts: list[tuple[int, bytes]]) -> None:
        """Of each thing only the last word is told, in the order of those."""
        calls: list[None] = []
        waiting = PendingResponses(lambda: calls.append(None))
        expected: dict[int, bytes] = {}
        for about, octets in puts:
            waiting.put(about, octets)
            expected.pop(about, None)
            expected[about] = octets
        self.assertEqual((waiting.take(), len(calls)), (b"".join(expected.values()), len(puts)))
        self.assertEqual((waiting.take(), waiting.waiting), (b"", {}))

    def test_bounded(self) -> None:
        """The oldest go when there are too many, and it can be known before."""
        self.patch(pending, "MOST", 3)
        waiting = PendingResponses(lambda: None)
        for number in range(3):
            self.assertFalse(waiting.full)
            waiting.put(number, b"%d" % number)
        self.assertTrue(waiting.full)
        waiting.put(3, b"3")
        self.assertEqual(waiting.take(), b"123")

    def test_drop(self) -> None:
        """What need not be told any more is not; what is not there is no matter."""
        waiting = PendingResponses(lambda: None)
        waiting.put("a", b"a")
        waiting.put("b", b"b")
        waiting.drop("a")
        waiting.drop("c")
        self.assertEqual(waiting.take(), b"b")

    def test_stop(self) -> None:
        """Who brings news is stopped once."""
        stopped: list[str] = []
        waiting = PendingResponses(lambda: None)
        for name in ("a", "b"):
            waiting.until(lambda name=name: stopped.append(name))
        waiting.stop()
        waiting.stop()
        self.assertEqual(stopped, ["a", "b"])
