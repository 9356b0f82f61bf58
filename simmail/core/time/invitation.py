"""
Calendar parts: whether a mail invites to an appointment or takes one back, and what that is.

Source: RFC 5545 sections 3.1 (content lines), 3.3.5 (date-time), 3.3.6 (duration) and 3.3.11 (text), RFC 5546 section
1.4 (methods).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta, timezone
from typing import NamedTuple

from simmail.core.time.instant import zone
from simmail.errors import Invalid

_LONGEST = 50_000
#: Characters of a value that are kept.
_LONGEST_VALUE = 500
#: No appointment is taken to be longer.
_LONGEST_SPAN = timedelta(days=31)

#: A parameter's value may hold colons in quotes.
_LINE = re.compile(r'([A-Za-z0-9-]{1,60})((?:;[^":;]{0,200}(?:"[^"]{0,400}")?){0,20}):(.*)', re.DOTALL)
_DURATION = re.compile(r"\+?P(?:([0-9]{1,3})W)?(?:([0-9]{1,4})D)?(?:T(?:([0-9]{1,4})H)?(?:([0-9]{1,5})M)?"
                       r"(?:([0-9]{1,6})S)?)?")


class Invitation(NamedTuple):
    """
    The first event of the first calendar part of a mail.

    @ivar method: in lower case (C{request}, C{cancel}, C{reply}), C{""} for no calendar part.
    @ivar start, end: aware, None where it names no instant; day: the first one of what takes whole days.
    @ivar organizer: an address, C{""} for none.
    @ivar recurrence: the value of C{RECURRENCE-ID} as it stands there, with its parameters, C{""} for none.
    """

    method: str = ""
    start: datetime | None = None
    end: datetime | None = None
    uid: str = ""
    sequence: int = 0
    summary: str = ""
    location: str = ""
    organizer: str = ""
    recurrence: str = ""
    day: date | None = None

    @property
    def span(self) -> timedelta | None:
        """Return how long it takes, None where that is not said."""
        if self.start is None or self.end is None:
            return None
        span = self.end - self.start
        return span if timedelta(0) < span <= _LONGEST_SPAN else None


def invitation(parts: Iterable[tuple[str, bytes]]) -> Invitation:
    """
    Return what the first calendar part of a mail says.

    @param parts: content type and octets of its attachments.
    """
    calendar = next((octets for kind, octets in parts if kind.lower() == "text/calendar"), None)
    if calendar is None:
        return Invitation()
    found = Invitation("request")
    depth: list[str] = []
    done = False
    for name, parameters, value in _lines(calendar[:_LONGEST].decode("utf-8", "replace")):
        if name == "BEGIN":
            depth.append(value.strip().upper())
        elif name == "END":
            done = done or depth[-1:] == ["VEVENT"]
            del depth[-1:]
        elif name == "METHOD":
            found = found._replace(method=value.strip().lower()[:20])
        elif depth[-1:] == ["VEVENT"] and not done:
            # What stands in an alarm of the event is not the event's.
            found = _with(found, name, parameters, value)
    return found


def _lines(text: str) -> Iterator[tuple[str, str, str]]:
    for line in re.sub(r"\n[ \t]", "", text.replace("\r", "")).split("\n"):
        match = _LINE.match(line)
        if match is not None:
            yield match[1].upper(), match[2], match[3]


def _with(found: Invitation, name: str, parameters: str, value: str) -> Invitation:
    if name == "DTSTART" and found.start is None:
        return found._replace(start=_instant(value, parameters), day=_day(value))
    if name == "DTEND" and found.end is None:
        return found._replace(end=_instant(value, parameters))
    if name == "DURATION" and found.end is None and found.start is not None:
        return found._replace(end=found.start + _duration(value))
    if name == "UID" and not found.uid:
        return found._replace(uid=_text(value))
    if name == "SEQUENCE" and value.strip().isdecimal() and value.isascii() and len(value.strip()) < 10:
        return found._replace(sequence=int(value))
    if name == "SUMMARY" and not found.summary:
        return found._replace(summary=_text(value))
    if name == "LOCATION" and not found.location:
        return found._replace(location=_text(value))
    if name == "ORGANIZER" and value.strip().lower().startswith("mailto:"):
        return found._replace(organizer=value.strip()[7:][:_LONGEST_VALUE].lower())
    if name == "RECURRENCE-ID":
        recurrence = f"{parameters}:{value.strip()}"
        return found._replace(recurrence=recurrence if recurrence.isascii() and recurrence.isprintable() else "")
    return found


def _text(value: str) -> str:
    """A text without its escapes, on one line."""
    plain = re.sub(r"\\([nN,;\\])", lambda found: " " if found[1] in "nN" else found[1], value[:2 * _LONGEST_VALUE])
    return " ".join("".join(one if one.isprintable() else " " for one in plain).split())[:_LONGEST_VALUE]


def _duration(value: str) -> timedelta:
    match = _DURATION.fullmatch(value.strip())
    if match is None:
        return timedelta(0)
    weeks, days, hours, minutes, seconds = (int(group or 0) for group in match.groups())
    return timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)


def _day(value: str) -> date | None:
    try:
        return datetime.strptime(value.strip(), "%Y%m%d").date() if len(value.strip()) == 8 else None
    except ValueError:
        return None  # no such day


def _instant(value: str, parameters: str) -> datetime | None:
    value = value.strip()
    try:
        moment = datetime.strptime(value.rstrip("Zz"), "%Y%m%dT%H%M%S")
        named = re.search(r";TZID=\"?([^;\"]+)", parameters, re.IGNORECASE)
        if value[-1:] in "Zz" or named is None:
            found = moment.replace(tzinfo=timezone.utc)
        else:
            found = moment.replace(tzinfo=zone(named[1]))
        found.astimezone(timezone.utc)
        return found
    except (ValueError, OverflowError, Invalid):
        return None  # a whole day, or a zone that nobody knows
