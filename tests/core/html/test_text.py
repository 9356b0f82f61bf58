"""HTML as text."""

from __future__ import annotations

from hypothesis import given, settings
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.html.text import render, render_each
from simmail.core.html.tokenizer import MOST_TOKENS
from tests.core.hostile import seconds
from tests.core.html.realmails import MAILS
from tests.core.shownhtml import MARKUP

HOSTILE = (
    "<div>", "<b>", "<a href=x>", "<", "<!--", "<!-->", "</", "<a b='", '<a "', "<a =", "<title>", "<blockquote>",
    "<svg>", "<a href='http://x'>y</a>", "<a a=\"'>", "<b a=&#9;&#9;&#9;&#9;&#9;&#9;>", "<b " + "a " * 500 + ">",
    "<a href='http://x'>y</a>", "<a a=\"'>", "<b a=&#9;&#9;&#9;&#9;&#9;&#9;>", "<b " + "a " * 500 + ">", "\xa0",
)


class RenderTests(SynchronousTestCase):
    """Readable text."""

    def test_blocks(self) -> None:
        """Paragraphs stand apart, lines break, blanks collapse, references are decoded."""
        for markup, text in (
            ("<p>Hello  <b>Maria</b>,\n<br>see you.</p><p>Bye</p>", "Hello Maria,\nsee you.\n\nBye"),
            ("a<div>b</div>c", "a\nb\nc"), ("1 &lt; 2 &amp; 3&nbsp;&euro;", "1 < 2 & 3 €"), ("<h1>T</h1>x", "T\n\nx"),
            ("a<br><br><br><br>b", "a\n\nb"), ("<pre>a\n  b\n\nc</pre>", "a\n  b\n\nc"), ("", ""),
            ("a<hr>b", "a\n" + "-" * 20 + "\nb"),
            ("<b>a</b> <i>b</i>", "a b"), ("<b>a</b><i>b</i>", "ab"), ("in<span>line</span>d", "inlined"),
        ):
            self.assertEqual(render(markup), text, markup)

    def test_real_mails(self) -> None:
        """What mail programs and newsletters write is read without what only lays it out."""
        for mail in MAILS:
            self.assertEqual(render(mail.html), mail.text)

    def test_each(self) -> None:
        """Pieces are read each by itself, and together cost no more than one may."""
        self.assertEqual(render_each(["<p>a", "b</p>", ""]), ["a", "b", ""])
        first, second = render_each(["<b>x</b> " * MOST_TOKENS, "<p>y</p>"])
        self.assertIn("x", first)
        self.assertEqual(second, "")

    def test_links(self) -> None:
        """A link keeps its address, once."""
        for markup, text in (
            ('<a href="https://x.test/a?b=1&amp;c=2">Pay</a> now', "Pay <https://x.test/a?b=1&c=2> now"),
            ('see <a href="http://www.x.test/">x.test</a>.', "see x.test."),
            ('<a href="https://x.test/"><img src="y" alt=""></a>', "<https://x.test/>"),
            ('<a href="mailto:a@b.test?subject=x">write</a>', "write <a@b.test>"),
            ('<a href="javascript:x()">no</a> <a name=x>y</a>', "no y"),
        ):
            self.assertEqual(render(markup), text, markup)

    def test_lists_and_tables(self) -> None:
        """Items have marks, nested lists an indent, cells a blank between them."""
        self.assertEqual(render("<ul><li>one<li>two<ol><li>a</li><li>b</li></ol></ul>end"),
                         "- one\n- two\n  1. a\n  2. b\n\nend")
        self.assertEqual(render("<table><tr><td>Item</td><td>9.50</td></tr><tr><th>Sum</th><td>1</td></table>"),
                         "Item 9.50\nSum 1")

    def test_quotations(self) -> None:
        """Quoted lines begin with >, also the blank ones between them."""
        self.assertEqual(render("yes<blockquote><p>a<p>b<blockquote>c</blockquote></blockquote>no"),
                         "yes\n\n> a\n>\n> b\n>\n> > c\n\nno")

    def test_pictures(self) -> None:
        """A picture is its alternative text."""
        self.assertEqual(render('<img src="x" alt="Our logo"> Hello'), "Our logo Hello")

    def test_hidden(self) -> None:
        """Styles, scripts, titles and hidden elements are not text."""
        for markup in (
            "<head><title>t</title><style>s</style></head>a", "<script>x</script>a",
            "<div style='DISPLAY : none'>p<div>q</div></div>a",
            "<span hidden>x</span>a", "<svg><text>x</text></svg>a", "<select><option>x</select>a", "<!-- x -->a",
        ):
            self.assertEqual(render(markup), "a", markup)

    @given(MARKUP)
    @settings(max_examples=300)
    def test_any_markup(self, markup: str) -> None:
        """Any markup is text without blank ends and without two blank lines in a row (but in pre)."""
        text = render(markup)
        self.assertEqual(text, text.strip("\n"))
        if "<pre>" not in markup:
            self.assertNotIn("\n\n\n", text)

    def test_linear(self) -> None:
        """Two megabytes of anything take less than a second or two."""
        for unit in HOSTILE:
            self.assertLess(seconds(render, unit * (2_000_000 // len(unit))), 2.0, unit[:20])
