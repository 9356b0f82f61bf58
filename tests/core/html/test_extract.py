"""What a test would pick out of a mail."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.html.extract import extract
from tests.core.hostile import seconds


class ExtractTests(SynchronousTestCase):
    """Codes and links."""

    def test_from_html(self) -> None:
        """Without text the HTML is read."""
        html = "<style>p{color:#123456}</style><p>Your verification code:</p><h1>482913</h1>"
        self.assertEqual([one.value for one in extract("", html)[0]], ["482913"])

    def test_both_forms(self) -> None:
        """A link of both bodies is one, with the words of the HTML."""
        (link,) = extract("Go: https://a.test/x", '<a href="https://a.test/x">Verify</a>')[1]
        self.assertEqual((link.text, link.kind), ("Verify", "verify"))

    @given(st.text(alphabet="code is:0123456789-#ABC \n.https/<>$@(\u00e4", max_size=200))
    @settings(max_examples=300)
    def test_any_text(self, text: str) -> None:
        """Any text gives codes that stand in it and links with a host."""
        found, links = extract(text, text)
        squeezed = text.replace(" ", "").replace("-", "")
        for code in found:
            self.assertIn(code.value.replace("-", ""), squeezed)
            self.assertTrue(0 < code.confidence < 1)
        for link in links:
            self.assertTrue(link.host)

    def test_cost(self) -> None:
        """A megabyte of anything takes a second or two."""
        for unit in (
            "code ", "code: 1234 ", "1234 ", "A1B2C3 ", "1 ", "your code is ", "@", "a@", "https://",
            "https://a.test/x ", "order #", "A-", "123-456 ", "((((", "http://a.test/(((", "enter 123456 ",
            "<a href='http://a.test/x'>", "+1 (0) ",
        ):
            text = unit * (1_000_000 // len(unit))
            self.assertLess(seconds(extract, text, text), 3.0, unit)

    def test_cost_of_beginnings(self) -> None:
        """What begins like an address, a label or a link and is none takes no longer than anything else."""
        for text in ("http://" + "a." * 450_000, "aut." * 225_000, "a." * 450_000 + "@",
                     ("http://a/" + ")" * 8_000 + " ") * 100, ("http://a/" + ").]" * 2_500 + " ") * 100):
            self.assertLess(min(seconds(extract, text) for _ in range(3)), 0.4, text[:20])
