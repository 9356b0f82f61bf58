"""
The documents personas attach: small real PDF and CSV files, made on the fly.

The same document has the same octets.  Source of the PDF form: ISO 32000-1,
sections 7.5 (file structure) and 9.4 (text).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import datetime, timezone

from simmail.core.language.phrases import words
from simmail.core.language.tables import Language
from simmail.core.language.text import say
from simmail.core.message.mail import Attachment

_LINES = 44  # to a page
_WIDTH = 88  # characters to a line of the body


def pdf(title: str, lines: Sequence[str], written: datetime) -> bytes:
    """Return a PDF 1.4 file: a heading and lines of text on as many pages as they need, A4, Helvetica."""
    wrapped = [part for line in lines for part in _wrap(line)]
    pages = [wrapped[at:at + _LINES] for at in range(0, len(wrapped), _LINES)] or [[]]
    stamp = written.astimezone(timezone.utc).strftime("D:%Y%m%d%H%M%SZ").encode()
    kids = b" ".join(b"%d 0 R" % (6 + 2 * number) for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%b] /Count %d >>" % (kids, len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
        b"<< /Title (%b) /CreationDate (%b) >>" % (_text(title), stamp),
    ]
    for number, page in enumerate(pages):
        content = [b"BT"]
        top = 780
        if number == 0:
            content.append(b"/F2 16 Tf 1 0 0 1 62 %d Tm (%b) Tj" % (top, _text(title)))
            top -= 34
        content.append(b"/F1 10.5 Tf 15 TL 1 0 0 1 62 %d Tm" % top)
        content.extend(b"(%b) Tj T*" % _text(line) for line in page)
        content.append(b"ET")
        stream = b"\n".join(content)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            b"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents %d 0 R >>" % (7 + 2 * number)
        )
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream))
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, thing in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, thing)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
    return bytes(out)


def csv(rows: Sequence[Sequence[str]]) -> bytes:
    """Return a CSV file in UTF-8 (RFC 4180)."""
    return "".join(",".join(_cell(cell) for cell in row) + "\r\n" for row in rows).encode("utf-8")


def document(
    what: str, *, reference: str, author: str, organisation: str, reader: str, written: datetime,
    facts: Sequence[tuple[str, str]], language: Language, date: str, asked: str = "",
) -> Attachment:
    """
    Return the document somebody asked for or was promised, as an attachment.

    @param what: its phrase, such as C{the signed framework agreement}; tables are made as CSV, all else as PDF.
    @param date: C{written} as the text shows it; asked: what it was asked for with.
    """
    parts = [part for part in words(what) if part[0].isalnum() and part.lower() not in language.determiners]
    title = say(" ".join(parts), 80) or language.subjects.question
    title = title[0].upper() + title[1:]
    labels = language.document
    low = [part.lower() for part in parts]
    name = _file_name(" ".join([*low, *([reference] if reference else [])]))
    details = [(labels.date, date), (labels.from_, ", ".join(part for part in (author, organisation) if part)),
               (labels.to, reader)]
    if reference:
        details.append((labels.reference, reference))
    if asked:
        details.append((labels.subject, asked))
    details.extend(facts)
    if any(word.endswith(language.table_words) for word in low):
        return Attachment(
            filename=f"{name}.csv", content_type="text/csv",
            octets=csv([(labels.item, labels.detail), *details]),
        )
    lines = [f"{label}{language.colon}{value}" for label, value in details if value]
    lines += ["", labels.copy.format(name=reader)] if reader else []
    if any(word in language.signed_words for word in low):
        lines += ["", "", labels.signed.format(name=author), date]
    return Attachment(filename=f"{name}.pdf", content_type="application/pdf", octets=pdf(title, lines, written))


def _text(text: str) -> bytes:
    octets = text.encode("cp1252", "replace")
    octets = octets.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
    return bytes(octet for octet in octets if octet >= 32)


def _wrap(line: str) -> list[str]:
    parts = []
    line = line[:2000]
    while len(line) > _WIDTH:
        cut = line.rfind(" ", 20, _WIDTH)
        cut = cut if cut > 0 else _WIDTH
        parts.append(line[:cut])
        line = line[cut:].lstrip()
    parts.append(line)
    return parts


def _cell(cell: str) -> str:
    if any(sign in cell for sign in ",\"\r\n"):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _file_name(text: str) -> str:
    text = text.replace("ß", "ss").replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    kept = "".join(character if character.isalnum() else "-" for character in plain)
    return "-".join(part for part in kept.split("-") if part)[:60].rstrip("-") or "document"
