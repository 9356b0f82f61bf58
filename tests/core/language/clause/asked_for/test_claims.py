"""What is claimed, and what is to be confirmed."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.asked_for.claims import claimed, to_confirm
from simmail.core.language.tables import language

EN = language("en")


class ClaimTests(SynchronousTestCase):
    """Claims and what is to be confirmed."""

    def test_claimed(self) -> None:
        """What its reader said."""
        self.assertEqual(claimed("You said you'd pay half, didn't you?", True, EN), "you'd pay half")

    def test_confirmed(self) -> None:
        """A clause, with or without "that", and no thing."""
        for text, clause in (
            ("And can you confirm you still have the frame, because nobody could find it.", "you still have the frame"),
            ("Please confirm by Friday that the hall is free.", "the hall is free"),
            ("Please confirm the delivery address.", ""),
        ):
            self.assertEqual(to_confirm(text, EN), clause)
