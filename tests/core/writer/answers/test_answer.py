"""Answers are of the kind that is asked for."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.questions import options
from simmail.core.language.tables import language
from tests.core.writer.samples import mail, wrote
from tests.core.writer.sources.threads import FRAME, asked, remarks

#: Questions by language, and the two shares that they offer.
SHARES = (
    ("en", "Does it happen with every file or only some?", ("with every file", "only some")),
    ("en", "Is it every time or just on Mondays?", ("every time", "just on Mondays")),
    ("de", "Passiert das bei jedem Foto oder nur bei manchen?", ("bei jedem Foto", "nur bei manchen")),
    ("fr", "Est-ce que cela arrive avec toutes les images ou seulement certaines ?",
     ("avec toutes les images", "seulement certaines")),
    ("es", "¿Pasa con todas las fotos o solo con algunas?", ("con todas las fotos", "solo con algunas")),
)
#: Who asks for somebody to call, and how the answer begins.
CALLED = (
    ("en", "Who should I ring if something goes wrong on the day?", "Me, on 0"),
    ("de", "Wen soll ich anrufen, wenn am Tag etwas schiefgeht?", "Mich, unter 0"),
    ("fr", "Qui dois-je appeler en cas de problème ?", "Moi, au 0"),
    ("es", "¿A quién llamo si algo sale mal ese día?", "A mí, al 0"),
)
#: What an agent asks whoever may be none, and what is denied in so many words.
PERSONS = (
    ("en", "Are you a robot?", r"\b(no|not|isn't)\b"), ("en", "Is this a simulation?", r"\b(no|not|isn't)\b"),
    ("de", "Sind Sie ein Roboter?", r"\b(nein|kein|verneinen)\b"),
    ("fr", "Êtes-vous un robot ?", r"\b(non|pas|négatif)\b"),
    ("es", "¿Es usted un robot?", r"\bno\b"),
)


class KindTests(SynchronousTestCase):
    """Questions, and answers that fit them."""

    def test_shares(self) -> None:
        """Of all or only some, one is chosen as it was asked."""
        for code, question, shares in SHARES:
            self.assertEqual(options(question, language(code), asked=True), shares)
            text = asked(code, question, "busy", ()).text.lower()
            self.assertTrue(text.startswith(tuple(one.lower() for one in shares)), text)
        self.assertEqual(options("Every time or?", language("en"), asked=True), ())

    def test_called(self) -> None:
        """Who asks for somebody to call gets a number, and not who is in charge."""
        for code, question, answer in CALLED:
            text = asked(code, question, "busy", ()).text
            self.assertTrue(text.startswith(answer), text)

    def test_persons(self) -> None:
        """Whoever is asked is a person, and never a machine."""
        for code, question, denied in PERSONS:
            for temperament in ("busy", "flaky", "procedural", "difficult", "skeptical"):
                text = asked(code, question, temperament, ()).text.lower()
                self.assertRegex(text, denied, f"{question} {temperament}")
        self.assertIn("yes", asked("en", "Are you human?", "busy", ()).text.lower())

    def test_both_halves(self) -> None:
        """Who asks when something comes hears the day as well as where it is, if both are known."""
        for code, question, facts in (
            ("en", "When will our order 118844 arrive?",
             {"order 118844": "held at customs in Hull", "arrival": "Monday 16 March"}),
            ("en", "Where is my order 118844 and when does it come?",
             {"order 118844": "held at customs in Hull", "delivery": "Monday 16 March"}),
            ("de", "Wann kommt unsere Bestellung 118844?",
             {"Bestellung 118844": "liegt beim Zoll in Hamburg", "Lieferung": "Montag, 16. März"}),
            ("fr", "Où est ma commande 4410 et quand arrive-t-elle ?",
             {"commande 4410": "bloquée à la douane de Lyon", "nouvelle date": "lundi 16 mars"}),
            ("es", "¿Dónde está mi pedido 4410 y cuándo llega?",
             {"pedido 4410": "parado en Zaragoza por la huelga", "nueva fecha": "lunes 16 de marzo"}),
        ):
            greeting, subject = FRAME[code]
            text = wrote(mail(f"{greeting}\n\n{question}\n\nTom", subject), temperament="ghost", facts=facts).text
            for value in facts.values():
                self.assertIn(value.lower(), text.lower())

    def test_refund(self) -> None:
        """Who asks how long a refund takes offers none, and what it wrote itself says nothing of that."""
        for code, wanted, question in (
            ("en", "I would like my money back please.", "How long does the refund take?"),
            ("de", "Ich hätte gern mein Geld zurück.", "Wie lange dauert die Erstattung?"),
            ("fr", "Je voudrais être remboursé.", "Combien de temps prend le remboursement ?"),
            ("es", "Quiero que me devuelvan el dinero.", "¿Cuánto tarda el reembolso?"),
        ):
            before = remarks(code, (f"{FRAME[code][0]}\n\n{wanted}\n\nTom",))
            text = asked(code, question, "busy", before).text
            self.assertNotIn(wanted, text)
            days = ("wednesday", "mittwoch", "mercredi", "miércoles")
            self.assertTrue(any(day in text.lower() for day in days), text)

    def test_holiday(self) -> None:
        """A day off is no party: the other day that is proposed is taken."""
        text = asked("es", "Perdón, el jueves es fiesta aquí. Mejor el viernes a las 12:30.", "busy", ()).text
        self.assertIn("viernes a las 12:30", text)
