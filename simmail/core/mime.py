"""
The MIME structure of a message as offsets into its raw octets.

Nothing is copied, decoded or put right: a part is where it stands, so that
every section and partial of IMAP is a slice.  One pass; time grows linearly
with the size whatever the message holds.  What is broken is still a
structure: a multipart in which no delimiter is found has one text part, what
lies past the limits is one opaque part.
Source: RFC 2045, RFC 2046; decisions, section 21 (limits).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

#: Levels of nesting, parts in all, octets of one header section, octets of one field that are looked at.
DEPTH, PARTS, HEADER, FIELD = 100, 1000, 1 << 20, 100 * 1024

#: What is worked out for a header section of a part that is no longer is kept for the next that is the same.
SMALL = 256
#: A delimiter line longer than this is text.
_LONGEST_DELIMITER = 1100
#: Octets searched for delimiters in one go: first, and later, so that a thread that parses lets others have a turn.
_LEAST, _MOST = 4 * 1024, 64 * 1024
#: So few octets are looked at line by line.
_FEW = 512
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


class Part(NamedTuple):
    """
    One part: its header section is C{octets[start:body]}, blank line included, its content C{octets[body:end]}.

    @ivar lines: line feeds in the content.
    @ivar parts: the parts of a multipart; for C{message/rfc822} the one message in it, its C{start} at our C{body}.
    """

    head: Head
    start: int
    body: int
    end: int
    lines: int
    parts: tuple[Part, ...] = ()

    @property
    def is_multipart(self) -> bool:
        """Whether C{parts} are the parts of a multipart."""
        return self.head.type == b"multipart"

    @property
    def is_message(self) -> bool:
        """Whether C{parts} holds an enclosed message."""
        return bool(self.parts) and self.head.type == b"message"

    def find(self, path: tuple[int, ...]) -> Part | None:
        """
        The part that C{1.2.3} names, counted as RFC 3501 section 6.4.5 does.

        C{1} of what is no multipart is itself; an enclosed message is entered without a number of its own.
        """
        part = self
        message = self
        for number in path:
            if part.is_message and part is not message:
                part = message = part.parts[0]
            if part.is_multipart:
                if number > len(part.parts):
                    return None
                part = part.parts[number - 1]
            elif part is not message or number != 1:
                return None
            else:
                # A second 1 must not find the same text again.
                message = _NOWHERE
        return part


_NOWHERE = Part(Head(), 0, 0, 0, 0)
_OPAQUE = Head(b"application", b"octet-stream", declared=True)


def parse(octets: bytes, depth: int = DEPTH, parts: int = PARTS) -> Part:
    """The structure of a whole message."""
    return _Pass(octets, depth, parts).run()


def header_end(octets: bytes, start: int = 0, limit: int = HEADER) -> int:
    """Offset of what follows the blank line that ends the header section; C{limit} octets on when there is none."""
    if octets.startswith(b"\r\n", start):
        return start + 2
    if octets.startswith(b"\n", start):
        return start + 1
    last = min(len(octets), start + limit)
    crlf = octets.find(b"\n\r\n", start, last)
    bare = octets.find(b"\n\n", start, last if crlf < 0 else crlf)
    if bare >= 0:
        return bare + 2
    return crlf + 3 if crlf >= 0 else last


_FIELD = re.compile(rb"[^\n]++\n(?:[ \t][^\n]*+\n)*")


def fields(header: bytes) -> list[Field]:
    """The fields of a header section, in order.  Lines that are no field are left out."""
    if not header.endswith(b"\n"):
        header += b"\n"
    found = []
    for raw in _FIELD.findall(header):
        name, colon, _ = raw.partition(b":")
        # Obsolete syntax allows blanks before the colon (RFC 5322 section 4.5).
        name = name.rstrip(b" \t")
        if colon and name and not name[0] <= 0x20 and b" " not in name:
            found.append((name.lower(), raw))
    return found


_MIME_FIELD = re.compile(rb"^(content-[^\x00-\x20:]*+)[ \t]*+:[^\n]*+(?:\n[ \t][^\n]*+)*", re.IGNORECASE | re.MULTILINE)


def _mime_fields(header: bytes) -> list[Field]:
    """Of L{fields}, those that say something of MIME; the others cost next to nothing, however many they are."""
    return [(match[1].lower(), match[0]) for match in _MIME_FIELD.finditer(header)]


def value(raw: bytes) -> bytes:
    """The value of a whole field: unfolded, without the blanks around it, at most L{FIELD} octets."""
    text = raw[raw.index(b":") + 1:][:FIELD].strip(b" \t\r\n")
    if b"\n" in text or b"\r" in text:
        text = text.replace(b"\r", b"").replace(b"\n", b"")
    return text


_PARAMETER = re.compile(
    rb"""[\s;]*+(?:\([^()]*+\)[\s;]*+)*     # blanks and comments
    ([^\s=;"()]++)\s*+                       # name
    (?:=\s*+(?:"((?:[^"\\]++|\\.)*)"?+      # quoted, perhaps never closed
    |([^;]*+)))?[^;]*+                      # or what stands there""",
    re.DOTALL | re.VERBOSE,
)
_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)


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
            found.append((name.lower(), _ESCAPED.sub(rb"\1", quoted) if b"\\" in quoted else quoted))
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


