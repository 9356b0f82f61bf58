"""Links of a mail as a reader meets them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.html.links import MOST_MET, anchors, host_of
from tests.core.hostile import seconds


class AnchorTests(SynchronousTestCase):
    """Finding."""

    def test_text(self) -> None:
        """Bare links end where a reader would end them, each is found once."""
        text = ("See https://a.test/x?y=1, <http://b.test/z> (https://c.test/p), https://w.test/a_(b) and "
                "https://a.test/x?y=1.\nHTTPS://D.test\nftp://no.test xhttp://e.test/ http:// https://")
        self.assertEqual([one.url for one in anchors(text, "")], [
            "https://a.test/x?y=1", "http://b.test/z", "https://c.test/p", "https://w.test/a_(b)", "HTTPS://D.test",
            "http://e.test/"])

    def test_html(self) -> None:
        """In HTML the addresses of anchors count, with the words one clicks."""
        html = ("<p><A class=x HREF='https://a.test/?a=1&amp;b=2'>The <b>new</b>\nprice &amp; list</A>"
                '<a href = "mailto:x@y.test">mail</a><a name="x">no</a><abbr href="https://no.test">x</abbr>'
                "<a data-href='https://no.test'>y</a><a href=https://b.test/z>z</a><a href=''>e</a>https://bare.test")
        self.assertEqual([tuple(one) for one in anchors("https://other.test", html)], [
            ("https://a.test/?a=1&b=2", "The new price & list"), ("mailto:x@y.test", "mail"),
            ("https://b.test/z", "z")])

    def test_growing_letters(self) -> None:
        """Letters that grow in lower case do not shift what is found."""
        self.assertEqual(anchors("", "\u0130" * 10 + '<a href="https://a.test/">x</a>')[0].url, "https://a.test/")

    def test_hosts(self) -> None:
        """The host without credentials and port; nothing for what is no web link."""
        for url, expected in (
            ("https://User:pw@A.Test:8080/x", "a.test"), ("http://a.test.", "a.test"), ("https://[::1]:80/", "::1"),
            ("http://a.test?x@b.test", "a.test"), ("http://a.test\\@b.test", "a.test"), ("mailto:x@a.test", ""),
            ("javascript://a.test/%0a", ""), ("https://", ""), ("//a.test", ""),
        ):
            self.assertEqual(host_of(url), expected, url)

    def test_limits(self) -> None:
        """No more than so many links, and the time grows with the text only."""
        self.assertEqual(len(anchors("".join(f"http://a.test/{n} " for n in range(999)), "")), MOST_MET)
        self.assertLess(sum(
            seconds(anchors, "", html) for html in (
                "<a href=" * 20_000, "<a " * 50_000, "<a " + "href" * 50_000 + ">", "<" * 100_000, "<a>" * 50_000,
                "<a href='x'>" * 20_000)
        ) + seconds(anchors, "://" * 50_000, "") + seconds(anchors, "http://" * 50_000, ""), 1.0)

    @given(st.text(alphabet="<>a href='\"=/:.ht p\n\u0130", max_size=200), st.text(max_size=100))
    def test_anything(self, html: str, text: str) -> None:
        """Whatever is written, it is read."""
        for one in (*anchors(text, html), *anchors(html, text), *anchors(html, "")):
            self.assertTrue(one.url)
            host_of(one.url)
