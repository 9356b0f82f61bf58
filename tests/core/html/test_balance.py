"""Large pages made well-formed and shallow."""

from __future__ import annotations

import re

from html5lib import parseFragment
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.html.balance import BalancedPage, DEEPEST
from simmail.core.html.tokenizer import VOID, blocks

TAGS = st.lists(st.sampled_from([
    "<div>", "</div>", "<p>", "</p>", "<b>", "</b>", "<a>", "</a>", "<ul>", "</ul>", "<li>", "</li>", "<br>", "<td>",
    "<table>", "</table>", "<tr>", "</td>", "<dl>", "<dt>", "<dd>", "</dl>", "<body>", "</body>", "<th>", "<tbody>",
    "x",
]), max_size=40).map("".join)

_BODY = re.compile(r"\bbody")


def balanced(markup: str) -> str:
    """A page whose tags are written as they stand."""
    page = BalancedPage()
    for texts, tags, sources, _ in blocks(markup):
        page.add(texts, tags, [_BODY.sub("div", source) for source in sources])
    return page.finish()


def open_at_most(markup: str) -> int:
    """How many elements are open at a time; every end tag must be that of the innermost one."""
    names: list[str] = []
    most = 0
    for block in blocks(markup):
        for tag, source in zip(block.tags, block.sources):
            if not source or tag.name in VOID:
                continue
            if tag.kind == "start":
                names.append(tag.name)
            elif names.pop() != tag.name:
                raise AssertionError(f"{source} in {markup!r}")
            most = max(most, len(names))
    if names:
        raise AssertionError(f"open at the end: {names}")
    return most


class BalanceTests(SynchronousTestCase):
    """What comes out."""

    def test_closed(self) -> None:
        """What is left open is closed where browsers close it, and what ends nothing is left out."""
        for markup, expected in (
            ("<div>a<b>b", "<div>a<b>b</b></div>"), ("<p>a<p>b", "<p>a</p><p>b</p>"),
            ("<ul><li>a<li>b<ul><li>c</ul></ul>", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>"),
            ("<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>"),
            ("<table><tr><td>a<td>b<tr><td>c</table>",
             "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>"),
            ("</b></div>x</p>", "x"), ("<div><table><tr><td></div>x", "<div><table><tr><td>x</td></tr></table></div>"),
            ("<a>x<a>y", "<a>x</a><a>y</a>"), ("a<br>b</br>", "a<br>b"), ("<body>x", "<div>x</div>"),
            ("<b><i>x</b>y</i>", "<b><i>x</i></b>y"), ("", ""),
            ("<svg></p>x", "<svg></svg>x"), ("<svg><tr></p>x", "<svg><tr></tr></svg>x"),
            ("<svg><foreignobject></p>x", "<svg><foreignobject>x</foreignobject></svg>"),
        ):
            self.assertEqual(balanced(markup), expected, markup)

    def test_deep(self) -> None:
        """What is nested too deep is left out with its end tag; its content is kept, and what comes after it."""
        html = balanced("<div>" * 1000 + "x" + "</div>" * 1000 + "<b>y</b>")
        self.assertEqual(html, "<div>" * DEEPEST + "x" + "</div>" * DEEPEST + "<b>y</b>")

    @given(TAGS)
    def test_any_tags(self, markup: str) -> None:
        """Whatever is written comes out well-formed, says the same, and is the same when it is balanced again."""
        html = balanced(markup)
        self.assertLessEqual(open_at_most(html), DEEPEST)
        self.assertEqual(html.count("x"), markup.count("x"))
        self.assertEqual(balanced(html), html)

    @given(st.lists(st.sampled_from(["<div>", "</div>", "<p>x", "<ul>", "</ul>", "<li>x", "<span>"]),
                    max_size=30).map("".join))
    def test_as_browsers(self, markup: str) -> None:
        """Paragraphs and lists are nested as a parser of the HTML standard nests them."""
        self.assertEqual(*([one.tag for one in parseFragment(html, namespaceHTMLElements=False).iter()]
                           for html in (markup, balanced(markup))))