def head_of(found: list[Field], default: Head = Head()) -> Head:
    """What the MIME fields among header fields say; of repeated ones the first counts."""
    content: dict[bytes, bytes] = {}
    for name, raw in found:
        if name.startswith(b"content-") and name not in content:
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
    return Head(
        type, subtype, given, declared, encoding[0].lower() if encoding else b"7bit",
        content.get(b"content-id") or None, content.get(b"content-description") or None,
        content.get(b"content-md5") or None, disposition,
        tuple(_TOKEN.findall(languages.replace(b",", b" ")))[:_MOST_PARAMETERS] if languages else (),
        content.get(b"content-location") or None,
    )


def parameter(given: Parameters, name: bytes) -> bytes | None:
    """The value of a parameter, None when it is not given."""
    for key, text in given:
        if key == name:
            return text
    return None


class _Open:
    """A part whose end is not yet known."""

    __slots__ = ("head", "start", "body", "lines", "parts", "boundary", "shadowed")

    def __init__(self, head: Head, start: int, body: int, lines: int) -> None:
        self.head, self.start, self.body, self.lines = head, start, body, lines
        self.parts: list[Part] = []
        self.boundary: bytes | None = None
        self.shadowed: int | None = None


class _Delimiter(NamedTuple):
    """A delimiter line of the open multipart at C{level}: it begins at C{at}, what follows it at C{after}."""

    at: int
    after: int
    level: int
    closing: bool


# What stands on a line behind two dashes, without the blanks at its end, the only thing this ever backtracks over.
_DASHED = re.compile(rb"\n--([^\n]*[^\n \t\r])")


