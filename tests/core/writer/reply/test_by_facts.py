"""
What is told from the facts of a case.
"""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.universe.meaning import Meaning
from tests.core.writer.samples import TEMPERAMENTS, mail, request
from simmail.core.writer.write import write

WEDDING = {"band set up": "from 15:00", "corkage": "£12 per bottle", "sparklers": "on the gravel drive only",
           "lowest price": "£4,000"}


class ToldTests(SynchronousTestCase):
    """Replies to mail whose matter is known."""

    def wrote(self, text: str, facts: dict[str, str], temperament: str = "responsive") -> str:
        """Return the text of a reply."""
        return write(request(mail(text, "Our wedding"), temperament=temperament, facts=facts, meaning=Meaning())).text

    def test_in_order(self) -> None:
        """Each question has its fact, in the order of the mail, by everybody; what nobody asks for is not told."""
        for temperament in TEMPERAMENTS:
            text = self.wrote("Hi Maria,\n\n- can we have sparklers outside?\n- what time can the band get in?\n"
                              "- is corkage per bottle or per head?\n\nSophie", WEDDING, temperament).lower()
            places = [text.find(one) for one in ("gravel drive", "from 15:00", "£12 per bottle")]
            self.assertNotIn(-1, places, text)
            self.assertEqual(places, sorted(places), text)
            self.assertNotIn("4,000", text)

    def test_alone(self) -> None:
        """The only thing that is told needs no name; one of several has it."""
        self.assertIn("\nFrom 15:00.", self.wrote("Hi Maria,\n\nwhat time can the band get in?\n\nSophie", WEDDING))
        self.assertIn("Band set up: from 15:00.", self.wrote(
            "Hi Maria,\n\nwhat time can the band get in? And is corkage per bottle or per head?\n\nSophie", WEDDING,
            "procedural"))

    def test_rest(self) -> None:
        """What nothing says is not known, which is said once; nothing is made up."""
        text = self.wrote("Hi Maria,\n\nwhat time can the band get in? How many people worked here in 1950?\n\n"
                          "Sophie", WEDDING)
        self.assertIn("from 15:00", text.lower())
        self.assertIn("rest", text)

    def test_amends(self) -> None:
        """Who tells of a refund says sorry first."""
        text = self.wrote("Dear Maria,\n\nthere was no hot water on Sunday. What went wrong, and do we get anything "
                          "back?\n\nM. Dray", {"cause": "the boiler failed at 5:40", "refund": "half the room price"})
        self.assertRegex(text, "(?s)sorry.*boiler.*half the room price")
