"""Forms of Spanish verbs."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.spanish.verbs import (
    CONDITIONAL, EL, ELLOS, FUTURE, NOSOTROS, PAST, PRESENT, TU, VOSOTROS, YO, SpanishForm, apart, forms_of,
    is_infinitive, is_participle, joined, said,
)


class FormTests(SynchronousTestCase):
    """A verb in another person or tense."""

    def test_forms_of(self) -> None:
        """A word may be of several persons, and of two verbs."""
        self.assertEqual(forms_of("podrías"), (SpanishForm("poder", CONDITIONAL, TU),))
        self.assertEqual([one.person for one in forms_of("podría")], [YO, EL])
        self.assertEqual({one.verb for one in forms_of("fue")}, {"ir", "ser"})
        self.assertEqual(forms_of("sala"), ())

    def test_said(self) -> None:
        """Stems change, and are written as they sound."""
        for verb, tense, person, wanted in (
            ("pensar", PRESENT, YO, "pienso"), ("recoger", PRESENT, YO, "recojo"),
            ("pedir", PRESENT, NOSOTROS, "pedimos"),
            ("pagar", PAST, YO, "pagué"), ("buscar", PAST, YO, "busqué"), ("hacer", PAST, EL, "hizo"),
            ("traer", PAST, ELLOS, "trajeron"), ("pedir", PAST, EL, "pidió"), ("leer", PAST, EL, "leyó"),
            ("tener", FUTURE, YO, "tendré"), ("enviar", PRESENT, VOSOTROS, "enviáis"),
            ("convencer", PRESENT, YO, "convenzo"),
            ("reducir", PRESENT, YO, "reduzco"), ("ir", PAST, TU, "fuiste"),
        ):
            self.assertEqual(said(SpanishForm(verb, tense, person), person), wanted)

    def test_kinds(self) -> None:
        """Infinitives with what is joined to them, but no nouns."""
        words = ("enviármelo", "recogerlo", "informe", "transporte", "agujeros", "ir")
        self.assertEqual([joined(one) for one in words], ["melo", "lo", "", "", "", ""])
        self.assertEqual([apart(one) for one in words[:2]], ["enviar", "recoger"])
        self.assertEqual([is_infinitive(one) for one in ("ir", "bordarme", "sala")], [True, True, False])
        self.assertEqual([is_participle(one) for one in ("recibido", "hecho", "sala")], [True, True, False])
