"""Forms of French verbs."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.french.verbs import (
    CONDITIONAL, FUTURE, IL, JE, NOUS, PRESENT, TU, VOUS, FrenchForm, form_of, is_finite, is_infinitive, is_participle,
    said,
)


class FormTests(SynchronousTestCase):
    """A verb in another person or tense."""

    def test_form_of(self) -> None:
        """A word in a person; of an unknown verb in "-er" too."""
        self.assertEqual(form_of("pourriez", VOUS), FrenchForm("pouvoir", CONDITIONAL, VOUS))
        self.assertEqual(form_of("puis", JE), FrenchForm("pouvoir", PRESENT, JE))
        self.assertEqual(form_of("zigzaguez", VOUS), FrenchForm("zigzaguer", PRESENT, VOUS))
        self.assertIsNone(form_of("libre", VOUS))

    def test_said(self) -> None:
        """Stems change as they do."""
        for word, person, after, tense, wanted in (
            ("achetez", VOUS, JE, None, "achète"), ("appelez", VOUS, JE, FUTURE, "appellerai"),
            ("préférez", VOUS, JE, None, "préfère"), ("mangez", VOUS, NOUS, None, "mangeons"),
            ("envoyez", VOUS, JE, FUTURE, "enverrai"), ("finis", TU, NOUS, None, "finissons"),
            ("vendez", VOUS, JE, None, "vends"), ("êtes", VOUS, NOUS, None, "sommes"),
            ("paieriez", VOUS, JE, FUTURE, "paierai"),
            ("faudrait", IL, IL, PRESENT, "faut"), ("commençait", IL, VOUS, None, "commenciez"),
        ):
            form = form_of(word, person)
            assert form is not None, word
            self.assertEqual(said(form, after, tense), wanted, word)

    def test_kinds(self) -> None:
        """Finite forms, infinitives and participles."""
        self.assertEqual([is_finite(one) for one in ("sont", "avez", "libre")], [True, False, False])
        self.assertEqual([is_infinitive(one) for one in ("livrer", "zigzaguer", "hier")], [True, True, False])
        self.assertEqual([is_participle(one) for one in ("reçu", "arrivées", "samedi", "du")], [
            True, True, False, False])
