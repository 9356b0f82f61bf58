"""
The octets in which events, jobs and arrivals are kept.

Both providers keep the same octets, so that what is read back is the same
whichever wrote it.  An event is kept as the end of its webhook body, already
JSON, and joined to its number and instant when it is read: nothing is decoded
on the way to a stream, a webhook or the log (API contract, "Webhook request").
An instant is kept as eighteen digits, the microseconds since the year 1, so
that comparing the octets compares the instants, in any language.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

import msgspec

from simmail.core.records.delivery import Arrival
from simmail.core.records.event import Event, TYPES, matches
from simmail.core.records.job import Job
from simmail.core.time.instant import format_instant

SOURCE = "simmail"

#: The least instant there is.
BEGINNING = datetime.min.replace(tzinfo=timezone.utc)

_JSON = msgspec.json.Encoder()
_PACK = msgspec.msgpack.Encoder()
decode_job = msgspec.msgpack.Decoder(Job).decode
decode_arrival = msgspec.msgpack.Decoder(Arrival).decode
_TYPES = frozenset(TYPES)
_BODY = b'{"type":"%b","id":%d,"at":"%b","source":"' + SOURCE.encode() + b'","data":%b'


def digits(instant: datetime) -> bytes:
    """An instant as eighteen digits, which order as the instants do."""
    since = instant - BEGINNING
    return b"%018d" % ((since.days * 86400 + since.seconds) * 1_000_000 + since.microseconds)


def instant(eighteen: bytes) -> datetime:
    """The instant of L{digits}."""
    return BEGINNING + timedelta(microseconds=int(eighteen))


class EventRow(NamedTuple):
    """An event as it is kept; C{tail} is its body from the value of C{data} to the end."""

    type: str
    at: bytes
    tail: bytes
    persona_id: str
    case_id: str
    message_ids: tuple[str, ...]


def encode_event(event: Event) -> EventRow:
    """
    The row of an event that has no number yet.

    @raise ValueError: a type that is not among C{TYPES}: no filter would find it.
    """
    if event.type not in _TYPES:
        raise ValueError(f"no such event type: {event.type}")
    persona_id, case_id, message_ids = event.persona_id or "", event.case_id or "", event.message_ids
    parts = [_json(event.data)]
    if event.persona is not None:
        parts += [b',"persona":', _json(event.persona)]
    if case_id:
        parts += [b',"case_id":', _json(case_id)]
    parts.append(b"}")
    return EventRow(event.type, digits(event.at), b"".join(parts), persona_id, case_id, message_ids)


def event_body(type: bytes, number: int, at: bytes, tail: bytes) -> bytes:
    """The JSON of a recorded event: the body that webhooks, the stream and the log carry."""
    return _BODY % (type, number, format_instant(instant(at)).encode(), tail)


def expanded(filters: tuple[str, ...]) -> tuple[str, ...] | None:
    """
    The event types that pass C{filters}, C{x.*} and C{-x} written out, each once.

    @return: None when all pass.
    """
    if not filters or "*" in filters and not any(one[:1] == "-" for one in filters):
        return None
    if any(one[:1] == "-" for one in filters):
        return tuple(type for type in TYPES if matches(filters, type))
    exact = {one for one in filters if not one.endswith("*")}
    stars = tuple(one for one in filters if one.endswith("*"))
    if stars:
        exact.update(type for type in TYPES if matches(stars, type))
    return tuple(sorted(exact))


def encode_job(job: Job) -> bytes:
    """Return a job as octets."""
    return _encoded(_PACK.encode, job)


def encode_arrival(arrival: Arrival) -> bytes:
    """Return an arrival as octets."""
    return _encoded(_PACK.encode, arrival)


def _json(value: Any) -> bytes:
    return _encoded(_JSON.encode, value)


def _encoded(encode: Callable[[Any], bytes], value: Any) -> bytes:
    # Text of mail can hold half a surrogate pair.  It must not keep a mail that was accepted from being recorded.
    try:
        return encode(value)
    except UnicodeEncodeError:
        return encode(_whole(msgspec.to_builtins(value, builtin_types=(datetime, bytes))))


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_whole(key): _whole(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_whole(one) for one in value]
    return value
