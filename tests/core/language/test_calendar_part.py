"""Invitations."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.calendar_part import Invitation, invitation
from simmail.core.message.mail import Attachment
from tests.core.scenes import mail


def read(text: str, kind: str = "text/calendar") -> Invitation:
    """What a calendar part says."""
    return invitation(mail(attachments=(Attachment("a.ics", kind, text.encode("utf-8", "replace")),)))


def event(start: str, method: str = "REQUEST") -> str:
    return f"BEGIN:VCALENDAR\r\nMETHOD:{method}\r\nBEGIN:VEVENT\r\n{start}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"


class InvitationTests(SynchronousTestCase):
    """Methods and starts."""

    def test_start(self) -> None:
        """In UTC, in a zone, folded, or for a whole day, which is no instant."""
        noon = datetime(2026, 3, 4, 12, tzinfo=timezone.utc)
        for start, expected in (
            ("DTSTART:20260304T120000Z", noon), ("DTSTART;TZID=Europe/Berlin:20260304T130000", noon),
            ("DTSTART;TZID=Europe/\r\n Berlin:20260304T130000", noon), ("DTSTART;VALUE=DATE:20260304", None),
            ("DTSTART;TZID=Nowhere/Land:20260304T130000", None), ("DTSTART:noon", None),
        ):
            found = read(event(start))
            self.assertEqual((found.method, found.start), ("request", expected), start)

    def test_methods(self) -> None:
        """The method in lower case; what has none invites; what is no calendar part says nothing."""
        self.assertEqual(read(event("DTSTART:20260304T120000Z", "CANCEL")).method, "cancel")
        self.assertEqual(read("BEGIN:VCALENDAR\r\n").method, "request")
        self.assertEqual(read(event("x"), "text/plain"), Invitation())
        self.assertEqual(invitation(mail()), Invitation())

    def test_zones(self) -> None:
        """A start before the event is that of the zone's definition."""
        text = "BEGIN:VTIMEZONE\r\nDTSTART:19700101T000000\r\nEND:VTIMEZONE\r\n" + event("DTSTART:20260304T120000Z")
        self.assertEqual(read(text).start, datetime(2026, 3, 4, 12, tzinfo=timezone.utc))

    @given(st.text(max_size=200), st.sampled_from(("", "BEGIN:VEVENT\nDTSTART", "BEGIN:VEVENT\nDTSTART;TZID=")))
    def test_anything(self, text: str, before: str) -> None:
        """Any part is read; a start is aware."""
        start = read(before + text).start
        if start is not None:
            self.assertIsInstance(start.utcoffset(), timedelta)
