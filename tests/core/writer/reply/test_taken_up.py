"""What a mail tells, taken up in its own words."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.mime.address import Address
from simmail.core.writer.context import set_scene
from simmail.core.writer.reply.reply import reply
from simmail.core.writer.reply.taken_up import insists, is_trouble, matter_of
from simmail.core.writer.speech_act import is_grave
from tests.core.writer.samples import TEMPERAMENTS, mail, maria, request, wrote

HEDGE = ("Maria,\n\nThe hedge on your side is now over the path and my wife caught her sleeve. The brown bins go out "
         "on Fridays. Sorry to bother you.\n\nClive")


class MatterTests(SynchronousTestCase):
    """The clause that tells most."""

    def test_turned(self) -> None:
        """Is said as its reader says it, without courtesies, conditions and what only leads it in."""
        for text, clause in (
            (HEDGE, "the hedge on our side is now over the path and your wife caught her sleeve"),
            ("Thanks for your mail. I can't do the Tuesday run after March.",
             "you can't do the Tuesday run after March"),
            ("I was at your yard on Friday and the gate was open.",
             "you were at our yard on Friday and the gate was open"),
            ("We have one here at £1,650 and I'd give you 300 for it.",
             "you have one here at £1,650 and you would give us 300 for it"),
            ("If the gate is open we come in. Please tell Anna.", ""),
            ("Got it. Lovely.", ""),
            ("Das Fenster meiner Mutter schließt nicht. Mit freundlichen Grüßen",
             "das Fenster Ihrer Mutter schließt nicht"),
            ("Gestern ist mir auf der Kreuzung die Kette gerissen, und das war gefährlich. Mit freundlichen Grüßen",
             "gestern ist Ihnen auf der Kreuzung die Kette gerissen"),
        ):
            scene = set_scene(request(mail(text, "Hello")))
            self.assertEqual(matter_of(scene, scene.read[0]), clause)

    def test_trouble(self) -> None:
        """What went wrong is told from other news."""
        for text, trouble in (("The brakes are still squealing.", True), ("We move to Hull in May.", False)):
            scene = set_scene(request(mail(text, "Hello")))
            self.assertEqual(is_trouble(scene.read[0], scene.language), trouble)


class WithMatterTests(SynchronousTestCase):
    """Replies to mail that asks nothing."""

    def test_named(self) -> None:
        """Everybody names what happened, and a firm says that it sees to what went wrong."""
        for temperament in TEMPERAMENTS:
            text = wrote(mail(HEDGE, "Hedge and bins"), temperament=temperament).text
            self.assertIn("the hedge on our side is now over the path", text)
            private = wrote(mail("Maria,\n\nThe brown bins go out on Fridays from May.\n\nClive", "Bins"),
                            persona=maria(temperament, org="", role="")).text
            self.assertIn("the brown bins go out on Fridays from May", private)

    def test_offered(self) -> None:
        """What a friend offers is taken or left, and nobody only says again that it was offered."""
        for temperament in TEMPERAMENTS:
            for text in ("Maria,\n\nThe tree has gone mad. If you'd like apples just help yourself.\n\nClive",
                         "Maria,\n\nWe walk to Malham on Sunday and there is room for one more.\n\nClive"):
                scene = set_scene(request(mail(text, "Hello"), persona=maria(temperament, org="", role="")))
                self.assertIn(reply(scene)[-1].act, ("offered.take", "offered.leave"))

    def test_sounds(self) -> None:
        """Nobody is glad of what sounds sad, or notes it; and what sounds of nothing is but said again."""
        for text, act in (
                ("We keep walking round the house, empty and quiet, and nobody calls. I miss him.", "moved.setback"),
                ("The bins go out on Fridays from May on.", "taken.told")):
            scene = set_scene(request(mail(text, "Home"), persona=maria(org="", role="")))
            self.assertEqual([one.act for one in reply(scene)], [act], text)

    def test_taken_in(self) -> None:
        """A parcel that a neighbour took in is fetched."""
        scene = set_scene(request(mail("Maria, there is a parcel for you with us. We are in until eight.", "Parcel"),
                                  persona=maria(org="", role="")))
        self.assertEqual([one.act for one in reply(scene)], ["parcel.fetch"])

    def test_regretted(self) -> None:
        """A customer's trouble is regretted before it is answered, and nobody is cheerful about it."""
        text = "Dear Maria,\n\nNobody rang me and the door is scratched. When will you come?\n\nClive"
        for temperament in TEMPERAMENTS:
            scene = set_scene(request(mail(text, "Door"), persona=maria(temperament)))
            self.assertTrue(is_grave(reply(scene)), temperament)

    def test_made(self) -> None:
        """Nobody takes up what a program wrote."""
        text = wrote(mail("The brown bins go out on Fridays from May.", "Bins", Address(
            "Council", "no-reply@council.example"))).text
        self.assertNotIn("So the brown bins", text)

    def test_insists(self) -> None:
        """Who insists on what went wrong is told apart from who only tells of it."""
        for text, said in (
            ("Señores:\n\nLa recepcionista fue muy grosera. Exijo una explicación por escrito.\n\nUn saludo", True),
            ("Buenos días:\n\nSe nos ha averiado el camión. Podemos ir el lunes.\n\nUn saludo", False),
        ):
            scene = set_scene(request(mail(text, "Aviso")))
            self.assertEqual(insists(scene.read[0], scene.read[0].found.language), said, text)
