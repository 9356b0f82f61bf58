"""Languages that are read, whether anybody writes them or not."""

from __future__ import annotations

from datetime import date, datetime, timezone

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.intents import recognise
from simmail.core.language.reader import Findings
from simmail.core.language.tables import LANGUAGES, WRITTEN, tell
from tests.core.writer.samples import NOW, mail, wrote

#: A mail in each: its greeting, a question, a request, a day with an hour, a deadline, a sign-off, quoted German.
MAILS = {
    "es": "Hola María:\n\n¿Cuántas personas vienen? ¿Nos reunimos el jueves a las 10:30? Por favor, envíenos la "
          "factura firmada antes del 13 de marzo.\n\nUn saludo,\nDana Novak\n\nEl lunes Jonas escribió:\n"
          "> Wir haben es nicht.",
    "it": "Ciao Maria,\n\nquante persone vengono? Ci vediamo giovedì alle 10:30? Per favore, potrebbe inviarci la "
          "fattura firmata entro il 13 marzo.\n\nCordiali saluti,\nDana Novak\n\nIl lunedì Jonas ha scritto:\n"
          "> Wir haben es nicht.",
    "pt": "Olá Maria,\n\nquantas pessoas vêm? Podemos encontrar-nos na quinta às 10:30? Por favor, enviem-nos a "
          "fatura assinada até 13 de março.\n\nCumprimentos,\nDana Novak\n\nNa segunda Jonas escreveu:\n"
          "> Wir haben es nicht.",
    "nl": "Beste Maria,\n\nhoeveel mensen komen er? Zullen we donderdag om 10:30 afspreken? Kunt u ons alstublieft de "
          "getekende factuur sturen, uiterlijk 13 maart?\n\nMet vriendelijke groet,\nDana Novak\n\nOp maandag "
          "schreef Jonas:\n> Wir haben es nicht.",
}
KINDS = {
    "es": (("status", "¿Dónde está mi pedido 7731? Lo pedí la semana pasada."),
           ("thanks", "¡Mil gracias por tu ayuda!"), ("sick", "Hoy no puedo ir, estoy enferma, tengo gripe.")),
    "it": (("status", "Dov'è il mio ordine 7731? L'ho fatto la settimana scorsa."),
           ("congrats", "Tanti auguri e congratulazioni per la promozione!"),
           ("sick", "Oggi non posso venire, sono malata e ho l'influenza.")),
    "pt": (("status", "Onde está a minha encomenda 7731? Fiz o pedido na semana passada."),
           ("congrats", "Muitos parabéns pela promoção!"), ("sick", "Hoje não posso ir, estou doente com gripe.")),
    "nl": (("status", "Waar blijft mijn bestelling 7731? Die is van vorige week."),
           ("congrats", "Van harte gefeliciteerd met je promotie!"),
           ("sick", "Ik kan vandaag niet komen, ik ben ziek en heb griep.")),
}


class ReadingTests(SynchronousTestCase):
    """Spanish, Italian, Portuguese and Dutch."""

    def test_read(self) -> None:
        """Language, name, questions, requests, days and sign-off are found; what is quoted counts for none of it."""
        for code, text in MAILS.items():
            self.assertIn(code, LANGUAGES)
            found = Findings(mail(text, "Re: 1"), NOW)
            self.assertEqual(found.language.code, code)
            self.assertIn(found.addressee, ("Maria", "María"), code)
            self.assertEqual(found.questions[0].form, "many", code)
            self.assertTrue(found.requests, code)
            self.assertIn(datetime(2026, 3, 5, 10, 30, tzinfo=timezone.utc), [slot.start for slot in found.slots], code)
            self.assertEqual(found.deadlines, (date(2026, 3, 13),), code)
            self.assertEqual(found.prose.sign_off, ("Dana Novak",), code)
            self.assertIn("Wir haben", found.prose.quoted, code)

    def test_kinds(self) -> None:
        """The rules know the plainest kinds."""
        for code, some in KINDS.items():
            for kind, text in some:
                self.assertEqual(tell(text), code, text)
                self.assertEqual(recognise(Findings(mail(text, ""), NOW), False), kind, text)

    def test_answered(self) -> None:
        """Who does not write a language answers in another."""
        for code, text in MAILS.items():
            if code not in WRITTEN:
                self.assertEqual(wrote(mail(text, "Re: 1")).language, "en", code)
