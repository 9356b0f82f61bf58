"""
What messages are looked for and put in order by, read back from ENVELOPE as it is sent: far sooner than a digest.

Source: RFC 3501 section 7.4.2; RFC 5256 section 3.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from simmail.core.message.base_subject import SUBJECT, base_subject
from simmail.core.message.sort import collation_key
from simmail.core.mime.encoded_word import decode
from simmail.core.time.instant import read_date

_BEGIN = re.compile(rb'\((?:NIL|"([^"\\]*+)") (?:NIL|"([^"\\]*+(?:\\.[^"\\]*+)*)") ')
_ESCAPED = re.compile(r"\\(.)")


class EnvelopeKeys(NamedTuple):
    """C{order_subject} and C{sent} of its L{Digest}."""

    order_subject: str
    sent: datetime | None


def keys_of(envelope: bytes, dated: bool = True) -> EnvelopeKeys | None:
    """
    The keys of an ENVELOPE; None where strings in it are literals, whose octets it does not have as they were.

    @param dated: with the date, the reading of which takes longest.
    """
    match = _BEGIN.match(envelope)
    if match is None:
        return None
    date, subject = match.groups()
    return EnvelopeKeys(_subject(subject or b""), read_date(date.decode("ascii")) if date and dated else None)


def subject_of(envelope: bytes) -> str | None:
    """C{subject} of its L{Digest}, or None likewise."""
    match = _BEGIN.match(envelope)
    return _decoded(match[2] or b"") if match is not None else None


def _decoded(octets: bytes) -> str:
    text = octets.decode("ascii")
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    return decode(text)[:SUBJECT]


@lru_cache(4096)
def _subject(octets: bytes) -> str:
    return collation_key(base_subject(_decoded(octets)))
