"""How likely a reply is."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.reply_odds import Making, Reason, inclined, making, reasons
from simmail.core.language.reader import Findings
from simmail.core.mime.address import Address
from simmail.core.records.relationship import Dossier
from tests.core.scenes import NOW, mail

EVERYTHING = reasons(
    question=True, known=True, case=True, promise=True, bulk="a crowd", copy=True, informed=True, unwanted="a code",
    notice=True, dossier=Dossier("a@b.test", unanswered=2, warmth=0.9, patience=0.1))


class InclinationTests(SynchronousTestCase):
    """Raising and lowering."""

    def test_sentence(self) -> None:
        """The sentence tells the base and what each reason added, and the sum is the rate."""
        found = inclined(0.5, "flaky 0.50", (Reason(1.5, "direct question"), Reason(0.35, "cc only")))
        self.assertEqual(found.told, "flaky 0.50, +0.10 direct question, -0.26 cc only")
        self.assertAlmostEqual(found.rate, 0.525 / (0.525 + 1), 6)

    def test_nothing(self) -> None:
        """Without a reason the rate is the rate."""
        self.assertEqual(inclined(0.7, "x", ()), (0.7, "x"))
        self.assertEqual(reasons(question=False, known=False, case=False, promise=False, bulk="", copy=False,
                                 dossier=Dossier("a@b.test")), ())

    def test_every_reason(self) -> None:
        """Twelve circumstances, five that raise and seven that lower."""
        self.assertEqual(len([one for one in EVERYTHING if one.odds > 1]), 5)
        self.assertEqual(len([one for one in EVERYTHING if one.odds < 1]), 7)

    def test_informed_wins(self) -> None:
        """Who is sure to answer answers all the same, but not what somebody else was only informed of."""
        def rate(**so: bool | str) -> float:
            known: dict[str, Any] = {"question": True, "known": False, "case": False, "promise": False, "bulk": "",
                                     "copy": False, "dossier": Dossier("a@b.test"), **so}
            return inclined(1.0, "x", reasons(**known)).rate

        self.assertEqual(rate(unwanted="a code", bulk="x", copy=True), 1.0)
        self.assertLess(rate(informed=True), 0.03)

    @given(st.floats(0, 1), st.lists(st.sampled_from(EVERYTHING), max_size=9))
    def test_stays_a_chance(self, rate: float, found: list[Reason]) -> None:
        """It stays between 0 and 1, keeps 0 and 1, and never moves against its reasons."""
        result = inclined(rate, "x", tuple(found)).rate
        self.assertTrue(0 <= result <= 1)
        if rate == 0 or rate == 1 and not any(one.wins for one in found):
            self.assertEqual(result, rate)
        if all(one.odds > 1 for one in found):
            self.assertGreaterEqual(result, rate * (1 - 1e-12))


class MakingTests(SynchronousTestCase):
    """What a mail is by its words."""

    def made(self, text: str, subject: str, sender: str = "Shop <hello@shop.test>") -> Making:
        """What a mail is, answered to its sender."""
        name, _, address = sender.rstrip(">").partition(" <")
        return making(Findings(mail(text, subject=subject, from_=Address(name, address)), NOW), address)

    def test_unwanted(self) -> None:
        """Codes, no-reply senders and parcel notices want no answer, in whatever language."""
        for text, subject, sender, expected in (
            ("Your verification code is 482913. It expires in ten minutes.", "Your verification code",
             "App <hello@app.test>", "a one-time code"),
            ("Ihr Bestätigungscode lautet 482913. Er ist zehn Minuten gültig.", "Ihr Code", "App <hallo@app.test>",
             "a one-time code"),
            ("Have you seen our news?", "News", "Shop <no-reply@shop.test>", "a no-reply sender"),
            ("When will you pay?", "Invoice", "Billing <billing.noreply@shop.test>", "a no-reply sender"),
            ("Your parcel is out for delivery and arrives today between 10:00 and 12:00.", "Your parcel is on its way",
             "Parcel Service <info@parcel.test>", "a parcel notice"),
            ("Ihr Paket wird heute zwischen 10 und 12 Uhr zugestellt.", "Ihre Sendung ist unterwegs",
             "Paketdienst <info@paket.test>", "a parcel notice"),
        ):
            self.assertEqual(self.made(text, subject, sender), Making(expected), text)

    def test_bulk(self) -> None:
        """A newsletter is one without the header fields as well."""
        text = ("Hello,\n\nhere is our newsletter with five tips for spring, and 20 % off everything in the shop.\n\n"
                "You receive this newsletter because you subscribed. Unsubscribe: https://shop.test/u")
        self.assertEqual(self.made(text, "Newsletter: five tips for spring").bulk, "a newsletter")

    def test_people(self) -> None:
        """What a person wrote to one is nothing of the kind, links and parcels or not."""
        for text, subject, sender in (
            ("Could you look at https://site.test/plan and tell me what you think?", "Plan", "Dana Novak <d@x.test>"),
            ("Your parcel went out today. I will send you the tracking number tomorrow.", "Your order",
             "Dana Novak <dana@x.test>"),
            ("The package has not arrived. Where is it?", "Parcel", "Shop <hello@shop.test>"),
            ("Please confirm order 77120.", "Order", "Noreen Lee <noreen@x.test>"),
        ):
            self.assertEqual(self.made(text, subject, sender), Making(), text)
