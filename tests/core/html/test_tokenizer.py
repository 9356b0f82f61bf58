"""HTML as tokens."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.html import tokenizer
from simmail.core.html.tokenizer import Token
from tests.core.shownhtml import MARKUP


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
