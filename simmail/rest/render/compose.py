"""
From the fields of a JSON body to the octets of a message.

Used by send and inject.  Whatever the fields hold, they add no header field
and no line to one: CR, LF, NUL and other control characters are refused in
everything that ends in a header, also inside encoded words.
Source: API contract, "Send body"; decisions, sections 21 and 23 ("Mail").
"""

from __future__ import annotations

import re
from binascii import Error as Base64Error
from binascii import a2b_base64, a2b_qp
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from simmail.core.compose.message import compose, MEDIA_TYPE
from simmail.core.html import text as htmltext
from simmail.core.message.mail import Attachment, Draft
from simmail.core.message.parse import ONE_ID
from simmail.core.mime.address import Address, domain_of, parse, parse_list
from simmail.errors import Invalid

_WORD = re.compile(r"=\?[^?\s]{1,64}\?([bBqQ])\?([^?\r\n]*)\?=")
_FIELD_NAME = re.compile(r"[!-9;-~]{1,70}")
#: Fields that a body sets by members of their own, or that nobody sets but who hands mail on.
_OWN = frozenset((
    "from", "to", "cc", "bcc", "subject", "date", "message-id", "in-reply-to", "references", "reply-to", "sender",
    "mime-version", "received", "return-path", "delivered-to"))

# An attribute ends at its own quote, so every character is looked at once or twice.
_DATA_IMAGE = re.compile(
    r"(src\s{0,4}=\s{0,4})([\"'])data:(image/[A-Za-z0-9.+-]{1,50})((?:;[A-Za-z0-9=_.-]{1,50}){0,4}),([^\"']*)\2",
    re.IGNORECASE)
_BLANK = {ord(one): None for one in " \t\r\n"}

#: Longest subject, file name: a header field of such a length is still one anybody accepts.
LONGEST_SUBJECT, LONGEST_NAME = 10_000, 255
MOST_ATTACHMENTS, MOST_IMAGES, MOST_REFERENCES, MOST_HEADERS = 500, 500, 1000, 100

_SUFFIXES = {"image/jpeg": "jpg", "image/svg+xml": "svg"}


class Enclosure(NamedTuple):
    """One attachment as a JSON body gives it; C{data} is base64."""

    filename: str
    content_type: str
    data: str


def composed(
    now: datetime, sender: str, to: Sequence[str], cc: Sequence[str] = (), subject: str = "", text: str | None = None,
    html: str = "", attachments: Sequence[Attachment] = (), in_reply_to: str = "", references: Iterable[str] = (),
    reply_to: Sequence[str] = (), headers: Mapping[str, str] | None = None,
) -> bytes:
    """
    Compose a message, with CRLF lines and without a Message-ID (the post office adds one).

    C{text} is derived from the HTML when it is None; C{data:} images of the HTML become inline parts.

    @raise Invalid: naming the field.
    """
    from_ = one_address(sender, "from")
    html, images = inlined(checked_text(html, "html"), domain_of(from_.address))
    plain = htmltext.render(html) if text is None else checked_text(text, "text")
    answered = one_message_id(in_reply_to, "in_reply_to") if in_reply_to else ""
    chain = [one_message_id(one, f"references.{n}") for n, one in enumerate(references)]
    if len(chain) > MOST_REFERENCES:
        raise Invalid("references", f"at most {MOST_REFERENCES}")
    if answered and answered not in chain:
        chain.append(answered)
    enclosed = (*images, *attachments)
    key = blake2b(digest_size=16)
    for part in (plain, html, *(one.filename for one in enclosed)):
        key.update(part.encode("utf-8", "replace") + b"\0")
    return compose(Draft(
        message_id="", date=now, from_=from_, to=addresses(to, "to"), cc=addresses(cc, "cc"),
        subject=header_text(subject, "subject", LONGEST_SUBJECT), text=plain, html=html,
        reply_to=addresses(reply_to, "reply_to"), extra=further(headers or {}), in_reply_to=answered,
        references=tuple(chain), attachments=enclosed, client="plain", key=key.hexdigest()))


