"""What a mail asks that may have been said in its thread."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.tables import language
from simmail.core.writer.recall.askings import askings

EN = language("en")


class AskingsTests(SynchronousTestCase):
    """The sentences of one mail."""

    def asked(self, *sentences: str) -> list[tuple[str, str]]:
        """What some sentences ask, with its type, or the claim that is to be confirmed."""
        return [(one.claim or one.type, one.text) for one in askings(sentences, EN)]

    def test_marked(self) -> None:
        """Each question of a sentence is one of its own."""
        self.assertEqual(self.asked("Which day is it, when, and what's the order number?"), [
            ("when", "Which day is it"), ("when", "Which day is it, when"),
            ("what", "and what's the order number")])

    def test_unmarked(self) -> None:
        """What asks without a mark is a question; a clause of time and a plain statement are none."""
        self.assertEqual(self.asked("whats the count on the chairs now")[0][0], "what")
        self.assertEqual(self.asked("remind me why it went up, she says she never asked")[0][0], "why")
        self.assertEqual(self.asked("who've you got down for the bill")[0][0], "who")
        for none in ("When you come, bring the plan.", "I told him where to park.", "We moved it to Friday."):
            self.assertEqual(self.asked(none), [], none)

    def test_passed_on(self) -> None:
        """What somebody else would know is asked for."""
        self.assertEqual([kind for kind, _ in self.asked(
            "My niece is asking what size it is now, and how you'd be paid.")], ["what", "how"])
        self.assertEqual(self.asked("The caretaker wants to know who has the key.")[0][0], "who")

    def test_things(self) -> None:
        """Things that are only named are asked for where somebody wants them."""
        self.assertEqual([kind for kind, _ in self.asked("Could you give me the price and the date?")], [
            "much", "when"])

    def test_claims(self) -> None:
        """A statement to be confirmed is a claim, whether its tag stands in it or behind it."""
        self.assertEqual(self.asked("It was 40 chairs, wasn't it?")[0][0], "It was 40 chairs")
        self.assertEqual(self.asked("It was 40 chairs.", "Is that right?")[0][0], "It was 40 chairs")
        self.assertEqual(self.asked("I pay you £250.", "Don't I?")[0][0], "I pay you £250")
        self.assertEqual(self.asked("i said 50 didnt i")[0][0], "i said 50")
        self.assertEqual(self.asked("What held us up, was it the plumber?")[0][0], "was it the plumber")
        self.assertEqual(self.asked("How many were you?")[0][0], "many")
