"""Words whatever a model takes a mail for."""

from __future__ import annotations

from collections.abc import Mapping

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.intents import INTENTS, PLAIN
from tests.core.writer.samples import TEMPERAMENTS, mail, wrote

TEXTS = (
    "It is the version of May.", "The thing is on its way, as far as we know.", "Which one? And where?", "",
    "Wir haben das so gemacht, wie es besprochen war.", "Please see to it that it is done on 4 May.",
)


class Says:
    """A model that is sure of one kind, whatever it is asked."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def kinds(self, text: str) -> Mapping[str, float]:
        """Return that kind."""
        return {self._kind: 1.0}

    def exchange(self, sentence: str) -> tuple[str, float]:
        """Return that it begins none."""
        return "", 0.0

    def nearness(self, one: str, other: str) -> float:
        """Return that nothing is near."""
        return 0.0


class AnyKindTests(SynchronousTestCase):
    """A mail need not have what most mails of its kind have."""

    def test_words(self) -> None:
        """Every temperament has an answer to a mail of any kind that names no day, sum, choice or document."""
        for kind in sorted(set(INTENTS).difference(PLAIN)):
            for text in TEXTS:
                for temperament in TEMPERAMENTS:
                    said = wrote(mail(text, "Re: That"), temperament=temperament, meaning=Says(kind))
                    self.assertGreater(len(said.text.split()), 0, (kind, text, temperament))
                    self.assertNotIn("{", said.text, (kind, text, temperament))
