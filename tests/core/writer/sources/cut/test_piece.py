"""The piece of a sentence that answers a question, in four languages."""

from __future__ import annotations

from pathlib import Path

import yaml
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.questions import read_question
from simmail.core.language.tables import language
from simmail.core.writer.sources.cut.piece import piece, turned
from simmail.universe.meaning import Meaning
from tests.core.writer.sources.threads import FRAME, asked, remarks

PIECES = Path(__file__).parent / "pieces"
#: What stands around a sentence that is quoted.
MARKS = "\"“”„«»"


class PieceTests(SynchronousTestCase):
    """Cut out of one sentence."""

    def cut(self, question: str, sentence: str, code: str = "en") -> str:
        """The piece for a question."""
        return piece(read_question(question, language(code)), sentence, language(code))

    def test_types(self) -> None:
        """Each type of question gets a piece of its own, and one that the sentence does not answer gets none."""
        sentence = "My neighbour Jonas opens the back gate at 10:30 for £20, because the lock is new."
        for question, found in (
                ("Who opens the back gate?", "My neighbour Jonas"), ("What time does he open the gate?", "10:30"),
                ("How much does he want?", "£20"), ("Why does Jonas open the gate?", "because the lock is new"),
                ("Which day does he open the gate?", ""), ("Which key opens the gate?", ""),
                ("Where is Jonas?", "")):
            self.assertEqual(self.cut(question, sentence), found, question)

    def test_what_holds(self) -> None:
        """What does not hold any more is no answer."""
        question = read_question("Who comes?", language("en"))
        self.assertEqual(piece(question, "Stefan is ill, Lukas comes instead.", language("en"), "Stefan"), "Lukas")

    def test_unwritten(self) -> None:
        """Of a language that nobody cuts nothing is cut."""
        self.assertEqual(self.cut("Wie komt er?", "Jonas komt om 10:30.", "nl"), "")

    def test_turned(self) -> None:
        """The other side says it with its own pronouns, or not at all."""
        for code, said, near, far in (
                ("en", "my sister and me", "your sister and you", "your sister and you"),
                ("en", "your accounts department", "our accounts department", "our accounts department"),
                ("en", "Pavel will ring you first", "Pavel will ring me first", "Pavel will ring me first"),
                ("en", "I am free when you were out", "You are free when I was out", "You are free when I was out"),
                ("en", "I hope you can come", "You hope I can come", "You hope I can come"),
                ("en", "thank you for the plan", "thank you for the plan", "thank you for the plan"),
                ("de", "meine Schwester", "deine Schwester", "Ihre Schwester"),
                ("de", "weil ich krank bin", "", ""),
                ("fr", "chez mon frère", "chez ton frère", "chez votre frère"),
                ("es", "mi hermana", "tu hermana", "su hermana")):
            self.assertEqual(turned(said, language(code), False), near)
            self.assertEqual(turned(said, language(code), True), far)


class ThreadTests(SynchronousTestCase):
    """Questions about threads, answered with the piece and without quotation."""

    def told(self, code: str) -> None:
        """Ask all questions of a language."""
        meaning, wrong = Meaning(), []
        for case in yaml.load((PIECES / f"{code}.yaml").read_text("utf-8"), Loader=yaml.BaseLoader):
            before = remarks(code, tuple(
                one if one.startswith("me: ") else f"{FRAME[code][0]}\n\n{one}\n\nX" for one in case["mails"]))
            for question, wanted in case["asks"].items():
                text = asked(code, question, "busy", before, meaning).text
                pieces = [wanted] if isinstance(wanted, str) else wanted
                if not all(any(one in text.lower() for one in part.lower().split("|")) for part in pieces) or any(
                        mark in text for mark in MARKS):
                    wrong.append((question, wanted, text))
        self.assertEqual(wrong, [])

    def test_english(self) -> None:
        """In English."""
        self.told("en")

    def test_german(self) -> None:
        """In German."""
        self.told("de")

    def test_french(self) -> None:
        """In French."""
        self.told("fr")

    def test_spanish(self) -> None:
        """In Spanish."""
        self.told("es")
