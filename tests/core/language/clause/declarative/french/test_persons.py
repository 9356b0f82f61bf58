"""Who speaks to whom in French."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.french.clause import parted
from simmail.core.language.clause.declarative.french.persons import FrenchReader, FrenchSaid
from simmail.core.language.clause.declarative.french.verbs import french

FAR, NEAR, FIRM = FrenchReader(False, True), FrenchReader(False, False), FrenchReader(True, True)


def said(text: str, reader: FrenchReader = FAR) -> FrenchSaid | None:
    """A clause as a reader says it."""
    clause = parted(text.split(), french())
    assert clause is not None, text
    return reader.said(clause)


class ReaderTests(SynchronousTestCase):
    """Persons change sides."""

    def test_of(self) -> None:
        """A question that says "tu" or "vous" tells how to call its asker."""
        self.assertEqual(FrenchReader.of(["as-tu", "faim"], True, True), NEAR)
        self.assertEqual(FrenchReader.of(["avez-vous", "faim"], False, False), FAR)
        self.assertEqual(FrenchReader.of(["ça", "va"], False, False), NEAR)

    def test_said(self) -> None:
        """A subject with its verb; politeness is no condition."""
        self.assertEqual(said("vous pourriez venir"), (["je"], [], "peux", ["venir"]))
        self.assertEqual(said("vous feriez une offre", FIRM), (["nous"], [], "ferons", ["une", "offre"]))
        self.assertEqual(said("je peux vous appeler"), (["vous"], [], "pouvez", ["me", "appeler"]))
        self.assertEqual(said("vous êtes prêts"), (["nous"], [], "sommes", ["prêts"]))
        self.assertEqual(said("vous êtes intéressé", FIRM), (["je"], [], "suis", ["intéressé"]))
        self.assertEqual(said("vous êtes en avance", FIRM), (["nous"], [], "sommes", ["en", "avance"]))
        self.assertIsNone(said("je fais une salade"))
        self.assertIsNone(said("nous pouvons échanger"))

    def test_flipped(self) -> None:
        """Pronouns and possessives; the gender of a thing has to be known."""
        self.assertEqual(FAR.flipped(["chez", "vous", "avec", "mon", "mari"]), ["chez", "moi", "avec", "votre", "mari"])
        self.assertEqual(FAR.flipped(["votre", "maison"]), ["ma", "maison"])
        self.assertEqual(FIRM.flipped(["votre", "xyl"]), ["notre", "xyl"])
        self.assertIsNone(FAR.flipped(["votre", "xyl"]))
        self.assertEqual(NEAR.flipped(["un", "ton", "chaud"]), ["un", "ton", "chaud"])
        self.assertEqual(NEAR.pronouns(["m'", "y"]), ["te", "y"])
