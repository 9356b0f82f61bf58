"""What came of a visit, and sites that are made up."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.page_visit import Visit, imagine
from simmail.core.rng import Dice


class PageTests(SynchronousTestCase):
    """What is taken for broken."""

    def test_broken(self) -> None:
        """What a reader would call broken."""
        self.assertEqual([status for status in (0, 200, 204, 301, 401, 403, 404, 410, 418, 429, 500, 503)
                          if Visit(status).broken], [0, 404, 410, 500, 503])


class SiteTests(SynchronousTestCase):
    """By the domain's name."""

    def test_imagined(self) -> None:
        """A domain's site is always the same in one universe, is named for it, and differs from others."""
        dice = Dice("main")
        self.assertEqual(imagine("green-bank.test", dice), imagine("green-bank.test", dice))
        site = imagine("mail.green-bank.co.uk", dice)
        self.assertEqual(site.title, "Green Bank")
        self.assertIn("inancial services", site.text)
        texts = {imagine(f"firm{n}.test", dice).text for n in range(50)}
        self.assertGreater(len(texts), 45)
        for domain in ("x", "a.b.c.d", "xn--bcher-kva.de", "1.2", "-.-", "co.uk", "mail.com"):
            self.assertTrue(imagine(domain, dice).text.strip(), domain)
