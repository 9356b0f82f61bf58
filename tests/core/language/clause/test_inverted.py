"""Clauses of English."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.inverted import clause, flipped, statement
from simmail.core.language.clause.tables import restating

EN = restating("en")


class InvertedTests(SynchronousTestCase):
    """Words turned round."""

    def test_clause(self) -> None:
        """With an auxiliary the subject goes before it; without one there is nothing to turn."""
        self.assertEqual(clause(["When"], ["does", "it", "start"], EN), "when it starts")
        self.assertEqual(clause(["Who"], ["pays", "us"], EN), "who pays you")
        self.assertEqual(clause(["When"], ["bananas", "it"], EN), "")

    def test_statement(self) -> None:
        """Somebody becomes nobody, any becomes some."""
        self.assertEqual(statement(["Rains", "it"], EN).denied, "")
        self.assertEqual(statement(["Is", "anybody", "at", "home"], EN),
                         ("somebody is at home", "nobody is at home"))

    def test_flipped(self) -> None:
        """What belongs to the house is ours, what belongs to a person mine; a subject stays one."""
        self.assertEqual(flipped("your office and your dog".split(), EN, True), "our office and my dog")
        self.assertEqual(flipped("the mail you sent to me".split(), EN, True), "the mail I sent to you")
