"""Where in a thread a question is answered."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.questions import read_question
from simmail.core.language.tables import language
from simmail.core.writer.recall.passages import Passage, Passages
from simmail.universe.meaning import Meaning
from tests.core.writer.sources.threads import FRAME, asked, remarks

#: Two mails of a customer.
TEXTS = tuple(f"{FRAME['en'][0]}\n\n{one}\n\nTom" for one in (
    "the fan is to be white and 52 inches across. My neighbour Lyle Pettibone has the key. The price you named was "
    "£180.",
    "small change: the fan is to be 44 inches across, 52 was too large for the room. Please mind the cat."))


class PassageTests(SynchronousTestCase):
    """In the mails of one customer."""

    def best(self, text: str, whole: str = "", first: bool = False) -> list[Passage]:
        """The sentences that answer a question."""
        return Passages(remarks("en", TEXTS), language("en"), Meaning()).best(
            read_question(text, language("en")), whole or text, first)

    def test_other_words(self) -> None:
        """A question is answered by what it means, whatever its words are."""
        self.assertIn("Pettibone", self.best("Who is it you have to see to get in?")[0].remark.value)
        self.assertIn("£180", self.best("How much do I owe you?")[0].remark.value)

    def test_what_holds(self) -> None:
        """What was changed is told as it is now, or as it was where that is asked for."""
        self.assertEqual(["44 inches" in one.remark.value for one in self.best("How big is the fan?")], [True])
        self.assertIn("52 inches", self.best("How big was the fan at first?", first=True)[0].remark.value)

    def test_without_a_model(self) -> None:
        """Without a model words and types are compared."""
        found = Passages(remarks("en", TEXTS), language("en"), None).ranked(
            read_question("Who has the key?", language("en")), "Who has the key?")
        self.assertIn("Pettibone", found[0].remark.value)
        self.assertEqual(found[0].near, 0.0)
        self.assertAlmostEqual(sum(one.likely for one in found), 1.0, delta=0.1)

    def test_nothing_said(self) -> None:
        """Where nothing was said nothing is found."""
        nothing = Passages((), language("en"), None)
        self.assertEqual(nothing.best(read_question("Who?", language("en")), "Who?"), [])

    def test_family(self) -> None:
        """A colour is asked for, and none was named; of what has no family nobody can tell."""
        without = Passages(remarks("en", TEXTS[1:]), language("en"), None)
        self.assertFalse(without.has_kin(read_question("What colour was it?", language("en"))))
        self.assertTrue(without.has_kin(read_question("Who has the key?", language("en"))))

    def test_said(self) -> None:
        """The sentence is said as its reader would: "your neighbour"."""
        self.assertIn("Your neighbour Lyle Pettibone has the key.", asked(
            "en", "Remind me, who has the key?", "busy", remarks("en", TEXTS), Meaning()).text)

    def test_never_said(self) -> None:
        """What somebody takes for promised and nobody spoke of was not said, and nothing follows from it."""
        for question in ("And the painting is free of charge as you promised, yes?",
                         "And the discount that you gave us, is that in the price already?",
                         "You also said that you would paint the ceiling for nothing. May I write that down?"):
            text = asked("en", question, "busy", remarks("en", TEXTS)).text.lower()
            self.assertRegex(text, r"cannot|can't|don't|didn't|no", question)
            self.assertNotRegex(text, r"\b(yes|sure|go ahead)\b", question)
