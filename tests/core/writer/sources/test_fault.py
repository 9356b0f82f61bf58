"""The thing that a mail says to be broken or missing, and the number on which somebody wants to be called."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.writer.context import set_scene
from simmail.core.writer.sources.fault import fault, phone
from tests.core.writer.samples import mail, request

#: A mail, the thing, and the number.
SAID = (
    ("Of the 60 pipes that came yesterday 9 are dented.", "9 of the 60 pipes", ""),
    ("11 of the 40 brackets are bent. Please call me on 01632 960 112.", "11 of the 40 brackets", "01632 960 112"),
    ("Since noon it only syncs the first 200 of my 1,950 notes.", "200 of your 1,950 notes", ""),
    ("Hello, two soup plates are missing. We paid 40.", "two soup plates", ""),
    ("My kettle leaks since 8. My number is 7781.", "your kettle", ""),
    ("On Monday your driver broke the vase inside.", "the vase", ""),
    ("I lost my bank card somewhere in Leeds.", "your bank card", ""),
    ("The film was lovely. Ring me on 01632 960 112.", "", "01632 960 112"),
    ("Everything came in pieces.", "", ""),
    ("Mein Rechner geht nicht, dein Ersatz auch nicht.", "dein Rechner", ""),
    ("Leider sind von den 12 Gläsern 3 zerbrochen.", "3 von den 12 Gläsern", ""),
    ("Bonjour, notre four ne marche pas depuis lundi, appelez le 04 72 11 20 30.", "votre four", "04 72 11 20 30"),
    ("Hola, faltan dos platos hondos en mi pedido.", "dos platos hondos", ""),
)


class FaultTests(SynchronousTestCase):
    """Things that somebody looks after."""

    def test_said(self) -> None:
        """A part of so many, so many, or the thing that a clause begins with, as its reader says it."""
        for text, thing, number in SAID:
            scene = set_scene(request(mail(text, "Hello")))
            found = scene.read[0].found
            self.assertEqual(fault(found, scene.language, scene.distant), thing, text)
            self.assertEqual(phone(found, scene.language), number, text)
