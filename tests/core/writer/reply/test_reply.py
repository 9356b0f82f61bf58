"""What replies say."""

from __future__ import annotations

import re
from datetime import timedelta

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.persona import Style
from simmail.core.writer import Promised, SeenPage
from tests.core.writer.samples import NOW, TEMPERAMENTS, mail, wrote

QUESTION = mail("Hi Maria,\n\nwhich delivery address should we use?\n\nBest,\nDana", "Order 77120")
THANKS = mail("Hi Maria,\n\nthank you so much, that helped!\n\nBest,\nDana", "Order 77120")
CONTRACT = mail("Hi Maria, could you please send us the signed contract by Friday, 6 March?", "Contract FA-118")


class ReplyTests(SynchronousTestCase):
    """Replies."""

    def test_pages(self) -> None:
        """What a link led to is told in each of the four languages, if not by everybody; no line asks or promises."""
        asked = {
            "en": "Hi Maria,\n\nwhich delivery address should we use?\n\nBest,\nDana",
            "de": "Hallo Maria,\n\nwelche Lieferadresse sollen wir nehmen?\n\nViele Grüße\nDana",
            "fr": "Bonjour Maria,\n\nquelle adresse de livraison devons-nous utiliser ?\n\nCordialement,\nDana",
            "es": "Hola, Maria:\n\n¿qué dirección de entrega debemos usar?\n\nUn saludo,\nDana",
        }
        for code, text in asked.items():
            for form, word in (("login", r"password|login|log in|passwort|anmeld|mot de passe|connexion|contraseña|"
                                         r"acceso|identificarse|credentials"),
                               ("form", r"form\b|formula[ir]|angaben|données|datos|data in a form"),
                               ("", r"Price list 7")):
                page = SeenPage("our page", "Price list 7", form)  # type: ignore[arg-type]
                told = 0
                for temperament in TEMPERAMENTS:
                    for seed in range(4):
                        plain = wrote(mail(text), temperament=temperament, seed=str(seed))
                        written = wrote(mail(text), temperament=temperament, seed=str(seed), seen=page)
                        self.assertEqual(written.promise, plain.promise)
                        found = re.search(word, written.text, re.IGNORECASE) is not None
                        self.assertEqual(found, written.text != plain.text, written.text)
                        told += found
                self.assertGreater(told, 4 if not form else 14, f"{code} {form}")

    def test_facts(self) -> None:
        """A fact the persona knows is stated by everybody, whatever their voice."""
        for temperament in TEMPERAMENTS:
            text = wrote(QUESTION, temperament=temperament, facts={"delivery address": "Hafenvägen 12"}).text
            self.assertIn("Hafenvägen 12", text, temperament)

    def test_unknown(self) -> None:
        """What nobody told them people do not know, and say so or whom to ask; they promise nothing."""
        asked = mail("Hi Maria,\n\nwhich cable does the old compressor in hall 3 need?\n\nBest,\nDana")
        for temperament in ("responsive", "busy", "procedural", "flaky", "ghost"):
            for seed in range(5):
                written = wrote(asked, temperament=temperament, seed=str(seed))
                self.assertIsNone(written.promise, written.text)

    def test_type(self) -> None:
        """No question with a question word is answered with yes or no, in either language."""
        for asked in (
            "Who ordered the blue folders?", "When does the fair begin?", "Where is the key to the cellar?",
            "How long does the paint need to dry?", "Why is the lift out of order?", "How much is a new tyre?",
            "Wer hat die blauen Mappen bestellt?", "Wo ist der Schlüssel zum Keller?", "Wie lange trocknet die Farbe?",
            "Warum steht der Aufzug?", "Was kostet ein neuer Reifen?",
        ):
            for temperament in TEMPERAMENTS:
                for seed in range(3):
                    given = mail(f"Ich habe eine Frage. {asked}" if " der " in asked or asked[0] == "W" and (
                        asked.split()[0] in ("Wer", "Wo", "Wie", "Warum", "Was")) else asked)
                    text = wrote(given, temperament=temperament, seed=str(seed)).text
                    self.assertNotRegex(text, r"(?mi)^(?:oh |na )?(?:yes|no|ja|nein|yep)\b(?! idea| inform)", asked)

    def test_past(self) -> None:
        """What is long past is not still to be decided: it is not remembered."""
        asked = mail("Dear Maria,\n\nhow did you get into printing?\n\nDana")
        for temperament in ("responsive", "busy", "flaky", "ghost"):
            text = wrote(asked, temperament=temperament).text
            self.assertRegex(text, r"(?i)remember|forgot|think back|any more|ages|long ago|while ago|think hard")
            self.assertNotRegex(text, r"decided|not yet|yes|no,")

    def test_notes(self) -> None:
        """A note that reads like a fact goes before what a person would have said of itself."""
        asked = mail("Hi Maria,\n\nwhat is your phone number?\n\nDana")
        for temperament in TEMPERAMENTS:
            self.assertIn("040 123", wrote(asked, temperament=temperament, notes=("phone: 040 123",)).text)

    def test_every_point(self) -> None:
        """What a kind of mail is answered with leaves nothing else out."""
        asked = mail("Hi Maria,\n\ncould you quote for 40 mugs?  Is there still room in the Friday class?  And "
                     "from when can we set up?\n\nDana", "Enquiry")
        notes = ("The Friday class has two places left", "Setting up is possible from 2 pm")
        for temperament in TEMPERAMENTS:
            text = wrote(asked, temperament=temperament, notes=notes).text
            for told in ("two places", "2 pm"):
                self.assertIn(told, text, temperament)

    def test_promised_day(self) -> None:
        """Asked when something comes that was promised, everybody names the day it was promised for."""
        asked = mail("Hi Maria, when do we get the delivery note for INV-88?", "INV-88")
        for temperament in TEMPERAMENTS:
            owes = (Promised("the offer", NOW + timedelta(days=20)),
                    Promised("delivery note", NOW + timedelta(days=30)))
            self.assertIn("1 April", wrote(asked, temperament=temperament, owes=owes).text, temperament)
            past = (Promised("delivery note", NOW - timedelta(days=30)),)
            self.assertNotIn("January", wrote(asked, temperament=temperament, owes=past).text)

    def test_batched(self) -> None:
        """Several mails are answered together, each of them."""
        written = wrote(CONTRACT, QUESTION, temperament="procedural", facts={"delivery address": "Hafenvägen 12"})
        self.assertIn("contract", written.text)
        self.assertIn("Hafenvägen 12", written.text)
        self.assertEqual(written.intent, "question")

    def test_distrust(self) -> None:
        """Without trust nothing is sent or paid: it is asked first."""
        for seed in range(10):
            written = wrote(CONTRACT, trust=0.1, seed=str(seed))
            self.assertEqual((written.attachments, written.promise), ((), None))
            self.assertIsNotNone(written.question)

    def test_patience(self) -> None:
        """Warmth and lost patience show."""
        texts = {name: {wrote(QUESTION, temperament="difficult", seed=str(seed), nth=3, **{name: value}).text
                        for seed in range(12)}
                 for name, value in (("patience", 0.05), ("warmth", 0.95), ("trust", 0.5))}
        self.assertTrue(texts["patience"] - texts["trust"])
        self.assertTrue(texts["warmth"] - texts["trust"] - texts["patience"])

    def test_images(self) -> None:
        """A reader with a screen reader asks about images without a description, others do not."""
        pictures = mail("Which of these do you like?", html='<img src="a.png">')
        self.assertRegex(wrote(pictures, style=Style(access="screen_reader")).text, "images|pictures")
        self.assertNotRegex(wrote(pictures).text, "images|pictures")

    def test_not_again(self) -> None:
        """In a thread a person does not say the same sentence twice running."""
        first = wrote(THANKS, temperament="procedural")
        line = first.text.split("\n")[2]
        texts = {seed: wrote(THANKS, temperament="procedural", seed=seed).text for seed in map(str, range(40))}
        self.assertTrue(any(line in text for text in texts.values()))
        for seed in texts:
            self.assertNotIn(line, wrote(THANKS, temperament="procedural", seed=seed, own=(mail(first.text),)).text)

    def test_du(self) -> None:
        """A German mail that says du is answered with du, one that says Sie with Sie."""
        near = mail("Hallo Maria, kannst du mir bitte bis Freitag den Vertrag schicken? Wann kommst du?\n\nGruß\nJonas")
        far = mail("Hallo, können Sie mir bitte bis Freitag den Vertrag schicken? Wann kommen Sie?\n\nGruß\nJonas")
        said = {"du": "", "Sie": ""}
        for temperament in TEMPERAMENTS:
            for seed in range(8):
                said["du"] += wrote(near, temperament=temperament, seed=str(seed)).text
                said["Sie"] += wrote(far, temperament=temperament, seed=str(seed)).text
        self.assertNotRegex(said["du"], r"\b(Ihnen|Ihre[nr]?|[a-z]+en Sie)\b")
        self.assertNotRegex(said["Sie"], r"\b(dir|dich|deine[nr]?|[a-z]+st du)\b")
        self.assertRegex(said["du"], r"\b(dir|dich|deine[nr]?|[a-z]+st du)\b")
