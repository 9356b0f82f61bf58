"""
Every key name, and the version of the layout.

All keys of a universe carry the hash tag C{{universe}}, so that they can live
together on one of several Redis; the server's own (universe C{""}) carry
C{{~}}.  Ids go into key names escaped, so that no text from outside can name
a key that is not its own.

==================  ========  ====================================================
after the hash tag  type      what
==================  ========  ====================================================
C{:meta}            hash      C{last} event number; its instant C{at}; C{floor}, the
                              lowest number that may still be there; C{queued}, the
                              number of arrivals there ever were; C{copy}, the copy that it
                              was made by
C{:once}            hash      delivery or job id: the outcome of its commit
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
C{:news}            channel   C{<first>-<last>} for each commit with events
C{{~}:universes}    hash      universes that ever had a document: their hash tags
C{{~}:layout}       string    L{LAYOUT} of the data
C{{~}:synced}       string    written to ask whether what was written before is synced
C{{~}:bucket:<name>}  string  tokens left, and the Unix time of that; gone when whole
==================  ========  ====================================================
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import quote

#: The version of all of the above; data of a greater one is not touched.
LAYOUT = 1

UNIVERSES = "{~}:universes"
LAYOUT_KEY = "{~}:layout"
SYNCED_KEY = "{~}:synced"

META = ":meta"
ONCE = ":once"
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

#: Ids whose escaped form is remembered, and their longest: each is asked for several times for a mail.
_MOST_KEPT, _LONGEST_KEPT = 4096, 200
_PLAIN = re.compile(r"[A-Za-z0-9_.@+-]{0,200}")


def prefix(universe: str) -> str:
    """What all keys of a universe begin with: its hash tag."""
    return "{%s}" % (escape(universe) or "~")


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
        if name.isupper() and not name.startswith("_") and isinstance(value, str)}
    return "local %s = %s\n" % (", ".join(names), ", ".join(f"'{value}'" for value in names.values()))
