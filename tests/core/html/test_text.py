"""HTML as tokens and as text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.html import tokenizer
from simmail.core.html.text import render
from simmail.core.html.tokenizer import Token
from tests.core.hostile import seconds

MARKUP = st.lists(
    st.sampled_from(["<", ">", "<p>", "</p>", "<a href='", "'>", '"', "<!--", "-->", "<pre>", "</pre>", "<li>", "<ul>",
                     "</ul>", "<blockquote>", "</blockquote>", "<title>", "<script>", "</script>", "&", "&lt;", "&#9;",
                     "&#", "x", " ", "\n", "<br/>", "=", "/", "\0", "ü", "<td>", "<!", "<?", "</"]),
    max_size=40,
).map("".join)

HOSTILE = (
    "<div>", "<b>", "<a href=x>", "<", "<!--", "<!-->", "</", "<a b='", '<a "', "<a =", "<title>", "<blockquote>",
    "<svg>", "<a href='http://x'>y</a>", "<a a=\"'>", "<b a=&#9;&#9;&#9;&#9;&#9;&#9;>", "<b " + "a " * 500 + ">",
    "<a href='http://x'>y</a>", "<a a=\"'>", "<b a=&#9;&#9;&#9;&#9;&#9;&#9;>", "<b " + "a " * 500 + ">", "\xa0",
)


class TokenTests(SynchronousTestCase):
    """As browsers cut."""

    def cut(self, markup: str) -> list[Token]:
        return [one._replace(source="") for one in tokenizer.tokens(markup)]

    def test_tags(self) -> None:
        """Names in lower case, attributes in all three forms, the first of repeated ones."""
        self.assertEqual(
            self.cut("<A HREF=\"x y\" b='c' d=e f g=\"&amp;&lt\" HREF=z>t</A\n>"),
            [Token("start", "a", "", {"href": "x y", "b": "c", "d": "e", "f": "", "g": "&&lt"}),
             Token("text", "", "t"), Token("end", "a")],
        )
        self.assertEqual(self.cut("<br/><img/src=x>"), [Token("start", "br"), Token("start", "img", "", {"src": "x"})])

    def test_written_alike(self) -> None:
        """A tag written as one before is that token again; a strange one is read each time, to the same end."""
        first, second = list(tokenizer.tokens("<p a='b c'><p a='b c'>"))
        self.assertIs(first, second)
        self.assertEqual((first.source, first.attributes), ("<p a='b c'>", {"a": "b c"}))
        for usual, strange in (("<a href=x/>", "<a\x0chref = x/>"), ("<br/>", "<br / >"), ("<A B=C>", "<A B =C>"),
                               ("<x a='<b>'>", "<x a ='<b>'>"), ("<x a='1' b>", "<x/a='1'b>"),
                               ("</b>", "</b x=\"y\"z>")):
            (one,), (other,) = tokenizer.tokens(usual), tokenizer.tokens(strange)
            self.assertTrue(one.source)
            self.assertFalse(other.source)
            self.assertEqual(one._replace(source=""), other)

    def test_query_strings_survive(self) -> None:
        """An ampersand that begins the name of a parameter is no reference."""
        (token,) = self.cut('<a href="/x?a=1&copy=2&amp;lt=3">')
        self.assertEqual(token.attributes["href"], "/x?a=1&copy=2&lt=3")

    def test_no_tags(self) -> None:
        """Comments, declarations and cut-off tags are nothing; a lone < is text."""
        for markup in ("<!-- <b> -->", "<!-->", "<!--->", "<!-- x --!>", "<!DOCTYPE html>", "<?xml ?>", "</ x>",
                       "<a href='x>y", "<b", "<!--", "<!"):
            self.assertEqual(self.cut(markup), [], markup)
        self.assertEqual(self.cut("a < b"), [Token("text", "", "a "), Token("text", "", "<"), Token("text", "", " b")])

    def test_raw(self) -> None:
        """What is in a script or style is no markup, up to its own end tag."""
        self.assertEqual(
            self.cut("<style>a<b></styles></STYLE ><title>a&amp;b</title>"),
            [Token("start", "style"), Token("raw", "style", "a<b></styles>"), Token("end", "style"),
             Token("start", "title"), Token("raw", "title", "a&b"), Token("end", "title")],
        )
        self.assertEqual(self.cut("<script>x")[1:], [Token("raw", "script", "x")])
        self.assertEqual(self.cut("<plaintext>a<b>")[1:], [Token("raw", "plaintext", "a<b>")])

    @given(MARKUP, st.sampled_from(["", "x" * 600, "<p>a &amp; b</p>" * 90, "<b a=1 b=2 c=3 d=4 e=5 f=6 g=7 h=8>"]),
           st.sampled_from([8, 40, tokenizer.MOST_TOKENS]))
    @settings(max_examples=300)
    def test_at_once_or_one_by_one(self, markup: str, before: str, most: int) -> None:
        """A stretch that is cut in one go has the tokens that it has when each thing is looked at by itself."""
        page = before + markup + before + markup
        found = list(tokenizer.tokens(page, most))
        alone = tokenizer._Page(page, most)
        careful: list[Token] = []
        while alone.at < alone.length and alone.left > 0 and alone.room > 0:
            texts, tags, sources, _ = alone.careful(alone.at + 1)
            self.assertEqual([tag.source for tag in tags], sources)
            for text, tag in zip(texts, [*tags, tokenizer.NO_TAG]):
                careful += [Token("text", "", text)] if text else []
                careful += [tag] if tag is not tokenizer.NO_TAG else []
        self.assertEqual(found, careful)

    def test_long_references(self) -> None:
        """More digits than a number may have are text."""
        self.assertEqual(self.cut("&#" + "9" * 5000 + ";")[0].kind, "text")


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
