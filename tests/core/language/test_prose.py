"""A mail's own sentences."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.prose import Prose, read_prose
from simmail.core.language.tables import language
from tests.core.hostile import seconds
from simmail.core.language.text import clean

EN, DE = language("en"), language("de")


def english(text: str) -> Prose:
    return read_prose(text, EN)


class ProseTests(SynchronousTestCase):
    """Greeting, sentences, sign-off, quotation."""

    def test_small_letters(self) -> None:
        """Who begins a text with a small letter begins every sentence so; elsewhere one goes on."""
        small = read_prose("the lid is cracked. which colour will the new one be? thanks. dana", language("en"))
        self.assertEqual(small.sentences[:2], ("the lid is cracked.", "which colour will the new one be?"))
        large = read_prose("It weighs approx. two tons. and that is all.", language("en"))
        self.assertEqual(len(large.sentences), 1)

    def test_parts(self) -> None:
        """The greeting, the sentences across line breaks, and the sign-off are set apart."""
        prose = english(
            "Hi Maria,\n\nThis is one\nsentence. Is this another?\n\nKind regards,\nDana Novak\nBrightdesk\n")
        self.assertEqual(prose.greeting, "Hi Maria")
        self.assertEqual(prose.sentences, ("This is one sentence.", "Is this another?"))
        self.assertEqual(prose.sign_off, ("Dana Novak", "Brightdesk"))

    def test_same_line(self) -> None:
        """A sentence on the greeting's line is not lost."""
        self.assertEqual(english("Hi Maria, can you help?").sentences, ("can you help?",))
        self.assertEqual(english("Hello! We moved.").sentences, ("We moved.",))

    def test_spanish_marks(self) -> None:
        """A question begins behind its mark, whatever leads it in, and a greeting is one behind its mark as well."""
        spanish = language("es")
        prose = read_prose("¡Hola, María!\n\nDos cosas: ¿cuándo llega? Si es posible, ¿podría llamarme?", spanish)
        self.assertEqual(prose.greeting, "Hola, María")
        self.assertEqual(prose.sentences, ("Dos cosas:", "cuándo llega?", "Si es posible,", "podría llamarme?"))
        prose = read_prose("Hola, Ana María: mando la lista.", spanish)
        self.assertEqual((prose.greeting, prose.sentences), ("Hola, Ana María", ("mando la lista.",)))
        self.assertEqual(english("Hello, please: send it.").greeting, "Hello")
        asked = english("Hi Ruth. Are you going on Friday? I could pick you up.")
        self.assertEqual((asked.greeting, asked.sentences[0]), ("Hi Ruth", "Are you going on Friday?"))
        self.assertEqual(english("Dear Mr. Cole, we need it.").greeting, "Dear Mr. Cole")

    def test_items(self) -> None:
        """Items of a list are sentences of their own, without their marks."""
        prose = english("Two things:\n\n1. Which address?\n2. Which colour?\n- and one more\n")
        self.assertEqual(prose.sentences, ("Two things:", "Which address?", "Which colour?", "and one more"))

    def test_abbreviations(self) -> None:
        """Abbreviations and German dates end no sentence."""
        self.assertEqual(english("Ask Mr. Smith, e.g. today. Then write.").sentences,
                         ("Ask Mr. Smith, e.g. today.", "Then write."))
        german = read_prose("Bitte bis Freitag, 6. März, melden. Danke.\n10. März geht auch.", DE)
        self.assertEqual(german.sentences, ("Bitte bis Freitag, 6. März, melden.", "Danke.", "10. März geht auch."))

    def test_quoted(self) -> None:
        """Quoted mail in four dialects, and signatures, are not read."""
        for below in (
            "On Mon, 2 Mar 2026, Maria wrote:\n> Old words?",
            "-----Original Message-----\nFrom: Maria\nOld words?",
            "From: Maria\nSent: Monday\nTo: Dana\n\nOld words?",
            "Am 02.03.2026 schrieb Maria:\n> Old words?",
            "-- \nOld words?",
            "> Old words?",
        ):
            prose = english(f"New words.\n\n{below}")
            self.assertEqual(prose.sentences, ("New words.",), below)
            self.assertIn("Old words?", prose.quoted)

    def test_clean(self) -> None:
        """Control and direction characters go, line ends are LF."""
        self.assertEqual(clean("a\x00b\r\nc\u202ed\ud800"), "ab\ncd?")

    @given(st.text(max_size=400))
    def test_anything(self, text: str) -> None:
        """Any text is read, and every sentence is one line of it."""
        for code in (EN, DE):
            for sentence in read_prose(text, code).sentences:
                self.assertTrue(sentence.strip())
                self.assertNotIn("\n", sentence)

    def test_linear(self) -> None:
        """A hundred times the text costs no more than what is read of it."""
        self.assertLess(sum(
            seconds(english, text) for text in (
                "a. " * 400_000, "> " * 400_000, "- \n" * 400_000, "hi " * 400_000, "On x:\n" * 200_000)), 2.0)
