"""What is wanted and cannot be promised as a plain deed."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.questions import read_question
from simmail.core.writer.answers.wanted import wants_doing, wished
from simmail.core.writer.context import set_scene
from tests.core.writer.samples import mail, request


class WantedTests(SynchronousTestCase):
    """Wishes by their names."""

    def test_named(self) -> None:
        """What is wanted is named as its reader says it, without what stands around it."""
        for text, act, value in (
            ("Please explain the delay or amend the claim.", "answer.wish", "Explain the delay or amend the claim"),
            ("We are at 9 Ropewalk, the side gate is the one with the code, and please mind the tortoise.",
             "answer.wish", "Mind the tortoise"),
            ("If the 18th is not possible then I need two pallets by then, the rest can follow.", "answer.wish",
             "Two pallets by then, the rest can follow"),
            ("We need you at home.", "taken.told", "you need us at home"),
            ("I'm in theatre all day so please email.", "taken.told", "you're in theatre all day so email"),
        ):
            scene = set_scene(request(mail(text, "Order")))
            said = wished(scene, scene.read[0], read_question(text, scene.language), {})
            self.assertEqual((said.act, said.values["value"]), (act, value))

    def test_doing(self) -> None:
        """What wants something done is told from what wants something told or sent."""
        for text, does in (("Then book the hall for us, please.", True), ("Please send us the price.", False),
                           ("Please tell us the price.", False)):
            scene = set_scene(request(mail(text, "Hall")))
            self.assertEqual([wants_doing(scene, one) for one in scene.read[0].found.points], [does], text)
