"""
How Sphinx makes a site of these pages: C{scripts/docs}.

The pages name each other by file, as C{`IMAP <imap.rst>`_}, so that they can be followed where they are only shown;
here that becomes a link between pages of the site, and one that leads nowhere fails the build.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

import simmail
from simmail.docs import reference

project = "simmail"
release = simmail.__version__
html_title = "simmail"
html_theme = "alabaster"
html_show_sourcelink = False
# Blocks are shell, answers, configuration and dialogs; nothing is guessed.
highlight_language = "none"


class Linked(SphinxTransform):
    """Links to a page's file lead to the page."""

    default_priority = 5

    def apply(self, **_: Any) -> None:
        """Replace them by references that are resolved, or warned of, at the end."""
        for one in list(self.document.findall(nodes.reference)):
            page, dot, ending = one.get("refuri", "").rpartition(".")
            if dot and ending == "rst" and "/" not in page:
                new = pending_xref("", nodes.inline("", one.astext()), refdomain="std", reftype="doc", reftarget=page,
                                   refexplicit=True, refwarn=True, refdoc=self.env.docname)
                one.replace_self(new)


class Reference(SphinxDirective):
    """C{.. simmail-reference:: http}: what C{simmail.docs.reference} writes under that name."""

    required_arguments = 1
    has_content = False

    def run(self) -> list[nodes.Node]:
        """Parse it, headings included."""
        text = {"http": reference.http, "settings": reference.settings}[self.arguments[0]]()
        found: list[nodes.Node] = self.parse_text_to_nodes(text, allow_section_headings=True)
        return found


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_transform(Linked)
    app.add_directive("simmail-reference", Reference)
    return {"parallel_read_safe": True}
