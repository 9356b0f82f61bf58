"""
What a test would pick out of a mail: codes and links.

Source: decisions, section 4.
"""

from __future__ import annotations

from simmail.core.html.codes import Code, find_codes
from simmail.core.html.links import Link, find_links
from simmail.core.html.text import render

__all__ = ["Code", "Link", "extract"]


def extract(text: str, html: str = "") -> tuple[tuple[Code, ...], tuple[Link, ...]]:
    """
    The codes and links of a mail.

    @param text: its plain text; when blank, the HTML is read as text.
    @return: codes, the surest first; links in their order, those of the HTML first.  In time linear to the length.
    """
    if not text.strip() and html:
        text = render(html)
    return find_codes(text), find_links(text, html)
