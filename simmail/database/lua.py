"""
The Lua scripts: what Redis does in one step, so that no one sees half of it.

They are files in C{scripts}, shipped as data.  Each begins with the key names of L{simmail.database.layout};
C{fence}, C{jobs}, C{postings}, C{settled} and C{whole} are shared pieces that stand before the scripts that need them.
"""

from __future__ import annotations

from hashlib import sha1
from importlib.resources import files
from typing import NamedTuple

from simmail.database.layout import lua

#: Script name: the pieces it is made of.
_PIECES: dict[str, tuple[str, ...]] = {
    "commit": ("fence", "jobs", "commit"),
    "query": ("postings", "query"),
    "sweep": ("postings", "sweep"),
    "erase": ("fence", "settled", "erase"),
    "retire": ("fence", "settled", "retire"),
    "lease": ("fence", "lease"),
    "opened": ("fence", "opened"),
    "copy": ("settled", "whole", "copy"),
    "pack": ("whole", "pack"),
    "unpack": ("whole", "unpack"),
    "agenda": ("agenda",),
    "prune": ("jobs", "prune"),
    "inhabited": ("inhabited",),
    "draw": ("draw",),
}


class Script(NamedTuple):
    """A script and the name Redis gives it."""

    text: bytes
    sha: bytes


def load(name: str) -> Script:
    """One of the scripts, read from the package."""
    folder = files("simmail.database") / "scripts"
    pieces = [(folder / f"{piece}.lua").read_text(encoding="utf-8") for piece in _PIECES[name]]
    text = (lua() + "\n".join(pieces)).encode()
    return Script(text, sha1(text).hexdigest().encode())
