"""HTML made safe to show, and its CSS."""

from __future__ import annotations


from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.html import attributes, css, pieces as safepieces, sanitize, text as htmltext, tokenizer
from simmail.core.html.css import clean_style, colour, fetched_by
from simmail.core.html.pieces import pieced
from simmail.core.html.sanitize import safe
from simmail.core.html.text import render
from tests.core.hostile import seconds
from tests.core.htmlvectors import COUNTS, PAGES, VECTORS, X
from tests.core.shownhtml import flaws


PAGE = st.lists(st.sampled_from([
    "<div>", "</div>", "<p>", "</p>", "<table>", "<tr>", "<td bgcolor=red>", "</td>", "</table>", "</a>", "<br>",
    f"<a href='{X}'>", "<a href=mailto:a@b.test>", "<hr>", "<b>", "</b>", "<svg>", "</svg>",
    "<style>a{b:url(//x)}</style>",
    f"<img src={X}a.png alt=x>", "<img alt=x>", "<img>", "<script>x</script>", "<body text=#333>", "</body>", "<h1>",
    "<h2>", "</h1>", "<pre>", "</pre>", "<li>", "<ul>", "</ul>", "<ol>", "<dl>", "<dt>", "<dd>", "</dl>", "<form>",
    "<p style='color: #333; background: url(//x)'>", "<font color=red>", "</font>", "<span hidden>", "</span>",
    "<blockquote>", "</blockquote>", "<!-- x -->", "<title>x</title>", "<center>", "<i>", "</i>", "<ruby>", "<rt>",
    "&lt;", "&amp;", "&nbsp;", "\xa0", "&quot;", "'", '"', ">", "<", "&#13;", "\n", "x", " y ", "\0", "\ufeff", "ü",
    f"<td background={X}>", "<p\n>", "<p title='a>b\"'>", "<picture>", f"<source srcset={X}>", "</picture>",
    "<a title=\"x'y\xa0&lt;\">",
]), max_size=30).map("".join)


SIMPLE_PAGE = st.lists(st.sampled_from([
    "<div>", "</div>", "<p>", "</p>", f"<a href='{X}?a=1&amp;b=&quot;&lt;'>", "</a>", "<b>", "</b>", "<i>", "</i>",
    "<font color=red>", "</font>", "<font size=2 face=Arial>", "<h1>", "</h1>", "<span>", "</span>", "<br>", "<hr>",
    "<blockquote>", "</blockquote>", "<ul>", "<ol>", "<li>", "</li>", "</ul>", "<dl>", "<dd>", "</dl>",
    "<img alt='a<b'>",
    "<center>", "</center>", "<code>", "</code>", "<address>", "<details>", "<summary>", "<q>", "<strike>", "</strike>",
    "x", " ", "\n", "\xa0", "&lt;", "&amp;lt;", ">", "ü", "\f", "\x01", "<wbr>", "<b title='\xa0'>", "<del>", "</del>",
]), max_size=40).map("".join)


