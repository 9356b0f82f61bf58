"""Phrases of German clauses."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.german.phrases import (
    is_possessive, is_time_noun, noun_phrase, phrases, with_attribute,
)
from simmail.core.language.clause.declarative.german.verbs import german

HOW = german()


def cut(text: str, verb: str = "habe") -> list[tuple[str, str]]:
    """The kinds of the phrases of some words, and the phrases."""
    return [(one.kind, " ".join(one.words)) for one in phrases(text.split(), verb, HOW)]


class PhraseTests(SynchronousTestCase):
    """What belongs together."""

    def test_phrases(self) -> None:
        """Objects, times and places are told apart."""
        self.assertEqual(cut("am Freitag um zehn mir die Rechnung für März"), [
            ("time", "am Freitag um zehn"), ("pronoun", "mir"), ("definite", "die Rechnung für März")])
        self.assertEqual(cut("noch keinen"), [("still", "noch"), ("word", "keinen")])
        self.assertEqual(cut("schon etwas Neues im Büro"), [
            ("already", "schon"), ("some", "etwas Neues"), ("place", "im Büro")])
        self.assertEqual(cut("um zwei Karten"), [("place", "um zwei Karten")])
        self.assertEqual(cut("die Heizung etwas"), [("definite", "die Heizung"), ("a_bit", "etwas")])

    def test_noun_phrase(self) -> None:
        """It ends with its noun and with whose it is; "er" is no adjective."""
        for text, wanted in {
            "das alte Fahrrad noch": ("definite", 3), "Annas Auto da": ("definite", 2),
            "Frau Dr Klein da": ("person", 3),
            "die PIN meines Handys": ("definite", 4), "er einen": ("word", 0), "Zelle F30 falsch": ("bare", 2),
        }.items():
            self.assertEqual(noun_phrase(text.split(), 0, "ist", HOW), wanted, text)

    def test_with_attribute(self) -> None:
        """What a preposition adds to a subject, where something is said of it still."""
        words = "die Mail mit den Gutscheinen von dir".split()
        self.assertEqual(with_attribute(words, 2, "ist", HOW), 5)
        self.assertEqual(with_attribute("der Schlüssel im Büro".split(), 2, "ist", HOW), 2)
        self.assertEqual(with_attribute("das Zimmer am Freitag frei".split(), 2, "ist", HOW), 2)

    def test_words(self) -> None:
        """Possessives and times."""
        self.assertEqual([is_possessive(one, HOW) for one in ("meinem", "Ihre", "eure", "meinen", "meist")], [
            True, True, True, True, False])
        self.assertEqual([is_time_noun(one, HOW) for one in ("Donnerstagabend", "Herbstferien", "Elternabend")], [
            True, True, False])
