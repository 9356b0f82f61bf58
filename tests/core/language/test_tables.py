"""Languages."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.intents import INTENTS
from simmail.core.language.tables import LANGUAGES, WRITTEN, counted, language, tell


class LanguageTests(SynchronousTestCase):
    """Which language, and what is known of it."""

    def test_tell(self) -> None:
        """German and French are told from English; what is none of them, or empty, is taken for English."""
        self.assertEqual(tell("Können Sie uns bitte die Rechnung schicken?"), "de")
        self.assertEqual(tell("Could you please send us the invoice?"), "en")
        self.assertEqual(tell("Do all visitors need a badge, or only those from outside?"), "en")
        self.assertEqual(tell("Pouvez-vous nous envoyer la facture ?"), "fr")
        self.assertEqual(tell("Kérjük, küldje el a számlát!"), "en")
        self.assertEqual(tell(""), "en")
        self.assertEqual(tell("Betreff: Angebot"), "en")

    def test_complete(self) -> None:
        """Each gives twelve months, seven weekdays, and cues for intents that exist; who is written, their names."""
        for code in LANGUAGES:
            known = language(code)
            if code in WRITTEN:
                self.assertEqual((len(known.months), len(known.weekdays)), (12, 7))
            self.assertEqual(set(known.weekday_forms.values()), set(range(7)))
            self.assertEqual(set(known.month_forms.values()), set(range(1, 13)))
            self.assertLessEqual(set(known.cues), set(INTENTS))
            self.assertGreaterEqual(len(known.cues), 12)
            self.assertIs(known, language(code))

    def test_counted(self) -> None:
        """Several things are, one is."""
        english = language("en")
        self.assertEqual(counted("the contract", english)["is"], "is")
        self.assertEqual(counted("the invoices", english)["is"], "are")
        self.assertEqual(counted("the invoice and the contract", english)["it"], "them")
        self.assertEqual(counted("the address", english)["is"], "is")
