"""What a mail offers to choose from, and where."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause import offers
from simmail.core.language.reader import Findings
from simmail.core.language.tables import language
from tests.core.writer.samples import NOW, mail

EN, ES = language("en"), language("es")


def chosen(text: str) -> list[tuple[str, ...]]:
    """What the points of a mail offer to choose."""
    return [one.options for one in Findings(mail(text), NOW).points]


class OfferTests(SynchronousTestCase):
    """Lists, rows, slashes, brackets."""

    def test_list(self) -> None:
        """A question which of it, and a plea for a letter, choose from the list above."""
        things = "We can offer you\n\na) Tuesday at 8:10 with Ann\nb) red tiles 40x20, in stock\nc) the small room\n\n"
        options = ("Tuesday at 8:10 with Ann", "red tiles 40x20", "the small room")
        for asked in ("Please reply with a, b or c.", "Which?", "I know it is late. Which would you prefer?"):
            self.assertEqual(chosen(f"{things}{asked}\n\nTom"), [options], asked)
        self.assertEqual(chosen(f"{things}What do you need from us?\n\nTom"), [()])

    def test_below(self) -> None:
        """A plea to be told which may stand above the list; of what was proposed an opinion is wanted."""
        self.assertEqual(chosen(
            "Two ways from here, tell me which.\n\nA - 12 months, 4 % off\nB - 24 months\n\nTom"),
            [("12 months", "24 months")])
        self.assertEqual(chosen(
            "He proposes:\n1/ a stone wall: 3,200\n2/ a hedge: 900\n\nWhat do you think?\n\nTom"),
            [("a stone wall", "a hedge")])

    def test_either(self) -> None:
        """What stands behind "either" is chosen when which is asked for."""
        self.assertEqual(chosen(
            "I expect either a new pair or half the money. Let me know by Thursday which it is to be."),
                         [("a new pair", "half the money")])

    def test_rows(self) -> None:
        """Of rows in two columns the second is chosen."""
        self.assertEqual(chosen(
            "Numbers:\n\n  your sheet says ...... 44 covers\n  the plan says ........ 48 (one child)\n\nWhich?\n\nTom"),
            [("44 covers", "48")])

    def test_slashes(self) -> None:
        """What stands between slashes is chosen from."""
        self.assertEqual(chosen("Strike it on Monday / extend 1 wk £95 / extend 2 wks £160 - which?"), [
            ("Strike it on Monday", "extend 1 wk £95", "extend 2 wks £160")])
        self.assertEqual(offers.slashed("Is the and/or form ready?", EN), ())

    def test_brackets(self) -> None:
        """What stands in brackets is chosen from, numbers with their unit."""
        self.assertEqual(offers.bracketed("how long (1, 2 or 3 months)", EN), ("1", "2 months", "3 months"))
        self.assertEqual(offers.bracketed("El motivo (precio / no lo utiliza / otro).", ES), (
            "precio", "no lo utiliza", "otro"))
        self.assertEqual(offers.bracketed("the lamp (it hums when it is lit or when it rains)", EN), ())

    def test_between(self) -> None:
        """A choice between two things is one, and so is an ultimatum."""
        self.assertEqual(offers.between("a choice between (i) cash and (ii) our own fitter", EN), (
            "cash", "your own fitter"))
        self.assertEqual(offers.ultimatum("Either it goes up to £465 or I hand it back to you.", EN), (
            "it goes up to £465", "you hand it back to me"))
        self.assertEqual(offers.ultimatum("Either way, thank you.", EN), ())

    def test_spoken_of(self) -> None:
        """Which of a thing is asked for may stand in another sentence."""
        self.assertEqual(chosen(
            "Ferry from Oban on the 10th, 10:05 or 13:55. I'd rather sleep. Which ferry do you say?"),
            [("10:05", "13:55")])

    def test_persons(self) -> None:
        """Of two persons one is chosen, and no verb beside them."""
        self.assertEqual(chosen("Whose job is it to renew, yours or ours?"), [("yours", "ours")])
