"""
Ids of universes, and login names that say in which universe they are: C{<name>%<universe>}.

Source: decisions, sections 1 and 16.
"""

from __future__ import annotations

import re

UNIVERSE_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}\Z")


def split(name: str) -> tuple[str, str]:
    """
    Return a login name without its universe, and the universe; C{""} where it names none.

    No address ends like that: behind its last C{%} there is still an C{@}.
    """
    plain, percent, universe = name.rpartition("%")
    return (plain, universe) if percent and plain and UNIVERSE_ID.match(universe) else (name, "")


def qualified(name: str, universe: str) -> str:
    """Return the name that signs in to one universe, whatever others have the same login."""
    return f"{name}%{universe}"
