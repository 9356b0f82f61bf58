"""What must hold for the answers to announcements, trade, office matters and news from people, whatever the seed."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.time.invitation import invitation
from simmail.core.language.tables import LANGUAGES
from simmail.core.message.mail import Attachment
from simmail.core.writer.write import drafted
from tests.core.writer.samples import TEMPERAMENTS, mail, request, wrote
from tests.core.writer.test_mails import answer, everything

MAILS = everything()
SEEDS = tuple(map(str, range(6)))


def texts(name: str, temperaments: tuple[str, ...] = TEMPERAMENTS) -> list[str]:
    """What several people of each temperament answer."""
    return [answer(MAILS[name], temperament, seed).text for temperament in temperaments for seed in SEEDS]


class NoticeTests(SynchronousTestCase):
    """Announcements."""

    def test_no_meeting(self) -> None:
        """A maintenance window is no appointment: nobody proposes another time for a meeting or accepts one."""
        for name, words in (("maintenance", ("meeting", "agenda", "calendar invitation", "my calendar", "suits me")),
                            ("de_wartung", ("Tagesordnung", "Termin", "Ginge"))):
            for text in texts(name):
                for word in words:
                    self.assertNotIn(word, text)

    def test_objections(self) -> None:
        """Only the difficult object; who does not answers the question whether anybody does."""
        for temperament in ("responsive", "busy", "flaky", "ghost"):
            for text in texts("maintenance", (temperament,)):
                self.assertRegex(text.lower(), r"no objection|\bno\b|fine|suits us|go ahead|none")
        for text in texts("maintenance", ("difficult",)):
            self.assertIn("?", text)

    def test_not_asked(self) -> None:
        """Where nobody asked for objections, nobody answers that there are none."""
        one = mail("The database will be down on Thursday from 22:00 to 23:30 CET. Please save your work before that.")
        for temperament in ("responsive", "busy", "flaky"):
            for seed in SEEDS:
                written = wrote(one, temperament=temperament, seed=seed)
                self.assertEqual(written.intent, "notice")
                self.assertNotIn("objection", written.text)

    def test_magazine(self) -> None:
        """An interview for a magazine is no interview for a place: nobody brings certificates."""
        one = mail("I write for Print Today and would love to interview you about buying paper. Would Tuesday at 14:00 "
                   "suit you?\n\nKind regards,\nTomas Ek")
        for temperament in TEMPERAMENTS:
            for seed in SEEDS:
                text = wrote(one, temperament=temperament, seed=seed).text
                for word in ("certificate", "my mother", "look at all of you", "CV"):
                    self.assertNotIn(word, text)

    def test_prices(self) -> None:
        """A new price is spoken of as a price, new terms as terms."""
        for text in texts("price_increase", ("difficult", "skeptical")):
            self.assertRegex(text, r"14\.7%|price|Costs")
        for text in texts("terms_change"):
            self.assertNotRegex(text.lower(), r"price|budget|expensive")


class TradeTests(SynchronousTestCase):
    """Buying and selling."""

    def test_bank_details(self) -> None:
        """Nobody confirms a new bank account, sends papers for it or promises the money."""
        for name in ("bank_change", "de_bank"):
            for temperament in TEMPERAMENTS:
                for seed in SEEDS:
                    written = answer(MAILS[name], temperament, seed)
                    self.assertEqual(written.intent, "bank")
                    self.assertEqual((written.attachments, written.promise), ((), None), written.text)
        for temperament in TEMPERAMENTS:
            wary = wrote(MAILS["bank_change"], temperament=temperament, trust=0.1).text
            self.assertRegex(wary, r"call|ring|letter|phone|confirm|No\.", wary)

    def test_delivery_day(self) -> None:
        """One of the days on offer is chosen, never the one that was missed nor a time of one's own."""
        for name, days in (("delivery_days", ("Wednesday", "Thursday", "Friday")),
                           ("de_liefertag", ("Mittwoch", "Donnerstag"))):
            for text in texts(name):
                self.assertTrue(any(day in text for day in days), text)
                self.assertNotRegex(text, r"agenda|Tagesordnung|invit|Einladung|[0-9]:[0-9]{2}")
        for text in texts("de_liefertag"):
            self.assertNotIn("Freitag", text)

    def test_alternatives(self) -> None:
        """One of the two goods is named in full, with what was said about its price."""
        chosen = texts("out_of_stock", ("responsive", "busy", "flaky", "ghost"))
        for text in chosen:
            self.assertTrue("silk paper 135 g at the same price" in text.lower()
                            or "matt paper 150 g" in text.lower(), text)

    def test_promises(self) -> None:
        """A quote or a confirmation that is promised is something that can be sent."""
        self.assertEqual(answer(MAILS["quote_request"], "responsive").promise[0], "our quote")  # type: ignore[index]
        promise = answer(MAILS["purchase_order"], "responsive").promise
        assert promise is not None
        self.assertEqual(promise.what, "the confirmation of order 4500118203")
        kept = wrote(MAILS["quote_request"], kind="deliver", promise=answer(MAILS["quote_request"], "busy").promise)
        self.assertEqual([one.filename[-4:] for one in kept.attachments], [".pdf"])

    def test_final_sum(self) -> None:
        """Of several sums the one that is to be paid is spoken of."""
        for text in texts("dunning3", ("responsive", "difficult")):
            self.assertNotIn("2,310.40", text)


