"""What jobs need to know to be done later."""

from __future__ import annotations

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.decision import about, case_id, item, job_id, key, keyed, planned, reply_address, who
from simmail.core.mime.address import Address
from simmail.core.records.case import Case
from simmail.core.records.relationship import Dossier
from tests.core.scenes import APP, MARIA, NOW, SEED, mail, situation


class JobDataTests(SynchronousTestCase):
    """Data of plans."""

    def test_reply_address(self) -> None:
        """Reply-To comes before From, and From before the reverse-path; the persona itself is passed over."""
        for fields, expected in (
            ({}, (APP, "Alice Smith")),
            ({"reply_to": (Address("Desk", "Desk@App.test"),)}, ("desk@app.test", "Desk")),
            ({"reply_to": (Address("", MARIA.upper()),)}, (APP, "Alice Smith")),
            ({"from_": Address("", "")}, (APP, "")),
        ):
            self.assertEqual(reply_address(situation(mail(**fields))), expected)

    def test_planned(self) -> None:
        """A plan finds its mail and its dice again, and can be stored."""
        one = situation(mail(references=tuple(f"<{n}@x>" for n in range(30))), dossier=Dossier(APP, received=4),
                        case=Case("c_1", "C"))
        plan = planned(one, "reply", NOW, "Reply.", "because", {"visited": []})
        self.assertEqual((plan.case_id, plan.message_id, plan.thread), ("c_1", "<1@app.test>", "<1@app.test>"))
        self.assertEqual(plan.data["key"], [APP, MARIA, 5])
        sender, recipient, nth = key(one)
        again = keyed(SEED, str(sender), "p_maria", int(nth))
        self.assertEqual(job_id(again, "p_maria", "reply"), plan.id)
        self.assertNotEqual(job_id(again, "p_maria", "reply", 1), plan.id)
        self.assertEqual(len(plan.data["mails"][0]["references"]), 20)
        self.assertEqual(msgspec.json.decode(msgspec.json.encode(plan.data)), plan.data)
        self.assertEqual(plan.data["mails"], [item(one)])

    def test_no_case(self) -> None:
        """Outside any case its id is empty."""
        self.assertEqual(case_id(situation()), "")

    def test_sentences(self) -> None:
        """Subjects are one short line in quotes; people have their name before their address."""
        self.assertEqual(about(mail(subject="Re:\n  Lunch")), '"Re: Lunch"')
        self.assertEqual(about(mail(subject="x" * 99)), '"' + "x" * 60 + '..."')
        self.assertEqual(about(mail(subject=" ")), "a mail without a subject")
        self.assertEqual((who(APP, "Ann"), who(APP, "")), (f"Ann <{APP}>", APP))
