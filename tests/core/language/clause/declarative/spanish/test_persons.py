"""Who speaks to whom in Spanish."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.spanish.clause import parted
from simmail.core.language.clause.declarative.spanish.persons import SpanishReader, SpanishSaid
from simmail.core.language.clause.declarative.spanish.verbs import spanish


def said(text: str, we: bool = False, far: bool = True) -> SpanishSaid | None:
    """A clause as its reader says it."""
    words = text.split()
    clause = parted(words, spanish())
    assert clause is not None, text
    return SpanishReader.of(words, clause, we, far).said(clause)


class ReaderTests(SynchronousTestCase):
    """Persons change sides."""

    def test_of(self) -> None:
        """A question that says "tú" or "usted" tells how to call its asker."""
        for text, far in {"puedo llamarte": False, "puede usted ir": True, "es normal": False}.items():
            words = text.split()
            clause = parted(words, spanish())
            assert clause is not None
            self.assertEqual(SpanishReader.of(words, clause, False, False).far, far, text)
        told = said("puedes venir", True)
        self.assertEqual(None if told is None else told.verb, "puedo")

    def test_said(self) -> None:
        """Verbs, pronouns before and behind them, and whose something is."""
        for text, wanted in {
            "me lo podría mandar": "se lo puedo mandar", "puedes enviármelo": "puedo enviártelo",
            "vienes conmigo": "voy contigo",
            "puedo apuntarme": "puede apuntarse", "te acuerdas de mí": "me acuerdo de ti", "podría usted traerme pan":
            "puedo llevarle pan", "está usted contento con su trabajo": "estoy contento con mi trabajo",
        }.items():
            told = said(text)
            assert told is not None, text
            self.assertEqual(" ".join([*told.before, *told.clitics, told.verb, *told.rest]), wanted)

    def test_for_others(self) -> None:
        """A thing's gender has to be known."""
        told = said("puede enseñarme su sala", True)
        assert told is not None
        self.assertEqual((told.verb, told.rest), ("podemos", ["enseñarle", "nuestra", "sala"]))
        self.assertIsNone(said("puede enseñarme su xik", True))
        told = said("está usted contento", True)
        self.assertEqual(None if told is None else told.verb, "estoy")

    def test_unclear(self) -> None:
        """An offer, or what both may do."""
        for text in ("le apunto", "podemos cambiar", "contamos contigo"):
            self.assertIsNone(said(text), text)
