"""Sentences of a thread that are said again as a whole."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.questions import read_question
from simmail.core.language.tables import language
from simmail.core.writer.sources.quoted import quoted
from tests.core.writer.sources.threads import remarks

EN = language("en")
THREAD = (
    "my fitter is called Pavel, he has a white van with a Polish number plate. The tap is out of stock until November.",
    "the stopcock is under the stairs, behind the shoe rack. We start on Tuesday at eight in the morning.",
    "the worktop will come on a second lorry. I send you the bill in October.",
)


def told(question: str, whole: str = "", strong: bool = False) -> str:
    found = quoted(read_question(question, EN), whole or question, remarks("en", THREAD), (), EN, False, strong)
    return "" if found is None else found.text


class QuotedTests(SynchronousTestCase):
    """What was written, looked up."""

    def test_sentence(self) -> None:
        """The sentence with most of what is asked is said, by the other side."""
        self.assertEqual(told("What was the name of the fitter?"),
                         "Your fitter is called Pavel, he has a white van with a Polish number plate.")
        self.assertEqual(told("Where was the stopcock again?"),
                         "The stopcock is under the stairs, behind the shoe rack.")

    def test_before(self) -> None:
        """Whom a sentence speaks of stands in the one before; what was but asked is not told."""
        thread = ("Theo from work wants to come. He'd bring the firewood. Could you bring a cool box for the cheese?",)
        for question, answer in (
            ("Who was bringing the firewood?", "Theo from work wants to come. He'd bring the firewood."),
            ("What did we say about the cheese?", ""),
        ):
            found = quoted(read_question(question, EN), question, remarks("en", thread), (), EN, False)
            self.assertEqual("" if found is None else found.text, answer)

    def test_part(self) -> None:
        """A part that names nothing is of what the whole sentence speaks of."""
        self.assertEqual(told("What car does he drive?", "What was the name of the fitter and what car does he drive?"),
                         "Your fitter is called Pavel, he has a white van with a Polish number plate.")

    def test_nothing(self) -> None:
        """What is in no sentence, a wish, and what has little in common where much is wanted are not quoted."""
        self.assertEqual(told("What was the colour of the curtains?"), "")
        self.assertEqual(told("Which fitter would you like?"), "")
        self.assertEqual(told("Where was the stopcock again?", strong=True), "")
