"""
Header sections: their fields, and what the MIME fields among them say of a part.

Nothing is decoded; what cannot be read is passed over.  Time grows linearly
with the size whatever a section holds.
Source: RFC 5322, RFC 2045, RFC 2183, RFC 2231; decisions, section 21 (limits).
"""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

#: Octets of one header section, octets of one field that are looked at.
HEADER, FIELD = 1 << 20, 100 * 1024
#: What is worked out for so few octets is kept for the next that are the same.
SMALL = 256
_MOST_PARAMETERS = 100

Parameters = tuple[tuple[bytes, bytes], ...]
#: (name in lower case, the whole field as it stands, line ends included)
Field = tuple[bytes, bytes]


class Head(NamedTuple):
    """
    What the MIME fields of one part say; C{None} for a field that is missing.

    @ivar type: in lower case, like C{subtype}; parameter names too.  RFC 2231 continuations are joined.
    @ivar declared: whether there was a readable Content-Type.
    @ivar disposition: C{(value, parameters)}.
    @ivar weight: octets of all of these.
    """

    type: bytes = b"text"
    subtype: bytes = b"plain"
    parameters: Parameters = ()
    declared: bool = False
    encoding: bytes = b"7bit"
    id: bytes | None = None
    description: bytes | None = None
    md5: bytes | None = None
    disposition: tuple[bytes, Parameters] | None = None
    language: tuple[bytes, ...] = ()
    location: bytes | None = None
    weight: int = len(b"text" b"plain" b"7bit")


_BLANK = (b"\n", b"\r\n")
_HEADER_END = re.compile(rb"\n\r?\n")


def header_end(octets: bytes, start: int = 0, limit: int = HEADER) -> int:
    """Offset of what follows the blank line that ends the header section; C{limit} octets on when there is none."""
    if octets.startswith(_BLANK, start):
        return octets.index(b"\n", start) + 1
    last = start + limit
    match = _HEADER_END.search(octets, start, last)
    return match.end() if match is not None else min(last, len(octets))


def fields_end(octets: bytes) -> int:
    """Offset behind the last field of a header section, before its blank line; the end of all when there is none."""
    if octets.startswith(_BLANK):
        return 0
    match = _HEADER_END.search(octets)
    return match.start() + 1 if match is not None else len(octets)


_FIELD = re.compile(rb"[^\n]++\n(?:[ \t][^\n]*+\n)*")


def fields(header: bytes) -> list[Field]:
    """The fields of a header section, in order.  Lines that are no field are left out."""
    if not header.endswith(b"\n"):
        header += b"\n"
    usual = _USUAL.get
    return [(name, raw) for raw in _FIELD.findall(header)
            if (name := usual(raw.partition(b":")[0]) or _named(raw))]


def lines(header: bytes) -> list[Field]:
    """All of a header section but the blank line, in order: its fields, and what is none under an empty name."""
    if not header.endswith(b"\n"):
        header += b"\n"
    return [(_named(raw), raw) for raw in _FIELD.findall(header) if raw != b"\r\n" and raw[0] not in b" \t"]


#: Names as nearly all write them, whose look need not be gone into.
_USUAL = MappingProxyType({spelled: spelled.lower() for spelled in (
    b"Return-Path Received Delivered-To Authentication-Results ARC-Seal ARC-Message-Signature "
    b"ARC-Authentication-Results Received-SPF DKIM-Signature Date From Sender Reply-To To Cc CC Bcc Subject Message-ID "
    b"Message-Id In-Reply-To References MIME-Version Mime-Version Content-Type Content-Transfer-Encoding "
    b"Content-Disposition Content-ID Content-Language List-Unsubscribe List-ID List-Id Precedence Auto-Submitted "
    b"User-Agent X-Mailer X-Priority Importance Thread-Topic Thread-Index Feedback-ID").split()})


def _named(raw: bytes) -> bytes:
    """The name of a field, in lower case; empty for what is no field."""
    name, colon, _ = raw.partition(b":")
    # Obsolete syntax allows blanks before the colon (RFC 5322 section 4.5).
    name = name.rstrip(b" \t")
    return name.lower() if colon and name and name[0] > 0x20 and 0x20 not in name else b""


_MIME_FIELD = re.compile(
    rb"^(content-[^\x00-\x20:]*+)[ \t]*+:[^\n]*+(?:\n[ \t][^\n]*+)*", re.IGNORECASE | re.MULTILINE)


def _mime_fields(header: bytes) -> list[Field]:
    """Of L{fields}, those that say something of MIME; the others cost next to nothing, however many they are."""
    return [(match[1].lower(), match[0]) for match in _MIME_FIELD.finditer(header)]


def value(raw: bytes) -> bytes:
    """The value of a whole field: unfolded, without the blanks around it, at most L{FIELD} octets."""
    return unfolded(raw.partition(b":")[2])


def unfolded(text: bytes) -> bytes:
    """The same of what stands behind the colon."""
    if len(text) > FIELD:
        text = text[:FIELD]
    text = text.strip(b" \t\r\n")
    if 0x0A in text or 0x0D in text:
        text = text.replace(b"\r", b"").replace(b"\n", b"")
    return text


_PARAMETER = re.compile(
    rb"""[\s;]*+(?:\([^()]*+\)[\s;]*+)*     # blanks and comments
    ([^\s=;"()]++)\s*+                       # name
    (?:=\s*+(?:"((?:[^"\\]++|\\.)*)"?+      # quoted, perhaps never closed
    |([^;]*+)))?[^;]*+                      # or what stands there""",
    re.DOTALL | re.VERBOSE,
)
#: A quoted pair (RFC 5322 section 3.2.1).
QUOTED_PAIR = re.compile(rb"\\(.)", re.DOTALL)


