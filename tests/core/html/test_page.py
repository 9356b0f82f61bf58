"""What is read from pages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.html.page import PageContent, read_page


class PageTests(SynchronousTestCase):
    """Titles and forms."""

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
            self.assertEqual(read_page(body, kind).title, title, body[:40])

    @given(st.binary(max_size=300), st.text(max_size=40))
    def test_any_page(self, body: bytes, kind: str) -> None:
        """No page is too odd to have no title."""
        self.assertLessEqual(len(read_page(b"<title" + body, "text/html;charset=" + kind).title), 200)

    def test_forms(self) -> None:
        """A password, or a form with something to fill in; a search is none, nor is what is set already."""
        for body, form in (
            (b"<form><input type=email><input type=PASSWORD></form>", "login"), (b"<input type='password'>", "login"),
            (b"<form><input name=a><textarea></textarea></form>", "form"),
            (b"<form><select></select><input type=date></form>", "form"),
            (b"<form><input type=search><input type=submit></form>", ""), (b"<form><input name=q></form>", ""),
            (b"<form><input type=hidden><input type=hidden><button>Yes</button></form>", ""),
            (b"<form></form><input><input>", ""), (b"<!-- <input type=password> -->", ""), (b"", ""),
        ):
            self.assertEqual(read_page(b"<title>T</title>" + body, "text/html"), PageContent("T", form), body)
        self.assertEqual(read_page(b"<input type=password>", "image/png"), PageContent("", ""))

    def test_bounded(self) -> None:
        """What stands far down is not looked for."""
        self.assertEqual(read_page(b"<p>x" * 4000 + b"<input type=password>", "text/html").form, "")
