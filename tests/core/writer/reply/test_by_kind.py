"""What is said by the kind of a mail."""

from __future__ import annotations

import re
from datetime import datetime

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.writer.context import set_scene
from simmail.core.writer.kinds import said_by
from tests.core.writer.samples import NOW, TEMPERAMENTS, mail, request, wrote

CONTRACT = mail("Hi Maria, could you please send us the signed contract by Friday, 6 March?", "Contract FA-118")


class ByKindTests(SynchronousTestCase):
    """Replies to a payment reminder, to who wants documents, and to who wants to meet."""

    def test_paid(self) -> None:
        """A fact about the payment is told instead of a new promise to pay."""
        reminder = mail("Invoice INV-2041 over EUR 300.00 is overdue.", "Payment reminder")
        for temperament in TEMPERAMENTS:
            written = wrote(reminder, temperament=temperament, facts={"payment": "made on 27 February"})
            self.assertIn("made on 27 February", written.text, temperament)
            self.assertIsNone(written.promise)

    def test_attached(self) -> None:
        """Whoever says that a document is attached attaches it, and nobody else does."""
        seen = set()
        for seed in range(30):
            written = wrote(CONTRACT, seed=str(seed))
            self.assertEqual(bool(written.attachments), written.promise is None, written.text)
            comes = re.search("ttach|with this mail|signed contract right away", written.text)
            self.assertEqual(bool(written.attachments), bool(comes), written.text)
            seen.add(bool(written.attachments))
        self.assertEqual(seen, {True, False})

    def test_deadline(self) -> None:
        """A promise is not made for later than the deadline, and not for a day off."""
        for temperament in ("busy", "procedural", "flaky"):
            for seed in range(5):
                written = wrote(CONTRACT, temperament=temperament, seed=str(seed))
                if written.promise is not None:
                    self.assertLessEqual(written.promise.due.date(), datetime(2026, 3, 6).date())
                    self.assertLess(written.promise.due.weekday(), 5)
                    self.assertGreater(written.promise.due, NOW)

    def test_request_beside(self) -> None:
        """A document asked for in passing is dealt with once, not answered with yes as well."""
        passing = mail("Hi Maria, could you send us the contract? Could we meet on Tuesday at 10:00 or Friday at 9:00?")
        for temperament in TEMPERAMENTS:
            acts = [said.act for said in said_by(set_scene(request(passing, temperament=temperament)))]
            self.assertIn("meeting.accept", acts)
            self.assertEqual(len([act for act in acts if act.startswith("document.")]), 1)
            self.assertEqual([act for act in acts if act.startswith("answer.")], [])

    def test_support_asks(self) -> None:
        """Who needs to know more has solved nothing yet."""
        needs = mail("Thank you for your patience. To move ticket RL-482 forward we need the serial number of the "
                     "controller and whether the error shows up when it is cold.", "Ticket RL-482: error E07")
        for temperament in TEMPERAMENTS:
            acts = [said.act for said in said_by(set_scene(request(needs, temperament=temperament)))]
            self.assertFalse([act for act in acts if act.startswith("support.")], temperament)

    def test_missing_beside(self) -> None:
        """What is asked about something else is answered beside the news that an attachment did not come."""
        lost = mail("Please find the key list attached. Do I get the deposit back or is it gone?", "Subscription")
        acts = [said.act for said in said_by(set_scene(request(lost)))]
        self.assertEqual(acts[0], "missing.tell")
        self.assertIn("answer.own", acts)

    def test_two_documents(self) -> None:
        """Two documents asked for are two files."""
        both = mail("Please send us your insurance certificate and the price list.")
        files = next(files for files in (wrote(both, seed=str(n)).attachments for n in range(20)) if files)
        self.assertEqual([one.filename for one in files], ["insurance-certificate.pdf", "price-list.csv"])

    def test_no_slot_fits(self) -> None:
        """Times outside the persona's hours are declined, with two of its own that are inside."""
        weekend = mail("Could we meet on Saturday at 10:00 or on Sunday at 11:00?", "Meeting")
        for temperament in TEMPERAMENTS:
            text = wrote(weekend, temperament=temperament).text
            self.assertRegex(text, r"Monday 9 March|Tuesday 10 March", temperament)
            self.assertNotRegex(text, r"Saturday at|Sunday at", temperament)

    def test_no_slot_given(self) -> None:
        """Who is asked for a time without being given one proposes one."""
        for temperament in TEMPERAMENTS:
            asking = mail("Can we schedule a call next week? What is your availability?")
            text = wrote(asking, temperament=temperament).text
            self.assertRegex(text, r"(Mon|Tues|Wednes|Thurs|Fri)day|tomorrow", temperament)