def parameters(text: bytes) -> Parameters:
    """What follows the first C{;} of a MIME field."""
    found: list[tuple[bytes, bytes]] = []
    at = 0
    while at < len(text) and len(found) < _MOST_PARAMETERS:
        match = _PARAMETER.match(text, at)
        if match is None:
            at = text.find(b";", at + 1)
            if at < 0:
                break
            continue
        at = match.end()
        name, quoted, bare = match.groups()
        if quoted is not None:
            found.append((name.lower(), QUOTED_PAIR.sub(rb"\1", quoted) if b"\\" in quoted else quoted))
        elif bare is not None:
            bare = bare.strip()
            if bare.endswith(b")"):
                bare = bare.partition(b" (")[0].rstrip()
            found.append((name.lower(), bare))
    return _joined(found) if any(b"*" in name for name, _ in found) else tuple(found)


_SEGMENT = re.compile(rb"([^*]++)\*(\d{1,3})(\*?)")


def _joined(found: list[tuple[bytes, bytes]]) -> Parameters:
    """RFC 2231 section 3: continuations become one parameter, named with C{*} when any segment is encoded."""
    joined: dict[bytes, list[tuple[int, bool, bytes]]] = {}
    result: list[tuple[bytes, bytes]] = []
    for name, text in found:
        match = _SEGMENT.fullmatch(name)
        if match is None:
            result.append((name, text))
            continue
        if match[1] not in joined:
            joined[match[1]] = []
            result.append((match[1] + b"*0", b""))
        joined[match[1]].append((int(match[2]), bool(match[3]), text))
    for at, (name, _) in enumerate(result):
        segments = joined.get(name[:-2]) if name.endswith(b"*0") else None
        if segments is None:
            continue
        segments.sort()
        if any(encoded for _, encoded, _ in segments):
            text = b"".join(text if encoded else _percent(text) for _, encoded, text in segments)
            result[at] = name[:-2] + b"*", text if text.count(b"'") >= 2 else b"''" + text
        else:
            result[at] = name[:-2], b"".join(text for _, _, text in segments)
    return tuple(result)


def _percent(text: bytes) -> bytes:
    return text.replace(b"%", b"%25").replace(b"'", b"%27")


_TOKEN = re.compile(rb"[^\s;()\"/=]++")
_MEDIA = re.compile(rb"\s*+([^\s;()\"/=]++)\s*+/\s*+([^\s;()\"/=]++)\s*+")


PLAIN = Head()
_IN_DIGEST = Head(b"message", b"rfc822", weight=len(b"message" b"rfc822" b"7bit"))


def head_of(section: bytes, in_digest: bool = False) -> Head:
    """
    What the MIME fields in a header section say; of repeated ones the first counts.

    @param in_digest: it is that of a part of a C{multipart/digest}.
    """
    # The sections of parts are short, and the same in many messages.
    read = _read if len(section) <= SMALL else _read.__wrapped__
    return read(section, in_digest)


def head_among(found: list[Field]) -> Head:
    """What the MIME fields say among the fields of a message."""
    return head_of(b"".join([raw for name, raw in found if name[:8] == b"content-"]))


@lru_cache(1024)
def _read(section: bytes, in_digest: bool) -> Head:
    default = _IN_DIGEST if in_digest else PLAIN
    content: dict[bytes, bytes] = {}
    for name, raw in _mime_fields(section):
        if name not in content:
            content[name] = value(raw)
    if not content:
        return default
    type, subtype, given, declared = default.type, default.subtype, default.parameters, False
    text = content.get(b"content-type")
    if text:
        match = _MEDIA.match(text)
        if match is not None:
            type, subtype, declared = match[1].lower(), match[2].lower(), True
            given = parameters(text[match.end():])
        else:
            # RFC 2045 section 5.2: what cannot be read is plain text.
            type, subtype, given = b"text", b"plain", ()
    encoding = _TOKEN.search(content.get(b"content-transfer-encoding", b""))
    disposition = None
    token = _TOKEN.search(content.get(b"content-disposition", b""))
    if token is not None:
        rest = content[b"content-disposition"][token.end():]
        disposition = token[0].lower(), parameters(rest)
    languages = content.get(b"content-language")
    head = Head(
        type, subtype, given, declared, encoding[0].lower() if encoding else b"7bit",
        content.get(b"content-id") or None, content.get(b"content-description") or None,
        content.get(b"content-md5") or None, disposition,
        tuple(_TOKEN.findall(languages.replace(b",", b" ")))[:_MOST_PARAMETERS] if languages else (),
        content.get(b"content-location") or None,
    )
    return head._replace(weight=_weight(head))


def _weight(head: Head) -> int:
    given = head.parameters
    if head.disposition is not None:
        given = (*given, (head.disposition[0], b""), *head.disposition[1])
    return sum([len(name) + len(text) for name, text in given]) + sum([
        len(text) for text in (
            head.type, head.subtype, head.encoding, head.id, head.description, head.md5, head.location, *head.language)
        if text])


def parameter(given: Parameters, name: bytes) -> bytes | None:
    """The value of a parameter, None when it is not given."""
    for key, text in given:
        if key == name:
            return text
    return None
