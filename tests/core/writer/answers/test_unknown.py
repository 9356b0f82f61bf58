"""What nobody has told the answer to."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.question_types import asking
from tests.core.writer.answers.test_yes_no import acts


class UnknownTests(SynchronousTestCase):
    """Questions that are left open."""

    def test_by_name(self) -> None:
        """What is not known is named."""
        self.assertEqual(acts("Hi Maria,\n\nwhen does the north gate open?\n\nDana"), [
            "answer.find_out when the north gate opens"])

    def test_find_out(self) -> None:
        """What is to be found out is looked up and told, or not known by who is asked whether it knows."""
        (found,) = acts("Hi Maria,\n\ncould you check whether it was all booked to the other account?\n\nDana")
        self.assertIn(found, ("answer.checked it was all booked to the other account",
                              "answer.checked it wasn't all booked to the other account"))
        (found,) = acts("Hi Maria,\n\ndo you know if Roy has a key to the gate?\n\nDana")
        self.assertEqual(found, "answer.find_out whether Roy has a key to the gate")

    def test_named(self) -> None:
        """What is asked who or what of all is named as well."""
        for text, told in (
            ("Who was present?", "who was present"), ("Who is right?", "who is right"),
            ("What one drawing of a bee (black ink) would cost?", "what one drawing of a bee would cost"),
            ("Where are the other two?", "where the other two are"),
        ):
            self.assertEqual(acts(f"Hi Maria,\n\n{text}\n\nDana"), [f"answer.find_out {told}"])

    def test_offered(self) -> None:
        """Who offers something names how long it takes, and a price below the sum that its mail names."""
        (found,) = acts("Hi Maria,\n\nhow long would a drawing take?\n\nDana")
        self.assertIn(found.partition(" ")[2], asking("en").spans)
        (found,) = acts("Hi Maria,\n\nI've got £90 till Friday. How much is it on a weekend?\n\nDana")
        self.assertRegex(found, r"answer.own £[3-8][05]\.")
        (found,) = acts("Hi Maria,\n\nI paid £90. How much did it cost last year?\n\nDana")
        self.assertNotIn("£", found)
