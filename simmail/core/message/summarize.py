"""
Taking the digest of a message: what its index row holds, from its octets, once.

Never fails, whatever the octets; each part of the answer is capped, so that a
row stays small.  Source: L{Digest}; RFC 5256 section 2.1 (base subject), RFC
8970 (preview).
"""

from __future__ import annotations

import re

from simmail.core.message.parse import read
from simmail.core.message.search_text import part_headers, words
from simmail.core.message.summary import Digest, Enclosed
from simmail.core.mime.address import Address, parse_all
from simmail.core.mime.bodystructure import envelope, structures
from simmail.core.mime.headers import Field, fields, head_among, header_end, value
from simmail.core.mime.structure import parse_body

#: Characters of text for search, of the preview, of a subject; Message-IDs kept of References.
TEXT, PREVIEW, SUBJECT, REFERENCES = 256 * 1024, 256, 2000, 200


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


_BLOB = re.compile(r"\[[^\[\]]*+\]\s*+")
_REPLY = re.compile(r"(?:re|fwd?)\s*+(?:\[[^\[\]]*+\]\s*+)?:\s*+", re.IGNORECASE)
_FORWARDED = re.compile(r"\[fwd:(.*)\]", re.IGNORECASE)


def base_subject(subject: str) -> str:
    """The subject without what replies and forwards put around it (RFC 5256 section 2.1)."""
    text = " ".join(subject[:SUBJECT].split())
    while True:
        # (2) trailers
        while text[-5:].lower() == "(fwd)":
            text = text[:-5].rstrip()
        # (3) to (5) leaders
        while True:
            match = _REPLY.match(text)
            if match is None:
                blob = _BLOB.match(text)
                if blob is None:
                    break
                # A blob may stand before "Re:", and is taken off unless nothing would be left.
                match = _REPLY.match(text, blob.end())
                if match is None:
                    if blob.end() >= len(text):
                        break
                    match = blob
            text = text[match.end():]
        # (6) a forward in brackets
        forwarded = _FORWARDED.fullmatch(text)
        if forwarded is None:
            return text
        text = forwarded[1].strip()


def preview(text: str) -> str:
    """The beginning of a text, white space folded."""
    return " ".join(text[:PREVIEW * 16].split())[:PREVIEW]
