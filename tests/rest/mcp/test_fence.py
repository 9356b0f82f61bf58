"""C{simmail.rest.mcp.fence}: no text of mail gets out from behind the mark."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.rest.mcp.fence import Fence


class FenceTests(SynchronousTestCase):
    """Text of strangers."""

    @given(st.text(st.sampled_from("a| \t\r\n\v\f\x1b\x00\x1c\x85\u2028\u2029\u202e\u200b")))
    def test_every_line(self, text: str) -> None:
        """Whatever breaks lines, each begins with the mark, and nothing moves a cursor or turns text round."""
        fence = Fence()
        shown = fence(text)
        for line in shown.splitlines():
            self.assertTrue(line.startswith(f"{fence.mark}| "), repr(line))
        self.assertTrue(shown.replace("\n", "").replace("\t", "").isprintable())
        self.assertEqual(shown.count("a"), text.count("a") + fence.mark.count("a") * len(shown.splitlines()))

    def test_whole(self) -> None:
        """A result begins with what the mark means; no two results share one."""
        fence = Fence()
        self.assertTrue(fence.around(["x"]).startswith(f"Lines that begin with {fence.mark}| are"))
        self.assertEqual(len({Fence().mark for _ in range(100)}), 100)
