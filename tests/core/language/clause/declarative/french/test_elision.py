"""How French writes words before a vowel."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.french.elision import before_vowel, joined, of_what
from simmail.core.language.clause.declarative.french.verbs import french

HOW = french()


class ElisionTests(SynchronousTestCase):
    """Vowels that are lost and come back."""

    def test_joined(self) -> None:
        """Little words lose their vowel, and "qu'" gets it back."""
        for text, wanted in {
            "je ai reçu": "j'ai reçu", "je ne ai pas": "je n'ai pas", "ce est": "c'est",
            "c' ne est pas": "ce n'est pas",
            "ce qu' vous avez": "ce que vous avez", "je y vais": "j'y vais", "l' adresse": "l'adresse",
            "de Hanovre": "de Hanovre",
        }.items():
            self.assertEqual(joined(text.split(), HOW), wanted)

    def test_of_what(self) -> None:
        """An "h" may be heard."""
        self.assertEqual([of_what(one, HOW) for one in ("idée", "haricots", "place")], ["d'", "de", "de"])
        self.assertEqual((before_vowel("Heure", HOW), before_vowel("huit", HOW)), (True, False))
