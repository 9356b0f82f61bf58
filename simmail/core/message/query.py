"""
What people type to find mail, read into terms.

C{budget from:maria -is:unread after:2026-03-01}: all terms have to hold, C{-}
turns one round.  Nothing is looked up here.  Source: decisions, section 5.

A word and a colon with something right behind it ask for what the word names,
so one that is not known is refused rather than looked for as text; but a web
address, a time, C{Re:} and the like are text, and so is all that is quoted.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from simmail.core.message.folding import fold
from simmail.core.time.instant import parse_instant
from simmail.errors import Invalid

Field = Literal[
    "text", "from", "to", "cc", "subject", "message-id", "case", "persona", "folder", "header", "filename",
    "attachment", "flag", "larger", "smaller", "after", "before",
]

#: Longest query, and most terms of one.
LONGEST, MOST = 1000, 50

_TEXTS: frozenset[str] = frozenset((
    "from", "to", "cc", "subject", "message-id", "case", "persona", "folder", "filename"))
_FLAGS = {"unread": ("\\Seen", False), "read": ("\\Seen", True), "flagged": ("\\Flagged", True),
          "starred": ("\\Flagged", True), "answered": ("\\Answered", True), "draft": ("\\Draft", True)}
_UNITS = {"": 1, "b": 1, "k": 1024, "kb": 1024, "m": 1024 ** 2, "mb": 1024 ** 2}


class Term(NamedTuple):
    """
    One thing that has to hold, or with C{wanted} false must not.

    @ivar text: as it is compared (L{fold}); of a C{flag} the flag, of a C{header} the value.
    @ivar name: of a header field, in lower case.
    @ivar on: of a flag, whether it is to be set.
    @ivar size: of C{larger} and C{smaller}, octets.
    @ivar at: of C{after} and C{before}.
    """

    field: Field
    text: str = ""
    wanted: bool = True
    name: str = ""
    on: bool = True
    size: int = 0
    at: datetime | None = None


def parse(text: str, field: str = "q") -> tuple[Term, ...]:
    """
    The terms of a query.

    @param field: what the query is called where it is refused.
    @raise Invalid: too long, or a term that means nothing.
    """
    if len(text) > LONGEST:
        raise Invalid(field, f"must not be longer than {LONGEST} characters")
    terms = tuple(_term(*one, field) for one in _words(text, field))
    if len(terms) > MOST:
        raise Invalid(field, f"must not have more than {MOST} terms")
    return terms


def _words(text: str, field: str) -> list[tuple[bool, str, str]]:
    """Each term as (wanted, key, value); quotes hold blanks together, and a colon within them is none."""
    found: list[tuple[bool, str, str]] = []
    at, end = 0, len(text)
    while at < end:
        if text[at].isspace():
            at += 1
            continue
        wanted = True
        if text[at] == "-" and at + 1 < end and not text[at + 1].isspace():
            wanted, at = False, at + 1
        key, parts, quoted = "", [], False
        while at < end and not text[at].isspace():
            if text[at] == '"':
                close = text.find('"', at + 1)
                close = end if close < 0 else close
                parts.append(text[at + 1:close])
                at, quoted = close + 1, True
                continue
            if text[at] == ":" and not key and not quoted and "".join(parts).lower() in _KEYS:
                key, parts = "".join(parts).lower(), []
            else:
                if text[at] == ":" and not key and not quoted and _is_unknown("".join(parts), text[at + 1:at + 2]):
                    raise Invalid(field, f"{''.join(parts)[:50]}: is no search word; there are {_KNOWN}; what is in "
                                  "quotes is looked for as text")
                parts.append(text[at])
            at += 1
        value = "".join(parts)
        if key or value:
            found.append((wanted, key, value))
    return found


def _term(wanted: bool, key: str, value: str, field: str) -> Term:
    if not key:
        return Term("text", fold(value), wanted)
    if not value:
        raise Invalid(field, f"{key}: needs something behind the colon")
    if key in _TEXTS:
        return Term(key, fold(value), wanted)  # type: ignore[arg-type]
    if key == "header":
        name, separator, content = value.partition("=")
        if not name.strip():
            raise Invalid(field, "header: is written header:Name=value")
        return Term("header", fold(content.strip()) if separator else "", wanted, name=name.strip().lower())
    if key == "has":
        if value.lower() not in ("attachment", "attachments"):
            raise Invalid(field, "has: knows only has:attachment")
        return Term("attachment", wanted=wanted)
    if key == "is":
        if value.lower() not in _FLAGS:
            raise Invalid(field, f"is: knows only {', '.join(sorted(_FLAGS))}")
        flag, on = _FLAGS[value.lower()]
        return Term("flag", flag, wanted, on=on)
    if key in ("larger", "smaller"):
        return Term("larger" if key == "larger" else "smaller", wanted=wanted, size=_size(key, value, field))
    return Term("after" if key == "after" else "before", wanted=wanted, at=_instant(key, value, field))


def _size(key: str, value: str, field: str) -> int:
    digits = value.rstrip("bBkKmM")
    unit = _UNITS.get(value[len(digits):].lower())
    if not digits.isascii() or not digits.isdigit() or len(digits) > 12 or unit is None:
        raise Invalid(field, f"{key}: needs a size such as 20000, 20k or 5M")
    return int(digits) * unit


def _instant(key: str, value: str, field: str) -> datetime:
    try:
        if len(value) == 10:
            return datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC)
        return parse_instant(value.upper())
    except (Invalid, ValueError):
        raise Invalid(field, f"{key}: needs a date such as 2026-03-01, or an RFC 3339 time") from None


_KEYS = _TEXTS | {"header", "has", "is", "larger", "smaller", "after", "before"}
_KNOWN = ", ".join([f"{key}:" for key in sorted(_KEYS)])
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]*")
#: What stands before a colon in texts: how subjects of answers and forwards begin, in some languages, and addresses.
_USUAL = frozenset("re aw sv vs ref rif antw odp fw fwd wg vl tr rv enc i urn mailto tel sms cid mid data".split())


def _is_unknown(word: str, behind: str) -> bool:
    """Whether a word before a colon asks for something that is not known; C{behind}: the character after the colon."""
    return (behind not in ("", "/", ":") and not behind.isspace()
            and _WORD.fullmatch(word) is not None and word.lower() not in _USUAL)
