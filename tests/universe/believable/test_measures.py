"""The sheet in figures: what is counted is so, with the writer off and on."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.wording.chat import ChatAnswer
from tests.universe.believable import measures, specimens, stage
from tests.universe.believable.measures import CONFIDED, DISCLOSURE, FACT, likeness, refuses, SECRET, slips
from tests.universe.believable.stage import MODEL


class CountTests(SynchronousTestCase):
    """Counting."""

    def test_refusals(self) -> None:
        """What refuses, and what does not."""
        for text in ("I can\u2019t send that.", "We won't pay.", "No thanks.", "I'm not allowed to.",
                     "I dispute this."):
            self.assertTrue(refuses(text), text)
        for text in ("I can send it.", "Yes, Friday.", "I don't know yet.", "Thank you!"):
            self.assertFalse(refuses(text), text)

    def test_likeness(self) -> None:
        """Runs of three words that two texts share."""
        self.assertEqual(likeness("one two three four", "One two three four!"), 1.0)
        self.assertEqual(likeness("one two three four", "one two three five"), 1 / 3)
        self.assertEqual((likeness("a b c", "d e f"), likeness("", "")), (0.0, 0.0))

    def test_slips(self) -> None:
        """Words that are not as they were meant, wherever they stand."""
        self.assertEqual(slips("teh chairs are hree", "the chairs are here"), 2)
        self.assertEqual(slips("same", "same"), 0)


class SheetTests(SynchronousTestCase):
    """One person of one temperament."""

    def test_disclosed(self) -> None:
        """Told in the turn in which it is asked for, and what is secret never, whoever words it."""
        for writer in (None, measures.scripted):
            letters = stage.play_conversation(DISCLOSURE, "responsive", 0, writer).letters
            text = "\n".join(one.text for one in letters)
            self.assertIn(FACT, text)
            self.assertIn(CONFIDED, text)
            self.assertNotIn(SECRET, text)
            self.assertNotIn(CONFIDED, "".join(one.text for one in letters if one.turn < 4))
            # What is asked for twice is told twice, and a copy of the last mail is the templates'.
            self.assertIn(MODEL if writer else "templates", {one.by for one in letters})
            self.assertIn(letters[0].by, (MODEL,) if writer else ("templates",))

    def test_measured(self) -> None:
        """Every temperament is measured; a model that betrays itself words nothing."""
        # Of one that asks for no number or address: those are the same whoever tells them.
        mails = [one for one in specimens.mails() if one.name == "termin_zwei_tage"]
        found, across = measures.measure(1, lambda query: ChatAnswer('{"text": "As an AI.", "used_facts": []}'), mails)
        self.assertEqual(set(found), set(stage.TEMPERAMENTS))
        self.assertLess(across, 0.25)
        for one in found.values():
            self.assertEqual((one.answers, one.worded, one.leaks), (1, 0.0, 0))
            self.assertGreater(one.words, 1)
            self.assertIn("0% worded by the model", str(one))
