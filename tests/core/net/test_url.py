"""Web addresses, what may be reached, and what is read from pages."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from urllib.parse import urlsplit

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.page_visit import Visit, title_of
from simmail.core.decide.site import imagine
from simmail.core.net.egress import BAD_PORTS, public_address, public_name, web_port
from simmail.core.net.url import BadUrl, join, parse, place
from simmail.core.rng import Dice


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


class ReachTests(SynchronousTestCase):
    """What may be reached."""

    def test_addresses(self) -> None:
        """Public ones, of both families, and nothing else."""
        for text in ("8.8.8.8", "93.184.215.14", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.255.255", "100.128.0.1",
                     "192.0.1.1", "198.17.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001:80b::200e",
                     "2001:4860:4860::8888", "2003::1"):
            self.assertTrue(public_address(text), text)
        for text in ("", "a.com", "127.1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::", "4000::1", "1::1",
                     "2606:4700::5efe:808:808", "fe80::1%eth0", "192.175.48.1", "2620:4f:8000::1"):
            self.assertFalse(public_address(text), text)

    @given(st.integers(0, 2**32 - 1))
    def test_not_more_than_python(self, number: int) -> None:
        """What Python says is not global is refused here as well; so is what carries it."""
        address = IPv4Address(number)
        if not address.is_global:
            self.assertFalse(public_address(str(address)))
        for carried in (0xFFFF << 32, 0x64FF9B << 96, 0x5EFE << 32 | 0x26064700 << 96, 0):
            self.assertFalse(public_address(str(IPv6Address(carried | number))))

    @given(st.integers(0, 2**128 - 1))
    def test_not_more_than_python_v6(self, number: int) -> None:
        """The same for IPv6."""
        address = IPv6Address(number)
        if public_address(str(address)):
            self.assertTrue(address.is_global)

    def test_names(self) -> None:
        """Names that may be in the public name system."""
        for host in ("a.com", "x.test.com", "localhost.de", "internal.net"):
            self.assertTrue(public_name(host), host)
        for host in ("localhost", "a.localhost", "printer", "shop.test", "x.internal", "a.home.arpa", ""):
            self.assertFalse(public_name(host), host)

    def test_ports(self) -> None:
        """80, 443 and high ones, but not mail's and other services'."""
        self.assertEqual([port for port in (25, 80, 81, 443, 587, 1023, 1024, 2525, 3000, 6379, 8080, 65535)
                          if web_port(port)], [80, 443, 1024, 3000, 8080, 65535])
        self.assertFalse(any(map(web_port, BAD_PORTS)))


class PageTests(SynchronousTestCase):
    """What is read from pages, and made up where there are none."""

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
