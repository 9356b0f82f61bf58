"""What is denied in French."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.french.clause import parted
from simmail.core.language.clause.declarative.french.denial import denied
from simmail.core.language.clause.declarative.french.persons import FrenchReader
from simmail.core.language.clause.declarative.french.verbs import french

HOW = french()


class DenialTests(SynchronousTestCase):
    """Around the verb."""

    def test_denied(self) -> None:
        """What there is not has no article, and somebody is nobody."""
        for text, wanted in {
            "vous avez une place": "je n'ai pas de place", "vous avez une minute": "je n'ai pas une minute",
            "c' est un problème": "ce n'est pas un problème", "tu as encore ma clé": "je n'ai plus ta clé",
            "tu as déjà voté": "je n'ai pas encore voté", "vous vendez des œufs": "je ne vends pas d'œufs",
            "tu as vu quelque chose": "je n'ai rien vu", "tu as vu quelqu'un": "je n'ai vu personne",
            "quelqu'un est là": "personne n'est là", "il faut payer": "ce n'est pas nécessaire",
            "vous avez trouvé quelques amis": "", "c' est aussi grand": "", "tu ouvres toujours dimanche": "",
        }.items():
            clause = parted(text.split(), HOW)
            assert clause is not None, text
            told = FrenchReader(False, "vous" in text).said(clause)
            assert told is not None, text
            self.assertEqual(denied(clause, told, HOW), wanted, text)
