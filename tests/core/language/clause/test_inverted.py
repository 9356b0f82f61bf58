"""Words of English, said by the other side, and forms of verbs."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.inverted import flipped, participle, past_tense, third_person
from simmail.core.language.clause.tables import Sides, restating

EN = restating("en")


class InvertedTests(SynchronousTestCase):
    """Words turned round."""

    def test_flipped(self) -> None:
        """What belongs to the house is ours, what belongs to a person mine; "you" does it, or it is done to you."""
        for words, said in (
            ("your office and your dog", "our office and my dog"), ("the book I gave you", "the book you gave me"),
            ("before you changed it", "before I changed it"), ("help you decide", "help me decide"),
            ("while I was away", "while you were away"), ("when you are ready", "when I am ready"),
        ):
            self.assertEqual(flipped(words.split(), EN), said)
        self.assertEqual(flipped("send us your list as you are late".split(), EN, Sides(we=True)),
                         "send you our list as we are late")

    def test_forms(self) -> None:
        """Verbs by rule and by themselves."""
        self.assertEqual([third_person(one, EN) for one in ("need", "have", "carry", "wash", "play", "go")],
                         ["needs", "has", "carries", "washes", "plays", "goes"])
        self.assertEqual([past_tense(one, EN) for one in ("need", "hand", "agree", "carry", "stop", "send", "like")],
                         ["needed", "handed", "agreed", "carried", "stopped", "sent", "liked"])
        self.assertEqual([one for one in ("sent", "arrived", "used", "shed", "speed") if participle(one, EN)],
                         ["sent", "arrived", "used"])
