"""
What SEARCH asks for: the grammar of its keys, and each key as a value.

Source: RFC 3501 section 6.4.4, RFC 5032 (WITHIN), RFC 7162 (MODSEQ), RFC 8474 (OBJECTID), RFC 8514
(SAVEDATE).
"""

from __future__ import annotations

from datetime import date
from typing import NamedTuple, Union

from simmail.imap.wire.parser import Arguments, DEPTH
from simmail.imap.wire.replies import Bad, No

_MOST_KEYS = 5000


class Every(NamedTuple):
    """All of these; none of them is every message."""

    keys: tuple[Key, ...]


class Either(NamedTuple):
    """One or the other."""

    first: Key
    second: Key


class Not(NamedTuple):
    """Not this."""

    key: Key


class Messages(NamedTuple):
    """A set of messages, by UID or by number; C{$} is the saved result."""

    set: bytes
    uid: bool


class Flagged(NamedTuple):
    """With a flag, or without it."""

    flag: str
    on: bool


class Recent(NamedTuple):
    """Recent, or not."""

    on: bool


class Size(NamedTuple):
    """Larger than so many octets, or smaller."""

    larger: bool
    octets: int


class When(NamedTuple):
    """A day: of filing, or of the Date header; C{how} is C{"<"}, C{"="} or C{">="}."""

    sent: bool
    how: str
    day: date


class Saved(NamedTuple):
    """A day of being put into the folder; C{how} is C{"<"}, C{"="} or C{">="}."""

    how: str
    day: date


class Age(NamedTuple):
    """Filed within so many seconds of now, or before."""

    younger: bool
    seconds: int


class Header(NamedTuple):
    """A header field in whose text there is a text; C{""}: that is there."""

    name: str
    text: str


class Named(NamedTuple):
    """A field of the envelope that holds a text: its subject, or somebody it names (C{from}, C{to}, C{cc}, C{bcc})."""

    name: str
    text: str


class Text(NamedTuple):
    """A text anywhere, or in the body only."""

    text: str
    body_only: bool


class Modseq(NamedTuple):
    """Changed at this mod-sequence or later."""

    least: int


class ObjectId(NamedTuple):
    """An EMAILID or THREADID."""

    kind: str
    value: str


Key = Union[
    Every, Either, Not, Messages, Flagged, Recent, Size, When, Saved, Age, Header, Named, Text, Modseq, ObjectId]

_FLAGS = {
    b"ANSWERED": ("\\Answered", True), b"DELETED": ("\\Deleted", True), b"DRAFT": ("\\Draft", True),
    b"FLAGGED": ("\\Flagged", True), b"SEEN": ("\\Seen", True), b"UNANSWERED": ("\\Answered", False),
    b"UNDELETED": ("\\Deleted", False), b"UNDRAFT": ("\\Draft", False), b"UNFLAGGED": ("\\Flagged", False),
    b"UNSEEN": ("\\Seen", False),
}
_DAYS = {
    b"BEFORE": (False, "<"), b"ON": (False, "="), b"SINCE": (False, ">="),
    b"SENTBEFORE": (True, "<"), b"SENTON": (True, "="), b"SENTSINCE": (True, ">="),
}
_SAVED = {b"SAVEDBEFORE": "<", b"SAVEDON": "=", b"SAVEDSINCE": ">="}
_HEADERS = frozenset((b"BCC", b"CC", b"FROM", b"SUBJECT", b"TO"))
_CHARSETS = frozenset((b"US-ASCII", b"UTF-8"))


def parse_charset(arguments: Arguments, utf8: bool) -> None:
    """Read C{CHARSET name}, if it is next; C{utf8}: UTF8=ACCEPT is enabled.  @raise No: not one that is known."""
    if arguments.skip(b"CHARSET "):
        if utf8:
            # RFC 6855 section 3.
            raise Bad("No CHARSET once UTF8=ACCEPT is enabled")
        check_charset(arguments.astring())
        arguments.space()


