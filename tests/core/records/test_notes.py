"""Notes in a persona's memory."""

from __future__ import annotations

from hypothesis import given as examples
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records import notes
from simmail.core.records.notes import GivenNote, MOST_OWN

_NOTE = st.text(max_size=10)
_MEMORY = st.dictionaries(_NOTE, st.lists(_NOTE | _NOTE.map(GivenNote), max_size=5), max_size=3)


class NotesTests(SynchronousTestCase):
    """Its own, and those given to it."""

    @examples(_MEMORY)
    def test_there_and_back(self, memory: notes.Notes) -> None:
        """They come back as they were, and which were given is known."""
        again = notes.decode(notes.encode(memory))
        self.assertEqual(again, memory)
        self.assertEqual([[type(one) for one in some] for some in again.values()],
                         [[type(one) for one in some] for some in memory.values()])
        self.assertEqual(notes.given(again), notes.given(memory))

    def test_none(self) -> None:
        """Nothing is stored."""
        self.assertEqual((notes.decode(None), notes.decode(b"")), ({}, {}))

    def test_own_go(self) -> None:
        """However many it makes itself, those given stay where they are, and the newest of its own."""
        memory: notes.Notes = {"": [GivenNote("first"), "old"], "c1": [GivenNote("other")]}
        notes.add_own(memory, "", map(str, range(150)))
        memory[""].append(GivenNote("second"))
        notes.add_own(memory, "", map(str, range(150, 1000)))
        self.assertEqual(memory, {
            "": ["first", "second", *map(str, range(1000 - MOST_OWN, 1000))], "c1": ["other"]})
        self.assertEqual(notes.given(memory), 3)
        memory = {}
        for number in range(2 * MOST_OWN):
            notes.add_own(memory, "", [str(number)])
        self.assertEqual(memory, {"": [str(number) for number in range(MOST_OWN, 2 * MOST_OWN)]})
