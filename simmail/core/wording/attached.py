"""
The text of what is attached to the answered mails, for whoever words the answer.

Text, HTML and tables (CSV) are read; of everything else its name is all there is to know.  Source: decisions,
section 23 ("Writer on").
"""

from __future__ import annotations

from collections.abc import Iterable

from simmail.core.html.text import render
from simmail.core.language.phrases import say
from simmail.core.message.mail import Attachment, Mail
from simmail.core.mime.charsets import decode

#: Characters that are read, of all attachments together; octets of one that are looked at; attachments that are read.
MOST, LOOKED_AT, MOST_ATTACHED = 20_000, 256 * 1024, 10

_PLAIN = ("text/plain", "text/csv", "text/tab-separated-values", "text/markdown")
_HTML = "text/html"
_BY_NAME = {".txt": "text/plain", ".csv": "text/csv", ".tsv": "text/plain", ".md": "text/plain", ".htm": _HTML,
            ".html": _HTML}
#: Types that say nothing: then the name does.
_UNTYPED = ("application/octet-stream", "application/csv", "application/vnd.ms-excel", "")


def attached_texts(mails: Iterable[Mail]) -> tuple[tuple[str, str], ...]:
    """Return name and text of what is attached to mails, in order, for as long as there is room."""
    found: list[tuple[str, str]] = []
    left = MOST
    for mail in mails:
        for one in mail.attachments:
            text = _text(one)[:left]
            if text and len(found) < MOST_ATTACHED:
                found.append((say(one.filename, 100), text))
                left -= len(text)
    return tuple(found)


def _text(one: Attachment) -> str:
    kind = one.content_type.partition(";")[0].strip().lower()
    if kind in _UNTYPED:
        kind = _BY_NAME.get("." + one.filename.rpartition(".")[2].lower(), "")
    if kind != _HTML and kind not in _PLAIN:
        return ""
    text = decode(one.octets[:LOOKED_AT])
    if "\0" in text:
        return ""  # no text after all
    text = render(text) if kind == _HTML else text.replace("\r\n", "\n").replace("\r", "\n")
    return text.strip()
