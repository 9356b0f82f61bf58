"""Where subjects end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.subject import says, subject_end
from simmail.core.language.clause.tables import restating

EN = restating("en")


class SubjectTests(SynchronousTestCase):
    """Subjects of asking clauses."""

    def test_end(self) -> None:
        """A subject ends before what is said of it, by the first verb; where nothing tells it does not."""
        for clause, subject in (
            ("is it open", "it"), ("does the whole lamp have to go", "the whole lamp"),
            ("is the side door code the same", "the side door code"),
            ("has the second parcel arrived", "the second parcel"),
            ("is the invoice for March paid", "the invoice for March"),
            ("are Tom and my sister coming", "Tom and my sister"),
            ("is this seat taken", "this seat"), ("are you two coming", ""), ("is email possible", ""),
        ):
            words = clause.split()
            end = subject_end(words, EN)
            self.assertEqual(" ".join(words[1:end]) if end else "", subject, clause)

    def test_says(self) -> None:
        """Adjectives, participles and what is going on tell how something is."""
        for word, told in (("free", True), ("arrived", True), ("working", True), ("table", False), ("building", False)):
            self.assertEqual(says(word, EN), told, word)

    @given(st.lists(st.sampled_from("is the a lamp free you of and have taken To Bob in still".split()), min_size=2))
    def test_anything(self, words: list[str]) -> None:
        """Whatever stands there, the place lies within the clause."""
        self.assertLess(subject_end(words, EN), len(words) + 1)
