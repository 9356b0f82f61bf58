"""On which side of a business somebody stands: mails to those who sell and serve, and to those who buy."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.tables import language
from simmail.core.writer.context import set_scene
from simmail.core.writer.sources.side import seen, side_words, takes_order_back
from simmail.core.writer.write import drafted
from tests.core.writer.samples import TEMPERAMENTS, mail, maria, request

#: A mail, what it was taken for, the role and the company of its reader, and what it is there.
SEEN = (
    ("Since the update none of us can log in to Tallysheet, all accounts show error E-113.", "information",
     "Support agent", "Tallysheet", "bug"),
    ("Since the update none of us can log in to Tallysheet, all accounts show error E-113.", "information",
     "Buyer", "Norrland Print", "information"),
    ("Your invoice 9001 says 12 tyres, but we got 10 only. Please correct it.", "invoice", "Bookkeeper", "Marsh",
     "question"),
    ("Our invoice 9001 fell due on 20 February, please correct this.", "invoice", "Bookkeeper", "Marsh", "invoice"),
    ("We are thinking about using your product. What does it cost for five people?", "sales", "Founder", "Yates",
     "enquiry"),
    ("Our product saves you time. What does it cost you to wait?", "sales", "Founder", "Yates", "sales"),
    ("Thank you. What exactly can we do for you about the meter?", "sales", "", "", "question"),
    ("My order 50881 came with a cracked lid. What do you propose?", "question", "", "Stone", "complaint"),
    ("Please change our order 318: black, not grey.", "order", "Sales", "Shaw Chairs", "question"),
    ("Wir überlegen, Ihr Produkt zu nutzen. Was kostet es?", "sales", "Gründer", "Jahn", "enquiry"),
    ("Ihre Rechnung 9001 stimmt nicht, bitte berichtigen Sie sie.", "bill", "Buchhalter", "Marsch", "question"),
    ("Ma commande 2290 est arrivée avec deux cadres cassés.", "order", "", "Cadres Faure", "complaint"),
    ("Mi hervidor del pedido llegó con la tapa rota, mi pedido es el 50881.", "order", "", "Piedra", "complaint"),
)


#: A mail to anybody, what it was taken for, and what it is.
INDEED = (
    ("I'm sorry, the rent will be a week late, I'll transfer it on Friday.", "invoice", "information"),
    ("Your rent is a week late. Please transfer it by Friday.", "invoice", "invoice"),
    ("Die Miete kommt diesen Monat später, ich überweise am Freitag.", "private", "information"),
    ("Este mes pagaré el alquiler con retraso, el viernes.", "delay", "information"),
    ("Je paierai le loyer en retard ce mois-ci, vendredi.", "private", "information"),
    ("Dear parents, on Friday our class goes on a trip to the harbour. Back by 3.", "event", "information"),
    ("Join us on our trip to the harbour on Friday!", "event", "event"),
    ("Liebe Eltern, am Freitag macht die 2a einen Ausflug in den Zoo.", "booked", "information"),
    ("Estimadas familias: el viernes vamos de excursión al zoo.", "event", "information"),
    ("Chers parents, vendredi la classe va au zoo.", "meeting", "information"),
    ("What is your budget for the fence?", "enquiry", "question"),
    ("Welches Budget haben Sie für den Zaun?", "enquiry", "question"),
    ("¿Nos envía su presupuesto para la valla?", "enquiry", "enquiry"),
)


class SideTests(SynchronousTestCase):
    """Sides."""

    def test_seen(self) -> None:
        """What a mail is depends on who gets it, and on whom it speaks to."""
        for text, intent, role, org, other in SEEN:
            persona = maria(role=role, org=org)
            scene = set_scene(request(mail(text, "Hello"), persona=persona))
            self.assertEqual(seen(intent, scene.read[0].found, persona, scene.language), other, text)

    def test_indeed(self) -> None:
        """Who pays late asks for no money, and parents are not invited on the trip of a class."""
        for text, intent, other in INDEED:
            scene = set_scene(request(mail(text, "Hello"), persona=maria(role="", org="")))
            self.assertEqual(seen(intent, scene.read[0].found, maria(role="", org=""), scene.language), other, text)

    def test_money_back(self) -> None:
        """Who wants money back gives no order, whatever number stands there."""
        for subject in ("Order 4471", "Our order"):
            said = drafted(request(mail("I ordered a lamp, order 4471, please confirm the order. It never came, so I'd "
                                        "like my £64 back please.", subject))).said
            self.assertIn("refund.sum", [one.act for one in said])

    def test_languages(self) -> None:
        """A language that is only read has no such words."""
        self.assertEqual(side_words("it").served, ())
        self.assertTrue(side_words("fr").served)

    def test_taken_back(self) -> None:
        """An order is no appointment."""
        for text, order in (("I have to cancel order 4319.", True), ("I have to cancel our meeting.", False)):
            self.assertEqual(takes_order_back(set_scene(request(mail(text))).read[0].found, language("en")), order)

    def test_said(self) -> None:
        """Nobody pays a bill of its own, or suggests a new time for an order; a day is told to who asks for one."""
        for temperament in TEMPERAMENTS:
            told = [one.act for one in drafted(request(mail(
                "Your invoice 9001 says 12 tyres, but we got 10 only. Please correct it and send us a new one.",
                "Your invoice 9001"), temperament=temperament)).said]
            self.assertFalse([act for act in told if act.startswith(("invoice.", "bill."))], temperament)
            told = [one.act for one in drafted(request(mail(
                "I have to cancel order 4319, sorry. When will I get my deposit of £200 back?", "Order 4319"),
                temperament=temperament)).said]
            self.assertEqual(told[-2:] if len(told) > 1 else told, ["dropped.ok", "refund.sum"], temperament)
            told = [one.act for one in drafted(request(mail(
                "The heating in flat 4 has been cold since Sunday. When will you send somebody?", "Heating in flat 4"),
                temperament=temperament, persona=maria(temperament, role="Lettings manager"))).said]
            self.assertIn("trouble.look", told, temperament)
