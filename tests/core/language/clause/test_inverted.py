"""Words of English, said by the other side."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.inverted import flipped
from simmail.core.language.clause.tables import restating

EN = restating("en")


class InvertedTests(SynchronousTestCase):
    """Words turned round."""

    def test_flipped(self) -> None:
        """What belongs to the house is ours, what belongs to a person mine."""
        self.assertEqual(flipped("your office and your dog".split(), EN), "our office and my dog")
