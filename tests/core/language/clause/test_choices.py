"""What a question leaves to the sentence before it to name."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.reader import read_mail
from simmail.core.language.tables import language
from tests.core.writer.samples import NOW, mail


class ChoiceTests(SynchronousTestCase):
    """Choices between what another sentence names."""

    def offered(self, text: str, code: str = "en") -> list[tuple[str, ...]]:
        """Return what each point of a mail offers."""
        return [one.options for one in read_mail(mail(text), NOW, language(code)).points]

    def test_three(self) -> None:
        """Three things that are listed may be asked about in the next sentence, or behind a short one."""
        three = ("black", "silver", "polished")
        for text in ("The rims come in black, silver or polished. Which shall I put down for you?",
                     "The rims come in black, silver or polished. Same price. Which shall I put down for you?",
                     "Do you want black, silver or polished?"):
            self.assertEqual(self.offered(text), [three], text)
        self.assertEqual(self.offered("Shall I book the 9:15, the 10:40 or the 12:05?"),
                         [("the 9:15", "the 10:40", "the 12:05")])
        self.assertEqual(self.offered("So what am I getting, the money or a lamp?"), [("the money", "a lamp")])

    def test_told_which(self) -> None:
        """Who wants to be told which leaves the same choice."""
        self.assertEqual(self.offered("The bag comes in leather or canvas. Let me know which."),
                         [("in leather", "canvas")])
        self.assertEqual(self.offered("He would do it for 30, or you can borrow it if you like. Let me know which."),
                         [("borrow it",)])

    def test_ways(self) -> None:
        """What may be done is chosen as its reader asks for it."""
        self.assertEqual(
            self.offered("We can send yellow ones straight away, or you wait, or we refund the money. "
                         "What would you like us to do?"),
            [("please send yellow ones straight away", "I'll wait", "please refund the money")])
        self.assertEqual(self.offered("The lorry is late. What would you like us to do?"), [()])

    def test_other_languages(self) -> None:
        """In other languages it is chosen as they say it."""
        for code, text, offer in (
            ("de", "Wir können die Pumpe ersetzen, oder Sie warten auf das Ersatzteil. Wie sollen wir vorgehen?",
             ("bitte die Pumpe ersetzen", "ich warte auf das Ersatzteil")),
            ("fr", "Nous pouvons remplacer la pompe, ou bien vous attendez la pièce. Comment voulez-vous procéder ?",
             ("vous pouvez remplacer la pompe", "j'attends la pièce")),
            ("es", "Podemos cambiar la bomba, o esperan ustedes la pieza. ¿Cómo quieren que procedamos?",
             ("pueden cambiar la bomba", "esperamos la pieza")),
            ("de", "Das Rad gibt es in Schwarz, Silber oder Grün. Welche Farbe haben Sie da?",
             ("Schwarz", "Silber", "Grün")),
            ("fr", "Les cartons existent en blanc, en gris ou en brun. Lesquels souhaitez-vous ?",
             ("en blanc", "en gris", "en brun")),
            ("fr", "Tu arrives samedi ou seulement dimanche ?", ("samedi", "seulement dimanche")),
            ("de", "Kommst du am Montag oder erst am Dienstag?", ("am Montag", "erst am Dienstag")),
        ):
            self.assertEqual(self.offered(text, code), [offer], text)
        self.assertEqual(self.offered("¿Vienes a buscarme a la estación o cojo un taxi?", "es"), [()])
