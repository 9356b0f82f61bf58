"""
What a universe looks like in the database: the names of its keys, the octets under them, and the version of both.

Both providers keep the same octets, so that what is read back is the same whichever wrote it.  An event is kept as the
end of its webhook body, already JSON, and joined to its number and instant when it is read: nothing is decoded on the
way to a stream, a webhook or the log (API contract, "Webhook request").  An instant is kept as eighteen digits, the
microseconds since the year 1, so that comparing the octets compares the instants, in any language.

All keys of a universe carry the hash tag C{{universe}}, so that they can live
together on one of several Redis; the server's own (universe C{""}) carry
C{{~}}, of each of several servers that are no installation C{{~<node>}}.  Ids go into key names escaped, so that no
text from outside can name a key that is not its own.

==================  ========  ====================================================
after the hash tag  type      what
==================  ========  ====================================================
C{:meta}            hash      C{last} event number; its instant C{at}; C{floor}, the
                              lowest number that may still be there; C{queued}, the
                              number of arrivals there ever were; C{copy}, the copy that it
                              was made by; C{token} of the last lease; C{open}, a
                              replicated one was not given back since
C{:lease}           string    who has it, for as long as that lasts
C{:once}            hash      delivery or job id: the outcome of its commit
C{:once.before}     hash      the same of commits before the last retirement
C{:tables}          set       names of the tables that were ever written
C{:table:<name>}    hash      key: document, or an integer that is counted
C{:events}          stream    C{<number>-0}: C{t} type, C{a} instant, C{d} end of the
                              body, C{p} persona id, C{c} case id (both escaped), C{m} the
                              fields of C{:mails} it is in, twelve octets each
C{:erased}          stream    events of before an erasure, being cleared away
C{:type:<type>}     string    numbers of events, six octets each, ascending
C{:persona:<id>}    string    the same
C{:case:<id>}       string    the same
C{:mails}           hash      L{digest} of a Message-ID: numbers of the events that tell of
                              it, six octets each, ascending, at most a thousand
C{:postings}        set       names of those by type, persona and case, after the hash tag, of which there
                              may be any; with C{""} among them it knows all
C{:jobs}            hash      job id: C{<due><state>NUL<kind>NUL<persona>NUL<case>NUL},
                              then the job
C{:order}           zset      all scores 0: C{<scope>NUL<due><job id>}, where scope is
                              C{s<state>}, C{k<kind>}, C{p<persona>} or C{c<case>}
C{:arrivals}        hash      arrival id: twelve digits of place, then the arrival
C{{~}:universes}    hash      universes that may have a document: their hash tags
C{{~}:layout}       string    L{LAYOUT} of the data
C{{~}:news}         channel   number of the last change of what several servers know together
C{{~}:synced}       string    written to ask whether what was written before is synced
C{{~}:bucket:<name>}  string  tokens left, and the Unix time of that; gone when whole
==================  ========  ====================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from simmail.core.records.commit import Commit, Committed
from simmail.core.records.delivery import Arrival
from simmail.core.records.event import Event, TYPES, matches
from simmail.core.records.job import Job
from simmail.core.time.instant import format_instant

#: The version of all of the above; data of a greater one is not touched.
LAYOUT = 1

UNIVERSES = "{~}:universes"
LAYOUT_NAME = ":layout"
SYNCED = ":synced"

META = ":meta"
ONCE = ":once"
ONCE_BEFORE = ":once.before"
TABLES = ":tables"
TABLE = ":table:"
EVENTS = ":events"
ERASED = ":erased"
TYPE = ":type:"
PERSONA = ":persona:"
CASE = ":case:"
MAILS = ":mails"
JOBS = ":jobs"
ORDER = ":order"
ARRIVALS = ":arrivals"
POSTINGS = ":postings"
NEWS = ":news"
BUCKET = ":bucket:"
LEASE = ":lease"

#: What is answered to whom another has taken the universe from.
FENCED = "FENCED by another server"

#: Ids whose escaped form is remembered, and their longest: each is asked for several times for a mail.
_MOST_KEPT, _LONGEST_KEPT = 4096, 200
_PLAIN = re.compile(r"[A-Za-z0-9_.@+-]{0,200}")


def prefix(universe: str, node: str = "") -> str:
    """What all keys of a universe begin with: its hash tag.  C{node}: of several servers whose own is meant."""
    return "{%s}" % (escape(universe) or "~" + escape(node))


def escape(id: str) -> str:
    """An id as it stands in a key name: as it is when plain, else percent-encoded, or a digest when long."""
    if _PLAIN.fullmatch(id):
        return id
    return _escaped_again(id) if len(id) <= _LONGEST_KEPT else _escaped(id)


def digest(message_id: str) -> bytes:
    """Twelve octets for a Message-ID, which may be of any length."""
    return blake2b(message_id.encode("utf-8", "surrogatepass"), digest_size=12).digest()


def _escaped(id: str) -> str:
    escaped = quote(id, safe="@+", errors="surrogatepass").replace("~", "%7E")
    if len(escaped) <= 600:
        return escaped
    # A percent sign is followed by a hexadecimal digit in anything else.
    return "%." + blake2b(id.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


_escaped_again = lru_cache(_MOST_KEPT)(_escaped)


def lua() -> str:
    """The names as Lua locals, which every script begins with."""
    names = {
        name: value for name, value in globals().items()
        if name.isupper() and isinstance(value, str) and value.startswith((":", "{", "FENCED"))}
    return "local %s = %s\n" % (", ".join(names), ", ".join(f"'{value}'" for value in names.values()))


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


def commit_words(start: tuple[bytes, ...], prefix: str, token: str, commit: Commit) -> list[bytes | str | int]:
    """Return the words of the script call that makes a commit: its sections in the order C{commit.lua} reads them."""
    args: list[bytes | str | int] = [*start, prefix, commit.once, token, len(commit.counts)]
    for table, key, by in commit.counts:
        args += (escape(table), key, by)
    args.append(len(commit.drops))
    for table, key in commit.drops:
        args += (escape(table), key)
    args.append(len(commit.puts))
    for table, key, document in commit.puts:
        args += (escape(table), key, document)
    args.append(len(commit.leave))
    args += commit.leave
    args.append(len(commit.arrive))
    for arrival in commit.arrive:
        args += (arrival.id, encode_arrival(arrival))
    args.append(len(commit.jobs))
    for job in commit.jobs:
        args += (
            job.id, digits(job.due), job.state, job.kind, escape(job.persona_id or ""),
            escape(job.case_id or ""), encode_job(job))
    args.append(len(commit.drop_jobs))
    args += commit.drop_jobs
    args.append(len(commit.events))
    for row in list(map(encode_event, commit.events)):
        args += (escape(row.type), row.at, row.tail, escape(row.persona_id), escape(row.case_id),
                 b"".join(map(digest, row.message_ids)))
    return args


def committed(reply: bytes) -> Committed:
    """Return what C{commit.lua} answers."""
    first, *counts = map(int, reply[1:].split(b","))
    return Committed(reply[:1] == b"1", first, tuple(counts))
