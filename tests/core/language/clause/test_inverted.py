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
        self.assertEqual(clause(["When"], "did you last have a drill".split(), EN), "when I last had a drill")
        self.assertEqual(clause(["Who"], "had keys yesterday evening".split(), EN), "who had keys yesterday evening")
        self.assertEqual(clause(["Who"], "would like to come".split(), EN), "who would like to come")
        self.assertEqual(clause(["Who"], "has the key to it".split(), EN), "who has the key to it")
        self.assertEqual(clause(["Who"], "have you asked".split(), EN), "who I have asked")
        self.assertEqual(clause(["What"], "is stored there".split(), EN), "what is stored there")

    def test_subjects(self) -> None:
        """"In" begins none; one that cannot be told is not passed over."""
        self.assertEqual(clause(["Who"], "is in charge of the store".split(), EN), "who is in charge of the store")
        self.assertEqual(clause(["What"], "did Hall bid for it".split(), EN), "what Hall bid for it")
        self.assertEqual(clause(["What"], "did Hall frobnicate".split(), EN), "")
        self.assertEqual(statement("Could somebody else take the call".split(), EN),
                         ("somebody else could take the call", "nobody else could take the call"))

    def test_statement(self) -> None:
        """Somebody becomes nobody, any becomes some."""
        self.assertEqual(statement(["Rains", "it"], EN).denied, "")
        self.assertEqual(statement(["Is", "anybody", "at", "home"], EN),
                         ("somebody is at home", "nobody is at home"))
        self.assertEqual(statement("Is anything missing".split(), EN), ("something is missing", "nothing is missing"))
        self.assertEqual(statement("Did anybody open it".split(), EN).denied, "nobody opened it")
        self.assertEqual(statement("Were the other two sent".split(), EN).said, "the other two were sent")

    def test_flipped(self) -> None:
        """What belongs to the house is ours, what belongs to a person mine; a subject stays one."""
        self.assertEqual(flipped("your office and your dog".split(), EN, True), "our office and my dog")
        self.assertEqual(flipped("the mail you sent to me".split(), EN, True), "the mail I sent to you")