class _Pass:
    """One pass over a message: the parts open at this point, and where we are."""

    def __init__(self, octets: bytes, depth: int, parts: int) -> None:
        self.octets = octets
        self.depth, self.room = depth, parts
        self.stack: list[_Open] = []
        self.levels: dict[bytes, int] = {}
        self.wanted: frozenset[bytes] = frozenset()
        self.scanned = 0
        self.counted = self.feeds = 0
        self.root: Part | None = None

    def run(self) -> Part:
        octets = self.octets
        waiting = self.begin(0)
        while self.levels:
            found = waiting or self.next(len(octets))
            waiting = None
            if found is None:
                break
            end = found.at - 1
            if end > 0 and octets[end - 1] == 0x0D:
                end -= 1
            while len(self.stack) > found.level + 1:
                self.close(end)
            if found.closing:
                self.forget(self.stack[-1])
                continue
            if self.room <= 1:
                self.push(_OPAQUE, found.after, found.after)
                break
            waiting = self.begin(found.after)
        while self.stack:
            self.close(len(octets))
        assert self.root is not None
        return self.root

    def begin(self, start: int) -> _Delimiter | None:
        """Open the part that begins at an offset, and messages within it; a delimiter that cuts its header short."""
        while True:
            self.scanned = max(self.scanned, start - 1)
            body, cut = self.header(start)
            if cut is not None:
                body = max(start, cut.at)
            above = self.stack[-1].head if self.stack else None
            in_digest = above is not None and (above.type, above.subtype) == (b"multipart", b"digest")
            # The header sections of parts are short, and the same in many messages.
            understood = _understood if 0 < start and body - start <= SMALL else _understood.__wrapped__
            head = understood(self.octets[start:body], in_digest)
            self.scanned = max(self.scanned, body - 1)
            container = head.type == b"multipart" or (head.type == b"message" and head.subtype in _MESSAGES)
            if container and (len(self.stack) >= self.depth or self.room <= 1):
                head, container = _OPAQUE, False
            opened = self.push(head, start, body)
            if cut is not None or not container:
                return cut
            if head.type == b"multipart":
                boundary = (parameter(head.parameters, b"boundary") or b"").rstrip()
                if boundary and len(boundary) < _LONGEST_DELIMITER:
                    opened.boundary, opened.shadowed = boundary, self.levels.get(boundary)
                    self.levels[boundary] = len(self.stack) - 1
                    self.want()
                return None
            start = body

    def header(self, start: int) -> tuple[int, _Delimiter | None]:
        """Where a header section ends, and the delimiter that cuts it short."""
        # In growing steps, so that a section without a blank line costs its own length, not a megabyte.
        step = 4096
        while True:
            body = header_end(self.octets, start, step)
            cut = self.next(body) if self.levels else None
            if cut is not None or body < start + step or step >= HEADER:
                return body, cut
            step *= 4

    def push(self, head: Head, start: int, body: int) -> _Open:
        self.room -= 1
        opened = _Open(head, start, body, self.lines_to(body))
        self.stack.append(opened)
        return opened

    def next(self, limit: int) -> _Delimiter | None:
        """The first delimiter of an open multipart that begins before C{limit}."""
        octets, window = self.octets, _LEAST
        at = octets.find(b"\n--", self.scanned, limit + 2)
        while 0 <= at < limit - 1:
            # A window of whole lines, so that nothing is seen cut off; no delimiter is longer than what is added.
            bound = min(at + window, limit + _LONGEST_DELIMITER)
            end = octets.rfind(b"\n", at + 1, bound) if bound < len(octets) else len(octets)
            found = self.among(at, end) if end > 0 else None
            if found is not None:
                if found.at >= limit:
                    break
                self.scanned = found.after - 1 if found.after < len(octets) else len(octets)
                return found
            at = octets.find(b"\n--", max(end, at + 1), limit + 2)
            window = min(2 * window, _MOST)
        self.scanned = max(self.scanned, limit - 1)
        return None

    def among(self, at: int, end: int) -> _Delimiter | None:
        """The first delimiter among whole lines."""
        octets, wanted = self.octets, self.wanted
        if wanted.isdisjoint(_DASHED.findall(octets, at, end)):
            return None
        while end - at > _FEW:
            # It is in one half or the other; looking at each line on its own would take many times as long.
            middle = octets.find(b"\n", (at + end) // 2, end)
            if middle < 0:
                middle = octets.rfind(b"\n", at + 1, (at + end) // 2)
            if middle < 0:
                break
            if wanted.isdisjoint(_DASHED.findall(octets, at, middle)):
                at = middle
            else:
                end = middle
        for match in _DASHED.finditer(octets, at, end):
            line = match[1]
            if line in wanted:
                closing = line not in self.levels
                after = octets.find(b"\n", match.end()) + 1 or len(octets)
                return _Delimiter(match.start() + 1, after, self.levels[line[:-2] if closing else line], closing)
        return None

    def close(self, end: int) -> None:
        """The part opened last ends here."""
        opened = self.stack.pop()
        self.forget(opened)
        end = max(end, opened.body)
        lines = self.lines_to(end) - opened.lines
        parts = tuple(opened.parts)
        if not parts and opened.head.type == b"multipart":
            # RFC 3501 wants at least one part; showing what is there serves the reader best.
            parts = (Part(_PLAIN, opened.body, opened.body, end, lines),)
        part = Part(opened.head, opened.start, opened.body, end, lines, parts)
        if self.stack:
            self.stack[-1].parts.append(part)
        else:
            self.root = part

    def forget(self, opened: _Open) -> None:
        """Delimiters of this part mean nothing any more."""
        if opened.boundary is None:
            return
        if opened.shadowed is None:
            del self.levels[opened.boundary]
        else:
            self.levels[opened.boundary] = opened.shadowed
        opened.boundary = None
        self.want()

    def want(self) -> None:
        """Work out which lines are delimiters now."""
        self.wanted = frozenset(self.levels).union([boundary + b"--" for boundary in self.levels])

    def lines_to(self, offset: int) -> int:
        """Line feeds before an offset; offsets come in ascending order, so each octet is counted once."""
        if offset > self.counted:
            self.feeds += self.octets.count(b"\n", self.counted, offset)
            self.counted = offset
        return self.feeds


_PLAIN = Head()
_IN_DIGEST = Head(b"message", b"rfc822")
_MESSAGES = (b"rfc822", b"global")


@lru_cache(1024)
def _understood(section: bytes, in_digest: bool) -> Head:
    """What a header section says of its part."""
    return head_of(_mime_fields(section), _IN_DIGEST if in_digest else _PLAIN)
