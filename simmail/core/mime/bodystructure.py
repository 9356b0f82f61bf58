"""
ENVELOPE, BODYSTRUCTURE and BODY as IMAP sends them, from raw octets.

Values are what the header fields say, unfolded and not decoded.  Whatever
they hold, the answer is well-formed: what no quoted string can carry is sent
as a literal, NUL is shown as 0x80.
Source: RFC 3501 sections 7.4.2 and 9; RFC 9051 section 7.5.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from simmail.core.mime.headers import (
    FIELD, Field, Head, Parameters, QUOTED_PAIR, SMALL, fields, head_of, header_end, parameter, unfolded,
)
from simmail.core.mime.structure import Part, parse_body

_MOST_ADDRESSES = 10_000
#: Octets of the fields that one BODYSTRUCTURE tells of, and of a word that is told when there is no room for more.
_ROOM, _SHORT = 512 * 1024, 100
_LONGEST_QUOTED = 4096

# Printable ASCII without the two that are escaped; a tab is a text character too.
_BARE = re.compile(rb'[\t !#-\[\]-~]*+')
_QUOTABLE = re.compile(rb"[\t -~]*+")


def string(text: bytes) -> bytes:
    """A quoted string, or a literal where that cannot be."""
    if len(text) <= _LONGEST_QUOTED:
        if _BARE.fullmatch(text):
            return b'"%b"' % text
        if _QUOTABLE.fullmatch(text):
            return b'"%b"' % text.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return literal(text)


def literal(octets: bytes) -> bytes:
    """A literal; NUL, which none may hold, becomes 0x80."""
    if b"\0" in octets:
        octets = octets.replace(b"\0", b"\x80")
    return b"{%d}\r\n%b" % (len(octets), octets)


def nstring(text: bytes | None) -> bytes:
    """A string or NIL."""
    return b"NIL" if text is None else string(text)


class Mailbox(NamedTuple):
    """One address structure; a group begins with one without host and ends with one without either."""

    name: bytes | None
    route: bytes | None
    mailbox: bytes | None
    host: bytes | None


_ENVELOPE = (b"date", b"subject", b"from", b"sender", b"reply-to", b"to", b"cc", b"bcc", b"in-reply-to", b"message-id")
_WANTED = frozenset(_ENVELOPE)


def envelope(found: list[Field]) -> bytes:
    """The ENVELOPE of header fields; of repeated address fields all count, of others the first."""
    return _envelope([(name, raw.partition(b":")[2]) for name, raw in found if name in _WANTED])


def _envelope(said: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The same of those fields that it tells of: their names, and what stands behind the colon."""
    values: dict[bytes, bytes] = {}
    for name, text in said:
        if name not in values:
            values[name] = unfolded(text)
        elif name in _ADDRESSES and len(values[name]) < FIELD:
            values[name] = (values[name] + b", " + unfolded(text))[:FIELD]
    get = {name: addresses_of(text, b"") if name in _ADDRESSES else string(text) for name, text in values.items()}.get
    sender = get(b"from") or b"NIL"
    return b"(%b %b %b %b %b %b %b %b %b %b)" % (
        get(b"date", b"NIL"), get(b"subject", b"NIL"), sender,
        # RFC 3501: the server defaults these two to From.
        get(b"sender") or sender, get(b"reply-to") or sender,
        get(b"to") or b"NIL", get(b"cc") or b"NIL", get(b"bcc") or b"NIL",
        get(b"in-reply-to", b"NIL"), get(b"message-id", b"NIL"))


_ADDRESSES = frozenset((b"from", b"sender", b"reply-to", b"to", b"cc", b"bcc"))
_SIMPLE = re.compile(
    rb'(?:"([^"\\\x00-\x1f\x7f-\xff]*+)"[ \t]*+|([\w!#$%&\'*+/=?^`{|}~.-]++(?: [\w!#$%&\'*+/=?^`{|}~.-]++)*)[ \t]*+)?'
    rb'<([\w!#$%&\'*+/=?^`{|}~.-]++)@([\w.-]++)>')


def addresses_of(text: bytes | None, default: bytes = b"NIL") -> bytes:
    """The address structures of one field."""
    if not text:
        return default
    # The same people write to one another again and again.
    return (_addresses(text) if len(text) <= SMALL else _addresses.__wrapped__(text)) or default