class SafeTests(SynchronousTestCase):
    """What comes out."""

    def check(self, html: str, sources: tuple[str, ...] = ("data:image/",)) -> None:
        """By two parsers and our own: nothing but what may be shown."""
        self.assertEqual(flaws(html, sources), [], html)

    def test_enough(self) -> None:
        """Promises, S5: at least 269 vectors, all different."""
        self.assertGreaterEqual(len(set(VECTORS)), 269)

    def test_vectors(self) -> None:
        """Nothing that runs or fetches is left, in any mode, and what is safe stays as it is when cleaned again."""
        for vector in VECTORS:
            for light in (True, False):
                for around in ("{}", "<p>before</p>{}<p>after</p>", "<table><tr><td>{}</td></tr></table>"):
                    html, _ = safe(around.replace("{}", vector), light=light)
                    self.check(html)
            once = safe(vector, light=True)[0]
            self.assertEqual(safe(once, light=True), (once, 0), vector)

    def test_remote_opens_images_only(self) -> None:
        """With remote, images of the web are there and everything else is as before."""
        for vector in VECTORS:
            self.check(safe(vector, remote=True)[0], ("https://", "http://", "data:image/"))
        page = f"<img src={X}a.png><img src=http://x.test/b.png><img src=ftp://x.test/c.png><td background={X}>"
        html, blocked = safe(page, remote=True, light=True)
        self.assertEqual((html, blocked), (
            f'<img src="{X}a.png"><img src="http://x.test/b.png"><img>', 2))

    def test_counts(self) -> None:
        """What is remote and not shown is counted, once each."""
        for html, count in COUNTS:
            self.assertEqual(safe(html)[1], count, html)

    def test_pages_stay(self) -> None:
        """What pages are made of is kept."""
        for html in PAGES:
            self.assertEqual(safe(html, light=True), (html, 0))

    def test_sloppy_pages(self) -> None:
        """Missing and crossed end tags come out as browsers see them."""
        web = 'target="_blank" rel="noopener noreferrer nofollow"'
        for html, shown in (
            ("<p>a<p>b", "<p>a</p><p>b</p>"),
            ("<ul><li>a<li>b</ul>c", "<ul><li>a</li><li>b</li></ul>c"),
            ("<div><table><tr><td></div>x</table>y</div>",
             "<div><table><tbody><tr><td>x</td></tr></tbody></table>y</div>"),
            ("<b><p>x</b>y</p>", "<b><p>x</p></b>y"),
            ("<a href=https://a.test>x<a href=https://b.test>y",
             f'<a href="https://a.test" {web}>x</a><a href="https://b.test" {web}>y</a>'),
            ("<svg><p>x", "<p>x</p>"),
            ("<html><head><title>t</title></head><body text=#000000>x</body></html>",
             '<div style="color: #000000">x</div>'),
            ("</div></p></table>x", "x"),
            ("<table><tr><td>a<td>b<tr><td>c",
             "<table><tbody><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></tbody></table>"),
            ("a < b & c", "a &lt; b &amp; c"),
            ("<noscript>x</noscript><form>y</form><center>z</center>", "xy<center>z</center>"),
        ):
            self.assertEqual(safe(html, light=True)[0], shown, html)

    def test_content_ids(self) -> None:
        """cid: images become what the callable says, whatever that is."""
        def cid_url(content_id: str) -> str | None:
            return {"logo@x": "/api/a/0", "evil": '"><script>'}.get(content_id)

        for html, shown in (
            ("<img src=cid:logo@x>", '<img src="/api/a/0">'), ("<img src='CID:logo%40x'>", '<img src="/api/a/0">'),
            ("<img src=cid:other>", "<img>"), ("<img src=cid:evil>", '<img src="&quot;&gt;&lt;script&gt;">'),
        ):
            self.assertEqual(safe(html, light=True, cid_url=cid_url), (shown, 0))
        self.assertEqual(safe("<img src=cid:logo@x>", light=True), ("<img>", 0))

    def test_dark(self) -> None:
        """Without light, colours have a dark counterpart, and the page says that it has."""
        html = safe('<p style="color: #000; background: #ffffff">x</p><td bgcolor=white>')[0]
        self.assertTrue(html.startswith('<div style="color-scheme: light dark">'))
        self.assertIn("color: #000; color: light-dark(#000, #ffffff)", html)
        self.assertIn("background: #ffffff; background-color: light-dark(#ffffff, #171717)", html)
        self.assertNotIn("light-dark", safe('<p style="color: #000">x</p>', light=True)[0])

    def test_other_pages(self) -> None:
        """What other pages said, or the same page before, changes nothing: colours, counts, the room for style."""
        long = f"<p style='color: red; {'width: 1px; ' * 1000}'>x</p>" * 30
        pages = ["<p style='color: #333'>x</p>", f"<td style='background: url({X})' bgcolor=#eee>x</td>",
                 "<a style='color: #333' href='https://a.test'>x</a>", long + "<p style='color: #333'>x</p>",
                 f"<b title='a>b' style='color: #333'>x</b><p style='background:url({X})' x='{'y' * 300}'>"]
        asked = [(page, light) for page in pages for light in (True, False)]
        caches = (tokenizer.common_tag, tokenizer._at_hand, attributes.common_attributes, css._common,
                  css._adapted, safepieces._common)

        def fresh(page: str, light: bool) -> tuple[str, int]:
            for cache in caches:
                cache.cache_clear()
            return safe(page, light=light)

        alone = {one: fresh(*one) for one in asked}
        for _ in range(2):
            self.assertEqual({(page, light): safe(page, light=light) for page, light in asked[::-1]}, alone)
        # Past the room for style there is none.
        self.assertTrue(alone[pages[3], True][0].endswith("<p>x</p>"))

    @given(st.lists(st.sampled_from([
        "<div>", "</div>", "<p>", "</p>", "<table>", "<tr>", "<td>", "</td>", "</table>", "<a href='", "'>", "</a>",
        '"', "<b>", "</b>", "<svg>", "</svg>", "<math>", "<mtext>", "<style>", "</style>", "<title>", "</title>",
        "<!--", "-->", "<script>", "</script>", "<img src=x onerror=alert(1)>", "<noscript>", "<template>",
        "<select>", "<foreignObject>", "javascript:alert(1)", "&lt;", "&quot;", "<p style='", "url(//x)", "\\72", ";",
        "<li>", "<ul>", "<h1>", "<font color=red>", "<form>", "<textarea>", "<plaintext>", "x", "\0",
    ]), max_size=30).map("".join))
    @settings(max_examples=400, deadline=None)
    def test_any_markup(self, markup: str) -> None:
        """Whatever is put together is clean, stays the same when cleaned again, and is the same for both parsers."""
        html, _ = safe(markup, light=True)
        self.check(html)
        again, blocked = safe(html, light=True)
        self.assertEqual(blocked, 0)
        self.check(again)
        self.assertEqual(render(html).split(), render(again).split())

    @given(PAGE, st.booleans())
    @settings(max_examples=300, deadline=None)
    def test_usual_or_not(self, markup: str, light: bool) -> None:
        """Tags that are remembered by how they are written come to what they come to when each is looked at."""
        page = markup * 2
        writers = [sanitize._Writer(True, not light, None) for _ in range(2)]
        cut = tokenizer.blocks(page)
        strange = [block._replace(
            sources=[""] * len(block.tags), plain=False,
            tags=[tag if tag is tokenizer.NO_TAG else tag._replace(source="") for tag in block.tags])
            for block in cut]
        for writer, pieces in zip(writers, (cut, strange)):
            writer.write(pieces)
        self.assertEqual("".join(writers[0].out), "".join(writers[1].out))
        self.assertEqual([one.blocked for one in writers], [writers[1].blocked] * 2)
        self.assertEqual([one.simple for one in writers], [writers[1].simple] * 2)
        texts = [htmltext._Page() for _ in range(2)]
        self.assertEqual(texts[0].take(cut), texts[1].take(strange))
        self.assertEqual(texts[0].text(), texts[1].text())

    @given(st.one_of(PAGE, SIMPLE_PAGE), st.booleans())
    @settings(max_examples=600, deadline=None)
    def test_pieces_or_whole(self, markup: str, light: bool) -> None:
        """Cleaned in pieces a page is what it is when it is cleaned as a whole."""
        writer = sanitize._Writer(True, not light, None)
        writer.write(tokenizer.blocks(markup))
        pieces = pieced(writer.out, sanitize._CLEANER.clean) if writer.simple else None
        if pieces is not None:
            self.assertEqual(pieces, sanitize._CLEANER.clean("".join(writer.out)))

    def test_simple_pages(self) -> None:
        """What letters are made of is cleaned in pieces; what moves or ends what is around it is not."""
        for markup, simple in (
            ("<div>Hello,<br>see <a href='https://a.test'>this</a>\xa0!</div><blockquote><p>x</p></blockquote>", True),
            ("<ul><li>a<li>b</ul><h1>T</h1><p><b>x</b><p>y<dl><dt>a<dd>b</dl>", True), ("&lt;script> &amp;amp;", True),
            (f"<img src='{X}a.png' alt=x><p style='color: #333'>x", True), ("<table><tr><td>x</table>", False),
            ("<p>a<li>b", False), ("<h1><h2>x", False), ("<pre>\nx</pre>", False), ("a&#13;b", False),
            ("\ufeffa", False), ("<ruby>a<rt>b</ruby>", False), ("<td>x", False), ("<dt>x", False),
        ):
            writer = sanitize._Writer(True, True, None)
            writer.write(tokenizer.blocks(markup))
            pieces = pieced(writer.out, sanitize._CLEANER.clean) if writer.simple else None
            self.assertEqual(pieces is not None, simple, markup)

    def test_cost(self) -> None:
        """A megabyte of what makes parsers slow takes seconds at most, and no page grows out of bounds."""
        for unit in (
            "<div>", "<b>", f"<a href={X}>", "<table>", "<table><tr><td>", "<p>", "<font color=red><p>x",
            "<i><i><i></b>", "<div><b a=1></div>", "<ul><li>", "<svg>", "<a><div>", "<p><b>", "<b a=1 b=2 c=3>",
            f"<img src={X}>", "</p>", "<center><font>", "<table>x", "<table><a>", f"<p style='{'color:red;' * 50}'>",
            f"<div style='{chr(92)}72 {'(' * 90}'>", "<b " + "a " * 400 + ">", "<style>", "<li><div>",
        ):
            html = unit * (1_000_000 // len(unit))
            out: list[str] = []
            self.assertLess(seconds(lambda page: out.append(safe(page)[0]), html), 3.0, unit[:30])
            self.assertLess(len(out[0]), 12_000_000)


class StyleTests(SynchronousTestCase):
    """CSS."""

    def test_kept(self) -> None:
        """Looks are kept, in plain form."""
        for style, text in (
            ("color:red", "color: red"), ("COLOR : Red !important;", "color: Red !important"),
            ("color:/*x*/blue;;", "color: blue"),
            ("font:12px/1.5 'Segoe UI',Arial", "font: 12px/1.5 'Segoe UI',Arial"),
            ("width:calc(100% - 3px)", "width: calc(100% - 3px)"),
            ("color:rgba(1, 2, 3, .5)", "color: rgba(1, 2, 3, .5)"), ("c\\6f lor:red", "color: red"),
            ("color:'a;b';width:1px", "width: 1px"),
            ("background:#fff url(x.png) no-repeat", "background-color: #fff"),
        ):
            self.assertEqual(clean_style(style), (text, 0), style)

    def test_dropped(self) -> None:
        """Everything else is not; what would have fetched is counted."""
        for style, blocked in (
            ("position:fixed", 0), ("x:y", 0), ("color", 0), ("color:expression(1)", 0), ("color:red\\3b x", 0),
            ("color:a:b", 0), ("color:@x", 0), ("color:{", 0), ("color:env(x)", 0), ("color:attr(x)", 0),
            ("color:u\\rl(x)", 0), ("color:(", 0), ("background-image:url(https://x)", 1),
            ("background-image:\\55\\52\\4c(//x)", 1), ("content:image('//x')", 1),
            ("background-image:url(https://x", 1), ("color:\"", 0), ("color:'url(//x)", 1),
            ("--a:src(\"https://x\")", 1),
        ):
            self.assertEqual(clean_style(style), ("", blocked), style)

    @given(st.text(alphabet="colr:;#fut(/)\\7 2\"'*@{}<>!hsp,", max_size=100))
    @settings(max_examples=300)
    def test_any_style(self, style: str) -> None:
        """Any style comes out without escapes, brackets of blocks or functions that fetch, and stays as it is."""
        text, _ = clean_style(style)
        self.assertNotRegex(text, r"(?i)url\(|\\|[{}<>@]")
        self.assertEqual(clean_style(text), (text, 0))

    def test_sheets(self) -> None:
        """What a sheet would fetch is counted."""
        self.assertEqual(fetched_by(
            "@import 'https://x'; @font-face{src:url(https://a),u\\72l('//b')} a{background:url(data:x)}"
            "/* url(http://c) */ @import url(//d); b{background:url(e.png)}"), 4)

    def test_colours(self) -> None:
        """Names, three and six digits, rgb(); transparent ones are left alone."""
        for word, found in (
            ("red", (255, 0, 0)), ("#FFF", (255, 255, 255)), ("#010203", (1, 2, 3)), ("rgb(1, 2,3)", (1, 2, 3)),
            ("rgba(1,2,3,1)", (1, 2, 3)), ("rgba(1,2,3,.5)", None), ("#ffff", None), ("inherit", None),
            ("rgb(999,0,0)", (255, 0, 0)),
        ):
            self.assertEqual(colour(word), found, word)

    def test_cost(self) -> None:
        """Megabytes of beginnings take a moment."""
        for unit in ("/*", "\\", '"', "(", "'a", "url(", "a:b;", "url(http:", "\\72", '("', "@import '", "*/"):
            text = unit * (1_000_000 // len(unit))
            self.assertLess(seconds(clean_style, text) + seconds(fetched_by, text), 2.0, unit)
