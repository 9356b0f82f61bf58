"""HTML made safe to show, and its CSS."""

from __future__ import annotations


from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.html import css, sanitize, text as htmltext, tokenizer
from simmail.core.html.sanitize import MOST_UNBALANCED, safe
from simmail.core.html.text import render
from tests.core.hostile import seconds
from tests.core.html.realmails import MAILS
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

    def test_cleaner_alone(self) -> None:
        """Nothing rests on how a page is put before it is cleaned: as it stands, no vector gets through either."""
        self.patch(sanitize, "_readable", lambda html, _: (html, 0, True))
        for vector in VECTORS:
            for light in (True, False):
                self.check(safe(vector, light=light)[0])
            self.check(safe(vector, remote=True)[0], ("https://", "http://", "data:image/"))

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

    def test_real_mails(self) -> None:
        """What mail programs and newsletters write is shown as it looks, remote things are counted."""
        for mail in MAILS:
            self.assertEqual(safe(mail.html, light=True), (mail.shown, mail.blocked))
            self.check(safe(mail.html)[0])

    def test_room_for_style(self) -> None:
        """Behind half a megabyte of tags there is no style, however it is written; what it would fetch is counted."""
        long = f"<p style='color: red; {'width: 1px; ' * 1000}'>x</p>" * 60
        for end, shown in (("<p style='color: #333'>x</p>", "<p>x</p>"), ("<td/style='color:#333'>x", "x"),
                           ("<p bgcolor=red>x</p>", '<p bgcolor="red">x</p>')):
            self.assertTrue(safe(long + end, light=True)[0].endswith(shown), end)
        self.assertEqual(safe(f"{long}<p style='background:url({X})'>x")[1], 1)
        self.assertIn("color: red", safe(long, light=True)[0])

    def test_sloppy_pages(self) -> None:
        """Missing and crossed end tags come out as browsers see them."""
        web = 'target="_blank" rel="noopener noreferrer nofollow"'
        for html, shown in (
            ("<p>a<p>b", "<p>a</p><p>b</p>"),
            ("<ul><li>a<li>b</ul>c", "<ul><li>a</li><li>b</li></ul>c"),
            ("<div><table><tr><td></div>x</table>y</div>",
             "<div><table><tbody><tr><td>x</td></tr></tbody></table>y</div>"),
            ("<b><p>x</b>y</p>", "<b></b><p><b>x</b>y</p>"),
            ("<a href=https://a.test>x<a href=https://b.test>y",
             f'<a href="https://a.test" {web}>x</a><a href="https://b.test" {web}>y</a>'),
            ("<svg><p>x", "<p>x</p>"),
            ("<html><head><title>t</title></head><body text=#000000>x</body></html>",
             '<div style="color: #000000">x</div>'),
            ("</div></p></table>x", "<p></p>x"), ("</div></table>x", "x"),
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
        """What other pages said, or the same page before, changes nothing: colours, counts, enclosed images."""
        pages = ["<p style='color: #333'>x</p>", f"<td style='background: url({X})' bgcolor=#eee>x</td>",
                 "<a style='color: #333' href='https://a.test'>x</a>", "<img src=cid:a>",
                 f"<b title='a>b' style='color: #333'>x</b><p style='background:url({X})' x='{'y' * 300}'>",
                 f"<p style='{'width: 1px; ' * 100}color: #333'>x</p>"]
        asked = [(page, light, remote) for page in pages for light in (True, False) for remote in (True, False)]
        caches = (tokenizer.common_tag, tokenizer._at_hand, sanitize._common_tag, sanitize._cleaner, css._adapted)
        numbers = iter(range(1000))

        def fresh(page: str, light: bool, remote: bool) -> tuple[str, int]:
            for cache in caches:
                cache.cache_clear()
            return safe(page, light=light, remote=remote)

        alone = {one: fresh(*one) for one in asked}
        for _ in range(2):
            self.assertEqual({one: safe(one[0], light=one[1], remote=one[2]) for one in asked[::-1]}, alone)
            where = f"/api/{next(numbers)}"
            self.assertEqual(safe("<img src=cid:a>", light=True, cid_url=lambda _: where), (f'<img src="{where}">', 0))

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
        cut = tokenizer.blocks(page)
        strange = [block._replace(
            sources=[""] * len(block.tags), plain=False,
            tags=[tag if tag is tokenizer.NO_TAG else tag._replace(source="") for tag in block.tags])
            for block in cut]
        usual = safe(page, light=light)
        self.patch(sanitize, "blocks", lambda _: strange)
        self.assertEqual(safe(page, light=light), usual)
        self.patch(sanitize, "blocks", tokenizer.blocks)
        texts = [htmltext._Page() for _ in range(2)]
        self.assertEqual(texts[0].take(cut), texts[1].take(strange))
        self.assertEqual(texts[0].text(), texts[1].text())

    @given(PAGE, st.booleans())
    @settings(max_examples=300, deadline=None)
    def test_large_or_small(self, markup: str, light: bool) -> None:
        """A page says the same, and fetches as little, when it is balanced first because it is large."""
        small = safe(markup, True, light)
        self.patch(sanitize, "MOST_UNBALANCED", -1)
        large = safe(markup, True, light)
        self.patch(sanitize, "MOST_UNBALANCED", MOST_UNBALANCED)
        self.check(large[0], ("https://", "data:image/"))
        self.assertEqual(small[1], large[1])
        shown = [[one.text for one in tokenizer.tokens(html) if one.kind == "text"] for html, _ in (small, large)]
        self.assertEqual(*(sorted("".join("".join(texts).replace("\ufeff", "").split())) for texts in shown))

    def test_cost(self) -> None:
        """A megabyte of what makes parsers slow takes seconds at most, and no page grows out of bounds."""
        for unit in (
            "<div>", "<b>", f"<a href={X}>", "<table>", "<table><tr><td>", "<p>", "<font color=red><p>x",
            "<i><i><i></b>", "<div><b a=1></div>", "<ul><li>", "<svg>", "<a><div>", "<p><b>", "<b a=1 b=2 c=3>",
            f"<img src={X}>", "</p>", "<center><font>", "<table>x", "<table><a>", f"<p style='{'color:red;' * 50}'>",
            f"<div style='{chr(92)}72 {'(' * 90}'>", "<b " + "a " * 400 + ">", "<style>", "<li><div>",
        ):
            count = 1_000_000 // len(unit)
            html = "".join([unit.replace("%d", str(n)) for n in range(count)]) if "%d" in unit else unit * count
            out: list[str] = []
            self.assertLess(seconds(lambda page: out.append(safe(page)[0]), html), 3.0, unit[:30])
            self.assertLess(len(out[0]), 12_000_000)
