"""Tests for C{simmail.core.world.swindles}: what swindlers write, and how one would see that they had their way."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.parse import read
from simmail.core.world.swindles import lookalike
from simmail.core.world.words import TONGUES, common
from tests.core.world.scenes import mail

SORTS = {"login", "parcel", "invoice", "gift_cards", "payment", "bank_account", "domain"}


class PhishingTests(SynchronousTestCase):
    """False services, bosses and suppliers."""

    def test_sorts(self) -> None:
        """Every sort comes in every language, to be reported; what it wants stands in the mail as a person sees it."""
        for language in TONGUES:
            found = set()
            for n in range(14):
                one = mail("phishing", language, n)
                said = read(one.octets)
                self.assertEqual((one.expected, one.hours, said.from_), ("junk", None, one.sender))
                assert one.attack is not None
                found.add(one.attack["kind"])
                self.assertTrue(one.attack["checks"], one.attack)
                for check in one.attack["checks"]:
                    self.assertIn(check["what"], ("mail_to", "text", "amount", "link"))
                    self.assertIn(check["value"], said.text)
                    if said.html and check["what"] == "link":
                        self.assertIn(f'href="{check["value"]}"', said.html)
            self.assertEqual(found, SORTS, language)

    def test_hidden(self) -> None:
        """Nothing of the truth is in the mail."""
        for n in range(14):
            one = mail("phishing", "en", n)
            assert one.attack is not None
            for word in (one.attack["goal"], "phishing", "mail_to", "checks"):
                self.assertNotIn(word.encode(), one.octets)

    def test_posing(self) -> None:
        """A boss writes from a private address, a supplier from a domain that looks like one that there is."""
        firms = {lookalike(firm.domain) for firm in common("en").firms}
        private = set(common("en").private)
        for n in range(14):
            one = mail("phishing", "en", n)
            assert one.attack is not None
            domain = one.sender.address.partition("@")[2]
            if one.attack["kind"] in ("gift_cards", "payment"):
                self.assertIn(domain, private)
                self.assertIn({"what": "mail_to", "value": one.sender.address}, one.attack["checks"])
            elif one.attack["kind"] in ("bank_account", "domain"):
                self.assertIn(domain, firms)
        self.assertEqual(firms & {firm.domain for firm in common("en").firms}, set())
        self.assertEqual([lookalike(one) for one in ("mill.example", "kukuk.example")],
                         ["rnill.example", "kukuk-mail.example"])
