"""Who speaks to whom in German."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.german.persons import GermanReader
from simmail.core.language.clause.declarative.german.verbs import DU, ER, ICH, IHR, WIR

FAR, NEAR, FIRM = GermanReader(False, True), GermanReader(False, False), GermanReader(True, True)


class ReaderTests(SynchronousTestCase):
    """Persons change sides."""

    def test_of(self) -> None:
        """A question that says "du" or "Sie" tells how to call its asker."""
        self.assertEqual(GermanReader.of("Kommst du?", True, True), NEAR)
        self.assertEqual(GermanReader.of("Kommt ihr?", True, True), GermanReader(True, False))
        self.assertEqual(GermanReader.of("Kommen Sie?", False, False).far, True)
        self.assertEqual(GermanReader.of("Geht das?", False, False).far, False)

    def test_doer(self) -> None:
        """A subject and the person of its verb."""
        self.assertEqual(FAR.doer(("Sie",), "haben", ()), (("ich",), WIR, ICH))
        self.assertEqual(FIRM.doer(("du",), "hast", ()), (("wir",), DU, WIR))
        self.assertEqual(FIRM.doer(("Sie",), "kennen", ()), (("ich",), WIR, ICH))
        self.assertEqual(NEAR.doer(("wir",), "dürfen", ()), (("ihr",), WIR, IHR))
        self.assertEqual(FAR.doer(("wir",), "können", ("Ihren", "Saal")), (("Sie",), WIR, WIR))
        self.assertIsNone(FAR.doer(("wir",), "können", ("tauschen",)))
        self.assertEqual(FAR.doer(("mein", "Bruder"), "ist", ()), (("Ihr", "Bruder"), ER, ER))

    def test_flipped(self) -> None:
        """Pronouns by what they stand for."""
        for reader, text, asked, own, wanted in (
            (FAR, "uns die Liste", "Sie", "ich", "Ihnen die Liste"), (FAR, "uns abholen", "Sie", "ich", "Sie abholen"),
            (NEAR, "mir euren Wagen", "ihr", "wir", "dir unseren Wagen"),
            (FAR, "sich um uns", "Sie", "ich", "mich um Sie"),
            (FAR, "mir das ansehen", "ich", "Sie", "sich das ansehen"), (FIRM, "Ihren Saal", "", "", "unseren Saal"),
            (NEAR, "unseren Wagen", "du", "ich", "euren Wagen"),
        ):
            self.assertEqual(reader.flipped(text.split(), (asked,), (own,), "kann"), wanted.split(), text)
