"""
The MIME structure of a message as offsets into its raw octets.

Nothing is copied, decoded or put right: a part is where it stands, so that
every section and partial of IMAP is a slice.  One pass; time grows linearly
with the size whatever the message holds.  What is broken is still a
structure: a multipart in which no delimiter is found has one text part, what
lies past the limits is one opaque part.
Source: RFC 2046; decisions, section 21 (limits).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from simmail.core.mime.headers import HEADER, Head, PLAIN, head_of, header_end, parameter

#: Levels of nesting, parts in all.
DEPTH, PARTS = 100, 1000

#: A delimiter line longer than this is text.
_LONGEST_DELIMITER = 1100
#: Octets searched for delimiters in one go: first, and later, so that a thread that parses lets others have a turn.
_LEAST, _MOST = 4 * 1024, 64 * 1024
#: So few octets are looked at line by line.
_FEW = 512
#: Levels of multiparts, and parts of each, that are found without keeping account of what is open (and of how many:
#: that many are always allowed).
_SHALLOW, _SOME = 3, 9
_MESSAGES = (b"rfc822", b"global")


class Part(NamedTuple):
    """
    One part: its header section is C{octets[start:body]}, blank line included, its content C{octets[body:end]}.

    @ivar lines: line feeds in the content; 0 for a multipart, of which nobody asks.
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


_NOWHERE = Part(PLAIN, 0, 0, 0, 0)
_OPAQUE = Head(b"application", b"octet-stream", declared=True)


def parse(octets: bytes, depth: int = DEPTH, parts: int = PARTS) -> Part:
    """The structure of a whole message."""
    body = header_end(octets)
    return parse_body(octets, body, head_of(octets[:body]), depth, parts)


def parse_body(octets: bytes, body: int, head: Head, depth: int = DEPTH, parts: int = PARTS) -> Part:
    """The structure of a message whose header section, up to C{body}, says C{head}."""
    part = None
    if depth >= DEPTH and parts >= PARTS:
        part = _part(octets, head, 0, body, len(octets), ())
    return part or _Pass(octets, depth, parts, head).run()


def _part(octets: bytes, head: Head, start: int, body: int, end: int, outer: tuple[bytes, ...]) -> Part | None:
    """A part that is just as it should be; see L{_plain}."""
    type = head.type
    if type == b"multipart":
        return _plain(octets, head, start, body, end, outer)
    if type == b"message" and head.subtype in _MESSAGES:
        return None
    return Part(head, start, body, end, octets.count(b"\n", body, end))


def _plain(
    octets: bytes, head: Head, start: int, body: int, end: int, outer: tuple[bytes, ...]
) -> Part | None:
    """
    A multipart that is just as it should be, as most are: in a fifth of the time that L{_Pass} takes.

    @param outer: what the delimiter lines of those around it begin with, the line feed before them included.
    @return: None for one that takes a closer look.
    """
    boundary = (parameter(head.parameters, b"boundary") or b"").rstrip()
    mark = b"\n--" + boundary
    if (not boundary or len(boundary) >= _LONGEST_DELIMITER or head.subtype == b"digest"
            or len(outer) >= _SHALLOW or mark.startswith(outer)):
        return None
    find, past, marks = octets.find, len(mark), (*outer, mark)
    parts: list[Part] = []
    begin, at = -1, find(mark, body - 1, end)
    while True:
        if begin >= 0:
            inner = header_end(octets, begin)
            # A header section that is cut short, or one part too many.
            if inner > (at + 1 if at >= 0 else end) or len(parts) == _SOME:
                return None
            close = at - (octets[at - 1] == 0x0D) if at >= 0 else end
            if close < inner:
                # The line end of its blank line is that of the delimiter (RFC 2046 section 5.1.1): it has none.
                inner = close
            part = _part(octets, head_of(octets[begin:inner]), begin, inner, close, marks)
            if part is None:
                return None
            parts.append(part)
        if at < 0:
            break
        feed = find(b"\n", at + past)
        rest = octets[at + past:feed if feed >= 0 else None].rstrip(b" \t\r")
        if rest == b"--":
            break
        begin = feed + 1
        if rest or not 0 < begin <= end:
            return None
        at = find(mark, feed, end)
    return Part(head, start, body, end, 0, tuple(parts)) if parts else None


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

    def __init__(self, octets: bytes, depth: int, parts: int, head: Head) -> None:
        self.octets = octets
        self.head = head
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
            if octets[found.after - 1] != 0x0A:
                # A part begins behind the line end of its delimiter (RFC 2046 section 5.1.1, "encapsulation").
                break
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
            head = head_of(self.octets[start:body], in_digest) if start else self.head
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
        end = max(end, opened.start)
        # The line end of a blank line may be that of the delimiter (RFC 2046 section 5.1.1).
        opened.body = min(opened.body, end)
        lines = max(self.lines_to(end) - opened.lines, 0)
        parts = tuple(opened.parts)
        if opened.head.type == b"multipart":
            if not parts:
                # RFC 3501 wants at least one part; showing what is there serves the reader best.
                parts = (Part(PLAIN, opened.body, opened.body, end, lines),)
            lines = 0
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
