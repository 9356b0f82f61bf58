"""Promises: heard, kept, asked for."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide import delay, promises
from simmail.core.language.signals import signals
from simmail.core.records import temperaments
from simmail.core.records.relationship import OpenPromise
from simmail.core.records.settings import Pace
from simmail.core.rng import Dice
from simmail.core.time.instant import format_instant
from tests.core.hostile import seconds
from tests.core.scenes import NOW, after, attached, mail, person


def heard(text: str, **fields: Any) -> list[tuple[str, str]]:
    """What is promised in a text, and by when."""
    one = mail(text, **fields)
    return [(found.what, format_instant(found.due)) for found in promises.heard(
        signals(one), one.subject, person(), NOW)]


FRIDAY, TOMORROW, UNDATED = "2026-03-06T17:00:00Z", "2026-03-03T17:00:00Z", "2026-03-05T17:00:00Z"


class HeardTests(SynchronousTestCase):
    """Recognising."""

    def test_promises(self) -> None:
        """What is promised is a phrase that fits after "to send", due as it is said."""
        for text, expected in (
            ("I will send you the signed contract by Friday.", ("the signed contract", FRIDAY)),
            ("I'll send it by Friday.", ('what was promised about "Figures for March"', FRIDAY)),
            ("We'll get back to you tomorrow.", ("an answer", TOMORROW)),
            ("We will get back to you shortly!", ("an answer", UNDATED)),
            ("Our team will update you within 24 hours", ("an update", "2026-03-03T10:00:00Z")),
            ("You will receive your invoice by Friday", ("your invoice", FRIDAY)),
            ("I\u2019ll forward the report to you on Friday, then.", ("the report", FRIDAY)),
            ("We will refund the amount by Friday.", ("the refund", FRIDAY)),
            ("Ich werde Ihnen den Vertrag bis Freitag senden.", ("den Vertrag", FRIDAY)),
            ("Wir melden uns morgen.", ("an answer", TOMORROW)),
            ("Wir senden Ihnen die Unterlagen bis Freitag.", ("die Unterlagen", FRIDAY)),
        ):
            found = heard(text)
            self.assertEqual(found, [expected], text)

    def test_no_promises(self) -> None:
        """Questions, conditions, refusals, news and requests promise nothing; nor do quotes."""
        for text in (
            "Will you send it by Friday?", "If you send the form, I will send the contract.",
            "I will not send it.", "I won't send anything.", "The shop will open on Friday.",
            "Please send the contract by Friday.", "I will be out of office and will reply on Friday.",
            "I sent the contract yesterday.", "Thanks!\n\n> I will send the contract by Friday.",
            "I'll be there on Friday.", "",
        ):
            self.assertEqual(heard(text), [], text)

    def test_zone(self) -> None:
        """Friday ends at five on the persona's wall."""
        far = person(timing={"hours": {"tz": "America/New_York"}})
        found = promises.heard(signals(mail("I will send the plan by Friday.")), "", far, NOW)
        self.assertEqual(format_instant(found[0].due), "2026-03-06T22:00:00Z")
        self.assertTrue(found[0].dated)

    def test_at_most_three(self) -> None:
        """A mail full of promises gives three."""
        text = " ".join(f"I will send part {n} by Friday." for n in range(9))
        self.assertEqual([what for what, _ in heard(text)], ["part 0", "part 1", "part 2"])

    @settings(max_examples=150, deadline=None)
    @given(st.text(max_size=400) | st.lists(st.sampled_from(
        "I'll will send the it by Friday. within ? 3 days we'll get back to you \n > , attached contract".split(" ")),
        max_size=30).map(" ".join))
    def test_anything(self, text: str) -> None:
        """Any text gives short phrases and instants."""
        for what, due in heard(text, subject=text[:50]):
            self.assertTrue(0 < len(what) < 400)
            self.assertGreater(due, "2025")

    def test_quick(self) -> None:
        """A huge mail is looked at in part."""
        self.assertLess(seconds(heard, "I will send the thing by the end of the week. " * 50_000)
                        + seconds(heard, "I will send " * 50_000), 0.5)


