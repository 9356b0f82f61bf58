"""What is listed of what is wanted."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.asked_for.lists import announces, clauses_listed, lettered, listed
from simmail.core.language.tables import language

EN = language("en")


class ListTests(SynchronousTestCase):
    """Lists in one sentence, and what leads them in."""

    def test_clauses(self) -> None:
        """Indirect questions in a row, also in a question, with a day before them or "or" between them."""
        for text, found in (
            ("Could you let me know where it is, when I can expect it, and whether it can be green?",
             ["where it is", "when I can expect it", "whether it can be green"]),
            ("Please let me know by Friday whether you want to fix, and if so for how many tonnes.",
             ["whether you want to fix", "if so for how many tonnes"]),
            ("Nobody can tell me if the searches are back, why it has not gone out, or when she is back.",
             ["if the searches are back", "why it has not gone out", "when she is back"]),
            ("Can you tell me what it costs, and do you deliver?", []),
        ):
            self.assertEqual(clauses_listed(text, EN), found)

    def test_lettered(self) -> None:
        """What a demand letters."""
        self.assertEqual(lettered("I would like (a) an explanation and (b) to know who did it.", EN),
                         ["an explanation", "who did it"])
        self.assertEqual(lettered("I would like to see (a) and (b) of it.", EN), [])

    def test_several(self) -> None:
        """Three things, each with its article, behind what asks for them."""
        self.assertEqual(listed("Please reply with your preferred slot, the name of the person and any wishes.", EN),
                         ["your preferred slot", "the name of the person", "any wishes"])

    def test_announced(self) -> None:
        """What may be chosen is not wanted."""
        self.assertTrue(announces("Before we do so we would like to know:", EN))
        self.assertFalse(announces("You can choose one of these:", EN))
