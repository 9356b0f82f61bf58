"""
The tokens of a command.

A command is one run of octets: its lines as received, each literal as
C{{n}} CRLF and its octets.  L{Arguments} reads from it what the grammar names.
Everything is matched at a place and never searched, so time is linear.
Source: RFC 3501 section 9, RFC 9051 section 9.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from simmail.errors import Invalid
from simmail.imap.wire.names import decode_name
from simmail.imap.wire.replies import Bad, No
from simmail.imap.wire.sequence import LARGEST, PartialRange

#: Parentheses inside one another.
DEPTH = 50

SYSTEM_FLAGS = {
    flag.lower(): flag for flag in ("\\Answered", "\\Flagged", "\\Deleted", "\\Seen", "\\Draft")}
LONGEST_KEYWORD = 100

_ATOM = re.compile(rb'[^\x00-\x20\x7f-\xff(){%*"\\\]]++')
_ASTRING = re.compile(rb'[^\x00-\x20\x7f(){%*"\\]++')
_LIST = re.compile(rb'[^\x00-\x20\x7f(){"\\]++')
_QUOTED = re.compile(rb'"((?:[^"\\\r\n]++|\\.)*)"')
_ESCAPED = re.compile(rb"\\(.)")
_LITERAL = re.compile(rb"~?\{(\d{1,12})\+?\}\r\n")
_NUMBER = re.compile(rb"\d{1,20}(?!\d)")
_SET = re.compile(rb"(?:[\d*:,]++|\$)")
_MESSAGE = re.compile(rb"\d{1,10}(?!\d)|\*")
_DATE = re.compile(rb'(\d{1,2})-(\w{3})-(\d{4})')
_DATE_TIME = re.compile(rb'"([ \d]\d)-(\w{3})-(\d{4}) (\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)"')
_MONTHS = {
    name: number for number, name in enumerate(
        (b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec"), 1)}


class Arguments:
    """
    The arguments of a command, read from left to right.

    Every reader raises L{Bad} naming what it looked for; those of mailbox names L{No} for one that cannot be.
    """

    __slots__ = ("octets", "at", "utf8")

    def __init__(self, octets: bytes, utf8: bool = False) -> None:
        self.octets = octets
        self.at = 0
        self.utf8 = utf8

    def rest(self) -> bytes:
        """What is left."""
        return self.octets[self.at:]

    def follows(self, octets: bytes) -> bool:
        """Whether these octets are next, whatever their case."""
        return self.octets[self.at:self.at + len(octets)].upper() == octets

    def peek(self) -> bytes:
        """The next octet, empty at the end."""
        return self.octets[self.at:self.at + 1]

    def at_end(self) -> bool:
        """Whether nothing is left."""
        return self.at >= len(self.octets)

    def end(self) -> None:
        """Nothing may be left; a trailing blank is forgiven."""
        if self.octets[self.at:].strip(b" "):
            raise Bad("Unexpected arguments")

    def skip(self, octets: bytes) -> bool:
        """Pass over these octets if they are next, whatever their case."""
        end = self.at + len(octets)
        if self.octets[self.at:end].upper() == octets.upper():
            self.at = end
            return True
        return False

    def expect(self, octets: bytes) -> None:
        """These octets must be next."""
        if not self.skip(octets):
            raise Bad(f"Expected {octets.decode('ascii')!r}" if octets != b" " else "Missing argument")

    def space(self) -> None:
        """One blank (more are forgiven)."""
        self.expect(b" ")
        while self.skip(b" "):
            pass

    def listed(self, least: int = 0) -> Iterator[int]:
        """
        A parenthesised list: before each element its place in the list; the caller reads it.

        @param least: so many there must be.
        """
        self.expect(b"(")
        count = 0
        while count < least or not self.skip(b")"):
            if count:
                self.space()
            yield count
            count += 1

    def options(
        self, known: Mapping[bytes, Callable[[Arguments], Any] | None], kind: str, optional: bytes = b"",
    ) -> dict[bytes, Any]:
        """
        A parenthesised list of options, with their arguments (None: without); one with an argument comes once.

        @param known: what reads the argument of each, None: it has none.
        @param kind: what they are called where one is not known.
        @param optional: one whose argument, a list, may be left out.
        """
        found: dict[bytes, Any] = {}
        for _ in self.listed():
            word = self.word()
            if word not in known:
                raise Bad(f"Unknown {kind} {word.decode('ascii', 'replace')[:50]}")
            read = known[word]
            value = None
            if read is not None and (word != optional or self.follows(b" (")):
                if word in found:
                    raise Bad(f"More than one {word.decode('ascii')}")
                self.space()
                value = read(self)
            found[word] = value
        return found

    def _match(self, pattern: re.Pattern[bytes], what: str) -> re.Match[bytes]:
        match = pattern.match(self.octets, self.at)
        if match is None:
            raise Bad(f"Expected {what}")
        self.at = match.end()
        return match

    def atom(self) -> bytes:
        """An atom."""
        return self._match(_ATOM, "an atom")[0]

    def word(self) -> bytes:
        """An atom in upper case."""
        return self.atom().upper()

    def string(self) -> bytes:
        """A quoted string or a literal."""
        next = self.peek()
        if next == b'"':
            text = self._match(_QUOTED, "a closing quote")[1]
            return _ESCAPED.sub(rb"\1", text) if b"\\" in text else text
        if next in (b"{", b"~"):
            size = int(self._match(_LITERAL, "a literal")[1])
            text = self.octets[self.at:self.at + size]
            if len(text) != size:
                raise Bad("Literal too short")
            self.at += size
            return text
        raise Bad("Expected a string")

    def astring(self) -> bytes:
        """An atom or a string; NUL is refused."""
        if self.peek() in (b'"', b"{"):
            text = self.string()
            if b"\0" in text:
                raise Bad("NUL in an argument")
            return text
        return self._match(_ASTRING, "an astring")[0]

    def credential(self) -> bytes:
        """A login name or password; a C{*} or C{%} in it is forgiven, some clients never quote."""
        if self.peek() in (b'"', b"{"):
            return self.astring()
        return self._match(_LIST, "a string")[0]

    def nstring(self) -> bytes | None:
        """A string or NIL."""
        return None if self.skip(b"NIL") else self.string()

    def number(self, least: int = 0, most: int = (1 << 32) - 1) -> int:
        """A number."""
        number = int(self._match(_NUMBER, "a number")[0])
        if not least <= number <= most:
            raise Bad("Number out of range")
        return number

    def number64(self, least: int = 0) -> int:
        """A number of 63 bits, such as a mod-sequence."""
        return self.number(least, (1 << 63) - 1)

    def mailbox(self) -> str:
        """A mailbox name, decoded.  INBOX is in capitals."""
        return self.named(self.astring())

    def pattern(self) -> str:
        """A mailbox name that may hold wildcards."""
        if self.peek() in (b'"', b"{"):
            return self.named(self.astring(), pattern=True)
        return self.named(self._match(_LIST, "a mailbox pattern")[0], pattern=True)

    def named(self, octets: bytes, pattern: bool = False) -> str:
        """A mailbox name from its octets."""
        try:
            name = decode_name(octets, self.utf8)
        except Invalid as error:
            # Well formed as a command, so that it is no BAD.
            raise No(f"Mailbox name {error}", "CANNOT") from None
        if not pattern and name[:5].upper() == "INBOX" and name[5:6] in ("", "/"):
            name = "INBOX" + name[5:]
        return name

    def set(self) -> bytes:
        """A sequence set, not yet looked into."""
        return self._match(_SET, "a message set")[0]

    def partial_range(self) -> PartialRange:
        """A range of results such as C{1:500} or C{-1:-100} (RFC 9394)."""
        start = self.at
        backwards = self.skip(b"-")
        first = self.number(1, LARGEST)
        self.expect(b":")
        if self.skip(b"-") is not backwards:
            raise Bad("Expected a range of results such as 1:500 or -1:-100")
        second = self.number(1, LARGEST)
        return PartialRange(min(first, second), max(first, second), backwards, self.octets[start:self.at])

    def message(self) -> bytes:
        """A set of one message."""
        return self._match(_MESSAGE, "a message number")[0]

    def flag(self) -> str:
        """A flag that can be set: a system flag in its usual spelling or a keyword."""
        if self.skip(b"\\"):
            name = "\\" + self.atom().decode("ascii")
            known = SYSTEM_FLAGS.get(name.lower())
            if known is None:
                raise Bad(f"Flag {name[:50]} cannot be set")
            return known
        keyword = self.atom().decode("ascii")
        if len(keyword) > LONGEST_KEYWORD:
            raise Bad("Keyword too long")
        return keyword

    def flags(self) -> tuple[str, ...]:
        """A parenthesised list of flags; C{\\Recent} in it is dropped, no client can set it."""
        found: list[str] = []
        for _ in self.listed():
            if not self.skip(b"\\Recent"):
                found.append(self.flag())
        return tuple(dict.fromkeys(found))

    def date(self) -> date:
        """A date, quoted or not."""
        quoted = self.skip(b'"')
        match = self._match(_DATE, "a date such as 1-Feb-2026")
        if quoted:
            self.expect(b'"')
        try:
            return date(int(match[3]), _MONTHS[match[2].lower()], int(match[1]))
        except (ValueError, KeyError):
            raise Bad("No such date") from None

    def date_time(self) -> datetime:
        """A date-time in quotes."""
        day, month, year, hour, minute, second, sign, east, past = self._match(
            _DATE_TIME, 'a date-time such as " 1-Feb-2026 09:00:00 +0000"').groups()
        offset = timedelta(hours=int(east), minutes=int(past))
        try:
            zone = timezone(-offset if sign == b"-" else offset)
            moment = datetime(
                int(year), _MONTHS[month.lower()], int(day), int(hour), int(minute), min(int(second), 59), tzinfo=zone)
            moment.astimezone(UTC)
            return moment
        except (ValueError, KeyError, OverflowError):
            raise Bad("No such date-time") from None


def internal_date(moment: datetime) -> bytes:
    """An instant as INTERNALDATE shows it."""
    zone = b"+0000"
    if moment.tzinfo is not UTC:
        minutes = round((moment.utcoffset() or timedelta()).total_seconds() / 60)
        zone = b"%b%02d%02d" % (b"-" if minutes < 0 else b"+", abs(minutes) // 60, abs(minutes) % 60)
    return b'"%2d-%b-%04d %02d:%02d:%02d %b"' % (
        moment.day, _NAMES[moment.month - 1], moment.year, moment.hour, moment.minute, moment.second, zone)


_NAMES = (b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec")
