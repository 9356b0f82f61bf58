"""Answers to mails that ask in a thread for what was said in it."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.universe.meaning import Meaning
from tests.core.writer.sources.threads import FRAME, asked, remarks

TEXTS = tuple(f"{FRAME['en'][0]}\n\n{one}\n\nTom" for one in (
    "the party is on Friday 16 October at 7, at the Plough, and we will be 22. My cousin Brenda brings the cake. I pay "
    "you £300.",
    "small change: the Plough has flooded, so we go to the Swan instead. And Uncle Bert cannot come, so 21 of us now."))


class RememberedTests(SynchronousTestCase):
    """A customer asks again."""

    def told(self, text: str, mails: tuple[str, ...] = TEXTS) -> str:
        """What is answered to a mail."""
        return asked("en", text, "busy", remarks("en", mails), Meaning()).text

    def test_as_it_is_now(self) -> None:
        """What was changed is told as it is now, and each thing that is asked is told."""
        text = self.told("My wife wants to know where we are going and who does the baking.")
        self.assertIn("Swan", text)
        self.assertIn("Brenda", text)

    def test_two_at_once(self) -> None:
        """A sentence that tells two things is told once."""
        mails = tuple(f"{FRAME['en'][0]}\n\n{one}\n\nTom" for one in (
            "we need 9 desks on Thursday 12 March in the hall.", "the hall is open from seven."))
        text = self.told("How many desks did I order, and for which day?", mails)
        self.assertEqual(text.count("You need 9 desks on Thursday 12 March"), 1)

    def test_unmarked(self) -> None:
        """A question without a mark is answered."""
        self.assertIn("£300", self.told("remind me what i am paying you, ive lost the mail"))

    def test_put_right(self) -> None:
        """A wrong figure is put right, a right one confirmed."""
        wrong, right = self.told("I pay you £250, don't I?"), self.told("I pay you £300, don't I?")
        self.assertIn("No. You pay me £300.", wrong)
        self.assertIn("Yes. You pay me £300.", right)

    def test_never_said(self) -> None:
        """What nobody spoke of is denied, by its name where it has one."""
        self.assertRegex(self.told("And which colour did I say for the napkins?"), r"haven't (found|seen)|can't find")
        self.assertIn("the fireworks", self.told("And you promised me the fireworks for nothing, didn't you?"))

    def test_new(self) -> None:
        """What asks for something to be done is not taken for a question about the thread."""
        self.assertNotIn("haven't found", self.told("Could you bring a second table?"))
        self.assertNotIn("Swan", self.told("What would you charge for a second evening?"))
