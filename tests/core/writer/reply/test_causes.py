"""What gives cause for what is said to mail of a kind."""

from __future__ import annotations

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.writer.context import set_scene
from simmail.core.writer.reply.causes import grounded
from tests.core.writer.samples import mail, maria, request


class GroundedTests(SynchronousTestCase):
    """Mail of a kind, or of none."""

    def grounded(self, text: str, kind: str, **fields: object) -> str:
        """What a mail that was taken for one of a kind is taken for."""
        scene = set_scene(request(mail(text), **fields))
        return grounded(scene, replace(scene.read[0], intent=kind)).intent

    def test_kinds(self) -> None:
        """A kind that gives no cause for what is said to it is a question, or tells something."""
        for text, kind, intent in (
            ("It says account locked. Can you unlock me today?", "phishing", "question"),
            ("Your account is locked, verify your password here: http://x.example", "phishing", "phishing"),
            ("The freezer died on Friday and we lost forty meals.", "grief", "information"),
            ("My uncle died on Friday.", "grief", "grief"),
            ("Are you going to my uncle's funeral on Friday?", "grief", "question"),
            ("We have received your request. Which day shall it end?", "ticket", "question"),
            ("We have received your request.", "ticket", "ticket"),
            ("The window does not close and is broken. I am there on Friday from 14:00.", "booked", "information"),
            ("See you on Friday at 14:00.", "booked", "booked"),
            ("We were billed twice for the tray. Could you credit one of them?", "invoice", "question"),
            ("Invoice 71180 over £164 is due on Tuesday. Could you pay it?", "invoice", "invoice"),
        ):
            self.assertEqual(self.grounded(text, kind), intent, text)

    def test_complaint(self) -> None:
        """Who answers for no house is asked for what is missing, and has nothing to put right."""
        text = "Proof of identity is missing. Which permit do you want?"
        self.assertEqual(self.grounded(text, "complaint", persona=maria(org="", role="")), "question")
        self.assertEqual(self.grounded(text, "complaint"), "complaint")
