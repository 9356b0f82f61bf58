"""Items of a list of what is wanted."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.asked_for.items import wanted_of, without_so
from simmail.core.language.tables import language

EN = language("en")


class ItemTests(SynchronousTestCase):
    """What an item wants, and how its reader calls it."""

    def test_named(self) -> None:
        """A noun has its article, and ends where something is said of it."""
        for item, topic in (
            ("latest spec for the sesame bagel (we have v7)", "the latest spec for the sesame bagel"),
            ("name and mobile of whoever we ring", "the name and mobile"),
            ("a note on how many of the nine sashes could be repaired", "a note"),
            ("half of my money back", "half of your money back"),
            ("your logo as a vector file", "our logo as a vector file"),
        ):
            self.assertEqual(wanted_of(item, EN).topic, topic)

    def test_clauses(self) -> None:
        """What is to be confirmed, and whether there is any of something, is asked."""
        self.assertEqual(wanted_of("confirmation that the lift works", EN).behind, "the lift works")
        self.assertEqual(wanted_of("any access restrictions", EN).text, "Are there any access restrictions?")
        self.assertEqual(wanted_of("if you do Saturdays", EN).behind, "you do Saturdays")

    def test_case(self) -> None:
        """The case it is asked for is left out."""
        self.assertEqual(without_so("if so for how many tonnes", EN), "for how many tonnes")
        self.assertEqual(without_so("if you do Saturdays", EN), "if you do Saturdays")
