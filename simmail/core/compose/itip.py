"""
Invitations, and answers to them: the calendar part that stands beside the words.

Source: RFC 5546 sections 3.2.2 (REQUEST), 3.2.3 (REPLY) and 3.2.7 (COUNTER); RFC 5545 for the lines; RFC 6047 section
2.4 for the part.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Literal

from simmail.core.message.mail import Attachment
from simmail.core.mime.address import Address
from simmail.core.time.invitation import Invitation

Partstat = Literal["ACCEPTED", "DECLINED", "TENTATIVE", "NEEDS-ACTION"]

#: Octets of a content line (RFC 5545 section 3.1).
_FOLD = 75


def request(
    uid: str, organizer: Address, attendee: Address, at: datetime, start: datetime, end: datetime, summary: str,
    location: str = "",
) -> Attachment:
    """
    Return the part that invites somebody.

    @param uid: of the event; at: when it is said, C{start} and C{end}: of the event, all aware.
    """
    lines = [
        _attendee(attendee, "NEEDS-ACTION", ";RSVP=TRUE"), f"DTSTART:{_utc(start)}", f"DTEND:{_utc(end)}"]
    if location:
        lines.append(f"LOCATION:{_text(location)}")
    return _part("REQUEST", Invitation("request", uid=uid, summary=summary), organizer.address, at, lines)


def reply(invitation: Invitation, attendee: Address, organizer: str, at: datetime, partstat: Partstat) -> Attachment:
    """
    Return the part that accepts or declines an invitation.

    @param organizer: whom the mail came from, for an invitation that does not name one.
    @param at: when it is said, aware.
    """
    return _part("REPLY", invitation, organizer, at, [_attendee(attendee, partstat)])


def counter(
    invitation: Invitation, attendee: Address, organizer: str, at: datetime, start: datetime, end: datetime
) -> Attachment:
    """Return the part that proposes another time; arguments as for L{reply}."""
    return _part("COUNTER", invitation, organizer, at, [
        _attendee(attendee, "TENTATIVE"), f"DTSTART:{_utc(start)}", f"DTEND:{_utc(end)}"])


def _part(method: str, invitation: Invitation, organizer: str, at: datetime, more: list[str]) -> Attachment:
    lines = [
        "BEGIN:VCALENDAR", "PRODID:-//simmail//people//EN", "VERSION:2.0", f"METHOD:{method}", "BEGIN:VEVENT",
        f"UID:{_text(invitation.uid)}", f"DTSTAMP:{_utc(at)}", f"SEQUENCE:{invitation.sequence}",
        f"ORGANIZER:mailto:{_address(invitation.organizer or organizer)}", *more,
    ]
    if invitation.recurrence:
        lines.append(f"RECURRENCE-ID{invitation.recurrence}")
    # A counter must have one.
    lines += [f"SUMMARY:{_text(invitation.summary)}", "END:VEVENT", "END:VCALENDAR"]
    octets = b"".join(_folded(line) for line in lines)
    return Attachment("", f"text/calendar; method={method}; charset=UTF-8; component=VEVENT", octets)


def _attendee(attendee: Address, partstat: Partstat, more: str = "") -> str:
    name = "".join(one for one in attendee.name if one.isprintable() and one != '"')
    named = f';CN="{name}"' if name else ""
    return f"ATTENDEE;PARTSTAT={partstat}{named}{more}:mailto:{_address(attendee.address)}"


def _address(address: str) -> str:
    return "".join(one for one in address if one.isprintable() and one not in " ,")


def _utc(at: datetime) -> str:
    return f"{at.astimezone(timezone.utc):%Y%m%dT%H%M%SZ}"


def _text(value: str) -> str:
    return value.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def _folded(line: str) -> bytes:
    """A content line with its end, in pieces that split no character."""
    pieces: list[bytes] = []
    current = b""
    for character in line:
        octets = character.encode("utf-8", "replace")
        if len(current) + len(octets) > (_FOLD if not pieces else _FOLD - 1):
            pieces.append(current)
            current = b""
        current += octets
    pieces.append(current)
    return b"\r\n ".join(pieces) + b"\r\n"