def check_charset(name: bytes) -> None:
    """@raise No: not a charset that is known."""
    if name.upper() not in _CHARSETS:
        raise No("Charset not known", "BADCHARSET (US-ASCII UTF-8)")


def parse_keys(arguments: Arguments) -> Every:
    """Keys up to the end of the command."""
    reader = _Reader(arguments)
    keys = [reader.key(0)]
    while not arguments.at_end():
        arguments.space()
        if arguments.at_end():
            break
        keys.append(reader.key(0))
    return Every(tuple(keys))


def by_number(key: Key) -> bool:
    """Whether a search names messages by their sequence numbers."""
    if isinstance(key, Every):
        return any(map(by_number, key.keys))
    if isinstance(key, Either):
        return by_number(key.first) or by_number(key.second)
    if isinstance(key, Not):
        return by_number(key.key)
    return isinstance(key, Messages) and not key.uid and key.set != b"$"


class _Reader:
    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self.count = 0

    def key(self, depth: int) -> Key:
        """One key."""
        arguments = self.arguments
        self.count += 1
        if self.count > _MOST_KEYS or depth > DEPTH:
            raise Bad("Search too complicated")
        if arguments.peek() == b"(":
            return Every(tuple(self.key(depth + 1) for _ in arguments.listed(1)))
        if arguments.peek() in b"0123456789*$":
            return Messages(arguments.set(), False)
        word = arguments.word()
        if word in _FLAGS:
            return Flagged(*_FLAGS[word])
        if word in (b"ALL", b"SAVEDATESUPPORTED"):
            return Every(())
        if word == b"NEW":
            return Every((Recent(True), Flagged("\\Seen", False)))
        if word in (b"RECENT", b"OLD"):
            return Recent(word == b"RECENT")
        arguments.space()
        if word == b"NOT":
            return Not(self.key(depth + 1))
        if word == b"OR":
            first = self.key(depth + 1)
            arguments.space()
            return Either(first, self.key(depth + 1))
        return self._with_argument(word)

    def _with_argument(self, word: bytes) -> Key:
        arguments = self.arguments
        if word in _HEADERS:
            name, text = word.decode("ascii").lower(), self._text()
            return Named(name, text) if text else Header(name, text)
        if word == b"HEADER":
            name = arguments.astring().decode("latin-1").lower()
            arguments.space()
            return Header(name, self._text())
        if word in (b"TEXT", b"BODY"):
            return Text(self._text(), word == b"BODY")
        if word in (b"KEYWORD", b"UNKEYWORD"):
            return Flagged(arguments.atom().decode("ascii"), word == b"KEYWORD")
        if word in (b"LARGER", b"SMALLER"):
            return Size(word == b"LARGER", arguments.number64())
        if word in (b"YOUNGER", b"OLDER"):
            return Age(word == b"YOUNGER", arguments.number(1))
        if word in _DAYS:
            return When(*_DAYS[word], arguments.date())
        if word in _SAVED:
            return Saved(_SAVED[word], arguments.date())
        if word == b"UID":
            return Messages(arguments.set(), True)
        if word == b"MODSEQ":
            return self._modseq()
        if word in (b"EMAILID", b"THREADID"):
            return ObjectId(word.decode("ascii"), arguments.atom().decode("ascii"))
        raise Bad(f"Unknown search key {word.decode('ascii', 'replace')[:50]}")

    def _text(self) -> str:
        try:
            return self.arguments.astring().decode("utf-8")
        except UnicodeDecodeError:
            raise Bad("Search text is not valid in its charset") from None

    def _modseq(self) -> Modseq:
        arguments = self.arguments
        if arguments.peek() == b'"':
            # An entry name and type: all flags of a message share one mod-sequence here.
            arguments.string()
            arguments.space()
            if arguments.word() not in (b"PRIV", b"SHARED", b"ALL"):
                raise Bad("Expected priv, shared or all")
            arguments.space()
        return Modseq(arguments.number64())
