"""Answers to invitations, checked line by line as RFC 5545 and RFC 5546 have them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from email import message_from_bytes, policy

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.compose import itip
from simmail.core.compose.message import compose
from simmail.core.message.mail import Attachment
from simmail.core.message.parse import read
from simmail.core.mime.address import Address
from simmail.core.time.invitation import Invitation, invitation
from tests.core.compose.test_message import CLIENTS, DRAFT

NOW = datetime(2026, 3, 2, 9, tzinfo=timezone.utc)
NOON = datetime(2026, 3, 5, 12, tzinfo=timezone.utc)
ASKED = Invitation("request", NOON, NOON + timedelta(hours=2), "1@boss.test", 3, "Kick-off; part 1, \\o/", "Room 4",
                   "boss@boss.test")
MARIA = Address("Maria Rößler", "maria@acme.test")


def lines(part: Attachment) -> list[str]:
    """The content lines of a calendar part, unfolded, checked for their form."""
    text = part.octets.decode("utf-8")
    assert text.endswith("\r\n") and "\n" not in text.replace("\r\n", ""), text
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n")), text
    found = text.replace("\r\n ", "").split("\r\n")[:-1]
    for line in found:
        assert re.fullmatch(r'[A-Z-]+(;[A-Z-]+=("[^"\x00-\x1f]*"|[^";:,\x00-\x1f]*))*:[^\x00-\x1f]*', line), line
    return found


class ItipTests(SynchronousTestCase):
    """REQUEST, REPLY and COUNTER."""

    def test_request(self) -> None:
        """An invitation says who asks whom to what, from when to when, and wants an answer."""
        boss = Address("Boss", "boss@boss.test")
        part = itip.request("1@boss.test", boss, MARIA, NOW, NOON, NOON + timedelta(hours=2), "Kick-off; 1", "Room 4")
        self.assertEqual(part.content_type, "text/calendar; method=REQUEST; charset=UTF-8; component=VEVENT")
        self.assertEqual(lines(part), [
            "BEGIN:VCALENDAR", "PRODID:-//simmail//people//EN", "VERSION:2.0", "METHOD:REQUEST", "BEGIN:VEVENT",
            "UID:1@boss.test", "DTSTAMP:20260302T090000Z", "SEQUENCE:0", "ORGANIZER:mailto:boss@boss.test",
            'ATTENDEE;PARTSTAT=NEEDS-ACTION;CN="Maria Rößler";RSVP=TRUE:mailto:maria@acme.test',
            "DTSTART:20260305T120000Z", "DTEND:20260305T140000Z", "LOCATION:Room 4", "SUMMARY:Kick-off\\; 1",
            "END:VEVENT", "END:VCALENDAR"])
        self.assertEqual(invitation([("text/calendar", part.octets)]), Invitation(
            "request", NOON, NOON + timedelta(hours=2), "1@boss.test", 0, "Kick-off; 1", "Room 4", "boss@boss.test"))

    def test_reply(self) -> None:
        """A reply names the object, its organizer, and the one attendee with what is said."""
        for partstat in ("ACCEPTED", "DECLINED", "TENTATIVE"):
            part = itip.reply(ASKED, MARIA, "else@x.test", NOW, partstat)  # type: ignore[arg-type] # literals
            self.assertEqual(part.content_type, "text/calendar; method=REPLY; charset=UTF-8; component=VEVENT")
            self.assertEqual(lines(part), [
                "BEGIN:VCALENDAR", "PRODID:-//simmail//people//EN", "VERSION:2.0", "METHOD:REPLY", "BEGIN:VEVENT",
                "UID:1@boss.test", "DTSTAMP:20260302T090000Z", "SEQUENCE:3", "ORGANIZER:mailto:boss@boss.test",
                f'ATTENDEE;PARTSTAT={partstat};CN="Maria Rößler":mailto:maria@acme.test',
                "SUMMARY:Kick-off\\; part 1\\, \\\\o/", "END:VEVENT", "END:VCALENDAR"])

    def test_counter(self) -> None:
        """A counter proposes a start and an end; who sent the invitation is its organizer where it names none."""
        part = itip.counter(ASKED._replace(organizer=""), MARIA, "app@x.test", NOW, NOON, NOON + timedelta(hours=1))
        found = lines(part)
        for line in ("METHOD:COUNTER", "DTSTART:20260305T120000Z", "DTEND:20260305T130000Z", "SEQUENCE:3",
                     "ORGANIZER:mailto:app@x.test", "SUMMARY:Kick-off\\; part 1\\, \\\\o/"):
            self.assertIn(line, found)

    def test_recurrence(self) -> None:
        """One of many is answered as that one."""
        asked = ASKED._replace(recurrence=";TZID=Europe/Berlin:20260305T130000")
        self.assertIn("RECURRENCE-ID;TZID=Europe/Berlin:20260305T130000",
                      lines(itip.reply(asked, MARIA, "", NOW, "ACCEPTED")))

    def test_beside_the_words(self) -> None:
        """With every client it is a form of what the mail says, with its method, and reads back as it was."""
        part = itip.reply(ASKED, MARIA, "", NOW, "ACCEPTED")
        for client in CLIENTS:
            for html in ("", "<p>Yes</p>"):
                octets = compose(replace(DRAFT, client=client, html=html, forms=(part,)))
                message = message_from_bytes(octets, policy=policy.default)
                self.assertEqual(message.get_content_type(), "multipart/alternative")
                kinds = [one.get_content_type() for one in message.iter_parts()]
                self.assertEqual(kinds, ["text/plain", *(["text/html"] if html else []), "text/calendar"])
                last = list(message.iter_parts())[-1]
                self.assertEqual((last.get_param("method"), last.get_param("charset").lower()), ("REPLY", "utf-8"))
                self.assertEqual(last.get_payload(decode=True), part.octets)
                (attached,) = read(octets).attachments
                self.assertEqual((attached.content_type, attached.octets), ("text/calendar", part.octets))
                self.assertEqual(message.get_body(("plain",)).get_content().strip(), "Hi")

    def test_with_files(self) -> None:
        """Files stand around it."""
        part = itip.reply(ASKED, MARIA, "", NOW, "ACCEPTED")
        octets = compose(replace(DRAFT, forms=(part,), attachments=(Attachment("a.pdf", "application/pdf", b"x"),)))
        message = message_from_bytes(octets, policy=policy.default)
        self.assertEqual([one.get_content_type() for one in message.walk()], [
            "multipart/mixed", "multipart/alternative", "text/plain", "text/calendar", "application/pdf"])

    @given(st.text(max_size=120), st.text(max_size=60), st.text(max_size=60))
    def test_anything(self, summary: str, name: str, address: str) -> None:
        """Whatever an invitation says, the answer is well formed, and read back it is of the same object."""
        octets = (f"BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:{address}\r\nSUMMARY:{summary}\r\n"
                  f"ORGANIZER:mailto:{address}\r\nRECURRENCE-ID;{name}:{summary}\r\nEND:VEVENT\r\n")
        asked = invitation([("text/calendar", octets.encode("utf-8", "replace"))])
        part = itip.reply(asked, Address(name, "maria@acme.test"), "app@x.test", NOW, "DECLINED")
        text = part.octets.decode().replace("\r\n ", "")
        self.assertEqual(text.count("BEGIN:VEVENT\r\n"), 1)
        self.assertEqual(text.count("\r\nATTENDEE"), 1)
        back = invitation([("text/calendar", part.octets)])
        self.assertEqual((back.uid, back.method), (asked.uid, "reply"))
