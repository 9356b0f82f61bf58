"""What mails put right."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.corrections import correction
from simmail.core.language.tables import LANGUAGES

SAID = (
    ("en", "Small correction: the chairs should be green, not blue.", "green, not blue"),
    ("en", "It is Katherine with a K, not Catherine.", "Katherine with a K, not Catherine"),
    ("en", "Please make that 250 instead of 200 flyers.", "250 instead of 200 flyers"),
    ("en", "I called you, not him, because it was late.", ""), ("en", "Is it green, not blue?", ""),
    ("en", "Not now.", ""), ("de", "Die Stühle bitte in Grün, nicht in Blau.", "in Grün, nicht in Blau"),
    ("de", "Ich heiße Mohs, nicht Moos.", "Mohs, nicht Moos"), ("de", "Das geht so nicht.", ""),
    ("fr", "Le nom est Roux, pas Leroux.", "Roux, pas Leroux"),
    ("es", "Las sillas van en verde, no en azul.", "en verde, no en azul"), ("it", "Non blu.", ""),
)


class CorrectionTests(SynchronousTestCase):
    """Sentences."""

    def test_said(self) -> None:
        """What is right and what was wrong is found as it is written, and nowhere else."""
        for code, sentence, item in SAID:
            self.assertEqual(correction([sentence], code), item, sentence)

    @given(st.sampled_from(LANGUAGES), st.lists(st.text(max_size=300), max_size=8))
    def test_anything(self, code: str, sentences: list[str]) -> None:
        """Whatever is read, a text of one line comes of it."""
        self.assertNotIn("\n", correction(sentences, code))
