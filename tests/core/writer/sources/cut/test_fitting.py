"""Tests of L{simmail.core.writer.sources.cut.fitting}."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.questions import read_question
from simmail.core.language.tables import language
from simmail.core.writer.sources.cut.fitting import fits


class FitsTests(SynchronousTestCase):
    """What is found answers a question only where it is of the type that is asked for."""

    def assertFits(self, code: str, question: str, right: str, *wrong: str) -> None:
        """Assert that one value may answer a question and that the others may not."""
        asked = read_question(question, language(code))
        self.assertTrue(fits(asked, right, language(code)), right)
        for value in wrong:
            self.assertFalse(fits(asked, value, language(code)), f"{question} {value}")

    def test_day(self) -> None:
        """Who asks for a day gets no hours."""
        self.assertFits("en", "On what day?", "Thursday 17 September", "8:30 to 16:00")
        self.assertFits("es", "¿Qué día es la recogida?", "el sábado 26 de septiembre", "a las 9:00")
        self.assertFits("de", "An welchem Tag kommt die Tür?", "KW 42", "von 8 bis 16 Uhr")
        self.assertFits("fr", "Quel jour passez-vous ?", "mardi 15", "de 9h à 12h")

    def test_hour(self) -> None:
        """Who asks for the hour gets no day alone."""
        self.assertFits("en", "What time do we meet?", "at 9:15", "on Thursday")
        self.assertFits("es", "¿A qué hora las recogemos?", "9:30", "el sábado")

    def test_nobody(self) -> None:
        """What names nobody answers nothing."""
        self.assertFits("de", "Wer kommt denn?", "Herr Yilmaz", "jemand nächste")
        self.assertFits("en", "Who opens the door?", "Anna Bell", "somebody")
        self.assertFits("fr", "Qui vient ?", "Mme Roche", "quelqu'un de l'équipe")

    def test_number(self) -> None:
        """How many is told by a number, and by no price."""
        self.assertFits("es", "¿Cuántas bicis quedan?", "9 normales y 2 eléctricas", "35 euros, quedan 4")
        self.assertFits("en", "How many was it you wanted?", "12 of 40 x 40 cm", "back door on Mill Lane")

    def test_price(self) -> None:
        """What something costs is not told by how many there were of it."""
        self.assertFits("es", "¿A cuánto era la eléctrica?", "35 euros", "2 eléctricas")
        self.assertFits("en", "How much was a trailer?", "£35 a day", "2 trailers")

    def test_place(self) -> None:
        """An hour is no place."""
        self.assertFits("en", "Where is the party now?", "the village hall", "at 3")
