"""Figures that are limits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.facts import read_facts
from simmail.core.language.questions import read_question
from simmail.core.language.tables import language
from simmail.core.writer.sources.cut.bounds import compared, ranges
from simmail.core.writer.sources.recall import check
from tests.core.writer.samples import NOW

EN = language("en")
#: What is asked, what is known, under which name, and whether it is so.
SPECIMENS = (
    ("en", "does it stay under £1,500?", "price", "£1,680 for the lot", False),
    ("en", "will it be ready before the end of April?", "ready", "from 4 May", False),
    ("en", "will it be ready by Thursday?", "ready", "Wednesday", True),
    ("en", "will it be ready by Thursday at noon?", "ready", "Wednesday at 4 pm", True),
    ("en", "will it be ready by Thursday at noon?", "ready", "Thursday at 4 pm", False),
    ("en", "would you take 180?", "lowest price", "£200", False),
    ("en", "would you take 210?", "lowest price", "£200", True),
    ("en", "we need at least 25%", "deposit", "30 %", True), ("en", "can we come after 5pm?", "closes", "4 pm", False),
    ("de", "bleibt es bei höchstens 900 Euro?", "Preis", "840 €", True),
    ("de", "wird er bis zum 20. März fertig?", "fertig", "Mittwoch, 25. März", False),
    ("de", "gehen Sie auf 22.500 runter?", "niedrigster Preis", "22.900 €", False),
    ("fr", "vous arrivez avant 18 h ?", "arrivée", "vers 20 h", False),
    ("fr", "vous l'aurez jeudi au plus tard ?", "livraison", "mercredi", True),
    ("es", "¿llega antes del 22 de marzo?", "entrega", "viernes 18 de marzo", True),
    ("es", "¿cuesta menos de 300?", "precio", "340 euros", False),
)


class BoundTests(SynchronousTestCase):
    """What keeps to a limit, and what does not."""

    def test_compared(self) -> None:
        """Each figure is held against the limit, whichever side has it; two plain ones are left alone."""
        for code, question, label, value, so in SPECIMENS:
            asked, known = (ranges(question, NOW, language(code)), ranges(value, NOW, language(code), label))
            kind, agrees = compared(asked, known)
            self.assertEqual((bool(kind), agrees), (True, so), question)
        self.assertEqual(compared(ranges("for £20?", NOW, EN), ranges("£30", NOW, EN))[0], "")

    def test_check(self) -> None:
        """The only fact of its kind answers without its name, one of several where it is named; "too late" turns it."""
        known = read_facts({"price": "£340", "delivery": "18 March", "gate closes": "4 pm"}, ())
        for question, label, so in (
            ("Can you get it here before 20 March?", "delivery", True), ("Is it under 300?", "price", False),
            ("Is 4:30 pm too late for the driver?", "gate closes", True), ("Is it more than 50 miles?", "", False),
        ):
            found = check(read_question(question, EN), NOW, (), known[1:] if "miles" in question else known, EN)
            self.assertEqual((found.fact.label, found.agrees) if found and found.fact else ("", False), (label, so))

    @given(st.text(max_size=120))
    def test_anything(self, text: str) -> None:
        """Any text has figures or none, each from its lowest to its highest value."""
        for code in ("en", "de", "fr", "es"):
            found = ranges(text, NOW, language(code), text)
            self.assertTrue(all(one.low <= one.high for some in found.kinds.values() for one in some))
