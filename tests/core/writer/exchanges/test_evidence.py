"""What a sentence has to have besides its meaning to begin an exchange."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.writer.exchanges.evidence import bears_out


class BearsOutTests(SynchronousTestCase):
    """Words, types and persons of the examples."""

    def test_words(self) -> None:
        """Who is not very sure finds a word of the examples that is told of few exchanges."""
        self.assertTrue(bears_out("water_plants", "Might you see to my roses and give them water?", "", 0.6, "en"))
        self.assertTrue(bears_out("water_plants", "Könntest du nächste Woche unsere Blumen gießen?", "", 0.6, "de"))
        self.assertFalse(bears_out("water_plants", "Could you still come on Friday?", "", 0.6, "en"))
        self.assertTrue(bears_out("water_plants", "Could you still come on Friday?", "", 0.95, "en"))

    def test_types(self) -> None:
        """A question with another question word than theirs asks something else, however near it is."""
        self.assertFalse(bears_out("who_else_comes", "Where are the other guests coming from?", "where", 0.95, "en"))
        self.assertFalse(bears_out("allergy_asked", "And of those how many no nuts?", "many", 0.95, "en"))
        self.assertTrue(bears_out("who_else_comes", "Who else of the guests is coming?", "who", 0.8, "en"))

    def test_person(self) -> None:
        """What people tell of themselves is not told of others."""
        self.assertTrue(bears_out("engaged", "We are getting married!", "", 0.7, "en"))
        self.assertFalse(bears_out("came_late", "Nobody did.", "", 0.73, "en", asked_of=False))
        self.assertFalse(bears_out("engaged", "The married one!!", "", 0.7, "en"))
