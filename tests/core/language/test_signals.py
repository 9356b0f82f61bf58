"""What a mail does to its reader, and automatic mail."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.signals import signals
from simmail.core.message.auto_submitted import automatic, bulk, no_notices
from simmail.core.mime.address import Address
from tests.core.scenes import APP, MARIA, attached, mail


def shown(text: str, **fields: Any) -> set[str]:
    """The names of the signals found."""
    found = signals(mail(text, **fields))
    return {name for name in ("thanks", "apology", "nagging", "pressure", "complaint", "delivers", "request")
            if getattr(found, name)}


class SignalTests(SynchronousTestCase):
    """Phrases."""

    def test_phrases(self) -> None:
        """Each kind of phrase is seen, and only it."""
        for text, expected in (
            ("Thank you for the quick help.", {"thanks"}), ("Many thanks in advance", set()),
            ("No thanks.", set()), ("We are so sorry, it was our mistake.", {"apology"}),
            ("Just following up on this.", {"nagging"}), ("I haven\u2019t heard from you.", {"nagging"}),
            ("This is urgent.", {"pressure"}), ("This is unacceptable.", {"complaint"}),
            ("Please find it attached.", {"delivers"}), ("Could you send it", {"request"}),
            ("Vielen Dank!", {"thanks"}), ("The weather is fine.", set()),
        ):
            self.assertEqual(shown(text), expected, text)

    def test_subject(self) -> None:
        """The subject counts unless it is that of a reply."""
        self.assertEqual(shown("See below.", subject="Reminder: invoice"), {"nagging"})
        self.assertEqual(shown("See below.", subject="Re: Reminder: invoice"), set())

    def test_attachments(self) -> None:
        """An attachment brings something, an inline picture does not."""
        self.assertEqual(shown("x", attachments=(attached("a.pdf"),)), {"delivers"})

    def test_quotes(self) -> None:
        """What is quoted is not said."""
        self.assertEqual(shown("Fine.\n\n> This is urgent, where is it?"), set())
        self.assertEqual(signals(mail("Fine.\n\n> Really?")).questions, 0)

    def test_questions(self) -> None:
        """Question marks that end a word are counted, those in addresses are not."""
        for text, expected in (
            ("When? And where?", 2), ("See https://x.test/?a=b", 0), ("https://x.test/?", 0), ("Is it \"done?\"", 1),
            ("What?!", 1), ("???", 0), ("Or (maybe?)", 1), ("Is it *really?*", 1),
        ):
            self.assertEqual(signals(mail(text)).questions, expected, text)
        self.assertTrue(signals(mail("Please let me know")).asks)

    @given(st.text(max_size=500), st.text(max_size=50))
    def test_anything(self, text: str, subject: str) -> None:
        """Any text is read."""
        self.assertGreaterEqual(signals(mail(text, subject=subject)).questions, 0)


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
