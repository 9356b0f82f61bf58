"""Yes, no, either: what is said where nothing is known, by what kind of thing is asked."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.writer.context import set_scene
from simmail.core.writer.reply.reply import reply
from tests.core.writer.samples import mail, maria, request


def acts(text: str, **fields: str) -> list[str]:
    """Return the acts with which somebody answers the last sentence of a mail, with what they say."""
    scene = set_scene(request(mail(text, "Hello"), persona=maria("responsive", **fields)))
    return [" ".join([one.act, *(one.values[name] for name in ("yes", "no", "value", "task") if one.values.get(name))])
            for one in reply(scene) if one.act.startswith("answer.")]


class YesNoTests(SynchronousTestCase):
    """Questions that nothing settles."""

    def test_state(self) -> None:
        """How something is, or was, is neither granted nor refused; mostly it is said in full."""
        for text, said in (
            ("Is the dining room on the ground floor?", (
                "answer.so yes, it is", "answer.not_so no, it isn't",
                "answer.stated the dining room is on the ground floor",
                "answer.denied the dining room isn't on the ground floor")),
            ("Did you finish the book?", (
                "answer.so yes, we did", "answer.not_so no, we didn't", "answer.stated we finished the book",
                "answer.denied we didn't finish the book")),
            ("Ist der Saal beheizt?", ("answer.so ja", "answer.not_so nein", "answer.stated der Saal ist beheizt",
                                       "answer.denied der Saal ist nicht beheizt")),
            ("Is it all right to have lunch at one?", (
                "answer.yes yes, it is", "answer.no no, it isn't",
                "answer.stated it's all right to have lunch at one",
                "answer.denied it isn't all right to have lunch at one")),
            ("Could the bar stay open until midnight?", (
                "answer.yes yes", "answer.no no", "answer.stated the bar can stay open until midnight",
                "answer.denied the bar can't stay open until midnight")),
            ("The shop is not closed on Sunday, is it?", (
                "answer.own No, the shop isn't closed on Sunday.", "answer.own The shop is closed on Sunday.")),
            ("Are you coming to the concert?", (
                "answer.yes yes, we are", "answer.no no, we aren't", "answer.stated we're coming to the concert",
                "answer.denied we aren't coming to the concert")),
        ):
            (found,) = acts(f"{'Hallo' if text[:3] == 'Ist' else 'Hi'} Maria,\n\n{text}\n\nDana")
            self.assertIn(found, said, text)

    def test_arranged(self) -> None:
        """What is to come is said so, and who cannot come is not who writes."""
        private = {"org": "", "role": ""}
        self.assertIn(acts("Hi Maria,\n\nDo you bring the pudding?\n\nDana", **private)[0], (
            "answer.stated I'll bring the pudding", "answer.denied I won't bring the pudding"))
        self.assertIn(acts("Hi Maria,\n\nPractice is in the hut. Let me know if you can't come.\n\nDana", **private), (
            ["answer.own I can come."], ["answer.own I can't come."]))

    def test_bothered(self) -> None:
        """Whether something is a nuisance is denied."""
        for text in ("Will it be a great nuisance?", "Would it be awkward if we were three fewer?", "Is it too late?"):
            self.assertEqual(acts(f"Hi Maria,\n\nI am early. {text}\n\nDana"), ["answer.own No, not at all."])

    def test_private(self) -> None:
        """One person without a firm is not we."""
        (found,) = acts("Hi Maria,\n\nare you coming to the concert?\n\nDana", org="", role="")
        self.assertIn(found, (
            "answer.yes yes, I am", "answer.no no, I'm not", "answer.stated I'm coming to the concert",
            "answer.denied I'm not coming to the concert"))

    def test_either(self) -> None:
        """Which of two things is so is said in full, by each person always alike."""
        for text, said in (
            ("is there a lift, or do we need to carry the speakers up the stairs?", (
                "There's a lift.", "You need to carry the speakers up the stairs.")),
            ("Jamal swaps with me, is that ok with you or does it mess up the rota?", (
                "That's ok with us.", "It messes up the rota.")),
            ("will you bring the boxes round, or shall we collect them?", (
                "We'll bring the boxes round.", "Please collect them.")),
        ):
            (found,) = acts(f"Hi Maria,\n\n{text}\n\nDana")
            self.assertIn(found.removeprefix("answer.own "), said)

    def test_both(self) -> None:
        """What "we" can do is done by both: nobody gives leave for it."""
        (found,) = acts("Hi Maria,\n\ncan we split the present?\n\nDana", org="", role="")
        self.assertIn(found, ("answer.yes yes", "answer.no no"))

    def test_who_knows(self) -> None:
        """Whoever is asked whether it knows who has something does not decide who has it."""
        (found,) = acts("Hi Maria,\n\ndo you know who has the new key?\n\nDana")
        self.assertEqual(found, "answer.unknown")

    def test_request(self) -> None:
        """What is plain enough is said again, and what is not is done all the same."""
        self.assertEqual(acts("Hi Maria,\n\ncan you ring the surgery when you get a minute?\n\nDana"),
                         ["answer.will ring the surgery"])
        self.assertEqual(acts("Hi Maria,\n\nplease check the tap now and turn the water off if you have to.\n\nDana"),
                         ["answer.will check the tap now and turn the water off if I have to"])


class SettledTests(SynchronousTestCase):
    """What is asked for another case, and what says itself."""

    def test_if_so(self) -> None:
        """What is asked for if it is so, is left where it is not, in other words too; another question is not."""
        for who in ("Ann", "Tom", "Zoe", "Kim", "Eva", "Per"):
            found = acts("Hi Maria,\n\nI left an umbrella. Have they been handed in? If so, could somebody post them?"
                         "\n\nDana", id=f"p_{who}")
            refused = found[0].startswith(("answer.not_so", "answer.denied"))
            self.assertEqual(len(found), 1 if refused else 2, found)

    def test_still(self) -> None:
        """Whether one has something still is said, and no exchange begins."""
        (found,) = acts("Hi Maria,\n\nhave you still got the padlock key?\n\nDana")
        self.assertIn(found.partition(" ")[0], ("answer.stated", "answer.denied", "answer.so", "answer.not_so"))