class OfficeTests(SynchronousTestCase):
    """Approvals, minutes, things asked for."""

    def test_own_task(self) -> None:
        """Of the minutes' tasks one's own is promised, for its own day."""
        for temperament in TEMPERAMENTS:
            written = answer(MAILS["minutes"], temperament)
            assert written.promise is not None
            self.assertEqual(written.promise.due.date().isoformat(), "2026-03-13")
            self.assertNotIn("supplier list", written.text)

    def test_asker(self) -> None:
        """The person a program passes a request on for is named; the program is greeted as nobody."""
        named = 0
        for name, who in (("holiday_approval", "Jonas Lind"), ("expense_approval", "Emma Wik"),
                          ("access_request", "Tom Hale"), ("de_urlaub", "Jonas Lind")):
            for text in texts(name):
                named += who in text
                self.assertNotRegex(text.split("\n")[0], r"(?:Drivebox|People|Spend|Jonas|Emma|Tom)\w*[,!]$")
        self.assertGreater(named, 60)

    def test_told_not_sent(self) -> None:
        """A number or an account that is asked for is told and not attached; known, it is told right away."""
        for name in ("vat_missing", "bank_wrong"):
            for temperament in TEMPERAMENTS:
                self.assertEqual(answer(MAILS[name], temperament).attachments, ())
        known = wrote(MAILS["vat_missing"], facts={"VAT number": "SE556677889901"})
        self.assertIn("SE556677889901", known.text)

    def test_last_paragraph(self) -> None:
        """Of a long report the one question is answered, and no copies are sent."""
        for temperament in TEMPERAMENTS:
            written = answer(MAILS["long_thread"], temperament)
            self.assertEqual((written.intent, written.attachments), ("question", ()))
            self.assertRegex(written.text, "[Yy]es|yep|you (may|can) print 3,200|You can print 3,200")


class PersonTests(SynchronousTestCase):
    """Between people."""

    def test_condolence(self) -> None:
        """Nobody jokes, exclaims, complains or asks when somebody has died, and everybody greets in the same way."""
        for text in texts("condolence"):
            self.assertTrue(text.startswith("Dear Henrik,"), text)
            self.assertNotRegex(text, r"[!?]|13 March|7 March|Hiya")

    def test_opinion(self) -> None:
        """Asked for an opinion, people have one."""
        for name in ("one_line_thoughts", "de_kurz"):
            for temperament in TEMPERAMENTS:
                written = answer(MAILS[name], temperament)
                self.assertIsNone(written.promise, written.text)
                self.assertNotRegex(written.text, r"(?m)^(?:Yes|No|yes|no|Ja|Nein|ja|nein)\b")

    def test_tasks_of_the_sick(self) -> None:
        """Who is ill is wished well, and what they ask for is done as well."""
        for text in texts("sick", ("responsive", "busy")):
            self.assertRegex(text, r"[Ww]ell|bed")

    def test_new_time_of_the_sick(self) -> None:
        """Who is ill and names another time is told that it suits, by its hour; nothing else is asked."""
        for text in (
            "I'm ill and can't come tomorrow. Thursday at 10 would be fine for me.",
            "I'm off sick, so I can't do our call at 2 today. Could we say Thursday at 10:00?",
            "Estoy enfermo y no puedo ir hoy. ¿Te va bien el jueves a las 10?",
            "Ich liege mit Grippe im Bett, der Termin heute fällt aus. Passt dir Donnerstag um 10 Uhr?",
        ):
            for temperament in TEMPERAMENTS:
                said = drafted(request(mail(text, "Our call"), temperament=temperament))
                self.assertRegex(said.written.text, "10:00|11:00|10h|11h")
                self.assertNotIn("14:00", said.written.text)
                acts = {one.act for one in said.said}
                self.assertIn("sick.wish", acts)
                self.assertFalse({"meeting.agenda", "answer.no"} & acts)


