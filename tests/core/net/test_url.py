"""Web addresses."""

from __future__ import annotations

from urllib.parse import urlsplit

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.net.url import BadUrl, join, parse, place


class UrlTests(SynchronousTestCase):
    """Reading addresses."""

    def test_parts(self) -> None:
        """Scheme, host, port and target, each in one form."""
        for text, expected in (
            ("http://a.com", ("http", "a.com", 80, "/")), ("HTTPS://A.Com:443/x?y#z", ("https", "a.com", 443, "/x?y")),
            ("http://a.com.:8080?q", ("http", "a.com", 8080, "/?q")), ("http://[2606:4700::0001]/", (
                "http", "2606:4700::1", 80, "/")), ("http://Bücher.de/ö ß", (
                    "http", "xn--bcher-kva.de", 80, "/%C3%B6%20%C3%9F")),
            ("http://8.8.8.8/", ("http", "8.8.8.8", 80, "/")),
        ):
            self.assertEqual(parse(text), expected)
        self.assertEqual(str(parse("https://[2606:4700::1]:8443/a")), "https://[2606:4700::1]:8443/a")
        self.assertEqual((parse("http://a.com").literal, parse("http://8.8.8.8").literal), (False, True))

    def test_joined(self) -> None:
        """A redirect leads where a browser would go, or nowhere."""
        base = parse("https://a.com/x/y?z")
        for location, url in (
            ("/q", "https://a.com/q"), ("r", "https://a.com/x/r"), ("?s", "https://a.com/x/y?s"), ("#f", str(base)),
            ("//b.com/x", "https://b.com/x"), ("http://c.com", "http://c.com/"), ("../../..", "https://a.com/"),
        ):
            self.assertEqual(str(join(base, location)), url)
        for location in ("http:/x", "http:x", "http:///x", "\\\\b.com", "/\\b.com", "javascript:1", "//u:p@b.com/",
                         "ftp://b.com/", "/" * 9000, "//b.com:0/"):
            self.assertRaises(BadUrl, join, base, location)

    def test_places(self) -> None:
        """host:port entries have one form too."""
        self.assertEqual([place(one) for one in (" LocalHost:3000", "[0::1]:80", "127.0.0.1:8")],
                         ["localhost:3000", "[::1]:80", "127.0.0.1:8"])
        for text in ("localhost", "127.1:80", "a:b", ":80", "http://a:80", "a@b:80", "a:80/x"):
            self.assertRaises(BadUrl, place, text)

    def test_long(self) -> None:
        """What is too long to be read quickly is not read at all."""
        for text in ("http://" + "ä" * 65 + ".de", "http://" + "a." * 130, "http://a.com/" + "x" * 8000):
            self.assertRaises(BadUrl, parse, text)

    @given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
    def test_anything(self, text: str) -> None:
        """Whatever comes out reads the same again, to others as well, and is plain ASCII."""
        for url in (text, "http://" + text, "https://a.com:80/" + text, "http://[" + text + "]/"):
            try:
                found = parse(url)
            except BadUrl:
                continue
            self.assertTrue(str(found).isascii())
            self.assertEqual(parse(str(found)), found)
            parts = urlsplit(str(found))
            self.assertEqual((parts.hostname, parts.port or found.port), (found.host, found.port))
