"""German questions cut up."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.german.clause import (
    GermanClause, asking_words, may_be, parted, spelt_words, spoken_to, without_fillers,
)
from simmail.core.language.clause.declarative.german.verbs import DU, ICH, german

HOW = german()


class ClauseTests(SynchronousTestCase):
    """Where a subject ends."""

    def test_words(self) -> None:
        """A day keeps its full stop; what says nothing goes."""
        self.assertEqual(spelt_words("am 3. Mai um 10.30 Uhr?"), ["am", "3.", "Mai", "um", "10.30", "Uhr", "?"])
        self.assertEqual(without_fillers("ist das denn noch mal möglich".split(), HOW), [
            "ist", "das", "noch", "mal", "möglich"])

    def test_asking_words(self) -> None:
        """The last part that asks, or the clause behind "ob" with its verb first."""
        self.assertEqual(asking_words("Hallo Anna, kommst du mit, oder?", HOW), ["kommst", "du", "mit"])
        self.assertEqual(asking_words("Wissen Sie, ob er mitkommt?", HOW), ["kommt", "er", "mit"])
        self.assertEqual(asking_words("Wenn möglich?", HOW)[:1], ["wenn"])

    def test_parted(self) -> None:
        """Pronouns may stand before a subject, and a place first."""
        for text, wanted in {
            "hat ihn jemand gesehen": GermanClause("hat", ("jemand",), ("ihn", "gesehen")),
            "ist die Mail von dir da": GermanClause("ist", ("die", "Mail"), ("von", "dir", "da")),
            "ist am Strand etwas frei": GermanClause("ist", (), ("am", "Strand", "etwas", "frei"), True),
            "geht auch Samstag": GermanClause("geht", ("Samstag",), ("auch",)),
            "hat ihr Mann angerufen": GermanClause("hat", ("ihr", "Mann"), ("angerufen",)),
            "hat den Schlüssel jemand": None, "kommt ihr beide mit": None, "hat Anna Weber angerufen": None,
        }.items():
            self.assertEqual(parted(text.split(), HOW), wanted, text)

    def test_spoken_to(self) -> None:
        """A verb ends as its person does."""
        self.assertTrue(spoken_to(["kommst", "du"], 1, "kommst", HOW))
        self.assertFalse(spoken_to(["hat", "Sie"], 1, "hat", HOW))
        self.assertEqual((may_be("jodelst", DU), may_be("jodelt", DU), may_be("jodle", ICH)), (True, False, True))
