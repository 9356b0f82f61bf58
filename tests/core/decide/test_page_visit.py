"""What is read from pages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.page_visit import Visit, imagine, title_of
from simmail.core.rng import Dice


class PageTests(SynchronousTestCase):
    """Titles, and what is taken for broken."""

    def test_titles(self) -> None:
        """The title of HTML, in the charset it says."""
        for body, kind, title in (
            (b"<title> A\n b </title>", "text/html", "A b"),
            ("<title>ü</title>".encode("latin-1"), "text/html; charset=iso-8859-1", "ü"),
            (b"<meta charset=windows-1251><title>\xcf\xf0</title>", "text/html", "Пр"), (b"<p>x", "text/html", ""),
            (b"<title>A</title>", "text/plain", ""), (b"<title>A &amp; B</TITLE >", "application/xhtml+xml", "A & B"),
            (b"<script>'<title>no</title>'</script><title>yes</title>", "text/html", "yes"), (b"", "text/html", ""),
            (b"<title>" + b"x" * 999, "text/html", "x" * 200), (b"<title>x</title>", "TEXT/HTML;charset=idna", "x"),
        ):
            self.assertEqual(title_of(body, kind), title, body[:40])

    @given(st.binary(max_size=300), st.text(max_size=40))
    def test_any_page(self, body: bytes, kind: str) -> None:
        """No page is too odd to have no title."""
        self.assertLessEqual(len(title_of(b"<title" + body, "text/html;charset=" + kind)), 200)

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
