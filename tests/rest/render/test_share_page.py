"""Tests for C{simmail.rest.render.share_page}: figures in words; the page as it is served is in the API's tests."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.insights.cells import Figure, time_slot
from simmail.core.insights.events import seconds_at
from simmail.core.insights.report import cut
from simmail.core.insights.state import State
from simmail.rest.render.share_page import MOST_CAMPAIGNS, share_page
from simmail.testing.universe import START
from simmail.universe.insights.shares import SharedReport


class PageTests(SynchronousTestCase):
    """What is said."""

    def setUp(self) -> None:
        """No mail."""
        self.state, self.day = State(), seconds_at(START) // 86_400

    def mail(self, subject: str, sender: str = "shop.example", **figures: int) -> None:
        """So much of a campaign."""
        group = self.state.campaign(sender, subject)
        for name, count in figures.items():
            self.state.add_mail(self.day, group, Figure[name.upper()], count)

    def page(self, days: int = 3, title: str = "News", **later: Any) -> str:
        """The page."""
        report = cut(self.state, START + timedelta(**later), days)
        return share_page(SharedReport(title, "main", report), "Our universe").decode()

    def test_rates(self) -> None:
        """Each is told with what it is a share of; near 0 and 100 with a tenth."""
        self.mail("Hello", sent=1200, bounced=3, replied=60, clicked=400, clicks=500)
        page = self.page()
        for text in ("1,197 of 1,200", "99.8 <small>%</small>", "60 of 1,197 delivered", "5.0 %",
                     "33 <small>%</small>"):
            self.assertIn(text, page)

    def test_times(self) -> None:
        """In the two units that matter."""
        for seconds, text in ((40, "40 <small>s</small>"), (600, "10 <small>min</small>"),
                              (8100, "2 <small>h</small> 15 <small>min</small>"), (50_000, "14 <small>h</small>"),
                              (180_000, "2 <small>d</small> 2 <small>h</small>")):
            self.setUp()
            self.mail("Hello", sent=1, replied=1)
            self.state.add_mail(self.day, self.state.campaign("shop.example", "Hello"), time_slot(seconds))
            self.assertIn(text, self.page())

    def test_period(self) -> None:
        """With the years where they differ; of one day, that day."""
        self.assertIn("28 February – 2 March 2026 · 3 days", self.page())
        self.assertIn("2 March 2026<", self.page(days=1))
        self.assertIn("4 March 2025 – 2 March 2026 · 364 days", self.page(days=364))

    def test_campaigns(self) -> None:
        """The largest, and how many more there are; whose they are is said once where it is one sender."""
        for n in range(MOST_CAMPAIGNS + 2):
            self.mail("subject " + "x" * n, sent=100 - n)
        page = self.page()
        self.assertEqual(page.count('<th scope="row">Subject'), MOST_CAMPAIGNS)
        self.assertIn("2 more campaigns with 159 sent.", page)
        self.assertEqual(page.count("shop.example"), 1)
        self.mail("Other", "other.example", sent=200)
        self.assertEqual(self.page().count("<span>shop.example</span>"), MOST_CAMPAIGNS - 1)

    def test_title(self) -> None:
        """What others wrote is text, in whatever place."""
        page = self.page(title='"><script>&')
        self.assertEqual(page.count("&quot;&gt;&lt;script&gt;&amp;"), 2)
        self.assertNotIn("<script", page)
