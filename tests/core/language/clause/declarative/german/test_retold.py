"""
Tests for L{simmail.core.language.clause.declarative.german.retold}.
"""

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.german.retold import retold


class RetoldTests(SynchronousTestCase):
    """What a mail tells, as its reader says it."""

    def test_speaker(self) -> None:
        """Who tells is called by its name, with the verb that goes with it; who reads speaks for a firm."""
        self.assertEqual(
            retold("vor drei Wochen habe ich bei Ihnen die Kette tauschen lassen", True, True),
            "vor drei Wochen haben Sie bei uns die Kette tauschen lassen")
        self.assertEqual(retold("Ich fahre hin und bin am Ende", False, False), "du fährst hin und bist am Ende")

    def test_polite_subject(self) -> None:
        """"Sie" before its verb or behind it is who reads."""
        for text in ("Sie haben mir die falsche Farbe geschickt", "gestern haben Sie mir die falsche Farbe geschickt"):
            first = "haben wir" if text[0] == "g" else "wir haben"
            self.assertIn(f"{first} Ihnen die falsche Farbe", retold(text, True, True))

    def test_itself(self) -> None:
        """What somebody does to itself stays its own."""
        self.assertEqual(retold("wir hatten uns sehr gefreut", True, True), "Sie hatten sich sehr gefreut")

    def test_no_statement(self) -> None:
        """What has no verb, or one that nobody knows, is not said again."""
        self.assertEqual(retold("nichts gebrochen, Gott sei Dank", True, True), "")
        self.assertEqual(retold("ich blorpe den Zaun", True, True), "")
