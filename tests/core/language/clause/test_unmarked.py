"""What is asked without a question."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause import unmarked
from simmail.core.language.reader import Findings
from simmail.core.language.tables import language
from tests.core.writer.samples import NOW, mail

EN = language("en")


def asked(text: str) -> list[tuple[str, str]]:
    """What a mail asks, each with its type."""
    return [(one.type, one.text) for one in Findings(mail(text), NOW).points]


class ListTests(SynchronousTestCase):
    """Lists that ask."""

    def test_items(self) -> None:
        """An item without a mark asks where its list is announced so, or another of it is a question."""
        self.assertEqual(asked(
            "A few questions:\n\n1. is Monday 8 March free\n2. how late can we stay\n3. roughly how much"),
                         [("yes_no", "Is Monday 8 March free?"), ("when", "How late can we stay?"),
                          ("much", "Roughly how much?")])
        self.assertEqual(asked("- is there a lift?\n- who opens up\n\nTom"), [
            ("yes_no", "Is there a lift?"), ("who", "Who opens up?")])
        self.assertEqual(asked("In this issue\n\n- How we built the shed\n- Who won the cup\n\nTom"), [])

    def test_lines(self) -> None:
        """Lines below what asks to be told are each asked for, with what stands wrapped below them."""
        self.assertEqual([one for one, _ in asked(
            "Could you tell me roughly:\nwhat one lamp would cost\nif I may keep the shade,\neven after that\n"
            "how long it takes.\n\nTom")], ["much", "yes_no", "long"])

    def test_joined(self) -> None:
        """Items joined with "or" are one choice; a choice is an item of a list that asks."""
        (found,) = Findings(mail("Do we?\n\n- go anyway,\n- take the bus, or\n- stay at home?\n\nTom"), NOW).points
        self.assertEqual(found.options, ("go anyway", "take the bus", "stay at home"))
        self.assertEqual(asked("I have two questions for you:\n\n- matt or shiny\n- bonfire, yes or no\n\nTom"), [
            ("choice", "Matt or shiny?"), ("yes_no", "Bonfire, yes or no?")])

    def test_roman(self) -> None:
        """Roman numbers number things inside of a sentence; two questions in an item are two."""
        self.assertEqual([one for one, _ in asked(
            "We need the following: (i) a plan of the floor, (ii) whether hats are needed, and in which size, "
            "(iii) the name of the driver.\n\nTom")][1:], ["yes_no", "what", "who"])

    def test_arrows(self) -> None:
        """Arrows stand before items as bullets do."""
        self.assertEqual(unmarked.pieces("→ from when → how long (1, 2 or 3 weeks)?", "", "", EN),
                         ["from when", "how long (1, 2 or 3 weeks)?"])

    def test_goes_on(self) -> None:
        """What says more of an item ends no list."""
        self.assertEqual([one for one, _ in asked(
            "We need from you:\n- the name of the driver. He has to sign.\n- the name of the owner\n\nTom")],
            ["who", "who"])

    def test_late(self) -> None:
        """A French item asks behind its subject."""
        (found, _) = Findings(mail(
            "Deux questions :\n- les draps sont-ils fournis\n- on arrive quand\n\nLuc"), NOW).points
        self.assertEqual(found.text, "Les draps sont-ils fournis?")


class FragmentTests(SynchronousTestCase):
    """Fragments and conditions."""

    def test_short(self) -> None:
        """A question of a word stands for one; how many there are is asked without a verb."""
        self.assertEqual(asked("There is a cat in my shed. Black. Yours?"), [("yes_no", "Is it yours?")])
        self.assertEqual(asked("We are 40. And of those how many veg, vegan, no nuts."), [
            ("many", "How many veg, vegan, no nuts?")])

    def test_conditions(self) -> None:
        """What is to be said if it is so, and what is to be accepted or not, is asked."""
        found = Findings(mail("If you can come along say so. If you accept, we pay on Friday. If not, please say why."),
                         NOW).points
        self.assertEqual([(one.type, one.behind) for one in found[:2]], [
            ("yes_no", "you can come along"), ("yes_no", "you accept")])
        self.assertEqual(unmarked.left_to_say("If you are late, the door is shut.", EN), "")

    def test_explained(self) -> None:
        """A plea to explain asks how it came about."""
        self.assertEqual(asked("Week 14: you wrote 46 h, the gate says 41. Please explain."), [
            ("how", "How did that come about?")])

    def test_assured(self) -> None:
        """Who wants to hear that something is not so asks whether it is."""
        (found,) = Findings(mail("Please tell me 5517 isn't on the press yet."), NOW).points
        self.assertEqual((found.type, found.behind), ("yes_no", "5517 isn't on the press yet"))

    def test_gaps(self) -> None:
        """A gap to be filled in is no yes-or-no question."""
        self.assertEqual(asked("Jobs:\nme - soup\nyou - ??\n\nTom"), [])
