"""Numbers of events that are not used again."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.database.event_numbers import EventNumbers, JUMP, NotedNumbers, ahead

LAST = st.integers(0, 10**9)


class FileTests(SynchronousTestCase):
    """The file."""

    def setUp(self) -> None:
        self.path = Path(self.mktemp())
        self.numbers = EventNumbers(self.path)

    def test_none(self) -> None:
        """There is none at first."""
        self.assertIsNone(self.numbers.read())
        self.assertFalse(self.numbers.broken)

    def test_there_and_back(self) -> None:
        """What was noted last is read."""
        self.numbers.write("run", {"a": 1}, False)
        self.numbers.write("run", {"a": 7, "b": 2}, True)
        self.assertEqual(EventNumbers(self.path).read(), NotedNumbers("run", True, {"a": 7, "b": 2}))

    def test_broken(self) -> None:
        """Half a file says nothing, and that it is so."""
        self.numbers.write("run", {"a": 1}, True)
        for octets in (b"", self.path.read_bytes()[:-3], b"[]", b'{"last": {"a": "x"}}'):
            self.path.write_bytes(octets)
            numbers = EventNumbers(self.path)
            self.assertEqual((numbers.read(), numbers.broken), (NotedNumbers(), True))


class AheadTests(SynchronousTestCase):
    """Where a universe goes on."""

    @given(LAST, LAST)
    def test_known(self, noted: int, last: int) -> None:
        """After an orderly end, and with the same Redis, at the highest that is known."""
        for one in (NotedNumbers("r", True, {"a": noted}), NotedNumbers("now", False, {"a": noted})):
            self.assertEqual(ahead(one, "now", "a", last), max(noted, last))

    @given(LAST, LAST)
    def test_lost(self, noted: int, last: int) -> None:
        """Otherwise past all that can have been used."""
        for run in ("now", ""):
            lost = NotedNumbers("before", False, {"a": noted})
            self.assertEqual(ahead(lost, run, "a", last), max(noted, last) + JUMP)
        self.assertEqual(ahead(NotedNumbers(), "", "b", last), last + JUMP)
