"""
A recorded event as the fold takes it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import msgspec

from simmail.core.insights.cells import DAY
from simmail.core.records.event import Event, Recorded

#: The types that say something of what became of mail.
COUNTED: tuple[str, ...] = (
    "fault.hit", "inspect.links", "inspect.scored", "link.failed", "link.opened", "mail.delivered", "persona.bounced",
    "persona.ignored", "persona.junked", "persona.received", "persona.sent", "world.mail",
)

_EPOCH, _SECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(seconds=1)


class CountedEvent(NamedTuple):
    """
    One event.

    @ivar at: in seconds since 1970.
    @ivar addresses: of the persona it is about.
    """

    number: int
    at: int
    type: str
    data: dict[str, Any]
    addresses: tuple[str, ...] = ()

    @property
    def day(self) -> int:
        """The day it happened on, in days since 1970."""
        return self.at // DAY

    def text(self, name: str) -> str:
        """Return a text of its data; C{""} where there is none.  No half of a surrogate pair is in it."""
        value = self.data.get(name)
        if not isinstance(value, str):
            return ""
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")

    def texts(self, name: str) -> list[str]:
        """Return a list of texts of its data; a single text is a list of one."""
        value = self.data.get(name)
        return [value] if isinstance(value, str) else [one for one in value or () if isinstance(one, str)]


_decode = msgspec.json.Decoder(Recorded).decode


def row_of(number: int, event: Event, latest: int) -> CountedEvent:
    """Return an event that was committed under C{number}; as in the log, it is not before C{latest}."""
    return CountedEvent(number, max(seconds_at(event.at), latest), event.type, event.data,
                        () if event.persona is None else event.persona.addresses)


def recorded_row(octets: bytes) -> CountedEvent:
    """Return an event as the log has it, from its JSON."""
    found = _decode(octets)
    return CountedEvent(found.id, seconds_at(found.at), found.type, found.data,
                        () if found.persona is None else found.persona.addresses)


def seconds_at(at: datetime) -> int:
    """Return an instant as seconds since 1970."""
    return (at - _EPOCH) // _SECOND


def instant_at(seconds: int) -> datetime:
    """Return the instant so many seconds after 1970 began."""
    return _EPOCH + _SECOND * seconds
