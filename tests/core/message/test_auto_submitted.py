"""Automatic mail."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.auto_submitted import automatic, bulk, no_notices
from simmail.core.mime.address import Address
from tests.core.scenes import APP, MARIA, mail


class AutomaticTests(SynchronousTestCase):
    """Signs in headers."""

    def test_signs(self) -> None:
        """Each sign is named; what is no sign is not."""
        for headers, sender, expected in (
            ((("Auto-Submitted", "Auto-Replied"),), APP, "Auto-Submitted: auto-replied"),
            ((("auto-submitted", " auto-notified; owner-email=x"),), APP, "Auto-Submitted: auto-notified"),
            ((("Auto-Submitted", "no"),), APP, ""), ((("Auto-Submitted", ""),), APP, ""),
            ((("Precedence", "BULK"),), APP, "Precedence: bulk"), ((("Precedence", "first-class"),), APP, ""),
            ((("List-ID", "News <n.x.test>"),), APP, "List-Id"), ((), "", "null sender"),
            ((("X-Autoreply", "yes"),), APP, "X-Autoreply"), ((("X-Autorespond", "no"),), APP, ""),
            ((("Content-Type", "multipart/report; boundary=x"),), APP, "a report"),
            ((("List-Unsubscribe", "<mailto:u@x.test>"),), APP, ""), ((), APP, ""),
        ):
            self.assertEqual(automatic(mail(headers=headers), sender), expected, headers)

    def test_bulk(self) -> None:
        """Mail to many is known by its headers or its addressees."""
        self.assertEqual(bulk(mail(headers=(("Feedback-ID", "x"),))), "Feedback-Id header")
        crowd = tuple(Address("", f"a{n}@x.test") for n in range(21))
        self.assertEqual(bulk(mail(to=crowd)), "21 addressees")
        self.assertEqual(bulk(mail(to=crowd[:20])), "")
        self.assertEqual(bulk(mail()), "")

    def test_no_notices(self) -> None:
        """Notices go to who names the persona and does not ask for none."""
        own = (MARIA, "m@acme.test")
        for one, expected in (
            (mail(), False), (mail(to=(Address("", "M@acme.test"),)), False), (mail(to=()), False),
            (mail(cc=(Address("", MARIA),), to=(Address("", "x@y.test"),)), False),
            (mail(to=(Address("", "x@y.test"),)), True),
            (mail(headers=(("X-Auto-Response-Suppress", "All"),)), True),
            (mail(headers=(("X-Auto-Response-Suppress", "DR, OOF"),)), True),
            (mail(headers=(("X-Auto-Response-Suppress", "DR"),)), False),
        ):
            self.assertEqual(bool(no_notices(one, own)), expected, one)
