"""Requests of German."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.tables import restating
from simmail.core.language.clause.verb_second import deed

DE = restating("de")


class VerbSecondTests(SynchronousTestCase):
    """Words turned round."""

    def test_deed(self) -> None:
        """An imperative in the first person; no other verb is one."""
        self.assertEqual(deed(["gib", "mir", "Bescheid"], DE, False), ("gebe dir Bescheid", ""))
        self.assertEqual(deed(["regnet", "es", "morgen"], DE, False), ("", ""))
        self.assertEqual(deed("könnte jemand anders die Führung machen".split(), DE, False)[0], "mache die Führung")
        self.assertEqual(deed(["magst", "du", "Kuchen"], DE, False), ("", ""))
