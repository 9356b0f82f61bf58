"""Clauses of German."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.tables import restating
from simmail.core.language.clause.verb_second import clause, deed, statement

DE = restating("de")


class VerbSecondTests(SynchronousTestCase):
    """Words turned round."""

    def test_clause(self) -> None:
        """The verb goes last, and takes back what was cut off it."""
        self.assertEqual(clause(["Wann"], ["fängt", "es", "an"], DE, True), "wann es anfängt")
        self.assertEqual(clause(["Wer"], ["bei", "Ihnen", "unterschreibt"], DE, True), "wer bei mir unterschreibt")
        self.assertEqual(clause(["Was"], ["brauchst", "du", "noch"], DE, False), "was ich noch brauche")

    def test_statement(self) -> None:
        """Only with a subject that is known for one."""
        self.assertEqual(statement(["Kommst", "du"], DE, False).said, "ich komme")
        self.assertEqual(statement(["Regnet", "morgen", "etwas"], DE, False).said, "")

    def test_deed(self) -> None:
        """An imperative in the first person; no other verb is one."""
        self.assertEqual(deed(["gib", "mir", "Bescheid"], DE, False), ("gebe dir Bescheid", ""))
        self.assertEqual(deed(["regnet", "es", "morgen"], DE, False), ("", ""))
        self.assertEqual(deed("könnte jemand anders die Führung machen".split(), DE, False)[0], "mache die Führung")
        self.assertEqual(deed(["magst", "du", "Kuchen"], DE, False), ("", ""))
