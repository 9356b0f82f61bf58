"""What comes before the kind of a mail."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.writer.context import set_scene
from simmail.core.writer.kinds import said_by
from tests.core.writer.samples import TEMPERAMENTS, mail, request


class OverriddenTests(SynchronousTestCase):
    """Mail that is answered alike whatever kind it is of."""

    def acts(self, text: str, temperament: str, subject: str = "Order 77120") -> list[str]:
        """Return what is said to a mail."""
        return [said.act for said in said_by(set_scene(request(mail(text, subject), temperament=temperament)))]

    def test_no_such_day(self) -> None:
        """Nothing is agreed for a day that there is none of."""
        for temperament in TEMPERAMENTS:
            acts = self.acts("Hi Maria, could we meet on 31 February at 10:00?\n\nDana", temperament)
            self.assertIn("date.none", acts, temperament)
            self.assertNotIn("meeting.accept", acts, temperament)

    def test_order_taken_back(self) -> None:
        """An order that is taken back is off, whoever took it."""
        for temperament in TEMPERAMENTS:
            acts = self.acts("Hi Maria, please cancel our order 77120, we need it no more.\n\nDana", temperament)
            self.assertIn("dropped.ok", acts, temperament)

    def test_nothing(self) -> None:
        """A plain question is left to its kind."""
        for temperament in TEMPERAMENTS:
            acts = self.acts("Hi Maria, which delivery address should we use?\n\nDana", temperament)
            self.assertEqual([act for act in acts if act.startswith(("dropped", "date.", "moved"))], [], temperament)
