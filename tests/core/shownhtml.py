"""What is wrong with HTML that should be safe to show, by two parsers that are not ours, and by ours."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from html5lib import parseFragment
from hypothesis import strategies as st

from simmail.core.html import sanitize
from simmail.core.html.tokenizer import tokens

#: Pieces of markup in any order.
MARKUP = st.lists(
    st.sampled_from(["<", ">", "<p>", "</p>", "<a href='", "'>", '"', "<!--", "-->", "<pre>", "</pre>", "<li>", "<ul>",
                     "</ul>", "<blockquote>", "</blockquote>", "<title>", "<script>", "</script>", "&", "&lt;", "&#9;",
                     "&#", "x", " ", "\n", "<br/>", "=", "/", "\0", "ü", "<td>", "<!", "<?", "</"]),
    max_size=40,
).map("".join)

_LINKS = re.compile(r"https?://|mailto:|tel:", re.IGNORECASE)
_STYLE = re.compile(r"(?i)url|\\|/\*|expression|@|//|[{}<>]|position|binding|behavior")
# A table's rows have a body, said or not.
_ELEMENTS = sanitize._ELEMENTS | {"tbody", "colgroup"}
_ATTRIBUTES = sanitize._ATTRIBUTES | {"target", "rel"}


class _Seen(HTMLParser):
    """What the standard library's parser sees; a comment has the name C{""}."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {key: value or "" for key, value in attrs}))

    def handle_comment(self, data: str) -> None:
        self.tags.append(("", {}))

    handle_decl = unknown_decl = handle_pi = handle_comment


def _as_browsers_see(html: str) -> list[tuple[str, dict[str, str]]]:
    """Elements, by a parser of the HTML standard; a comment has the name C{""}."""
    return [(one.tag if isinstance(one.tag, str) else "", dict(one.attrib))
            for one in parseFragment(html, namespaceHTMLElements=False).iter()][1:]


def flaws(html: str, sources: tuple[str, ...] = ("data:image/",)) -> list[str]:
    """Elements and attributes that are not known, links that lead elsewhere than to the web, images from elsewhere."""
    ours = [(token.name, dict(token.attributes)) for token in tokens(html) if token.kind == "start"]
    seen = _Seen(html).tags
    found = [] if len(seen) == len(ours) else [f"{len(seen)} tags, {len(ours)} by our own reading"]
    for tags in (seen, ours, _as_browsers_see(html)):
        for name, attributes in tags:
            if name not in _ELEMENTS:
                found.append(f"<{name}>")
            for key, value in attributes.items():
                if (key not in _ATTRIBUTES or (key == "href" and not _LINKS.match(value))
                        or (key == "src" and not (name == "img" and value.startswith(sources)))
                        or (key == "style" and _STYLE.search(value))):
                    found.append(f"<{name} {key}={value[:80]!r}>")
    return found
