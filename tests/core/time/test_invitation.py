"""Invitations."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.time.invitation import Invitation, invitation


def read(text: str, kind: str = "text/calendar") -> Invitation:
    """What a calendar part says."""
    return invitation([("text/html", b"x"), (kind, text.encode("utf-8", "replace"))])


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

    def test_whole_day(self) -> None:
        """A date alone is a day; one that there is none of is nothing."""
        for start, day in (("DTSTART;VALUE=DATE:20260304", date(2026, 3, 4)), ("DTSTART;VALUE=DATE:20260231", None),
                           ("DTSTART:20260304T120000Z", None), ("DTSTART:20260304", date(2026, 3, 4))):
            self.assertEqual(read(event(start)).day, day, start)

    def test_methods(self) -> None:
        """The method in lower case; what has none invites; what is no calendar part says nothing."""
        self.assertEqual(read(event("DTSTART:20260304T120000Z", "CANCEL")).method, "cancel")
        self.assertEqual(read("BEGIN:VCALENDAR\r\n").method, "request")
        self.assertEqual(read(event("x"), "text/plain"), Invitation())
        self.assertEqual(invitation([]), Invitation())

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

    def test_whole(self) -> None:
        """Everything that an answer needs is read; what stands in an alarm or behind the event is not."""
        found = read(
            "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:abc\r\nSEQUENCE:2\r\nSUMMARY:Kick\\, off\r\n"
            'ORGANIZER;CN="a: b":mailto:Boss@X.test\r\nDTSTART:20260304T120000Z\r\nDURATION:PT1H30M\r\n'
            "LOCATION:Room 4\r\nBEGIN:VALARM\r\nSUMMARY:x\r\nUID:alarm\r\nEND:VALARM\r\nEND:VEVENT\r\n"
            "BEGIN:VEVENT\r\nUID:other\r\nLOCATION:else\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")
        noon = datetime(2026, 3, 4, 12, tzinfo=timezone.utc)
        self.assertEqual(found, Invitation(
            "request", noon, noon + timedelta(minutes=90), "abc", 2, "Kick, off", "Room 4", "boss@x.test"))
        self.assertEqual(found.span, timedelta(minutes=90))
        self.assertIsNone(found._replace(end=noon).span)