@lru_cache(4096)
def _addresses(text: bytes) -> bytes:
    """Nothing for no address."""
    match = _SIMPLE.fullmatch(text)
    if match is not None:
        name = match[1] if match[1] is not None else match[2]
        return b'((%b NIL "%b" "%b"))' % (b'"%b"' % name if name else b"NIL", match[3], match[4])
    found = mailboxes(text)
    return b"(%b)" % b"".join([
        b"(%b %b %b %b)" % (nstring(one.name), nstring(one.route), nstring(one.mailbox), nstring(one.host))
        for one in found]) if found else b""


# Possessive throughout: nothing here backtracks.
_TOKEN = re.compile(rb'"((?:[^"\\]++|\\.)*)"?+|([()<>,;:@\[\]])|([^"()<>,;:@\[\]\\\s]++)|\\(.)|(\s++)', re.DOTALL)


def mailboxes(text: bytes) -> list[Mailbox]:
    """The address structures of one field, at most 10,000."""
    gathering = _Gathering()
    depth = 0
    for match in _TOKEN.finditer(text):
        quoted, special, atom, escaped, blank = match.groups()
        if special == b"(":
            depth += 1
            if depth == 1:
                continue
        elif special == b")" and depth:
            depth -= 1
            if not depth:
                continue
        if depth:
            gathering.comment.append(match[0])
        elif quoted is not None:
            gathering.word(QUOTED_PAIR.sub(rb"\1", quoted) if b"\\" in quoted else quoted)
        elif blank is not None:
            gathering.blank = True
        elif special is not None:
            gathering.special(special)
            if len(gathering.found) >= _MOST_ADDRESSES:
                break
        else:
            gathering.word(atom if atom is not None else escaped)
    gathering.end()
    if gathering.group:
        gathering.found.append(Mailbox(None, None, None, None))
    return gathering.found


class _Gathering:
    """Mailboxes put together from tokens."""

    def __init__(self) -> None:
        self.found: list[Mailbox] = []
        self.group = False
        self.start()

    def start(self) -> None:
        self.phrase: list[bytes] = []
        self.local: list[bytes] = []
        self.domain: list[bytes] | None = None
        self.route: list[bytes] | None = None
        self.comment: list[bytes] = []
        self.angle = self.closed = self.blank = False

    def word(self, text: bytes) -> None:
        if self.angle and not self.closed:
            (self.local if self.domain is None else self.domain).append(text)
        elif self.domain is not None and not self.closed and not (self.blank and self.domain):
            self.domain.append(text)
        elif not self.closed:
            if self.phrase and self.blank and not self.phrase[-1].endswith(b"."):
                self.phrase.append(b" ")
            self.phrase.append(text)
        self.blank = False

    def special(self, special: bytes) -> None:
        if special == b",":
            if self.angle and not self.closed and self.domain is not None and not self.local:
                self.route = (self.route or []) + self.domain + [b","]
                self.domain = None
            else:
                self.end()
        elif special == b"<":
            self.angle, self.domain, self.closed = True, None, False
            self.local = []
        elif special == b">":
            self.closed = True
        elif special == b"@":
            if self.angle and not self.closed and not self.local:
                self.route = (self.route or []) + [b"@"]
            self.domain = []
        elif special == b":":
            self.colon()
        elif special == b";":
            self.end()
            if self.group:
                self.found.append(Mailbox(None, None, None, None))
                self.group = False
        else:
            self.word(special)
        self.blank = False

    def colon(self) -> None:
        if self.angle and not self.closed:
            if self.domain is not None:
                self.route = (self.route or []) + self.domain
                self.domain = None
            return
        if self.domain is None and not self.group:
            name = b"".join(self.phrase).strip()
            self.start()
            if name:
                self.found.append(Mailbox(None, None, name, None))
                self.group = True

    def end(self) -> None:
        phrase = b"".join(self.phrase).strip()
        comment = b"".join(self.comment).strip()
        if self.angle:
            local, name = b"".join(self.local), phrase or comment
        else:
            local, name = phrase, comment
        domain = b"".join(self.domain or ())
        if local or domain:
            route = b"".join(self.route).strip(b",") if self.route else None
            self.found.append(Mailbox(name or None, route or None, local, domain))
        self.start()


