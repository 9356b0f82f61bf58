"""What a mail asks, and which of it its kind settles."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.writer.context import set_scene
from simmail.core.writer.reply.points import dealt_with, is_own
from simmail.core.writer.sources.known import sources
from tests.core.writer.samples import mail, request


class PointsTests(SynchronousTestCase):
    """Points of mails."""

    def test_dealt_with(self) -> None:
        """Asking for a time is settled with the meeting; what else is asked beside it is not."""
        scene = set_scene(request(mail(
            "Hi Maria, could we meet on Tuesday at 10:00?  What is the order number of the cards?\n\nDana", "Meeting")))
        read = scene.read[0]
        self.assertEqual(read.intent, "meeting")
        self.assertEqual([dealt_with(one, read, scene, sources(scene)) for one in read.found.points], [True, False])

    def test_is_own(self) -> None:
        """What a request wants done or sent is its own matter; a plain question has none."""
        scene = set_scene(request(mail("Hi Maria, please send us the contract.  Is it cold in Kiruna?\n\nDana")))
        self.assertEqual([is_own(one, scene) for one in scene.read[0].found.points], [True, False])
