"""Sites made up for domains that have none."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.site import imagine
from simmail.core.rng import Dice


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
