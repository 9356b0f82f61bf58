"""What a persona decides from."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.decision import SpamVerdict, correspondent, keyed
from simmail.core.mime.address import Address
from simmail.core.records.relationship import Dossier
from tests.core.scenes import APP, SEED, mail, situation


class InputTests(SynchronousTestCase):
    """Everything that can bear on one mail."""

    def test_correspondent(self) -> None:
        """A mail is from its From, else from its reverse-path, else from nobody; in lower case."""
        self.assertEqual(correspondent(mail(from_=Address("", "Ann@X.test")), APP), "ann@x.test")
        self.assertEqual(correspondent(mail(from_=Address("Ann", "")), "B@Y.test"), "b@y.test")
        self.assertEqual(correspondent(mail(from_=Address("Ann", "")), ""), "")

    def test_nth(self) -> None:
        """The first mail between two is the first; each one that was decided about counts."""
        self.assertEqual(situation().nth, 1)
        self.assertEqual(situation(dossier=Dossier(APP, received=6)).nth, 7)

    def test_keyed(self) -> None:
        """Draws are about the n-th mail of two people, however their addresses are written."""
        one = keyed(SEED, "A@b.test", "c@D.test", 2)
        self.assertEqual(one.bits("x"), keyed(SEED, "a@B.test", "C@d.test", 2).bits("x"))
        self.assertNotEqual(one.bits("x"), keyed(SEED, "a@b.test", "c@d.test", 3).bits("x"))
        self.assertNotEqual(one.bits("x"), keyed(SEED, "c@d.test", "a@b.test", 2).bits("x"))

    def test_junk(self) -> None:
        """A score that reaches the threshold is junk; without one nothing is."""
        self.assertEqual([SpamVerdict(score, threshold).junk for score, threshold in (
            (5.0, 5.0), (4.9, 5.0), (99.0, None))], [True, False, False])
