"""What moves people, and what is put right."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.statements import Moving, correction, moving
from simmail.core.language.tables import LANGUAGES

TOLD = (
    ("en", "We are parents!", "birth", ""), ("en", "My mother had a fall.", "hurt", "mother"),
    ("en", "I'm retiring in May.", "leaving", ""), ("en", "I failed.", "failed", ""),
    ("en", "They say it is benign.", "relief", ""), ("en", "We had the old dog put to sleep.", "pet", ""),
    ("en", "Ida and I got engaged.", "wedding", ""), ("en", "Sorry about your dad.", "sympathy", "dad"),
    ("de", "Die Zwillinge sind da!", "birth", ""), ("de", "Mein Vater ist gestorben.", "loss", ""),
    ("en", "It's twins!", "birth", ""),
    ("en", "Does that include the twins?", "", ""),
    ("en", "My husband had a stroke.", "hurt", "husband"),
    ("de", "Für mich ist Schluss.", "leaving", ""), ("es", "Toby murió anoche.", "loss", ""),
    ("de", "Ich habe die Prüfung bestanden!", "passed", ""), ("de", "Treffen sich zwei Kühe.", "joke", ""),
    ("fr", "Je me suis cassé le pied.", "hurt", ""), ("fr", "J'ai raté l'examen.", "failed", ""),
    ("en", "Dad was taken into hospital last night.", "hurt", "dad"),
    ("en", "They let forty of us go this morning.", "setback", ""), ("en", "Isla passed her cello exam.", "passed", ""),
    ("en", "I'm so sorry I missed your party.", "apology", ""), ("en", "You could have told me.", "reproach", ""),
    ("en", "Thank you for helping on Saturday.", "thanked", ""), ("en", "They're starting her chemo.", "worry", ""),
    ("en", "I'm afraid we can't come after all.", "pity", ""),
    ("es", "Mi abuela murió ayer.", "loss", ""), ("es", "Nos casamos en junio.", "wedding", ""),
)
#: Sentences with such words that tell nothing of the sort.
PLAIN = (
    ("en", "I failed to reach you."), ("en", "The last day for it is Friday."), ("en", "Our hospital needs desks."),
    ("en", "Our firm was born in 1950."), ("en", "We engaged a lawyer."), ("en", "I passed it on to the team."),
    ("en", "The printer died again."), ("en", "I heard you passed the exam."), ("en", "Sorry about the delay."),
    ("en", "My husband works nights at the hospital."), ("en", "Are you going to my aunt's funeral?"),
    ("en", "She cried, I cried."),
    ("de", "Wir sind am Mittwoch zu dritt."), ("de", "Ich habe auf der Lieferung bestanden."),
    ("de", "Wir haben den Vertrag gekündigt."), ("fr", "J'ai raté votre appel."), ("es", "Hemos separado los pedidos."),
)


class MovingTests(SynchronousTestCase):
    """Sentences."""

    def test_told(self) -> None:
        """News are known by several words of one sentence, and whom of their kin they are about."""
        for code, sentence, what, kin in TOLD:
            self.assertEqual(moving([sentence], code), Moving(what, kin), sentence)

    def test_plain(self) -> None:
        """One of the words alone, or somebody else's news, is none."""
        for code, sentence in PLAIN:
            self.assertEqual(moving([sentence], code), Moving(), sentence)

    @given(st.sampled_from(LANGUAGES), st.lists(st.text(max_size=200), max_size=12))
    def test_anything(self, code: str, sentences: list[str]) -> None:
        """Whatever is read, an answer comes of it."""
        self.assertIsInstance(moving(sentences, code), Moving)


#: Sentences, and what they put right.
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
