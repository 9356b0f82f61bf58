"""
The text of what is attached to the answered mails, for whoever words the answer.

Text, HTML and tables (CSV) are read here, PDFs by whoever can (C{ReadPdf}); of everything else its name is all there
is to know.  Source: decisions, section 23 ("Writer on").
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping

from simmail.core.html.text import render
from simmail.core.language.text import say
from simmail.core.message.mail import Attachment, Mail
from simmail.core.mime.encodings import decode

#: Characters that are read, of all attachments together; octets of one that are looked at; attachments that are read.
MOST, LOOKED_AT, MOST_ATTACHED = 20_000, 256 * 1024, 10

_PLAIN = ("text/plain", "text/csv", "text/tab-separated-values", "text/markdown")
_HTML, _PDF = "text/html", "application/pdf"
_BY_NAME = {".txt": "text/plain", ".csv": "text/csv", ".tsv": "text/plain", ".md": "text/plain", ".htm": _HTML,
            ".html": _HTML, ".pdf": _PDF}
#: Types that say nothing: then the name does.
_UNTYPED = ("application/octet-stream", "application/csv", "application/vnd.ms-excel", "")

_CONTROL = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f]")

#: Makes of the octets of a PDF its text, or a remark (L{unreadable}).
ReadPdf = Callable[[bytes], Awaitable[str]]


def unreadable(why: str) -> str:
    """Return what stands for the text of a PDF that has none to be had."""
    return f"[This PDF cannot be read: {why}.]"


async def not_read(octets: bytes) -> str:
    """Read no PDF: a C{ReadPdf} where there is none."""
    return unreadable("nothing here reads PDFs")


def attached_pdfs(mails: Iterable[Mail]) -> list[bytes]:
    """Return the octets of the PDFs among what is attached to mails, in order, as many as are read."""
    return [one.octets for mail in mails for one in mail.attachments if _kind(one) == _PDF][:MOST_ATTACHED]


def attached_texts(mails: Iterable[Mail], pdfs: Mapping[bytes, str]) -> tuple[tuple[str, str], ...]:
    """
    Return name and text of what is attached to mails, in order, for as long as there is room.

    @param pdfs: text of PDFs by their octets.
    """
    found: list[tuple[str, str]] = []
    left = MOST
    for mail in mails:
        for one in mail.attachments:
            text = _text(one, pdfs)[:left]
            if text and len(found) < MOST_ATTACHED:
                found.append((say(one.filename, 100), text))
                left -= len(text)
    return tuple(found)


def _kind(one: Attachment) -> str:
    kind = one.content_type.partition(";")[0].strip().lower()
    return _BY_NAME.get("." + one.filename.rpartition(".")[2].lower(), "") if kind in _UNTYPED else kind


def _text(one: Attachment, pdfs: Mapping[bytes, str]) -> str:
    kind = _kind(one)
    if kind == _PDF:
        return _CONTROL.sub(" ", pdfs.get(one.octets, "")).strip()
    if kind != _HTML and kind not in _PLAIN:
        return ""
    text = decode(one.octets[:LOOKED_AT])
    if "\0" in text:
        return ""  # no text after all
    text = render(text) if kind == _HTML else text.replace("\r\n", "\n").replace("\r", "\n")
    return text.strip()
