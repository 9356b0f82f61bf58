"""Capitals, long forms, slips."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.tables import language
from simmail.core.rng import Dice
from simmail.core.writer.voice import Piece, capitals, habits, in_habit, long_forms, slips, small_start


def own(text: str) -> list[Piece]:
    return [Piece(text, True)]


def text_of(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


class PolishTests(SynchronousTestCase):
    """Each touch."""

    def test_capitals(self) -> None:
        """Sentences start large, also with what was filled in; addresses and file names stay."""
        pieces = [
            Piece("the contract", False), Piece(" is here. ", True), Piece("our list", False), Piece(" too.", True)]
        self.assertEqual(text_of(capitals(pieces)), "The contract is here. Our list too.")
        self.assertEqual(text_of(capitals([Piece("list.pdf", False), Piece(" came.", True)])), "list.pdf came.")
        self.assertEqual(text_of(capitals([Piece("the list", False)], starts=False)), "the list")

    def test_capitals_behind_marks(self) -> None:
        """What opens a question in Spanish opens a sentence with it, also before what was filled in."""
        pieces = [Piece("mal. ¿", True), Piece("el lunes", False), Piece("? ¡vale! ¿y", True), Piece(" tú", False)]
        self.assertEqual(text_of(capitals(pieces)), "Mal. ¿El lunes? ¡vale! ¿y tú")
        self.assertEqual(text_of(capitals([Piece("¿quién?", True)])), "¿Quién?")
        pieces = [Piece("la lista, ¿", True), Piece("el lunes", False)]
        self.assertEqual(text_of(capitals(pieces)), "La lista, ¿el lunes")

    def test_exclaimed_at_both_ends(self) -> None:
        """Who exclaims less or more in Spanish drops or sets both marks, and never one alone."""
        for exclaims in (-1.0, -0.5, 0.6, 1.0):
            person = replace(habits("p_1", "es"), exclaims=exclaims, favourites=())
            for seed in range(20):
                pieces = [Piece("Gracias. ¡Qué bien! ¡Hasta ", True), Piece("el lunes", False), Piece("!", True)]
                text = text_of(in_habit(pieces, person, Dice(str(seed)), lively=True))
                self.assertEqual(text.count("¡"), text.count("!"), text)
                if exclaims in (-1.0, 1.0):
                    self.assertTrue(text.startswith(
                        "Gracias. Qué bien. ¡Hasta" if exclaims < 0 else "¡Gracias! ¡Qué bien!"), text)

    def test_long_forms(self) -> None:
        """Formal writers use no contractions, and know had from would and has from is."""
        english = language("en")
        for short, long in (
            ("I'm sure it's here, don't worry.", "I am sure it is here, do not worry."),
            ("I'd like that, as I'd promised.", "I would like that, as I had promised."),
            ("It's been sent.", "It has been sent."),
            ("Dana's mail isn't here.", "Dana's mail is not here."),
            ("we'll see", "we will see"),
        ):
            self.assertEqual(text_of(long_forms(own(short), english)), long)
        self.assertEqual(text_of(long_forms([Piece("don't", False)], english)), "don't")

    def test_small_start(self) -> None:
        """After a greeting with a comma German goes on small, except with nouns and Sie."""
        german = language("de")
        self.assertEqual(text_of(small_start(own("Die Zahlung"), german)), "die Zahlung")
        self.assertEqual(text_of(small_start(own("Sie haben"), german)), "Sie haben")
        self.assertEqual(text_of(small_start(own("Anfragen gehen"), german)), "Anfragen gehen")

    def test_slips(self) -> None:
        """The rate is that of words mistyped; what was filled in is never touched; the same dice slip the same."""
        words = "please check whether everything arrived before tomorrow evening " * 50
        plain = words.split()
        typed = slips(own(words), 0.1, Dice("a"))
        changed = sum(one != other for one, other in zip(plain, typed.split()))
        self.assertTrue(20 <= changed <= 70, changed)
        self.assertEqual(typed, slips(own(words), 0.1, Dice("a")))
        self.assertEqual(slips(own(words), 0.0, Dice("a")), words)
        kept = [Piece("EUR 1,240.00 INV-2041 Lindqvist dana@x.example", False)]
        self.assertEqual(slips(kept, 1.0, Dice("a")), kept[0].text)

    @given(st.text(max_size=60), st.floats(0, 1))
    def test_any_text(self, text: str, rate: float) -> None:
        """Slips neither fail nor touch names: a capital inside a word, or a digit, keeps it as it is."""
        slips(own(text), rate, Dice("x"))
        self.assertEqual(slips(own("PayPal INV 2041"), rate, Dice("x")), "PayPal INV 2041")
