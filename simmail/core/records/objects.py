"""What a store of objects lists."""

from __future__ import annotations

from typing import NamedTuple


class ObjectPage(NamedTuple):
    """Some names; C{token}: with what the next page is asked for, C{""} when there is none."""

    names: list[str]
    token: str
