"""Forms of German verbs."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.german.verbs import (
    DU, ER, ICH, IHR, WIR, apart, changed, finite, is_infinitive, is_participle, known, regular,
)


class FormTests(SynchronousTestCase):
    """A verb in another person."""

    def test_regular(self) -> None:
        """An "e" joins a hard stem, one "s" is enough, and "-eln" loses its own."""
        self.assertEqual(regular("arbeiten"), ("arbeite", "arbeitest", "arbeitet", "arbeiten", "arbeitet"))
        self.assertEqual(regular("reisen")[1], "reist")
        self.assertEqual(regular("sammeln"), ("sammle", "sammelst", "sammelt", "sammeln", "sammelt"))
        self.assertEqual(regular("spielen")[0], "spiele")

    def test_changed(self) -> None:
        """Strong verbs by the tables, behind a prefix as well; what nobody knows by its ending."""
        for form, before, after, wanted in (
            ("nimmst", DU, ICH, "nehme"), ("hatten", WIR, ICH, "hatte"), ("könnt", IHR, WIR, "können"),
            ("vertrittst", DU, ICH, "vertrete"), ("jodelst", DU, ICH, "jodle"), ("dürfen", WIR, IHR, "dürft"),
            ("bekomme", ICH, DU, "bekommst"), ("ist", ER, ER, "ist"), ("grob", DU, ICH, ""),
            ("putzt", DU, ICH, "putze"),
        ):
            self.assertEqual(changed(form, before, after), wanted, form)

    def test_known(self) -> None:
        """A form is known in its person only."""
        self.assertEqual((known("liefert", ER), known("liefert", WIR), known("vielleicht", ER)), (True, False, False))

    def test_apart(self) -> None:
        """What stands apart in a main clause."""
        self.assertEqual(finite("herunterdrehen", ICH), ("drehe", "herunter"))
        self.assertEqual(finite("unterschreiben", WIR), ("unterschreiben", ""))
        self.assertEqual(finite("xyzen", ICH), ("", ""))
        self.assertEqual((apart("mitkommt"), apart("ist"), apart("Tisch")), (("kommt", "mit"), ("ist", ""), ("", "")))

    def test_ends(self) -> None:
        """Participles and infinitives, but no adjectives and articles."""
        self.assertEqual([is_participle(one) for one in ("bekommen", "abgegeben", "repariert", "bereit", "geben")], [
            True, True, True, False, False])
        self.assertEqual([is_infinitive(one) for one in ("liefern", "einen", "Garten")], [True, False, False])
