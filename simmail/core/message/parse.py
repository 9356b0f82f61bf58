"""
Octets to L{Mail}: a message as people and rules see it.

Every message can be read.  What is broken is read as far as it goes: 8-bit
headers, wrong charsets, missing delimiters, cut-off base64.  The structure
comes from L{core.mime}; here headers are decoded, bodies chosen, attachments
taken out.  Source: RFC 5322, RFC 2045 to 2049, RFC 2183, RFC 2231, RFC 6532.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from sys import intern
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol
from urllib.parse import unquote_to_bytes

from simmail.core.html import text as htmltext
from simmail.core.message.mail import Attachment, Mail
from simmail.core.mime import encoded_word, encodings, headers, structure
from simmail.core.mime.address import Address, addressed, parse_all, parse_list
from simmail.core.time import instant


class ParseLimits(Protocol):
    """How deep a message may nest and how many parts it may have; what lies beyond is one opaque part."""

    @property
    def depth(self) -> int: ...

    @property
    def parts(self) -> int: ...


#: References kept of one message, characters of one Message-ID.
MOST_REFERENCES, LONGEST_ID = 1000, 900
_LONGEST_FILENAME = 255
#: Characters of a From value that is kept with what it says, and how many are.
_LONGEST_KEPT, _MOST_KEPT = 200, 1024

_FOLD = re.compile(r"\n(?=[ \t])")
_BLANK_COLON = re.compile(rb"\n(?:from|subject|message-id|in-reply-to)[ \t]")
_ID = re.compile(r"<([^<>]{1,900})>")
_HTML_PART, _PLAIN_PART = re.compile(rb"text/html", re.IGNORECASE), re.compile(rb"text/plain", re.IGNORECASE)
#: A Message-ID that stands alone.
ONE_ID = re.compile(r"<[!-;=?-~]{1,900}>")


def read(
    octets: bytes, limits: ParseLimits | None = None, root: structure.Part | None = None, text: str | None = None
) -> Mail:
    """
    The whole message.  Never raises on what it holds.

    C{root} and C{text}: its structure and its text, where they are known already.
    C{text} has LF line ends and none at its end; when there is no plain part
    it is the HTML rendered.
    """
    if root is None:
        root = structure.parse(octets, limits.depth, limits.parts) if limits is not None else structure.parse(octets)
    gathered = _Gathered(octets)
    pieces = gathered.pieces(root, "", True)
    html = ""
    if any(piece.html for piece in pieces):
        html = "\n".join([piece.html or _as_html(piece.plain) for piece in pieces])
    plain = any(piece.plain is not None for piece in pieces)
    form: Literal["text", "html", "both"] = "text" if not html else "both" if plain else "html"
    return _mail(_lines(octets[root.start:root.body]), _as_text(pieces) if text is None else text, html, form,
                 tuple(gathered.attachments), len(octets))


def is_rendered(octets: bytes) -> bool:
    """Whether the text of a message is likely to be its HTML rendered, which takes long; told at a glance."""
    return _HTML_PART.search(octets) is not None and _PLAIN_PART.search(octets) is None


def read_headers(octets: bytes) -> Mail:
    """
    The header section only: cheap, with empty bodies and no attachments.

    C{octets} may be a whole message or its header section; C{size} is their length.
    C{format} is what the Content-Type at the top promises.
    """
    lines = _lines(octets[:headers.header_end(octets)])
    kind = next((value for name, value in lines if name.lower() == "content-type"), "").strip().lower()
    form: Literal["text", "html", "both"] = "text"
    if kind.startswith("text/html"):
        form = "html"
    elif kind.startswith(("multipart/alternative", "multipart/related")):
        form = "both"
    return _mail(lines, "", "", form, (), len(octets))


class Title(NamedTuple):
    """
    What a message is told apart by: its author's address, its subject, its Message-ID and that of what it answers;
    C{""} for none.
    """

    author: str
    subject: str
    message_id: str
    in_reply_to: str


def read_title(octets: bytes) -> Title:
    """What C{read_headers} says of these four; several times as fast for headers in plain ASCII."""
    header = b"\n" + octets[:headers.header_end(octets)]
    folded = header.lower()
    if header.isascii() and header.find(b"=?") < 0 and not _odd(folded):
        found = []
        for name in (b"\nfrom:", b"\nsubject:", b"\nmessage-id:", b"\nin-reply-to:"):
            at = folded.find(name) + len(name)
            end = header.find(b"\r\n", at)
            value = header[at:end].decode("ascii").strip(" \t") if at >= len(name) and end >= 0 else ""
            if (at >= len(name) and end < 0) or not value.isprintable() or header[end + 2:end + 3] in (b" ", b"\t"):
                break
            found.append(value)
        else:
            author, subject, message_id, answered = found
            ids = message_ids(message_id)
            answered_ids = message_ids(answered) if answered else ()
            address = _author_again(author) if len(author) <= _LONGEST_KEPT else _author(author)
            return Title(address, subject, ids[0] if ids else "", answered_ids[0] if answered_ids else "")
    mail = read_headers(octets)
    return Title(mail.from_.address, mail.subject, mail.message_id, mail.in_reply_to)


def _author(value: str) -> str:
    """The first address of a From value."""
    authors = parse_list(value)
    return authors[0].address if authors else ""


#: The same author writes again and again.
_author_again = lru_cache(_MOST_KEPT)(_author)


def _odd(folded: bytes) -> bool:
    """Whether a header has blanks before colons, or line ends other than CRLF."""
    ends = folded.count(b"\r\n")
    return (folded.count(b"\n") != ends + 1 or folded.count(b"\r") != ends
            or _BLANK_COLON.search(folded) is not None)


def message_ids(value: str) -> tuple[str, ...]:
    """
    The Message-IDs of a References, In-Reply-To or Message-ID value, with their angle brackets.

    They hold neither blanks nor controls, so they can be written into a header again.
    """
    if ONE_ID.fullmatch(value):
        return value,
    # Some write them bare.
    found = _ID.findall(value) or [word for word in value.split() if "@" in word and len(word) < LONGEST_ID]
    del found[:-MOST_REFERENCES]
    # What is named again and again is read, and kept, once.
    ids = {one: f"<{''.join(one.split()) if ' ' in one else one}>" for one in found}
    return tuple([ids[one] for one in found if len(ids[one]) > 2 and ids[one].isprintable()])


def _lines(header: bytes) -> list[tuple[str, str]]:
    """The fields of a header section as (name as written, value unfolded but not decoded)."""
    try:
        text = header.decode("utf-8")
    except UnicodeDecodeError:
        # Line by line, so that one old charset does not spoil what is UTF-8.
        text = "\n".join([encodings.decode(line) for line in header.split(b"\n")])
    text = text.replace("\r\n", "\n")
    if "\n " in text or "\n\t" in text:
        text = _FOLD.sub("", text)
    found = []
    for line in text.split("\n"):
        name, colon, value = line.partition(":")
        name = name.rstrip()
        if colon and name and " " not in name and name.isprintable():
            # Names are few, and kept with every mail.
            found.append((intern(name), value.strip(" \t\r")))
    return found


def _mail(
    lines: list[tuple[str, str]], text: str, html: str, form: Literal["text", "html", "both"],
    attachments: tuple[Attachment, ...], size: int,
) -> Mail:
    first: dict[str, str] = {}
    joined: dict[str, list[str]] = {}
    headers = []
    for name, value in lines:
        key = name.lower()
        if key not in first:
            first[key] = value
        elif key in _JOINED:
            joined.setdefault(key, [first[key]]).append(value)
        headers.append((name, value if value.isprintable() and "=?" not in value else encoded_word.decode(value)))
    first.update({key: ", ".join(values) for key, values in joined.items()})
    author = first.get("from", "")
    named = tuple([parse_all(first[name]) if name in first else () for name in ("from", "to", "cc")])
    authors, to, cc = map(addressed, named)
    ids = message_ids(first.get("message-id", ""))
    answered = message_ids(first.get("in-reply-to", ""))
    return Mail(
        message_id=ids[0] if ids else "",
        in_reply_to=answered[0] if answered else "",
        references=message_ids(first["references"]) if "references" in first else (),
        from_=authors[0] if authors else Address(
            (named[0][0].name if named[0] else "") or encoded_word.decode(author).strip(), ""),
        reply_to=parse_list(first["reply-to"]) if "reply-to" in first else (),
        to=to, cc=cc,
        subject=encoded_word.decode(first.get("subject", "")),
        date=instant.read_date(first["date"]) if "date" in first else None,
        text=text, html=html, format=form, attachments=attachments, headers=tuple(headers), size=size,
        named=named if (authors, to, cc) != named else (),
    )


_JOINED = frozenset(("to", "cc", "reply-to"))


class _Piece(NamedTuple):
    """Something to read, in one form or two."""

    plain: str | None
    html: str


class _Gathered:
    """The attachments found so far on the way through the parts."""

    def __init__(self, octets: bytes) -> None:
        self.octets = octets
        self.attachments: list[Attachment] = []

    def pieces(self, part: structure.Part, container: str, root: bool = False) -> list[_Piece]:
        """What of a part is read, in order; what is not becomes an attachment."""
        head = part.head
        if part.is_multipart:
            subtype = head.subtype.decode("ascii", "replace")
            below = [self.pieces(one, subtype) for one in part.parts]
            if subtype == "alternative":
                flat = [piece for pieces in below for piece in pieces]
                plain = [piece.plain for piece in flat if piece.plain is not None]
                return [_Piece("\n".join(plain) if plain else None, "\n".join([p.html for p in flat if p.html]))]
            return [piece for pieces in below for piece in pieces]
        disposition = _disposition(head)
        filename = filename_of(head)
        if is_text(head, root, filename):
            label = headers.parameter(head.parameters, b"charset") or b""
            text = encodings.decode(self.content(part), label.decode("ascii", "replace"))
            text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").rstrip("\n")
            return [_Piece(text, "") if head.subtype == b"plain" else _Piece(None, text or "\n")]
        kind = b"%b/%b" % (head.type, head.subtype)
        if container == "alternative" and kind in _OTHER_FORMS:
            return []
        content_id = encodings.decode(head.id or b"").strip(" \t<>")
        self.attachments.append(Attachment(
            filename=filename or _default_name(kind),
            content_type=encodings.decode(kind),
            octets=self.content(part),
            content_id=content_id,
            inline=bool(content_id) and (container == "related" or disposition == b"inline"),
        ))
        return []

    def content(self, part: structure.Part) -> bytes:
        """The content of a part with its transfer encoding undone."""
        return encodings.content_of(self.octets, part)


def is_text(head: headers.Head, root: bool, filename: str) -> bool:
    """Whether a part is read with its message, and is no attachment; C{root}: it is all of it."""
    return (head.type == b"text" and head.subtype in (b"plain", b"html")
            and _disposition(head) != b"attachment" and (root or not filename))


def _disposition(head: headers.Head) -> bytes:
    return head.disposition[0] if head.disposition is not None else b""


# The same text again, for readers that are not served.
_OTHER_FORMS = frozenset((b"text/x-amp-html", b"text/watch-html", b"text/enriched", b"text/richtext"))


def _as_text(pieces: list[_Piece]) -> str:
    readable = [piece.plain is not None and bool(piece.plain.strip() or not piece.html) for piece in pieces]
    # Most mail has text that can be read, and nothing is made of its HTML.
    rendered = iter(() if all(readable) else htmltext.render_each(
        piece.html for piece, plain in zip(pieces, readable) if not plain))
    return "\n".join(
        [piece.plain or "" if plain else next(rendered) for piece, plain in zip(pieces, readable)]).rstrip("\n")


def _as_html(plain: str | None) -> str:
    return f'<div style="white-space: pre-wrap">{escape(plain)}</div>' if plain else ""


def filename_of(head: headers.Head) -> str:
    """The name of a file without any path, C{""} for none."""
    name = ""
    if head.disposition is not None:
        name = _text_parameter(head.disposition[1], b"filename")
    name = name or _text_parameter(head.parameters, b"name")
    name = name.replace("\\", "/").rpartition("/")[2].strip(" .")
    if len(name) > _LONGEST_FILENAME:
        stem, dot, extension = name.rpartition(".")
        keep = _LONGEST_FILENAME - len(dot + extension)
        name = stem[:keep] + dot + extension if stem and keep > 0 else name[:_LONGEST_FILENAME]
    return name


def _text_parameter(given: headers.Parameters, name: bytes) -> str:
    """A parameter as text: RFC 2231 where it is so written, else encoded words, raw UTF-8 or Western octets."""
    extended = headers.parameter(given, name + b"*")
    if extended is not None:
        charset, _, rest = extended.partition(b"'")
        text = rest.partition(b"'")[2]
        return encoded_word.clean(encodings.decode(unquote_to_bytes(text), charset.decode("ascii", "replace")))
    plain = headers.parameter(given, name)
    return encoded_word.decode(encodings.decode(plain)) if plain else ""


_NAMES = MappingProxyType({
    b"text/calendar": "invite.ics", b"message/rfc822": "message.eml", b"message/delivery-status": "delivery-status.txt",
    b"text/rfc822-headers": "headers.txt", b"text/html": "page.html", b"text/plain": "text.txt",
    b"text/csv": "table.csv", b"application/pdf": "document.pdf", b"image/jpeg": "image.jpg",
    b"application/pgp-signature": "signature.asc",
})


def _default_name(kind: bytes) -> str:
    if kind in _NAMES:
        return _NAMES[kind]
    if kind.startswith(b"image/") and kind[6:].isalnum():
        return f"image.{kind[6:].decode('ascii')}"
    return "attachment.bin"
