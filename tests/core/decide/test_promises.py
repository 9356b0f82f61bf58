"""Promises: heard, kept, asked for."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide import delay, promises
from simmail.core.language.reader import Findings
from simmail.core.records.persona import TEMPERAMENTS
from simmail.core.records.relationship import OpenPromise
from simmail.core.records.settings import Pace
from simmail.core.rng import Dice
from tests.core.scenes import NOW, after, attached, mail, person


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
            found = promises.fulfilled(promise, Findings(mail(text, attachments=files), NOW), thread)
            self.assertEqual(found, expected, text)

    def test_under_another_subject(self) -> None:
        """What comes as a figure or a link in another thread has come; being spoken of is not coming."""
        promise = OpenPromise("correspondent", "the tracking number", NOW, after(days=1), "j", thread="<1@app.test>")
        for subject, text, expected in (
            ("Shipping confirmation", "The tracking number is 1Z999.", True),
            ("Tracking number 1Z999", "It left today.", True), ("News", "Tracking: https://parcel.test/t", True),
            ("News", "The tracking number will come later.", False), ("Order 5", "It left today.", False),
            ("News", "We will send you the tracking number by 5 March.", False),
        ):
            found = promises.fulfilled(promise, Findings(mail(text, subject=subject), NOW), "<2@app.test>")
            self.assertEqual(found, expected, text)

    def test_asks_after(self) -> None:
        """By temperament: who follows rules always asks, the flaky sometimes, a ghost hardly ever."""
        for one in TEMPERAMENTS:
            asked = sum(promises.asks_after(person(temperament=one.name), Dice(str(n))) for n in range(1000))
            self.assertLess(abs(asked / 1000 - one.nudges), 0.05, one.name)

    def test_an_answer(self) -> None:
        """An answer is any further mail of the thread that does not put off again."""
        promise = OpenPromise("correspondent", "an answer", NOW, after(days=1), "j", thread="<1@app.test>")
        self.assertTrue(promises.fulfilled(promise, Findings(mail("It was the fuse."), NOW), "<1@app.test>"))
        self.assertFalse(promises.fulfilled(promise, Findings(mail("It was the fuse."), NOW), "<2@app.test>"))
        self.assertFalse(promises.fulfilled(promise, Findings(mail("We will reply soon."), NOW), "<1@app.test>"))

    def test_own_promises(self) -> None:
        """What the persona promised is not fulfilled by others; it is asked for in the thread or by its name."""
        own = OpenPromise("persona", "the price list", NOW, after(days=1), thread="<1@app.test>")
        brought = Findings(mail("Attached", attachments=(attached("a"),)), NOW)
        self.assertFalse(promises.fulfilled(own, brought, own.thread))
        self.assertTrue(promises.asked_for(own, Findings(mail("Any news?"), NOW), "<1@app.test>"))
        self.assertTrue(promises.asked_for(own, Findings(mail("Where is the price list?"), NOW), "<2@app.test>"))
        self.assertFalse(promises.asked_for(own, Findings(mail("Any news?"), NOW), "<2@app.test>"))
        self.assertFalse(promises.asked_for(own, Findings(mail("It rained."), NOW), "<1@app.test>"))


class FateTests(SynchronousTestCase):
    """What becomes of the persona's own."""

    def test_shares(self) -> None:
        """Kept as often as keep_promises says; the rest is late three times in five, else forgotten."""
        persona = person(behaviors={"keep_promises": 0.5})
        found = Counter(promises.fate(persona, after(days=3), Pace(), NOW, Dice(str(n))).fate for n in range(2000))
        self.assertLess(abs(found["kept"] / 2000 - 0.5), 0.045)
        self.assertLess(abs(found["late"] / 2000 - 0.3), 0.045)
        for one in TEMPERAMENTS:
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
