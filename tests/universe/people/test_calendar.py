"""Calendars of personas: nothing twice, moves and cancellations, invitations and their answers."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from simmail.core.message.parse import read
from simmail.core.time.invitation import Invitation, invitation
from simmail.testing.universe import now, turned
from tests.universe.jobs.test_runner import MARIA, RunnerTestCase
from tests.universe.people.test_inbox_worker import said

THURSDAY = datetime(2026, 3, 5, 14, tzinfo=timezone.utc)
OFFICE = {"reply_rate": 1.0, "delay": {"median": "20m"},
          "hours": {"tz": "UTC", "days": "mon-fri", "from": "09:00", "to": "17:00"}}


def invited(start: str, method: str = "REQUEST", sequence: int = 0, n: int = 1) -> bytes:
    """A mail with an invitation."""
    return (
        f"From: App <app@sim.test>\nTo: maria@acme.test\nSubject: Kick-off\nMessage-ID: <i{n}@app.test>\n"
        "MIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n"
        f"Please see the invitation.\n--b\nContent-Type: text/calendar; method={method}\n\n"
        f"BEGIN:VCALENDAR\nVERSION:2.0\nMETHOD:{method}\nBEGIN:VEVENT\nUID:kick-off@app.test\nSEQUENCE:{sequence}\n"
        f"DTSTART:{start}\nDURATION:PT2H\nORGANIZER:mailto:app@sim.test\nSUMMARY:Kick-off\nEND:VEVENT\n"
        "END:VCALENDAR\n--b--\n").encode()


class CalendarTests(RunnerTestCase):
    """One persona with office hours who says yes when she can."""

    def setUp(self) -> None:
        """Somebody who asks no question back."""
        super().setUp()
        self.maria = self.create(timing=OFFICE, style={"client": "plain", "links": "never"})

    def answered(self) -> Any:
        """The newest answer, once it is written."""
        turned(self.universe, self.universe.scheduler.advance(until="event:persona.sent"))
        return self.inbox()[-1]

    def taken(self) -> list[datetime]:
        """When she has something."""
        return [one.start for one in now(self.universe.memories.appointments(self.maria.id))]

    def calendar(self, mail: Any) -> Invitation:
        """The calendar part of a mail."""
        return invitation((one.content_type, one.octets) for one in mail.attachments)

    def test_not_twice(self) -> None:
        """A time that was given to one is not given to another, in whatever thread."""
        self.send(said(b"Could we talk on Thursday at 14:00?"))
        self.assertIn("Thursday at 14:00", self.answered().text)
        self.assertEqual(self.taken(), [THURSDAY])
        self.send(said(b"Could we talk on Thursday at 14:30?", 2))
        answer = self.answered()
        self.assertNotIn("Thursday at 14:30", answer.text.split("\nOn ")[0])
        self.assertEqual(self.taken(), [THURSDAY])
        self.assertEqual(self.requests[-1].appointments[0].start, THURSDAY)

    def test_moved_and_called_off(self) -> None:
        """In the same thread a new time takes the old one's place, and a cancellation frees it."""
        self.send(said(b"Could we talk on Thursday at 14:00?"))
        self.answer(b"Sorry, something came up. Can we make it Friday at 10:00 instead?", self.answered())
        self.answered()
        self.assertEqual(self.taken(), [THURSDAY + timedelta(hours=20)])
        self.answer(b"I am sorry, I have to cancel our call.", self.inbox()[-1], 2)
        self.assertEqual(self.taken(), [])

    def test_own_proposal_agreed(self) -> None:
        """A time that she proposed is taken once the other side agrees to it, before she says another word."""
        self.send(said(b"Could we talk on Saturday at 10:00?"))
        answer = self.answered()
        (state,) = now(self.universe.memories.threads(self.maria.id))
        offered = next(one for one in state.remarks if one.kind == "proposed" and one.by == "persona")
        assert offered.when is not None
        self.answer(f"{offered.when:%A at %H:%M} works for me.".encode(), answer)
        self.assertEqual(self.taken(), [offered.when])

    def test_preferred(self) -> None:
        """Of two times the one that is liked better is taken."""
        for n in range(4):
            self.send(said(
                f"Could we talk on Thursday at {9 + n}:00 or Friday at {9 + n}:00, preferably Friday?".encode(), n + 1))
            self.answered()
        self.assertEqual([one.weekday() for one in self.taken()], [4] * 4)

    def test_accepted(self) -> None:
        """An invitation is accepted with a reply of its own, for as long as it takes; a cancellation frees the time."""
        self.send(invited("20260305T140000Z"))
        answer = self.answered()
        part = self.calendar(answer)
        self.assertEqual((part.method, part.uid, part.start), ("reply", "kick-off@app.test", None))
        (octets,) = [one.octets for one in answer.attachments]
        self.assertIn(b"PARTSTAT=ACCEPTED", octets)
        (one,) = now(self.universe.memories.appointments(self.maria.id))
        self.assertEqual((one.start, one.end, one.uid, one.what), (
            THURSDAY, THURSDAY + timedelta(hours=2), "kick-off@app.test", "Kick-off"))
        self.send(invited("20260306T100000Z", sequence=1, n=2))
        self.answered()
        self.assertEqual(self.taken(), [THURSDAY + timedelta(hours=20)])
        self.send(invited("20260306T100000Z", "CANCEL", 2, 3))
        self.assertEqual(self.taken(), [])

    def test_whole_day(self) -> None:
        """An invitation to a whole day is accepted where it is a working one, else another time is proposed."""
        for start, n, method in (("20260305", 1, "reply"), ("20260307", 2, "counter")):
            self.send(invited(start, n=n).replace(b"DTSTART:", b"DTSTART;VALUE=DATE:").replace(b"DURATION:PT2H\n", b""))
            answer = self.answered()
            self.assertEqual((self.calendar(answer).method, self.calendar(answer).uid), (method, "kick-off@app.test"))
            accepted = [b"PARTSTAT=ACCEPTED" in one.octets for one in answer.attachments]
            self.assertEqual(accepted, [method == "reply"], start)

    def test_countered(self) -> None:
        """Out of hours, or where she has something, another time is proposed, for as long as was asked for."""
        self.send(said(b"Could we talk on Thursday at 14:00?"))
        self.answered()
        for n, start in enumerate(("20260305T130000Z", "20260307T100000Z")):
            self.send(invited(start, n=n + 5))
            part = self.calendar(self.answered())
            self.assertEqual((part.method, part.uid, part.span), ("counter", "kick-off@app.test", timedelta(hours=2)))
            assert part.start is not None
            self.assertIn(part.start.weekday(), range(5))
        self.assertEqual(self.taken(), [THURSDAY])

    def test_shown_and_cleared(self) -> None:
        """Taken times are told, and go with all memory and with the persona."""
        self.send(said(b"Could we talk on Thursday at 14:00?"))
        self.answered()
        now(self.universe.memories.forget(self.maria.id))
        self.assertEqual(self.taken(), [])
        self.send(said(b"Could we talk on Thursday at 14:00?", 2))
        self.answered()
        now(self.universe.people.delete(self.maria.id))
        self.assertEqual(now(self.universe.database.table("main", "calendar")), {})

    def test_read_as_sent(self) -> None:
        """What is known of an answer with a calendar part is what reading it gives."""
        known: list[Any] = []
        self.patch(self.universe.mail_cache, "filed", lambda copy, octets, mail=None: known.append((octets, mail)))
        self.send(invited("20260305T140000Z"))
        self.answered()
        ((octets, mail),) = [one for one in known if one[1] is not None]
        self.assertEqual([(one.filename, one.content_type, one.octets) for one in mail.attachments],
                         [(one.filename, one.content_type, one.octets) for one in read(octets).attachments])
        self.assertEqual(MARIA, mail.from_.address)
