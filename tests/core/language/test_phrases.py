"""Phrases of one sentence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.phrases import (
    asks_for_something, deed, detail, documents, is_document, pieces, things, what_kind, words,
)
from simmail.core.language.tables import Language, language
from simmail.core.language.text import say

EN, DE = language("en"), language("de")


class AskedTests(SynchronousTestCase):
    """What is asked for."""

    def test_asks(self) -> None:
        """A request begins with its words, and not inside others."""
        self.assertTrue(asks_for_something("Could you send it?", EN))
        self.assertFalse(asks_for_something("It is a displeasing plan.", EN))
        self.assertTrue(asks_for_something("Bitte senden Sie es.", DE))

    def test_documents(self) -> None:
        """A document is asked for with a verb of sending, and named as its sender names it."""
        for sentence, known, expected in (
            ("Please send your signed contract.", EN, ["our signed contract"]),
            ("Please send a copy of your passport.", EN, ["our passport"]),
            ("Please send the plans and the price list.", EN, ["the plans", "the price list"]),
            ("Please bring the dock back, as our list shows it as missing.", EN, []),
            ("Do we need a licence for that?", EN, []), ("We need the licence for that.", EN, ["the licence"]),
            ("Please send 3,200 copies.", EN, []), ("The contract is here.", EN, []),
            ("Bitte senden Sie uns Ihre Auftragsbestätigung.", DE, ["unsere Auftragsbestätigung"]),
        ):
            self.assertEqual(documents(sentence, known), expected, sentence)
        self.assertTrue(is_document("rahmenvertrag", DE))
        self.assertFalse(is_document("rahmenvertrag", EN))

    def test_details(self) -> None:
        """What is to be told is no document."""
        self.assertEqual(detail("Please tell us your VAT number.", EN), "our VAT number")
        self.assertEqual(detail("Please send us your bank details.", EN), "our bank details")
        self.assertEqual(detail("Bitte nennen Sie uns Ihre Lieferadresse.", DE), "Lieferadresse")
        self.assertEqual(detail("Your VAT number is missing here.", EN), "")
        self.assertEqual(detail("Can I give them your phone number?", EN), "")


class PromisedTests(SynchronousTestCase):
    """What is promised, and thanked for."""

    def test_kinds(self) -> None:
        """The sort of a promise is told by its phrase, in whichever language it is kept."""
        for what, kind in (
            ("an answer on the price", "answer"), ("the payment of INV-7", "payment"), ("word that it is done", "task"),
            ("the signed contract", "document"), ("die Zahlung zu RE-1", "payment"), ("eine Antwort", "answer"),
        ):
            for known in (EN, DE) if what[-3:] != "one" else (EN,):
                self.assertEqual(what_kind(what, known), kind, what)

    def test_apart(self) -> None:
        """A promise of two things is two; documents are listed."""
        self.assertEqual(
            things("the offer and an answer on the address", EN), ["the offer", "an answer on the address"])
        self.assertEqual(things("the offer", EN), ["the offer"])
        self.assertEqual(
            pieces("the offer, the plan and our price list", EN), ("the offer", "the plan", "our price list"))
        self.assertEqual(pieces("salt and pepper", EN), ("salt and pepper",))

    def test_deed(self) -> None:
        """What thanks are for is turned around."""
        self.assertEqual(deed("Thank you for helping us yesterday.", EN), "helping you")
        self.assertEqual(deed("Thank you for the plan.", EN), "")
        self.assertEqual(deed("Danke für Ihre Hilfe.", DE), "")


class SayTests(SynchronousTestCase):
    """Foreign text, said again."""

    @given(st.text(max_size=600), st.integers(10, 100), st.sampled_from((EN, DE)))
    def test_anything(self, text: str, longest: int, known: Language) -> None:
        """It is one line, short, and without the signs of templates; every phrase can be looked for in it."""
        said = say(text, longest)
        self.assertLessEqual(len(said), longest + 1)
        self.assertEqual(set(said).intersection("{}[]<>|\n"), set())
        self.assertLessEqual(len(words(text)), 120)
        documents(text, known)
        detail(text, known)
        deed(text, known)
