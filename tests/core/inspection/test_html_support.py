"""What clients make of HTML."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis.strategies import sampled_from, text
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.inspection.html_support import features, supported
from simmail.core.language_data import read_yaml
from simmail.core.records.persona import Client


def warned(html: str, client: str, of: str) -> bool:
    """Whether a client's warnings speak of something."""
    return any(of in one for one in supported(html, client).warnings)


class SupportTests(SynchronousTestCase):
    """Elements, attributes, properties, functions, units, rules."""

    def test_data(self) -> None:
        """The data says where it is from and of when, and what may be done with it."""
        data = read_yaml("inspection", "html_support.yaml")
        self.assertRegex(data["as_of"], r"\A20\d\d-\d\d-\d\d\Z")
        self.assertTrue(data["version"] and data["source"].startswith("https://www.caniemail.com"))
        self.assertGreater(len(data["features"]), 200)
        for one in features().values():
            self.assertLessEqual(set(one.support.values()), set("yanu"), one)
            self.assertEqual(set(one.support), {"gmail", "outlook", "apple", "iphone", "android"}, one.title)

    def test_used(self) -> None:
        """What is used is found wherever it stands, and told of the client that does not show it."""
        for html, client, of in (
                ('<a style="border-radius: 4px">x</a>', "outlook", "border-radius"),
                ("<style>a{background-image:url(x)}</style>", "outlook", "background-image"),
                ('<div style="display:flex">x</div>', "outlook", "display:flex"),
                ("<style>@media (min-width:1px){a{color:red}}</style>", "outlook", "@media"),
                ("<style>a:hover{color:red}</style>", "iphone", "no such"),
                ("<style>a:hover{color:red}</style>", "outlook", ":hover"),
                ('<p style="width: 10vw">x</p>', "outlook", "vw unit"),
                ('<p style="width: calc(1px + 2px)">x</p>', "outlook", "calc()"),
                ('<p style="color: var(--x)">x</p>', "gmail", "CSS Variables"),
                ('<img src="https://a.com/x.svg?1">', "gmail", "SVG image"), ("<video></video>", "gmail", "<video>"),
                ('<img src="data:image/png;base64,AA==">', "gmail", "Base 64"),
                ("<section>x</section>", "outlook", "semantics"),
                ('<input type="radio">', "outlook", "radio")):
            self.assertEqual(warned(html, client, of), of != "no such", (html, client, supported(html, client)))

    def test_comments(self) -> None:
        """What is commented out is not used."""
        self.assertFalse(warned("<style>a{/* border-radius:1px; */color:red}</style>", "outlook", "border-radius"))

    def test_score(self) -> None:
        """Percent of what is used; nothing used is nothing lost; who reads text sees none of it."""
        self.assertEqual(supported("", "outlook").score, 100.0)
        self.assertEqual(supported("<b>x</b>", "outlook").score, 100.0)
        self.assertEqual(supported("<p>x</p>", "plain").score, 0.0)
        found = supported('<p style="border-radius:4px; color:red">x</p>', "outlook")
        self.assertTrue(0 < found.score < 100, found)

    def test_every_client(self) -> None:
        """Where nobody knows the client, each is told of."""
        found = supported('<a style="border-radius: 4px; position: fixed">x</a>', "")
        for name in ("Outlook", "Gmail"):
            self.assertTrue(any(name in one for one in found.warnings), name)

    @settings(deadline=None, max_examples=100)
    @given(text(max_size=200), sampled_from(("", *Client.__args__)))  # type: ignore[attr-defined]
    def test_anything(self, html: str, client: str) -> None:
        """Any text has a score."""
        for page in (html, f"<style>{html}</style>", f'<p style="{html}">'):
            self.assertTrue(0 <= supported(page, client).score <= 100)