class FulfilledTests(SynchronousTestCase):
    """Arriving."""

    def test_a_thing(self) -> None:
        """A thing comes with a mail that brings something, in the thread or by its name."""
        promise = OpenPromise("correspondent", "the signed contract", NOW, after(days=4), "j", thread="<1@app.test>")
        for text, thread, files, expected in (
            ("As promised.", "<1@app.test>", (), True), ("Hello", "<1@app.test>", (attached("a.pdf"),), True),
            ("Hello again", "<1@app.test>", (), False), ("The contract is attached.", "<2@app.test>", (), True),
            ("Attached is my photo", "<2@app.test>", (), False),
        ):
            found = promises.fulfilled(promise, signals(mail(text, attachments=files)), thread)
            self.assertEqual(found, expected, text)

    def test_an_answer(self) -> None:
        """An answer is any further mail of the thread that does not put off again."""
        promise = OpenPromise("correspondent", "an answer", NOW, after(days=1), "j", thread="<1@app.test>")
        self.assertTrue(promises.fulfilled(promise, signals(mail("It was the fuse.")), "<1@app.test>"))
        self.assertFalse(promises.fulfilled(promise, signals(mail("It was the fuse.")), "<2@app.test>"))
        self.assertFalse(promises.fulfilled(promise, signals(mail("We will reply soon.")), "<1@app.test>"))

    def test_own_promises(self) -> None:
        """What the persona promised is not fulfilled by others; it is asked for in the thread or by its name."""
        own = OpenPromise("persona", "the price list", NOW, after(days=1), thread="<1@app.test>")
        self.assertFalse(promises.fulfilled(own, signals(mail("Attached", attachments=(attached("a"),))), own.thread))
        self.assertTrue(promises.asked_for(own, signals(mail("Any news?")), "<1@app.test>"))
        self.assertTrue(promises.asked_for(own, signals(mail("Where is the price list?")), "<2@app.test>"))
        self.assertFalse(promises.asked_for(own, signals(mail("Any news?")), "<2@app.test>"))
        self.assertFalse(promises.asked_for(own, signals(mail("It rained.")), "<1@app.test>"))


class FateTests(SynchronousTestCase):
    """What becomes of the persona's own."""

    def test_shares(self) -> None:
        """Kept as often as keep_promises says; the rest is late three times in five, else forgotten."""
        persona = person(behaviors={"keep_promises": 0.5})
        found = Counter(promises.fate(persona, after(days=3), Pace(), NOW, Dice(str(n))).fate for n in range(2000))
        self.assertLess(abs(found["kept"] / 2000 - 0.5), 0.045)
        self.assertLess(abs(found["late"] / 2000 - 0.3), 0.045)
        for one in temperaments.TEMPERAMENTS:
            self.assertEqual(promises.keeping(person(temperament=one.name)), one.keep_promises)

    def test_when(self) -> None:
        """Kept is before it is due and in working hours, late is after, forgotten is never."""
        hours = {"tz": "Europe/Berlin", "days": "mon-fri", "from": "09:00", "to": "18:00"}
        for n in range(300):
            persona = person(behaviors={"keep_promises": 0.5}, timing={"hours": hours})
            fate = promises.fate(persona, after(days=4, hours=6), Pace(), NOW, Dice(str(n)))
            if fate.at is None:
                self.assertEqual(fate.fate, "forgotten")
                continue
            self.assertEqual(fate.at <= after(days=4, hours=6), fate.fate == "kept")
            self.assertEqual(delay.available(persona, Pace(), fate.at), fate.at)
            self.assertIn(fate.fate, fate.why)

    def test_always_and_never(self) -> None:
        """1 always keeps, 0 never does."""
        for chance, expected in ((1, {"kept"}), (0, {"late", "forgotten"})):
            persona = person(behaviors={"keep_promises": chance})
            self.assertEqual({promises.fate(persona, after(days=1), Pace(), NOW, Dice(str(n))).fate
                              for n in range(100)}, expected)

    def test_nudges(self) -> None:
        """The first nudge comes some hours after, the second some days."""
        first = [promises.nudge_at(person(), NOW, Pace(), Dice(str(n))) - NOW for n in range(200)]
        second = [promises.nudge_at(person(), NOW, Pace(), Dice(str(n)), 2) - NOW for n in range(200)]
        self.assertTrue(timedelta(hours=4) < sorted(first)[100] < timedelta(hours=8))
        self.assertTrue(timedelta(days=2) < sorted(second)[100] < timedelta(days=4))
