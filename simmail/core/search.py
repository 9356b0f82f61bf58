"""
Searching mail as mail users write it: C{from:maria "phrase" -is:unread larger:10k}.

A query is read once and asked of many messages; nothing here knows where they
are.  Words are found anywhere, regardless of case, in subject, text, names and
addresses.  Source: decisions, section 5.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from simmail.core import charsets, encodedwords
from simmail.core.address import Address
from simmail.core.digest import Digest
from simmail.core.headers import fields, value
from simmail.core.times import parse_instant
from simmail.errors import Invalid

#: Characters of a query, terms in it.
LONGEST, MOST = 1000, 50


class Found(NamedTuple):
    """
    One message that may be what is looked for.

    @ivar filed: the simulated instant it was filed.
    @ivar persona: id, name and addresses of the persona of its mailbox, if there is one.
    """

    digest: Digest
    flags: frozenset[str]
    size: int
    filed: datetime
    folder: str
    case_id: str = ""
    persona: tuple[str, ...] = ()


class Term(NamedTuple):
    """One condition: a word anywhere (C{kind} is C{""}) or what its kind says; C{wanted} is in lower case."""

    kind: str
    wanted: str
    negated: bool = False
    number: int = 0
    instant: datetime | None = None


class Query(NamedTuple):
    """All conditions must hold; none holds for every message."""

    terms: tuple[Term, ...]

    def matches(self, found: Found) -> bool:
        """Whether a message is what is looked for."""
        return all(_KINDS[term.kind](term, found) is not term.negated for term in self.terms)


_TOKEN = re.compile(
    r"""(?P<not>-?+)(?:(?P<kind>[a-z][a-z-]*+):)?(?:"(?P<quoted>[^"]*+)"?+|(?P<bare>\S*+))""", re.IGNORECASE)
_SIZE = re.compile(r"(\d{1,12})([kmg]?)b?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1024, "m": 1024 ** 2, "g": 1024 ** 3}
_IS = ("unread", "read", "flagged", "answered", "draft", "deleted")


def parse(text: str, field: str = "q") -> Query:
    """
    The query that a text means.

    @raise Invalid: too long, or a value that its kind does not know.
    """
    if len(text) > LONGEST:
        raise Invalid(field, f"is longer than {LONGEST} characters")
    terms: list[Term] = []
    at = 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at >= len(text):
            return Query(tuple(terms))
        match = _TOKEN.match(text, at)
        assert match is not None
        at = max(match.end(), at + 1)
        term = _term(match, field)
        if term is not None:
            terms.append(term)
        if len(terms) > MOST:
            raise Invalid(field, f"has more than {MOST} terms")


def _term(match: re.Match[str], field: str) -> Term | None:
    negated = bool(match["not"])
    kind = (match["kind"] or "").lower()
    wanted = match["quoted"] if match["quoted"] is not None else match["bare"]
    if kind not in _KINDS:
        # A time, a "Re:", an address of the web: words like any other.
        kind, wanted = "", f"{match['kind']}:{wanted}"
    if not wanted.strip():
        if kind:
            raise Invalid(field, f"{kind}: needs a value")
        return Term("", "-", False) if negated and match["quoted"] is None else None
    lowered = wanted.lower()
    if kind in ("larger", "smaller"):
        size = _SIZE.fullmatch(wanted)
        if size is None:
            raise Invalid(field, f"{kind}: needs a size such as 10k or 2M")
        return Term(kind, lowered, negated, int(size[1]) * _UNITS[size[2].lower()])
    if kind in ("after", "before"):
        return Term(kind, lowered, negated, instant=_instant(kind, wanted, field))
    if kind == "is" and lowered not in _IS:
        raise Invalid(field, f"is: must be one of {', '.join(_IS)}")
    if kind == "has" and lowered not in ("attachment", "attachments"):
        raise Invalid(field, "has: must be attachment")
    if kind == "header" and "=" not in wanted:
        raise Invalid(field, "header: needs Name=value")
    return Term(kind, lowered, negated)


def _instant(kind: str, text: str, field: str) -> datetime:
    """The instant from which, or up to which; a bare date begins at midnight in UTC."""
    try:
        if len(text) == 10:
            day = date.fromisoformat(text)
            # "after" a day is from the next one on.
            return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=kind == "after")
        return parse_instant(text)
    except (ValueError, OverflowError, Invalid):
        raise Invalid(field, f"{kind}: needs a date such as 2026-03-01 or a time in RFC 3339") from None


def _in_addresses(wanted: str, addresses: tuple[Address, ...]) -> bool:
    return any(wanted in f"{one.name} <{one.address}>".lower() for one in addresses)


def _anywhere(term: Term, found: Found) -> bool:
    digest, wanted = found.digest, term.wanted
    return (
        wanted in digest.subject.lower() or _in_addresses(wanted, digest.from_ + digest.to + digest.cc)
        or wanted in digest.text.lower())


def _header(term: Term, found: Found) -> bool:
    name, _, wanted = term.wanted.partition("=")
    octets = name.strip().encode("utf-8", "replace")
    return any(
        wanted in encodedwords.decode(charsets.decode(value(raw))).lower()
        for one, raw in fields(found.digest.header) if one == octets)


def _is(term: Term, found: Found) -> bool:
    if term.wanted in ("unread", "read"):
        return ("\\Seen" in found.flags) is (term.wanted == "read")
    return f"\\{term.wanted.capitalize()}" in found.flags


def _after(term: Term, found: Found) -> bool:
    return term.instant is not None and found.filed >= term.instant


def _before(term: Term, found: Found) -> bool:
    return term.instant is not None and found.filed < term.instant


_KINDS: dict[str, Callable[[Term, Found], bool]] = {
    "": _anywhere,
    "from": lambda term, found: _in_addresses(term.wanted, found.digest.from_),
    "to": lambda term, found: _in_addresses(term.wanted, found.digest.to),
    "cc": lambda term, found: _in_addresses(term.wanted, found.digest.cc),
    "subject": lambda term, found: term.wanted in found.digest.subject.lower(),
    "message-id": lambda term, found: term.wanted.strip("<>") == found.digest.message_id.lower().strip("<>"),
    "case": lambda term, found: term.wanted == found.case_id.lower(),
    "persona": lambda term, found: term.wanted in [one.lower() for one in found.persona],
    "folder": lambda term, found: term.wanted == found.folder.lower(),
    "header": _header,
    "filename": lambda term, found: any(term.wanted in one.lower() for one in found.digest.filenames),
    "has": lambda term, found: bool(found.digest.filenames),
    "is": _is,
    "larger": lambda term, found: found.size > term.number,
    "smaller": lambda term, found: found.size < term.number,
    "after": _after,
    "before": _before,
}
