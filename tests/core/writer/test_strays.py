"""The right sentences and no other: mails that ask one thing or two among phrases, each to seven people."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.mime.address import Address
from simmail.core.writer.speech_act import ACTS
from simmail.core.writer.write import drafted
from simmail.universe.meaning import Meaning
from tests.core.writer.samples import TEMPERAMENTS, mail, maria, request

#: A mail, what its reader knows, and the values that are told: everything else that is said is no answer.
ASKED: tuple[tuple[str, dict[str, str], tuple[str, ...]], ...] = (
    ("Who is in charge of the store, and which extension do they have? It would be good to have a person to talk to.",
     {"store manager": "Ms Hanna Prior, extension 344"}, ("Ms Hanna Prior, extension 344",)),
    ("How are you? Could you tell me the delivery address for the labels?",
     {"delivery address": "Unit 4, Mill Lane, Hexham"}, ("Unit 4, Mill Lane, Hexham",)),
    ("When does the tender close? Is it worth while sharpening the pencil once more? Who wouldn't want this job?",
     {"closing date": "18 September"}, ("18 September",)),
    ("How many people fit into the hall and is there parking? Please let me know so that I can tell the couple.",
     {"capacity": "120 seats", "parking": "behind the hall"}, ("120 seats", "behind the hall")),
    ("Our driver asks at which gate he should unload. Can you believe last time he waited two hours?",
     {"gate": "gate 3"}, ("gate 3",)),
    ("I was wondering what your mugs cost and how long they take. Who would have thought we'd last ten years?",
     {"price": "£24 a mug", "delivery time": "three weeks"}, ("£24 a mug", "three weeks")),
    ("How long is the warranty on your kettles? My sister's broke after a week. Poor thing, isn't she?",
     {"warranty": "two years"}, ("two years",)),
    ("Wer leitet bei Ihnen das Lager, und welche Durchwahl hat die Person? Dann kann ich mich direkt melden.",
     {"Lagerleiter": "Frau Wencke Thoms, Durchwahl 344"}, ("Frau Wencke Thoms, Durchwahl 344",)),
    ("Wie geht es Ihnen? Wohin dürfen wir die Kartons liefern? Das wird ja wieder eine Menge, nicht wahr?",
     {"Lieferadresse": "Hafenstraße 9, 26789 Leer"}, ("Hafenstraße 9, 26789 Leer",)),
    ("Gibt es bei Ihnen Parkplätze? Bitte geben Sie mir kurz Bescheid, damit ich es dem Paar sagen kann.",
     {"Parkplätze": "40 hinter der Halle"}, ("40 hinter der Halle",)),
    ("À quel quai notre chauffeur doit-il décharger, et jusqu'à quelle heure ? La dernière fois il a attendu deux "
     "heures, vous vous rendez compte ?", {"quai": "quai 3", "horaires": "de 6 h à 14 h 30"},
     ("quai 3", "de 6 h à 14 h 30")),
    ("On which day is the hall free? Not at home? Who would have thought we would ever fill it?",
     {"hall free": "Thursday"}, ("Thursday",)),
    ("Auf welchem Gleis kommt der Zug an? Liest das denn keiner?", {"Gleis": "Gleis 7"}, ("Gleis 7",)),
    ("¿Cuántas veces tengo que preguntarlo? ¿Qué talla lleva el encargado?", {"talla": "52"}, ("52",)),
    ("Qui est responsable du dépôt, et quel est son numéro de poste ?",
     {"responsable du dépôt": "Mme Hélène Prat, poste 344"}, ("Mme Hélène Prat, poste 344",)),
    ("¿Hasta cuándo se pueden presentar las ofertas? ¿Merece la pena afilar un poco más el lápiz?",
     {"fecha límite": "18 de septiembre"}, ("18 de septiembre",)),
    ("¿Quién lleva el almacén y qué extensión tiene? Me gustaría tener una persona con quien hablar antes de ir.",
     {"encargada del almacén": "Elena Prado, extensión 344"}, ("Elena Prado, extensión 344",)),
)

MEANING = Meaning()


class StrayTests(SynchronousTestCase):
    """What is said besides answers."""

    def test_nothing_else(self) -> None:
        """Phrases, courtesies and what is told already are not answered; nothing of another occasion is said."""
        for text, facts, told in ASKED:
            for temperament in TEMPERAMENTS:
                said = drafted(request(mail(text, next(iter(facts))), temperament=temperament, facts=facts,
                                       meaning=MEANING)).said
                body = [one for one in said if one.act.partition(".")[0] not in ("opener", "extra")
                        and one.act != "answer.regret"]
                found = tuple(one.values.get("value", one.act).rpartition(": ")[2] for one in body)
                self.assertEqual(len(found), len(told), (text, temperament, [one.act for one in body]))
                for one, expected in zip(found, told):
                    self.assertTrue(one.rstrip(".").lower().endswith(expected.lower()), (text, temperament, one))
                self.assertFalse([one.act for one in body if ACTS[one.act].asks])

    def test_details(self) -> None:
        """What is asked for to be written down is listed by its names, and a choice beside it is made."""
        for temperament in TEMPERAMENTS:
            said = drafted(request(mail(
                "For the stamp we need the exact name of your company, the address and the telephone number. Please "
                "also tell us whether the text is to be black or blue.", "Your stamp"), temperament=temperament))
            self.assertEqual([one.act for one in said.said if one.act.startswith("answer.")],
                             ["answer.details", "answer.way"])
            for label in ("Company: Norrland Print", "Address: ", "Phone: "):
                self.assertIn(label, said.written.text)
            vat = drafted(request(mail(
                "Please send us your VAT number, your invoice address and the name of the person who handles "
                "invoices.", "New customer form"), temperament=temperament)).written
            self.assertEqual((vat.attachments, vat.promise), ((), None))
            self.assertIn("VAT number: ", vat.text)

    def test_real_questions(self) -> None:
        """A question is no phrase because another one is answered, and one that stands alone is answered."""
        known = {"parking": "40 spaces behind the hall"}
        for text in ("How many people fit into the hall, and is there parking?", "Who opens the gate, and is there "
                     "parking?"):
            said = drafted(request(mail(text), facts=known)).said
            self.assertEqual(len([one for one in said if one.act.startswith("answer.")]), 2, text)
        for text in ("Calder can wait, can't it?", "Please let me know.", "How are you?"):
            self.assertTrue(drafted(request(mail(text))).said, text)

    def test_promised(self) -> None:
        """Who says when it will be paid does not say that it is not known when."""
        for seed in range(12):
            said = drafted(request(mail(
                "Our invoice 9001 over £640 fell due on 20 February. Could you tell me when you will pay it?",
                "Our invoice 9001"), temperament="busy", seed=str(seed))).said
            if any(one.promise for one in said):
                self.assertNotIn("answer.think", [one.act for one in said])

    def test_friends(self) -> None:
        """Nobody offers a friend more help by telephone, files a copy of the mail, or numbers its answers."""
        for text in ("Maria mate,\n\nare you coming on Friday? Do you want a lift? And what do we play first?\n\nDana",
                     "Hallo Maria,\n\nkommst du am Freitag? Soll ich dich abholen? Und was spielen wir?\n\nLG Dana"):
            for temperament in TEMPERAMENTS:
                for seed in range(4):
                    said = drafted(request(mail(text, "Gig"), seed=str(seed), persona=maria(
                        temperament, org="", role="")))
                    self.assertFalse([one.act for one in said.said if one.act in ("opener.plain", "extra.close")])
                    self.assertFalse([one for one in said.said if one.number or one.quote])
                    self.assertNotIn("Novak", said.written.text)

    def test_parcels(self) -> None:
        """The notice of a parcel is taken note of, and nothing is asked about it or decided."""
        for text, subject in (
            ("Your parcel FP 2209 will be delivered tomorrow between 14:10 and 15:10. Not at home? Choose a neighbour.",
             "Your parcel FP 2209"),
            ("Ihr Paket 00441 liegt ab morgen in der Filiale Markt 8 bereit. Bitte bringen Sie einen Ausweis mit.",
             "Ihr Paket ist da"),
            ("Su pedido 88120 sale hoy de nuestro almacén. Entrega prevista: jueves entre 9:00 y 13:00.",
             "Su pedido está en camino"),
            ("Votre colis 5510 sera livré demain entre 9 h et 12 h.", "Votre colis"),
        ):
            for temperament in TEMPERAMENTS:
                found = drafted(request(mail(text, subject, Address("Parcels", "news@parcels.example")),
                                        temperament=temperament))
                body = [one.act for one in found.said if one.act.partition(".")[0] not in ("opener", "extra")]
                self.assertEqual(body, ["delivery.noted"], (text, temperament))
                self.assertIsNone(found.written.question)

    def test_unsure(self) -> None:
        """Who does not know what one does oneself asks nothing."""
        for text in ("I failed it again. I don't know whether I'll even try a third time.",
                     "Ich bin durchgefallen. Ich weiß nicht, ob ich es noch einmal versuche."):
            for temperament in TEMPERAMENTS:
                said = drafted(request(mail(text, "Well"), temperament=temperament)).said
                self.assertFalse([one.act for one in said if one.act.startswith("answer.")], (text, temperament))

    def test_lasting(self) -> None:
        """What lasts is agreed to, and nobody reports the next day that it is done."""
        for text in ("Could you keep the blue folder until I'm back on the 28th?",
                     "No collection on Thursday; could you keep the 14 pallets until Monday?",
                     "Könnten Sie den Schlüssel bis Montag aufbewahren?", "¿Puede guardar las cajas hasta el lunes?"):
            for temperament in TEMPERAMENTS:
                written = drafted(request(mail(text, "Until then"), temperament=temperament)).written
                self.assertIsNone(written.promise, written.text)

    def test_ever_after(self) -> None:
        """What is to be sent so from now on is promised for no day, and not sent at once."""
        for text in ("Please send the plans to Ms Lang from now on.",
                     "Bitte schicken Sie die Pläne künftig an Frau Lang.",
                     "Por favor, envíe los planos a la señora Lang a partir de ahora."):
            for temperament in TEMPERAMENTS:
                written = drafted(request(mail(text, "Plans"), temperament=temperament)).written
                self.assertEqual((written.promise, written.attachments), (None, ()), written.text)

    def test_visits(self) -> None:
        """Who comes to look at something reports nothing on the day after."""
        for text in ("Please come and look at the fence on Friday.",
                     "Could you have a look at the flat with me on Friday?",
                     "Könnten Sie sich am Freitag den Zaun ansehen?"):
            for temperament in TEMPERAMENTS:
                written = drafted(request(mail(text, "The fence"), temperament=temperament)).written
                self.assertIsNone(written.promise, written.text)

    def test_asked_of_all(self) -> None:
        """Of who comes and brings what, which an invitation asks of all, nobody says not to know it."""
        for text, subject in (
            ("Hi all,\n\nthe allotment barbecue is on Saturday 14 March at 4. Who's in? And who could bring a salad?",
             "Allotment barbecue"),
            ("Hallo alle,\n\nunser Sommerfest ist am Samstag, 14. März um 16 Uhr. Wer kommt, wer bringt Kuchen mit?",
             "Einladung zum Sommerfest"),
        ):
            for temperament in TEMPERAMENTS:
                said = drafted(request(mail(text, subject), meaning=MEANING, persona=maria(
                    temperament, org="", role=""))).said
                self.assertNotIn("answer.unknown", [one.act for one in said], (text, temperament))


class PlainTests(SynchronousTestCase):
    """What nobody asked for is not said."""

    def acts(self, text: str, **own: str) -> set[str]:
        """What is said to a mail, by its acts, of all temperaments."""
        return {one.act for temperament in TEMPERAMENTS for one in drafted(
            request(mail(text), persona=maria(temperament, **own))).said}

    def test_not_ill(self) -> None:
        """Who tells of somebody else is not told to get well, also when it speaks of itself behind that."""
        said = self.acts("Hamish is off sick this week, so I'm afraid your Thursday can't go ahead.")
        self.assertNotIn("sick.wish", said)
        self.assertIn("moved.other", said)

    def test_own_life(self) -> None:
        """Who writes of its own life keeps no files."""
        text = "Dear Ms Lindqvist,\n\nwhich cable does the old lamp need?\n\nYours sincerely,\nDana Novak"
        self.assertIn("opener.plain", self.acts(text))
        private = self.acts(text, org="", role="")
        self.assertFalse({"opener.plain", "extra.close", "extra.ask"} & private)
