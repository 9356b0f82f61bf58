"""What nobody has told the answer to."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

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