#: Those of L{fields} that either tells of, the others are not looked at: name, and what stands behind the colon.
_TOLD_OF = re.compile(
    rb"\n(date|subject|from|sender|reply-to|to|cc|bcc|in-reply-to|message-id|content-[^\x00-\x20:]*+)[ \t]*+:"
    rb"([^\n]*+(?:\n[ \t][^\n]*+)*)", re.IGNORECASE)


def shown(octets: bytes) -> tuple[bytes, bytes]:
    """ENVELOPE and BODYSTRUCTURE of a message."""
    body = header_end(octets)
    said: list[tuple[bytes, bytes]] = []
    mime: list[tuple[bytes, bytes]] = []
    for name, text in _TOLD_OF.findall(b"\n" + octets[:body]):
        name = name.lower()
        (mime if name.startswith(b"content-") else said).append((name, text))
    head = head_of(b"".join([b"%b:%b\n" % field for field in mime]))
    return _envelope(said), structures(parse_body(octets, body, head), octets)[0]


def structure(part: Part, octets: bytes) -> bytes:
    """BODYSTRUCTURE of a part."""
    return structures(part, octets)[0]


def body(part: Part, octets: bytes) -> bytes:
    """BODY of a part: the structure without extension data."""
    return structures(part, octets)[1]


def structures(part: Part, octets: bytes) -> tuple[bytes, bytes]:
    """BODYSTRUCTURE and BODY of a part."""
    return _Describing(octets).structures(part)


class _Describing:
    """
    The structures of one message.

    All that its parts say of themselves and of enclosed messages is told while there is room for it: what
    comes after that has the usual shape and says nothing, so that no answer is larger than its message.
    """

    def __init__(self, octets: bytes) -> None:
        self.octets = octets
        self.room = _ROOM

    def fits(self, weight: int) -> bool:
        """Whether so many octets more can be told."""
        if weight > self.room:
            return False
        self.room -= weight
        return True

    def structures(self, part: Part) -> tuple[bytes, bytes]:
        """BODYSTRUCTURE and BODY."""
        head = part.head
        if not self.fits(head.weight):
            head = Head(head.type[:_SHORT], head.subtype[:_SHORT], (), head.declared, head.encoding[:_SHORT])
        start, extension = _told(head) if head.weight <= SMALL else _told.__wrapped__(head)
        if head.type == b"multipart":
            below = [self.structures(one) for one in part.parts]
            return b"(%b %b%b" % (b"".join([whole for whole, _ in below]), start, extension), b"(%b %b)" % (
                b"".join([short for _, short in below]), start)
        shown = b"(%b %d" % (start, part.end - part.body)
        if part.parts and head.type == b"message":
            inner = part.parts[0]
            said = [field for field in fields(self.octets[inner.start:inner.body]) if field[0] in _WANTED]
            shown += b" " + envelope(said if self.fits(sum(len(raw) for _, raw in said)) else [])
            whole, short = self.structures(inner)
            return b"%b %b %d%b" % (shown, whole, part.lines, extension), b"%b %b %d)" % (shown, short, part.lines)
        if head.type == b"text":
            shown += b" %d" % part.lines
        return shown + extension, shown + b")"


@lru_cache(1024)
def _told(head: Head) -> tuple[bytes, bytes]:
    """What a part says of itself: what its structure begins with, and what it ends with."""
    if head.type == b"multipart":
        return string(head.subtype), b" %b %b)" % (_parameters(head.parameters), _extension(head))
    given = head.parameters
    if head.type == b"text" and parameter(given, b"charset") is None and parameter(given, b"charset*") is None:
        given = (*given, (b"charset", b"us-ascii"))
    return b"%b %b %b %b %b %b" % (
        string(head.type), string(head.subtype), _parameters(given), nstring(head.id), nstring(head.description),
        string(head.encoding)), b" %b %b)" % (nstring(head.md5), _extension(head))


def _extension(head: Head) -> bytes:
    disposition = b"NIL"
    if head.disposition is not None:
        disposition = b"(%b %b)" % (string(head.disposition[0]), _parameters(head.disposition[1]))
    language = b"NIL"
    if len(head.language) == 1:
        language = string(head.language[0])
    elif head.language:
        language = b"(%b)" % b" ".join(map(string, head.language))
    return b"%b %b %b" % (disposition, language, nstring(head.location))


def _parameters(given: Parameters) -> bytes:
    if not given:
        return b"NIL"
    return b"(%b)" % b" ".join([b"%b %b" % (string(name), string(text)) for name, text in given])
