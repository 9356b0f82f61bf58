"""What was said before, word for word."""

from __future__ import annotations

from datetime import timedelta

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.questions import read_question
from simmail.core.language.tables import language
from simmail.core.records.conversation import Remark
from simmail.core.writer.sources.sentence import contradicts, ranked
from simmail.universe.meaning import Meaning
from tests.core.writer.samples import NOW, TEMPERAMENTS, mail, wrote

EN = language("en")


def said(sentence: str, by: str = "correspondent") -> Remark:
    """A sentence of a mail of two days ago."""
    return Remark("said", by, "", NOW - timedelta(days=2), sentence)  # type: ignore[arg-type]


LID = said("The lid of the old jar is broken.")
GATE = said("My neighbour Jonas opens the gate for you.")
GUESTS = said("We will be 14 at the table.")
ASKED = said("How long does the delivery take?")
OWN = said("I paint the fence in dark green.", "persona")
THREAD = (LID, GATE, GUESTS, ASKED, OWN)


class SentenceTests(SynchronousTestCase):
    """The sentence that comes nearest, or none."""

    def found(self, question: str, meaning: Meaning | None = None) -> Remark | None:
        """The sentence for a question."""
        return next((hit.remark for hit in ranked(read_question(question, EN), THREAD, EN, meaning)), None)

    def test_words(self) -> None:
        """Without a model by the words in common, and figures of the type that is asked for."""
        self.assertEqual(self.found("Who opens the gate?"), GATE)
        self.assertEqual(self.found("How many will we be at the table?"), GUESTS)
        self.assertIsNone(self.found("Who sells tickets?"))
        self.assertIsNone(self.found("When is the party?"))

    def test_meaning(self) -> None:
        """With one also where no word is the same; what has nothing to do with it stays unanswered."""
        model = Meaning()
        self.assertEqual(self.found("How many guests did we say?", model), GUESTS)
        self.assertEqual(self.found("What did I say was wrong with the old jar?", model), LID)
        self.assertIsNone(self.found("What is your favourite film?", model))

    def test_questions(self) -> None:
        """A question that was asked answers none, and yes or no is no matter for a quotation."""
        self.assertIsNone(self.found("How long does the delivery take?"))
        self.assertIsNone(self.found("Is the gate open?"))

    def test_contradicts(self) -> None:
        """What is to be confirmed has to stand there word for word."""
        question = read_question("You paint the fence in dark green, right?", EN)
        self.assertFalse(contradicts(question, OWN.value, EN))
        self.assertTrue(contradicts(read_question("You paint the fence in bright yellow, right?", EN), OWN.value, EN))

    def test_told(self) -> None:
        """Everybody says what stands there, whoever wrote it, and promises nothing."""
        for text, found in (
                ("who opens the gate, as I wrote?", "our neighbour Jonas"),
                ("what did you say about the green fence?", "I paint the fence in dark green"),
                ("could you repeat who opens the gate?", "our neighbour Jonas"),
                ("we agreed that Jonas opens the gate, right?", "es")):
            for temperament in TEMPERAMENTS:
                written = wrote(mail(f"Hi Maria,\n\n{text}\n\nDana", "Re: Visit"), temperament=temperament,
                                remarks=THREAD)
                self.assertIn(found, written.text, text)
                self.assertIsNone(written.promise)

    def test_confirmed(self) -> None:
        """What was said otherwise is not agreed to, and no sentence is put back."""
        for text in ("you paint the fence in bright yellow, right?", "we agreed that Jonas closes the gate, right?"):
            for temperament in TEMPERAMENTS:
                written = wrote(mail(f"Hi Maria,\n\n{text}\n\nDana", "Re: Visit"), temperament=temperament,
                                remarks=THREAD)
                self.assertNotRegex(written.text, r"(?i)\byes[,.]|opens the gate|dark green", temperament)
