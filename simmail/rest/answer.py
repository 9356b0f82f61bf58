"""
What a call may answer besides what is simply encoded as JSON: octets, streams, pages of a list, cookies.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

#: The type of nearly all answers.
JSON = "application/json"


class Octets(Struct, frozen=True):
    """An answer that is not JSON; C{headers} besides the usual ones."""

    octets: bytes
    content_type: str
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 200


class Large(Struct, frozen=True):
    """
    An answer that is sent as its reader takes it.

    @ivar parts: octets and open messages (C{IOpened}), one after the other.
    @ivar opened: is closed when it is sent, or not to be sent.
    """

    parts: tuple[Any, ...]
    opened: Any
    content_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()


class Paged(Struct, frozen=True):
    """A JSON array with the query that asks for what comes after it, C{None} at the end."""

    items: list[Any]
    more: dict[str, str | int] | None = None


class Cookied(Struct, frozen=True):
    """An answer nobody keeps, that sets or clears the session's cookie unless C{cookie} is empty."""

    answer: Any
    cookie: str


#: The handler has taken the request over and finishes it by itself.
TAKEN: Any = object()