class InvitationTests(SynchronousTestCase):
    """Calendar parts."""

    def _mail(self, lines: str, text: str = "Please see the invitation.") -> tuple[Attachment, ...]:
        octets = f"BEGIN:VCALENDAR\r\n{lines}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n".encode()
        return (Attachment("invite.ics", "text/calendar", octets),)

    def test_start(self) -> None:
        """The start is read in UTC and with a zone; folded lines and the zones' own starts do not mislead."""
        for lines, expected in (
            ("METHOD:REQUEST\r\nBEGIN:VEVENT\r\nDTSTART:20260304T120000Z", "2026-03-04T12:00:00+00:00"),
            ("BEGIN:VTIMEZONE\r\nDTSTART:19700101T000000\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\n"
             "DTSTART;TZID=Europe/\r\n Stockholm:20260304T130000", "2026-03-04T13:00:00+01:00"),
        ):
            found = invitation((one.content_type, one.octets) for one in self._mail(lines))
            assert found.start is not None
            self.assertEqual((found.method, found.start.isoformat()), ("request", expected))
        for lines in ("BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20260304", "METHOD:REQUEST", "\0\0",
                      "BEGIN:VEVENT\r\nDTSTART;TZID=Nowhere/X:20260304T1"):
            self.assertIsNone(invitation((one.content_type, one.octets) for one in self._mail(lines)).start)
        self.assertEqual(invitation([]).method, "")

    def test_accepted(self) -> None:
        """An invitation whose text names no time is accepted for that of its calendar part, and none is asked for."""
        one = mail("Please see the invitation.", "Invitation: Kick-off", attachments=self._mail(
            "METHOD:REQUEST\r\nBEGIN:VEVENT\r\nDTSTART:20260304T120000Z"))
        for temperament in TEMPERAMENTS:
            written = wrote(one, temperament=temperament)
            self.assertEqual(written.intent, "invite")
            self.assertNotRegex(written.text, r"[Ss]end (?:the|an) invit")

    def test_outside_hours(self) -> None:
        """One outside working hours is answered with other times, a cancelled one is let go."""
        late = mail("See the invitation.", "Invitation", attachments=self._mail(
            "METHOD:REQUEST\r\nBEGIN:VEVENT\r\nDTSTART:20260304T210000Z"))
        self.assertNotIn("21:00", wrote(late).text)
        self.assertIn("?", wrote(late).text)
        gone = mail("This event was taken off the calendar.", "Cancelled", attachments=self._mail(
            "METHOD:CANCEL\r\nBEGIN:VEVENT\r\nDTSTART:20260304T120000Z"))
        self.assertEqual(wrote(gone).intent, "cancelled")


class SameTests(SynchronousTestCase):
    """All of them."""

    def test_same_seed(self) -> None:
        """The same request gives the same answer."""
        for one in MAILS.values():
            self.assertEqual(answer(one, "flaky").text, answer(one, "flaky").text)

    def test_different_people(self) -> None:
        """No two temperaments say the same."""
        for name, one in MAILS.items():
            said = {answer(one, temperament).text for temperament in TEMPERAMENTS}
            self.assertEqual(len(said), len(TEMPERAMENTS), name)

    def test_language(self) -> None:
        """A German mail is answered in German, an English one in English."""
        for name, one in MAILS.items():
            written = answer(one, "busy")
            self.assertIn(written.language, LANGUAGES)
            if name not in ("two_languages", "german_mail", "de_mixed"):
                self.assertEqual(written.language, "de" if name.startswith("de_") else "en", name)
        self.assertGreater(len(MAILS), 100)
