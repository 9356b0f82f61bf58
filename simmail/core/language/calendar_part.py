"""
Calendar parts: whether a mail invites to an appointment or takes one back, and when that is.

Source: RFC 5545 sections 3.1 (folding) and 3.3.5 (date-time), RFC 5546 section 1.4 (methods).
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import NamedTuple

from simmail.core.message.mail import Mail
from simmail.core.time.instant import zone
from simmail.errors import Invalid

_LONGEST = 50_000


class Invitation(NamedTuple):
    """C{method} in lower case (C{request}, C{cancel}, C{reply}), C{""} for no calendar part; C{start} aware or None."""

    method: str = ""
    start: datetime | None = None


def invitation(mail: Mail) -> Invitation:
    """Return what the first calendar part of a mail says."""
    part = next((one for one in mail.attachments if one.content_type.lower() == "text/calendar"), None)
    if part is None:
        return Invitation()
    lines = part.octets[:_LONGEST].decode("utf-8", "replace").replace("\r", "").replace("\n ", "").split("\n")
    method, start, event = "request", None, False
    for line in lines:
        name, _, value = line.partition(":")
        name, _, parameters = name.upper().partition(";")
        if name == "METHOD":
            method = value.strip().lower()
        elif name == "BEGIN":
            event = value.strip().upper() == "VEVENT"
        elif name == "DTSTART" and event and start is None:
            start = _instant(value.strip(), parameters, line)
    return Invitation(method, start)


def _instant(value: str, parameters: str, line: str) -> datetime | None:
    try:
        moment = datetime.strptime(value.rstrip("Zz"), "%Y%m%dT%H%M%S")
        if value[-1:] in "Zz" or not parameters.startswith("TZID="):
            return moment.replace(tzinfo=timezone.utc)
        return moment.replace(tzinfo=zone(line.partition(":")[0].partition("TZID=")[2].strip('"')))
    except (ValueError, Invalid):
        return None  # a whole day, or a zone that nobody knows
