"""What a question leaves to the sentence before it to name."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.reader import read_mail
from simmail.core.language.tables import language
from tests.core.writer.samples import NOW, mail


class ChoiceTests(SynchronousTestCase):
    """Choices between what another sentence names."""

    def offered(self, text: str) -> list[tuple[str, ...]]:
        """Return what each point of an English mail offers."""
        return [one.options for one in read_mail(mail(text), NOW, language("en")).points]

    def test_three(self) -> None:
        """Three things that are listed may be asked about in the next sentence, or behind a short one."""
        three = ("black", "silver", "polished")
        for text in ("The rims come in black, silver or polished. Which shall I put down for you?",
                     "The rims come in black, silver or polished. Same price. Which shall I put down for you?",
                     "Do you want black, silver or polished?"):
            self.assertEqual(self.offered(text), [three], text)
        self.assertEqual(self.offered("Shall I book the 9:15, the 10:40 or the 12:05?"),
                         [("the 9:15", "the 10:40", "the 12:05")])
        self.assertEqual(self.offered("So what am I getting, the money or a lamp?"), [("the money", "a lamp")])

    def test_told_which(self) -> None:
        """Who wants to be told which leaves the same choice."""
        self.assertEqual(self.offered("The bag comes in leather or canvas. Let me know which."),
                         [("in leather", "canvas")])
        self.assertEqual(self.offered("He would do it for 30, or you can borrow it if you like. Let me know which."),
                         [("borrow it",)])

    def test_ways(self) -> None:
        """What may be done is chosen as its reader asks for it."""
        self.assertEqual(
            self.offered("We can send yellow ones straight away, or you wait, or we refund the money. "
                         "What would you like us to do?"),
            [("please send yellow ones straight away", "I'll wait", "please refund the money")])
        self.assertEqual(self.offered("The lorry is late. What would you like us to do?"), [()])
