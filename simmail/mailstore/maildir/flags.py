"""
IMAP flags as the store keeps them: a system flag or keyword, spelled one way.

Source: RFC 3501 section 2.3.2; C{$Forwarded} is Maildir's C{P} ("passed").
"""

from __future__ import annotations

from collections.abc import Iterable

from simmail.errors import Invalid

#: System flags and C{$Forwarded}, each with its letter in Maildir file names, in the order of their bits.
SYSTEM: tuple[tuple[str, str], ...] = (
    ("\\Seen", "S"), ("\\Answered", "R"), ("\\Flagged", "F"),
    ("\\Deleted", "T"), ("\\Draft", "D"), ("$Forwarded", "P"),
)

#: Other keywords of one folder: as many as there are letters.
MOST_KEYWORDS = 26
LONGEST_KEYWORD = 64

_CANONICAL = {name.lower(): name for name, _ in SYSTEM}
_SPECIALS = frozenset('(){%*"\\]')


def canonical(flag: str) -> str:
    """
    A flag as it is spelled: C{\\seen} is C{\\Seen}; a keyword stays as written.

    @raise Invalid: not a flag that can be stored (C{\\Recent} cannot).
    """
    known = _CANONICAL.get(flag.lower())
    if known is not None:
        return known
    if flag.startswith("\\"):
        raise Invalid("flags", f"there is no system flag {flag!r} that can be stored")
    if not 0 < len(flag) <= LONGEST_KEYWORD:
        raise Invalid("flags", f"a keyword has from 1 to {LONGEST_KEYWORD} characters")
    if not all("!" <= char <= "~" and char not in _SPECIALS for char in flag):
        raise Invalid("flags", f"a keyword is an atom, {flag!r} is none")
    return flag


def canonical_all(flags: Iterable[str]) -> tuple[str, ...]:
    """
    Each flag once (keywords regardless of case), in the order given.

    @raise Invalid: one of them cannot be stored.
    """
    return tuple({name.lower(): name for name in map(canonical, flags)}.values())


def is_keyword(flag: str) -> bool:
    """Whether a canonical flag takes a place in the folder's table of keywords."""
    return flag.lower() not in _CANONICAL
