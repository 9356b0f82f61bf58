"""The links of a mail."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.html.links import MOST_LINKS, MOST_MET, anchors, find_links, host_of
from tests.core.hostile import seconds
from tests.core.html.realmails import MAILS


class LinkTests(SynchronousTestCase):
    """Links."""

    def test_kinds(self) -> None:
        """What a link is for, by its words, else by its address."""
        for text, url, kind in (
            ("Confirm email", "https://a.test/x", "verify"), ("Click", "https://a.test/verify?t=1", "verify"),
            ("Reset your password", "https://a.test/x", "reset"), ("here", "https://a.test/forgot-password", "reset"),
            ("Sign in to Acme", "https://a.test/x", "sign_in"), ("here", "https://a.test/magic/abc", "sign_in"),
            ("Accept invitation", "https://a.test/x", "invite"), ("Join the team", "https://a.test/x", "invite"),
            ("Unsubscribe", "https://a.test/confirm", "unsubscribe"), ("Abmelden", "https://a.test/x", "unsubscribe"),
            ("Shop now", "https://click.acme.test/ls/click?upn=abc", "tracking"),
            ("Our shop", "https://a.test/", "other"), ("Jetzt bestätigen", "https://click.acme.test/x/1", "verify"),
            ("Docs", "https://verify.test/", "other"), ("Réinitialiser", "https://a.test/x", "reset"),
            ("Se connecter", "https://a.test/x", "sign_in"), ("Restablecer contraseña", "https://a.test/x", "reset"),
            ("Iniciar sesión", "https://a.test/x", "sign_in"), ("Activar mi cuenta", "https://a.test/x", "verify"),
            ("All activity", "https://a.test/activity", "other"),
        ):
            (link,) = find_links("", f'<a href="{url}">{text}</a>')
            self.assertEqual(link.kind, kind, (text, url))

    def test_html(self) -> None:
        """Decoded addresses, text of the link or of its picture; only http and https; each once."""
        html = (
            '<a href="https://A.test:8080/x?a=1&amp;b=2">Go <b>there</b></a>'
            '<a href="HTTPS://b.test/"><img alt="Logo"></a>'
            '<a href="https://A.test:8080/x?a=1&amp;b=2">again</a><a href="mailto:a@b.test">m</a>'
            '<a href="javascript:x()">j</a>'
            '<a href=" https://c.test/\n ">c</a><a name="x">d</a><map><area href="https://d.test/" alt="D"></map>'
        )
        self.assertEqual([(one.url, one.text, one.host) for one in find_links("", html)], [
            ("https://A.test:8080/x?a=1&b=2", "Go there", "a.test"), ("HTTPS://b.test/", "Logo", "b.test"),
            ("https://c.test/", "c", "c.test"), ("https://d.test/", "D", "d.test")])

    def test_text(self) -> None:
        """Addresses in text end where the sentence goes on; words before them tell what they are for."""
        text = ("Confirm your address:\nhttps://a.test/c/1.\n(see http://b.test/x_(y)), or <https://c.test/p>\n"
                "Reset password <https://d.test/q>; https://a.test/c/1")
        self.assertEqual([(one.url, one.text, one.kind) for one in find_links(text)], [
            ("https://a.test/c/1", "", "verify"), ("http://b.test/x_(y)", "", "other"),
            ("https://c.test/p", "or", "other"), ("https://d.test/q", "Reset password", "reset")])

    def test_broken(self) -> None:
        """Addresses without a host are none."""
        self.assertEqual(find_links("http:// https://[::1 http://]/ https://", '<a href="http://[x">x</a>'), ())

    def test_brackets(self) -> None:
        """Brackets around a link are no part of it, those that it opens itself are."""
        for text, url in (
            ("(see http://a.test/x)", "http://a.test/x"), ("http://a.test/x_(y)", "http://a.test/x_(y)"),
            ("(http://a.test/x_(y)).", "http://a.test/x_(y)"), ("[http://a.test/x].)", "http://a.test/x"),
            ("((http://a.test/x)!)", "http://a.test/x"), ("http://a.test/[x])", "http://a.test/[x]"),
        ):
            self.assertEqual([one.url for one in find_links(text)], [url], text)

    def test_limits(self) -> None:
        """No more than so many links are told of one mail."""
        self.assertEqual(len(find_links("".join(f"http://a.test/{n} " for n in range(999)))), MOST_LINKS)


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
        self.assertEqual([one[:2] for one in anchors("https://other.test", html)], [
            ("https://a.test/?a=1&b=2", "The new price & list"), ("mailto:x@y.test", "mail"),
            ("https://b.test/z", "z")])

    def test_real_mails(self) -> None:
        """The links of what mail programs and newsletters write; for the API, those to the web only."""
        for mail in MAILS:
            self.assertEqual(tuple(one[:2] for one in anchors("", mail.html)), mail.links)
            self.assertEqual([(one.url, one.text) for one in find_links("", mail.html)],
                             [one for one in mail.links if one[0].startswith("http")])

    def test_as_seen(self) -> None:
        """Links that nobody sees are none; a picture says what stands for it, and an area of one is a link."""
        html = ('<!-- <a href="https://no.test">x</a> --><style><a href="https://no.test">x</a></style>'
                '<a href="https://a.test"><img alt="Our shop"></a><map><area href="https://b.test" alt="North"></map>')
        self.assertEqual([one[:2] for one in anchors("", html)],
                         [("https://a.test", "Our shop"), ("https://b.test", "North")])

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
