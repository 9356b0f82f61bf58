"""CSS of mail, cleaned."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.html.css import clean_style, colour, fetched_by
from tests.core.hostile import seconds


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
            self.assertEqual((clean_style(style), fetched_by(style)), (text, 0), style)

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
            self.assertEqual((clean_style(style), fetched_by(style)), ("", blocked), style)

    @given(st.text(alphabet="colr:;#fut(/)\\7 2\"'*@{}<>!hsp,", max_size=100))
    @settings(max_examples=300)
    def test_any_style(self, style: str) -> None:
        """Any style comes out without escapes, brackets of blocks or functions that fetch, and stays as it is."""
        text = clean_style(style)
        self.assertNotRegex(text, r"(?i)url\(|\\|[{}<>@]")
        self.assertEqual((clean_style(text), fetched_by(text)), (text, 0))

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
