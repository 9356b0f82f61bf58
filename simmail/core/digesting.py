"""
Taking the digest of a message: what its index row holds, from its octets, once.

Never fails, whatever the octets; each part of the answer is capped, so that a
row stays small.  Source: L{Digest}; RFC 5256 section 2.1 (base subject), RFC
8970 (preview).
"""

from __future__ import annotations

import re
from binascii import Error as Base64Error
from binascii import a2b_base64, a2b_qp
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html import unescape

from simmail.core import charsets, encodedwords
from simmail.core.address import Address, parse_list
from simmail.core.digest import Digest
from simmail.core.envelope import body, envelope, structure
from simmail.core.mime import Field, Part, fields, parameter, parse, value

#: Characters of text for search, of the preview, of a subject; Message-IDs kept of References.
TEXT, PREVIEW, SUBJECT, REFERENCES = 256 * 1024, 256, 2000, 200


def digest(octets: bytes) -> Digest:
    """The digest of a message."""
    part = parse(octets)
    header = octets[:part.body]
    found = fields(header)
    raw: dict[bytes, bytes] = {}
    for name, one in found:
        if name in _WANTED and name not in raw:
            raw[name] = value(one)
    subject = decoded(raw.get(b"subject", b""))[:SUBJECT]
    text = readable(part, octets)
    return Digest(
        envelope=envelope(found), structure=structure(part, octets), body=body(part, octets), header=header,
        message_id=first_id(raw.get(b"message-id", b"")), in_reply_to=first_id(raw.get(b"in-reply-to", b"")),
        references=ids(raw.get(b"references", b""))[-REFERENCES:],
        subject=subject, base_subject=base_subject(subject),
        from_=parse_list(raw.get(b"from", b"")), to=_addresses(found, b"to"), cc=_addresses(found, b"cc"),
        sent=instant(raw.get(b"date", b"")), text=text, preview=preview(text), filenames=tuple(filenames(part)),
    )


_WANTED = frozenset((b"subject", b"message-id", b"in-reply-to", b"references", b"from", b"date"))


def _addresses(found: list[Field], wanted: bytes) -> tuple[Address, ...]:
    values = [value(raw) for name, raw in found if name == wanted]
    return parse_list(values[0] if len(values) == 1 else b", ".join(values)) if values else ()


def decoded(text: bytes) -> str:
    """A header value as people read it."""
    return encodedwords.decode(charsets.decode(text))


_ID = re.compile(r"<[^<>\s]{1,990}>")


def ids(text: bytes) -> tuple[str, ...]:
    """The Message-IDs in a header value."""
    return tuple(_ID.findall(charsets.decode(text)))


def first_id(text: bytes) -> str:
    """The first Message-ID of a header value; a value without brackets as it stands."""
    found = ids(text)
    return found[0] if found else encodedwords.clean(charsets.decode(text))[:998]


def instant(text: bytes) -> datetime | None:
    """The Date header, in its own zone; None when it cannot be read."""
    # No real date is longer; the parser below is not linear.
    if not text or len(text) > 100:
        return None
    try:
        moment = parsedate_to_datetime(text.decode("ascii", "replace"))
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        # Near the ends of the calendar an instant exists here but not in UTC.
        moment.astimezone(UTC)
        return moment
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


_BLANKS = re.compile(r"\s+")
_BLOB = re.compile(r"\[[^\[\]]*+\]\s*+")
_REPLY = re.compile(r"(?:re|fwd?)\s*+(?:\[[^\[\]]*+\]\s*+)?+:\s*+", re.IGNORECASE)
_FORWARDED = re.compile(r"\[fwd:(.*)\]", re.IGNORECASE)


def base_subject(subject: str) -> str:
    """The subject without what replies and forwards put around it (RFC 5256 section 2.1)."""
    text = _BLANKS.sub(" ", subject[:SUBJECT]).strip()
    while True:
        # (2) trailers
        while True:
            lowered = text.lower()
            if lowered.endswith("(fwd)"):
                text = text[:-5].rstrip()
            else:
                break
        # (3) to (5) leaders; blobs only while something is left
        while True:
            match = _REPLY.match(text)
            if match is None:
                blob = _BLOB.match(text)
                if blob is None:
                    break
                # A blob may stand before "Re:", or is taken off unless nothing would be left.
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
    return _BLANKS.sub(" ", text[:PREVIEW * 16]).strip()[:PREVIEW]


