"""DMARC, BIMI and MTA-STS."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.inspection.authentication import DkimCheck, DmarcCheck, SpfCheck
from simmail.core.inspection.sender.dmarc import check_bimi, check_dmarc, check_mta_sts
from simmail.core.inspection.sender.lookup import Lookup, given, nowhere

_NO_SPF, _UNSEEN = SpfCheck("fail", "x", "x.example"), SpfCheck("unseen", "x")


def signed(domain: str) -> tuple[DkimCheck, ...]:
    """A valid signature of a domain."""
    return (DkimCheck("pass", "x", domain),)


def zone(records: dict[str, str] | None = None) -> Lookup:
    """A name system of texts by name."""
    return given({name: {"TXT": (text,)} for name, text in (records or {}).items()}, lambda name, kind: ())


class DmarcTests(SynchronousTestCase):
    """Who vouches has to be the author's domain."""

    def test_alignment(self) -> None:
        """Relaxed below one organization, strict the very same; strangers never."""
        relaxed = zone({"_dmarc.shop.example": "v=DMARC1; p=reject"})
        strict = zone({"_dmarc.shop.example": "v=DMARC1; p=reject; adkim=s; aspf=s"})
        for author, domain, lookup, result in (
                ("shop.example", "shop.example", strict, "pass"),
                ("shop.example", "mail.shop.example", relaxed, "pass"),
                ("news.shop.example", "mail.shop.example", relaxed, "pass"),
                ("shop.example", "mail.shop.example", strict, "fail"),
                ("shop.example", "badshop.example", relaxed, "fail"),
                ("shop.example", "other.example", relaxed, "fail")):
            self.assertEqual(check_dmarc(author, _NO_SPF, signed(domain), lookup).result, result, (author, domain))
            spf = SpfCheck("pass", "x", domain)
            self.assertEqual(check_dmarc(author, spf, (), lookup).result, result, (author, domain))

    def test_policy(self) -> None:
        """That of the very domain, else that for subdomains of its organization."""
        lookup = zone({"_dmarc.shop.example": "v=DMARC1; p=none; sp=quarantine",
                       "_dmarc.a.shop.example": "v=DMARC1; p=reject"})
        for author, policy, place in (
                ("shop.example", "none", "shop.example"), ("b.shop.example", "quarantine", "shop.example"),
                ("a.shop.example", "reject", "a.shop.example")):
            found = check_dmarc(author, _NO_SPF, (), lookup)
            self.assertEqual((found.policy, found.place), (policy, place))

    def test_public_suffix(self) -> None:
        """Where a registry says that it is one, those below it are strangers to one another."""
        lookup = zone({"_dmarc.co.example": "v=DMARC1; p=reject; psd=y"})
        self.assertEqual(check_dmarc("a.co.example", _NO_SPF, signed("b.co.example"), lookup).result, "none")
        lookup = zone({"_dmarc.co.example": "v=DMARC1; p=reject; psd=y", "_dmarc.a.co.example": "v=DMARC1; p=none"})
        self.assertEqual(check_dmarc("a.co.example", _NO_SPF, signed("b.co.example"), lookup).result, "fail")
        self.assertEqual(check_dmarc("a.co.example", _NO_SPF, signed("m.a.co.example"), lookup).result, "pass")

    def test_unseen(self) -> None:
        """What could not be checked may be aligned; silence is told as such."""
        lookup = zone({"_dmarc.shop.example": "v=DMARC1; p=reject"})
        self.assertEqual(check_dmarc("shop.example", _UNSEEN, (), lookup).result, "unseen")
        self.assertEqual(check_dmarc("shop.example", _NO_SPF, (), nowhere).result, "temperror")
        self.assertEqual(check_dmarc("shop.example", _NO_SPF, (), zone()).result, "none")
        self.assertEqual(check_dmarc("", _NO_SPF, (), zone()).result, "permerror")


class RecordTests(SynchronousTestCase):
    """BIMI and MTA-STS."""

    def test_bimi(self) -> None:
        """An https address, and a DMARC policy that holds."""
        held, loose = DmarcCheck("pass", "x", "reject", "shop.example"), DmarcCheck("pass", "x", "none", "shop.example")
        lookup = zone({"default._bimi.shop.example": "v=BIMI1; l=https://shop.example/logo.svg; a="})
        for name in ("shop.example", "news.shop.example"):
            found = check_bimi(name, held, lookup)
            self.assertEqual((found.result, found.place), ("unseen", "https://shop.example/logo.svg"))
        self.assertEqual(check_bimi("shop.example", loose, lookup).result, "fail")
        silent = DmarcCheck("temperror", "shop.example: nobody answers")
        self.assertEqual(check_bimi("shop.example", silent, lookup).result, "temperror")
        empty = zone({"default._bimi.shop.example": "v=BIMI1; l="})
        self.assertEqual(check_bimi("shop.example", held, empty).result, "fail")
        self.assertEqual(check_bimi("shop.example", held, zone()).result, "none")

    def test_mta_sts(self) -> None:
        """What is announced but not fetched is not passed."""
        for text, result in (("v=STSv1; id=20260302;", "unseen"), ("v=STSv1; id=;", "fail"), ("v=spf1", "none")):
            found = check_mta_sts("shop.example", zone({"_mta-sts.shop.example": text}))
            self.assertEqual(found.result, result)
            self.assertEqual(bool(found.place), result == "unseen")
