"""Questions with a question word behind "I don't know"."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.tables import Sides
from simmail.core.language.clause.wonder import wondered
from simmail.core.language.tables import language

EN = language("en")


class WonderedTests(SynchronousTestCase):
    """Clauses of what is not known."""

    def test_clauses(self) -> None:
        """The verb goes back behind its subject."""
        for question, clause in (
            ("Which papers do we need?", "which papers you need"),
            ("When will it be back?", "when it will be back"),
            ("What time does the gate open on Sundays?", "what time the gate opens on Sundays"),
            ("Who signs off the early load?", "who signs off the early load"),
            ("What is the total?", "what the total is"),
            ("How many chairs do you need?", "how many chairs I need"),
            ("Who is right?", "who is right"),
            ("Who was there?", "who was there"),
            ("Where are the other two?", "where the other two are"),
            ("Which one is right?", "which one is right"),
            ("Who was first?", "who was first"),
            ("What the extra £132 is for?", "what the extra £132 is for"),
            ("When is the next free slot?", "when the next free slot is"),
            ("Is it open?", ""), ("Where was it again?", ""),
        ):
            self.assertEqual(wondered(question, EN), clause)

    def test_leads(self) -> None:
        """What only asks whether one knows, or for which case it is asked, is left out."""
        for question, clause in (
            ("Do you by any chance know where Dad's sextant went?", "where Dad's sextant went"),
            ("Any idea how long that takes?", "how long that takes"),
            ("If so what would it cost to do them again?", "what it would cost to do them again"),
            ("What's your lead time on doors?", "what our lead time on doors is"),
        ):
            self.assertEqual(wondered(question, EN, Sides(we=True)), clause)
