"""Whether a field of a digest may contain a text, as the index has it."""

from __future__ import annotations

import msgspec


def may_contain(value: object, text: str) -> bool:
    """As L{IFolder.containing<simmail.interfaces.IFolder.containing>} compares; a list is searched as JSON."""
    shown = value if isinstance(value, str) else (
        value.decode("latin-1") if isinstance(value, bytes) else msgspec.json.encode(value).decode())
    shown, at = shown.lower(), 0
    for run in "".join(char if char <= "~" else "\0" for char in text.lower()).split("\0"):
        at = shown.find(run, at)
        if at < 0:
            return False
        at += len(run)
    return True
