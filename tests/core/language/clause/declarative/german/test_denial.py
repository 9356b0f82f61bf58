"""What is denied in German."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.german.denial import denied, denied_clause
from simmail.core.language.clause.declarative.german.verbs import german

HOW = german()


class DenialTests(SynchronousTestCase):
    """Where "nicht" stands, and what is none."""

    def test_denied(self) -> None:
        """Behind what is known and behind times, before what is said and before verbs."""
        for verb, rest, wanted in (
            ("ist", "am Freitag frei", "am Freitag nicht frei"),
            ("habe", "Ihre Mail bekommen", "Ihre Mail nicht bekommen"),
            ("ist", "im Gespräch zu nervös", "im Gespräch nicht zu nervös"),
            ("gehe", "mit dir ins Kino", "nicht mit dir ins Kino"),
            ("habe", "noch Zeit", "keine Zeit mehr"), ("habe", "schon etwas gehört", "noch nichts gehört"),
            ("kann", "die Mail an sie weitergeben", "die Mail nicht an sie weitergeben"),
            ("kann", "die Formel in der Tabelle ansehen", "die Formel in der Tabelle nicht ansehen"),
            ("bleibe", "bis Neujahr", "nicht bis Neujahr"), ("bin", "da", "nicht da"), ("mache", "mit", "nicht mit"),
            ("habe", "Vorschläge", ""), ("brauche", "zwei Karten", ""),
            ("kann", "einen Beamer und eine Leinwand stellen", ""),
        ):
            self.assertEqual(" ".join(denied(rest.split(), verb, verb, HOW)), wanted, rest)

    def test_subjects(self) -> None:
        """Nobody, not all, and none."""
        for subject, verb, rest, wanted in (
            ("jemand", "kommt", "mit", "niemand kommt mit"), ("alle", "sind", "da", "es sind nicht alle da"),
            ("ein Parkplatz", "ist", "dabei", "es ist kein Parkplatz dabei"),
            ("ein Termin", "ist", "in Ordnung", "ein Termin ist nicht in Ordnung"), ("jemand", "kommt", "noch mit", ""),
        ):
            self.assertEqual(" ".join(denied_clause(subject.split(), verb, rest.split(), verb, HOW)), wanted, subject)
