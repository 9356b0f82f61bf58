"""Yes, no, either: what is said where nothing is known, by what kind of thing is asked."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.writer.context import set_scene
from simmail.core.writer.reply import reply
from tests.core.writer.samples import mail, maria, request


def acts(text: str, **fields: str) -> list[str]:
    """Return the acts with which somebody answers the last sentence of a mail, with a yes or no as it is said."""
    scene = set_scene(request(mail(text, "Hello"), persona=maria("responsive", **fields)))
    return [" ".join([one.act, *(one.values[name] for name in ("yes", "no", "task") if one.values.get(name))])
            for one in reply(scene) if one.act.startswith("answer.")]


class YesNoTests(SynchronousTestCase):
    """Questions that nothing settles."""

    def test_state(self) -> None:
        """How something is, or was, is neither granted nor refused; what is wished is."""
        for text, said in (
            ("Is the dining room on the ground floor?", ("answer.so yes, it is", "answer.not_so no, it isn't")),
            ("Did you finish the book?", ("answer.so yes, we did", "answer.not_so no, we didn't")),
            ("Ist der Saal beheizt?", ("answer.so ja", "answer.not_so nein")),
            ("Is it all right to have lunch at one?", ("answer.yes yes, it is", "answer.no no, it isn't")),
            ("Could the bar stay open until midnight?", ("answer.yes yes", "answer.no no")),
            ("Are you coming to the concert?", ("answer.yes yes, we are", "answer.no no, we aren't")),
        ):
            (found,) = acts(f"{'Hallo' if said[0][-2:] == 'ja' else 'Hi'} Maria,\n\n{text}\n\nDana")
            self.assertIn(found, said, text)

    def test_private(self) -> None:
        """One person without a firm is not we."""
        (found,) = acts("Hi Maria,\n\nare you coming to the concert?\n\nDana", org="", role="")
        self.assertIn(found, ("answer.yes yes, I am", "answer.no no, I'm not"))

    def test_either(self) -> None:
        """Whether there is a thing settles what is done without it; which of two ways it is to be is left open."""
        (found,) = acts("Hi Maria,\n\nis there a lift, or do we need to carry the speakers up the stairs?\n\nDana")
        self.assertIn(found, ("answer.so yes, there is", "answer.not_so no, there isn't",
                              "answer.yes yes, there is", "answer.no no, there isn't"))
        (found,) = acts("Hi Maria,\n\nJamal swaps with me, is that ok with you or does it mess up the rota?\n\nDana")
        self.assertIn(found, ("answer.yes yes, it is", "answer.no no, it isn't"))
        (found,) = acts("Hi Maria,\n\nwill you bring the boxes round, or shall we collect them?\n\nDana")
        self.assertEqual(found, "answer.either")

    def test_both(self) -> None:
        """What "we" can do is done by both: nobody gives leave for it."""
        (found,) = acts("Hi Maria,\n\ncan we split the present?\n\nDana")
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
                         ["answer.do"])
