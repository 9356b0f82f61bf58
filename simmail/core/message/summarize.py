"""
Taking the digest of a message: what its index row holds, from its octets, once.

Never fails, whatever the octets; each part of the answer is capped, so that a
row stays small.  Source: L{Digest}; RFC 8970 (preview).
"""

from __future__ import annotations

from simmail.core.message.base_subject import SUBJECT, base_subject
from simmail.core.message.parse import read
from simmail.core.message.search_text import part_headers, words
from simmail.core.message.summary import Digest, Enclosed
from simmail.core.mime.address import Address, parse_all
from simmail.core.mime.bodystructure import envelope, structures
from simmail.core.mime.headers import Field, fields, head_among, header_end, value
from simmail.core.mime.structure import parse_body

#: Characters of text for search, of the preview; Message-IDs kept of References.
TEXT, PREVIEW, REFERENCES = 256 * 1024, 256, 200


def digest(octets: bytes) -> Digest:
    """The digest of a message."""
    body = header_end(octets)
    header = octets[:body]
    found = fields(header)
    part = parse_body(octets, body, head_among(found))
    mail = read(octets, root=part)
    subject = mail.subject[:SUBJECT]
    text = mail.text[:TEXT]
    more, enclosed = words(octets, part, mail, len(text))
    structure, short = structures(part, octets)
    return Digest(
        envelope=envelope(found), structure=structure, body=short, header=header,
        message_id=mail.message_id, in_reply_to=mail.in_reply_to, references=mail.references[-REFERENCES:],
        subject=subject, base_subject=base_subject(subject), from_=_authors(found), to=mail.shown_to, cc=mail.shown_cc,
        sent=mail.date, text=text, preview=preview(text),
        filenames=tuple([one.filename for one in mail.attachments]),
        attachments=tuple([
            Enclosed(one.filename, one.content_type, len(one.octets), one.content_id, one.inline)
            for one in mail.attachments]),
        format=mail.format, words=more, enclosed=enclosed,
        part_headers=part_headers(octets, part),
    )


def _authors(found: list[Field]) -> tuple[Address, ...]:
    for name, raw in found:
        if name == b"from":
            return parse_all(value(raw))
    return ()


def preview(text: str) -> str:
    """The beginning of a text, white space folded."""
    return " ".join(text[:PREVIEW * 16].split())[:PREVIEW]
