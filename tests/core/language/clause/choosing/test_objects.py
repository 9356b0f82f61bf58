"""Deeds that are done to one thing."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.choosing.objects import with_object
from simmail.core.language.clause.tables import restating


class ObjectTests(SynchronousTestCase):
    """What one of two deeds leaves out."""

    def test_named(self) -> None:
        """It is named in both."""
        how = restating("en")
        self.assertEqual(with_object(["repair", "replace it"], how), ("repair it", "replace it"))
        self.assertEqual(with_object(["send them back", "throw away"], how), ("send them back", "throw them away"))
        self.assertEqual(with_object(["matt", "gloss"], how), ("matt", "gloss"))
