"""Choices without articles."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.alternatives import alternatives, is_clause, is_timed
from simmail.core.language.questions import read_question
from simmail.core.language.tables import language

SPECIMENS = (
    ("en", "Also, do you want the latch in black or galvanised?", ("in black", "galvanised")),
    ("en", "Is it 8oz or 10oz we went for in the end?", ("8oz", "10oz")),
    ("en", "Would you rather sit by the window or near the stage?", ("by the window", "near the stage")),
    ("en", "Shall we paint it white or leave it as it is?", ("paint it white", "leave it as it is")),
    ("en", "Could do Friday 7.30am or Monday after 2?", ("Friday 7.30am", "Monday after 2")),
    ("en", "Does the firm pay for new ones or is that on me?", ()), ("en", "Do you want to keep it or not?", ()),
    ("de", "Kommen Sie am Donnerstag um 8:20 Uhr oder nächste Woche Montag um 17:10 Uhr?", (
        "am Donnerstag um 8:20 Uhr", "nächste Woche Montag um 17:10 Uhr")),
    ("de", "Wollen Sie das Geld überweisen oder bar mitgeben?", ("überweisen", "bar mitgeben")),
    ("de", "Soll ich jemanden rufen oder kaufen wir einen neuen?", ()),
    ("fr", "Faut-il l'envoyer avant ou après l'entretien ?", ("avant l'entretien", "après l'entretien")),
    ("fr", "Voulez-vous les draps ou apportez-vous les vôtres ?", ()),
    ("es", "¿Compro yo la levadura o la traes tú?", ()),
    ("fr", "Tu as encore la clé de l'an dernier ou je te la redonne ?", ()),
    ("es", "¿Puede beber agua o tampoco?", ()), ("es", "¿Prefieres carne o pescado?", ("carne", "pescado")),
)


class AlternativeTests(SynchronousTestCase):
    """What stands on both sides of "or"."""

    def test_alternatives(self) -> None:
        """Each side as it stands, from where it begins like the other; two clauses are none."""
        for code, question, offered in SPECIMENS:
            self.assertEqual(alternatives(question, language(code)), offered, question)

    def test_times(self) -> None:
        """Days and hours to choose from are a choice: whether for an appointment is for the mail to say."""
        self.assertEqual(read_question("Thursday at 8 or Friday at 1?", language("en")).form, "choice")
        self.assertEqual(read_question("Was it Thursday or Friday?", language("en")).form, "choice")
        self.assertTrue(is_timed("8:20 Uhr", language("de")))
        self.assertFalse(is_timed("carne", language("es")))

    def test_clause(self) -> None:
        """A verb with its subject begins a clause."""
        self.assertTrue(is_clause(["is", "that", "on", "me"], language("en")))
        self.assertTrue(is_clause(["kaufen", "wir", "einen"], language("de")))
        self.assertFalse(is_clause(["bar", "mitgeben"], language("de")))

    @given(st.text(max_size=200), st.sampled_from(("en", "de", "fr", "es")))
    def test_anything(self, question: str, code: str) -> None:
        """Any text offers two things or none, and only what stands in it."""
        found = alternatives(f"{question} {language(code).or_} {question}?", language(code))
        self.assertIn(len(found), (0, 2))
        self.assertTrue(all(found))
