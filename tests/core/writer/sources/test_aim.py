"""What somebody is after, and how a bargain goes."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.tables import language
from simmail.core.records.persona import TEMPERAMENTS as DRAWN
from simmail.core.writer.sources.aim import STEPS, aim, as_price, counter, offered, steps
from tests.core.writer.samples import TEMPERAMENTS, mail, maria, wrote

EN = language("en")
REFUND = "wants a refund of EUR 89.00 for the broken monitor arm"
SORRY = mail("Dear Maria,\n\nwe are sorry that the monitor arm arrived broken. We can send you a replacement this "
             "week. Would that be all right for you?\n\nDana", "Your complaint about order 5120")
OFFER = mail("Dear Maria,\n\nwe can offer the 500 brochures for EUR 1,240.00. The offer is valid until 20 March.\n\n"
             "Dana", "Our quote for your enquiry")


class AimTests(SynchronousTestCase):
    """What is wanted, and what is offered."""

    def test_read(self) -> None:
        """Kinds, a share and a price."""
        found = aim(maria(wants="wants 12 % off, or pay at most EUR 1,000.00"), EN)
        assert found is not None
        self.assertEqual((found.share, found.price), (0.12, 1000.0))
        refund = aim(maria(wants=REFUND), EN)
        assert refund is not None
        self.assertEqual(refund.kinds, frozenset(("refund",)))
        self.assertIsNone(aim(maria(), EN))
        self.assertEqual([as_price(3000, one) for one in ("£3,450", "3 450 €", "3.450 Euro", "EUR 3,450.00", "3450 €")],
                         ["£3,000", "3 000 €", "3.000 Euro", "EUR 3,000.00", "3000 €"])
        self.assertEqual(offered("a voucher or a replacement", EN), frozenset(("voucher", "replacement")))
        self.assertEqual(set(STEPS), {one.name for one in DRAWN})

    def test_refund(self) -> None:
        """Who wants the money back takes no replacement from anybody, and says what it wants."""
        for temperament in TEMPERAMENTS:
            for seed in range(5):
                text = wrote(SORRY, temperament=temperament, seed=str(seed), persona=maria(
                    temperament, wants=REFUND)).text
                self.assertIn("I would like a refund of EUR 89.00", text)
                self.assertNotRegex(text, r"(?i)fine with me|go ahead|that would be all right")

    def test_told(self) -> None:
        """So it is with what is simply sent, in each language, and with a pause for who wants to leave."""
        for wants, text, wanted in (
                ("wants his money back, £89.00", "We will send you a brand new one. Is that all right?", "money back"),
                ("will sein Geld zurück", "Wir schicken Ihnen ein neues Gerät. Ist das recht so?", "mein Geld"),
                ("veut être remboursée", "Nous vous proposons un avoir de 89 €. Cela vous convient-il ?", "remboursée"),
                ("quiere que le devuelvan el dinero", "Le enviaremos una nueva. ¿Le parece bien?", "el dinero"),
                ("wants £64 back", "Would a replacement be all right for you?", "£64 back"),
                ("wants her money back", "Could we send you the same bag once more?", "money back"),
                ("möchte 64 Euro zurück", "Dürfen wir Ihnen den gleichen Koffer noch einmal schicken?", "64 Euro"),
                ("wants to cancel the membership", "How about pausing it instead?", "cancel the membership")):
            for temperament in TEMPERAMENTS:
                self.assertIn(wanted, wrote(mail(f"{text}\n\nService", "Service"), temperament=temperament,
                                            persona=maria(temperament, wants=wants)).text)

    def test_fitting_option(self) -> None:
        """Of two remedies the one that is wanted is taken."""
        both = mail("We are sorry. Would you prefer a replacement or a refund of EUR 89.00?\n\nDana", "Your complaint")
        for temperament in TEMPERAMENTS:
            text = wrote(both, temperament=temperament, persona=maria(temperament, wants=REFUND)).text
            self.assertIn("refund", text.lower())
            self.assertNotIn("the replacement", text.lower())

    def test_asked(self) -> None:
        """Asked what it wants, everybody says so."""
        asked = mail("Dear Maria,\n\nwhat can we do to put this right?\n\nDana", "Order 5120")
        for temperament in TEMPERAMENTS:
            self.assertIn("refund of EUR 89.00", wrote(asked, temperament=temperament, persona=maria(
                temperament, wants=REFUND)).text)

    def test_steps(self) -> None:
        """Prices meet step by step, and in the end the last one is taken; the difficult give way later."""
        wish = aim(maria(wants="wants a discount of 10 %"), EN)
        assert wish is not None
        named = [counter(wish, "EUR 1,240.00", step, 4) for step in range(5)]
        self.assertEqual(named, ["EUR 1,116.00", "EUR 1,147.00", "EUR 1,178.00", "EUR 1,209.00", ""])
        self.assertEqual(counter(wish, "1240 EUR", 0, 2), "1120 EUR")
        self.assertEqual(counter(wish, "€1.240,00", 0, 2), "€1.116,00")
        self.assertEqual(counter(wish, "no price", 0, 2), "")
        tough = steps(maria("skeptical", character="A tough negotiator."), EN)
        self.assertGreater(tough, steps(maria("skeptical"), EN))
        self.assertGreater(steps(maria("skeptical"), EN), steps(maria("skeptical", character="Shy and generous."), EN))

    def test_bargain(self) -> None:
        """A price of its own at first, the offered one after some mails."""
        for temperament in TEMPERAMENTS:
            person = maria(temperament, wants="wants a discount of 10 %")
            self.assertIn("EUR 1,116.00", wrote(OFFER, temperament=temperament, persona=person).text)
            before = tuple(mail(f"EUR 1,1{n}0.00, please.") for n in range(6))
            late = wrote(OFFER, temperament=temperament, persona=person, own=before).text
            self.assertIn("EUR 1,240.00", late)
            self.assertNotIn("1,116", late)


#: Mails that ask for money back, with and without the order, and what offers something else instead.
REFUNDS = (
    ("en", "Please refund the 64.90 EUR for order 88213, I returned the lamp.", "I want my money back for the shoes.",
     "we cannot refund you, but we would like to send you a replacement. Is that all right?", "my money back",
     r"order number|which order"),
    ("de", "Bitte erstatten Sie mir die 64,90 EUR aus Bestellung 88213.", "Ich möchte mein Geld zurück für die Schuhe.",
     "eine Erstattung ist leider nicht möglich, aber wir schicken gern einen Ersatz. Ist das in Ordnung?",
     "eine Erstattung", "Bestellnummer"),
    ("fr", "Bonjour, j'ai renvoyé la lampe de la commande 88213. Pouvez-vous me rembourser les 64,90 EUR ?",
     "Bonjour, je demande le remboursement des chaussures.", "", "", "numéro de commande"),
    ("es", "Hola, quiero que me devuelvan los 64,90 EUR del pedido 88213.",
     "Hola, quiero que me devuelvan el dinero de los zapatos.", "", "", "número de pedido"),
)


class RefundTests(SynchronousTestCase):
    """Money back, asked for and asked of."""

    def test_clerk(self) -> None:
        """Who is asked for money back names sum and order, and asks for the order where it is missing."""
        for _, full, bare, _, _, asked in REFUNDS:
            for temperament in TEMPERAMENTS:
                text = wrote(mail(full, "Lamp"), temperament=temperament).text
                self.assertIn("88213", text)
                self.assertRegex(text, "64[.,]90")
                self.assertRegex(wrote(mail(bare, "Lamp"), temperament=temperament).text.lower(), asked.lower())

    def test_customer(self) -> None:
        """Who wants money back does not take the replacement that comes in its place."""
        for code, _, _, offer, wants, _ in REFUNDS[:2]:
            for temperament in TEMPERAMENTS:
                text = wrote(mail(f"Hello Maria, {offer}" if code == "en" else f"Hallo Maria, {offer}", "Kettle"),
                             persona=maria(temperament, wants=wants)).text
                self.assertIn(wants, text)
                self.assertNotRegex(text, r"(?i)fine with me|go ahead|einverstanden|in Ordnung")

    def test_offered(self) -> None:
        """What is said to be impossible is not offered."""
        for code, text, kinds in (
            ("en", "We cannot refund you but can send a replacement.", {"replacement"}),
            ("en", "We can refund you.", {"refund"}), ("de", "Keine Erstattung, aber ein Gutschein.", {"voucher"}),
        ):
            self.assertEqual(offered(text, language(code)), kinds)
