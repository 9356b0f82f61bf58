"""Pages of results, against counting them one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.fetch.fetch import on_page
from simmail.imap.search.results import Wanted, saved
from simmail.imap.wire.parser import Arguments

NUMBER = st.integers(1, 12) | st.just(4294967295)


def expected(results: list[int], first: int, second: int, backwards: bool) -> list[int]:
    """What is on a page."""
    counted = enumerate(reversed(results) if backwards else results, 1)
    return sorted(one for at, one in counted if min(first, second) <= at <= max(first, second))


class PageTests(SynchronousTestCase):
    """Any page of any results."""

    @given(st.integers(0, 10), NUMBER, NUMBER, st.booleans())
    def test_cut(self, count: int, first: int, second: int, backwards: bool) -> None:
        """A page has those that are counted, from either end."""
        sign = "-" if backwards else ""
        page = Arguments(f"{sign}{first}:{sign}{second}".encode()).partial_range()
        results = list(range(1, count + 1))
        begin, end = page.cut(count)
        self.assertEqual(results[begin:end], expected(results, first, second, backwards))
        wanted = Wanted(frozenset((b"PARTIAL", b"MIN", b"MAX")), page)
        self.assertEqual(saved(results, wanted), sorted({*results[begin:end], *results[:1], *results[-1:]}))

    @given(st.lists(st.integers(0, 5), min_size=2, max_size=8), NUMBER, NUMBER, st.booleans())
    def test_places(self, gaps: list[int], first: int, second: int, backwards: bool) -> None:
        """A page of runs of messages."""
        ends = [sum(gaps[:at]) for at in range(1, len(gaps) + 1)]
        places = [(low, high) for low, high in zip(ends[::2], ends[1::2]) if low < high]
        sign = "-" if backwards else ""
        page = Arguments(f"{sign}{first}:{sign}{second}".encode()).partial_range()
        among = [one for low, high in places for one in range(low, high)]
        found = [one for low, high in on_page(places, page) for one in range(low, high)]
        self.assertEqual(found, expected(among, first, second, backwards))