def further(headers: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """
    Check header fields that a caller adds (RFC 5322 section 3.6.8).

    @raise Invalid: a name or value that cannot be, or a field that the service writes.
    """
    if len(headers) > MOST_HEADERS:
        raise Invalid("headers", f"at most {MOST_HEADERS}")
    for name, value in headers.items():
        field, low = f"headers.{name[:60]}", name.lower()
        if not _FIELD_NAME.fullmatch(name):
            raise Invalid("headers", "a name is of 1 to 70 printable ASCII characters, without blanks and colons")
        if low in _OWN or low.startswith(("content-", "x-service-", "resent-")) and low != "x-service-case":
            raise Invalid(field, "is written by the service")
        header_text(value, field, LONGEST_SUBJECT)
    return tuple(headers.items())


def one_address(text: str, field: str) -> Address:
    """
    Read C{local@domain}, or C{Name <local@domain>}; the address in lower case.

    @raise Invalid: anything else.
    """
    if "<" not in text:
        return Address("", parse(text, field))
    header_text(text, field, 1000)
    found = parse_list(text)
    if len(found) != 1:
        raise Invalid(field, "is not an email address")
    return Address(found[0].name, parse(found[0].address, field))


def addresses(texts: Sequence[str], field: str) -> tuple[Address, ...]:
    """Read addresses.  @raise Invalid: one is no address."""
    return tuple(one_address(text, f"{field}.{n}") for n, text in enumerate(texts))


def one_message_id(text: str, field: str) -> str:
    """
    Return a Message-ID with its angle brackets.

    @raise Invalid: anything else.
    """
    if not ONE_ID.fullmatch(text):
        raise Invalid(field, "must be a Message-ID in angle brackets")
    return text


def header_text(text: str, field: str, longest: int) -> str:
    """
    Return text for a header field.

    @raise Invalid: too long, or it holds control characters, as they are or in an encoded word.
    """
    if len(text) > longest:
        raise Invalid(field, f"must not be longer than {longest} characters")
    if any(one < " " or one in "\x7f\x85\u2028\u2029" for one in text):
        raise Invalid(field, "must not contain line breaks or control characters")
    if "=?" in text:
        for match in _WORD.finditer(text):
            if any(octet < 32 for octet in _decoded(match[1], match[2])):
                raise Invalid(field, "must not contain line breaks or control characters in an encoded word")
    return text


def _decoded(encoding: str, encoded: str) -> bytes:
    octets = encoded.encode("ascii", "replace")
    if encoding in "qQ":
        return a2b_qp(octets, header=True)
    try:
        return a2b_base64(octets + b"=" * (-len(octets) % 4))
    except Base64Error:
        return b""


def checked_text(text: str, field: str) -> str:
    """Check a text.  @raise Invalid: it holds a NUL."""
    if "\0" in text:
        raise Invalid(field, "must not contain NUL")
    return text


def attachment(given: Enclosure, field: str) -> Attachment:
    """
    Return an attachment from its JSON form.

    @raise Invalid: a bad name or type, or not base64.
    """
    filename = header_text(given.filename, f"{field}.filename", LONGEST_NAME)
    if not MEDIA_TYPE.fullmatch(given.content_type):
        raise Invalid(f"{field}.content_type", "must be a type such as application/pdf")
    return Attachment(filename, given.content_type.lower(), base64(given.data, f"{field}.data"))


def base64(text: str, field: str) -> bytes:
    """
    Return what base64 text stands for; line breaks in it do not matter.

    @raise Invalid: it is not base64.
    """
    try:
        return a2b_base64(text.translate(_BLANK).encode("ascii"), strict_mode=True)
    except (Base64Error, UnicodeEncodeError):
        raise Invalid(field, "is not valid base64") from None


def inlined(html: str, domain: str) -> tuple[str, tuple[Attachment, ...]]:
    """
    Return HTML with its C{data:} images turned into C{cid:} references, and those images.

    @raise Invalid: an image is not what its URL says, or there are too many.
    """
    if "data:" not in html and "DATA:" not in html.upper():
        return html, ()
    images: dict[bytes, Attachment] = {}

    def refer(match: re.Match[str]) -> str:
        attribute, quote, content_type, parameters, data = match.groups()
        if parameters.lower().endswith(";base64"):
            octets = base64(unquote_to_bytes(data).decode("ascii", "replace"), "html")
        else:
            octets = unquote_to_bytes(data)
        digest = blake2b(octets, digest_size=12).digest()
        if digest not in images:
            if len(images) >= MOST_IMAGES:
                raise Invalid("html", f"at most {MOST_IMAGES} data: images")
            kind = content_type.lower()
            suffix = _SUFFIXES.get(kind, kind[6:])
            images[digest] = Attachment(
                f"image-{len(images) + 1}.{suffix}", kind, octets, f"<{digest.hex()}@{domain}>", True)
        return f"{attribute}{quote}cid:{images[digest].content_id[1:-1]}{quote}"

    return _DATA_IMAGE.sub(refer, html), tuple(images.values())