def filenames(part: Part) -> list[str]:
    """Names of attachments, in order."""
    names: list[str] = []
    for one in leaves(part):
        given = one.head.disposition[1] if one.head.disposition else ()
        for key, source in ((b"filename", given), (b"name", one.head.parameters)):
            extended, simple = parameter(source, key + b"*"), parameter(source, key)
            if extended is not None:
                names.append(_extended(extended))
                break
            if simple is not None:
                names.append(decoded(simple)[:255])
                break
    return names


def _extended(text: bytes) -> str:
    charset, _, rest = text.partition(b"'")
    rest = rest.partition(b"'")[2]
    octets = a2b_qp(rest.replace(b"=", b"=3D").replace(b"%", b"="))
    return encodedwords.clean(charsets.decode(octets, charset.decode("ascii", "replace")))[:255]


def leaves(part: Part) -> list[Part]:
    """The parts that have content of their own, in order; an enclosed message is looked into."""
    found: list[Part] = []
    waiting = [part]
    while waiting:
        one = waiting.pop()
        if one.parts:
            waiting.extend(reversed(one.parts))
        else:
            found.append(one)
    return found


def readable(part: Part, octets: bytes) -> str:
    """The text people would read: plain parts, and HTML where an alternative has no plain part."""
    pieces: list[str] = []
    room = TEXT
    for one in _texts(part):
        text = content(one, octets, room)
        if one.head.subtype == b"html":
            text = without_tags(text)
        pieces.append(text[:room])
        room -= len(pieces[-1])
        if room <= 0:
            break
    return "\n".join(pieces)


def _texts(part: Part) -> list[Part]:
    if part.is_multipart and part.head.subtype == b"alternative":
        plain = [one for one in part.parts if (one.head.type, one.head.subtype) == (b"text", b"plain")]
        if plain:
            return plain[:1]
    if part.parts:
        return [text for one in part.parts for text in _texts(one)]
    if part.head.type != b"text":
        return []
    return [part]


def content(part: Part, octets: bytes, room: int) -> str:
    """The decoded text of a part, of about C{room} characters at most."""
    raw = octets[part.body:min(part.end, part.body + 4 * room)]
    return charsets.decode(
        unwrapped(raw, part.head.encoding), (parameter(part.head.parameters, b"charset") or b"").decode("latin-1"))


def unwrapped(raw: bytes, encoding: bytes) -> bytes:
    """Octets without their transfer encoding; what is badly encoded comes as far as it can be read."""
    if encoding == b"quoted-printable":
        return a2b_qp(raw)
    if encoding == b"base64":
        try:
            return a2b_base64(raw)
        except Base64Error:
            kept = re.sub(rb"[^A-Za-z0-9+/]+", b"", raw)
            return a2b_base64(kept[:len(kept) // 4 * 4])
    return raw


_TAG = re.compile(r"<!--|<(?=[a-z/!?])(/?[a-z][a-z0-9]*+)?+[^<>]*+>?+", re.IGNORECASE)
_HIDDEN = frozenset(("style", "script", "title", "template"))


def without_tags(html: str) -> str:
    """What is between the tags, for search: in linear time, whatever the nesting."""
    pieces: list[str] = []
    lowered = html.lower() if html.isascii() else ""
    at = 0
    while True:
        match = _TAG.search(html, at)
        if match is None:
            pieces.append(html[at:])
            break
        pieces.append(html[at:match.start()])
        at = match.end()
        name = (match[1] or "").lower()
        if match[0] == "<!--":
            end = html.find("-->", at)
            at = len(html) if end < 0 else end + 3
        elif name in _HIDDEN:
            lowered = lowered or _lowered(html)
            end = lowered.find("</" + name, at)
            at = len(html) if end < 0 else end
        else:
            pieces.append(" ")
    return unescape("".join(pieces))


def _lowered(text: str) -> str:
    # Offsets must not move, and lower() makes two characters of one here and there.
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text
