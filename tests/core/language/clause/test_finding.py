"""What a request wants found out."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.restate import found_out, own_matter
from simmail.core.language.tables import language

FOUND = (
    ("en", "Could you find out whether the hall is free on 14 June and let me know?", "the hall is free on 14 June"),
    ("en", "Can you ask your landlord if we may park in the yard?", "we may park in the yard"),
    ("en", "Please check whether the heater can be repaired. We need it.", "the heater can be repaired"),
    ("de", "Könnten Sie klären, ob die Halle am 14. Juni frei ist, und mir Bescheid geben?",
     "die Halle am 14. Juni frei ist"),
    ("de", "Kannst du fragen, ob wir im Hof parken dürfen?", "wir im Hof parken dürfen"),
    ("fr", "Pourriez-vous vérifier si la salle est libre et me le dire ?", "la salle est libre"),
    ("fr", "Pouvez-vous demander si nous pouvons entrer ?", "nous pouvons entrer"),
    ("es", "¿Podría averiguar si la sala está libre y decírmelo?", "la sala está libre"),
)


class FindingTests(SynchronousTestCase):
    """Clauses of what is to be found out."""

    def test_found_out(self) -> None:
        """The clause is read."""
        for code, text, clause in FOUND:
            self.assertEqual(found_out(text, language(code)), clause)

    def test_asked_of_the_reader(self) -> None:
        """Who asks its reader wants nothing found out."""
        for code, text in (
            ("en", "I wanted to ask whether the hall is free."), ("en", "Is the hall free?"),
            ("de", "Ich wollte fragen, ob die Halle frei ist."), ("fr", "Je voulais demander si la salle est libre."),
            ("es", "Quería preguntar si la sala está libre."), ("it", "Potrebbe chiedere se la sala è libera?"),
        ):
            self.assertEqual(found_out(text, language(code)), "")

    def test_own_matter(self) -> None:
        """What its reader may decide need not be found out."""
        self.assertTrue(own_matter("you can come on Friday", language("en")))
        self.assertTrue(own_matter("vous venez", language("fr")))
        self.assertFalse(own_matter("the hall is free", language("en")))
