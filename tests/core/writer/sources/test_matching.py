"""
Facts told to the sentences that ask for them.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.facts import read_facts
from simmail.core.language.tables import language
from simmail.core.writer.sources.matching import Asked, compared, is_of_type, matched, told_to
from simmail.universe.meaning import Meaning

EN, DE = language("en"), language("de")
BOILER = read_facts({"refund sum": "£72.50", "cause": "the boiler failed at 5:40, mended by 11",
                     "next maintenance": "in May"}, ())


class MatchedTests(SynchronousTestCase):
    """L{matched}."""

    def test_by_meaning(self) -> None:
        """A fact is found that shares no word with the question, in each language, whatever order they stand in."""
        model = Meaning()
        asked = [Asked("What went wrong on Sunday?", "question", "what"),
                 Asked("How much do we get back?", "question", "much")]
        self.assertEqual([[fact.label for fact in one] for one in matched(asked, BOILER, EN, model)],
                         [["cause"], ["refund sum"]])
        facts = read_facts({"Menge": "240 Stück", "Lieferort": "Sportplatz, Tor 2", "Zielpreis": "14,20 €"}, ())
        asked = [Asked("Wo soll der Lkw hin?", "question", "where"),
                 Asked("Wie viele brauchen Sie, 220 oder 240?", "question", "many")]
        self.assertEqual([[fact.label for fact in one] for one in matched(asked, facts, DE, model)],
                         [["lieferort"], ["menge"]])

    def test_by_name(self) -> None:
        """Without a model a name that is said is enough."""
        asked = [Asked("What is the refund sum?", "question", "what")]
        self.assertEqual([one.label for one in matched(asked, BOILER, EN)[0]], ["refund sum"])

    def test_nothing(self) -> None:
        """What is about something else is told nothing; nor is anything told without sentences or facts."""
        asked = [Asked("Shall we have lunch on Friday?", "question", "yes_no"), Asked("The sun shines.", "telling", "")]
        for model in (None, Meaning()):
            self.assertEqual(matched(asked, BOILER, EN, model), [[], []])
        self.assertEqual(matched([], BOILER, EN), [])
        self.assertEqual(matched(asked, (), EN), [[], []])

    def test_one_mail(self) -> None:
        """No fact is told twice; one unlikely by itself is told to a question that has no other answer."""
        weights = [1.0]
        asked = [Asked("a?", "question", "what"), Asked("b?", "question", "what"), Asked("c.", "telling", "")]
        sure = [[[3.0], [-1.0]], [[2.0], [-1.0]], [[0.1], [0.1]]]
        self.assertEqual(told_to(asked, BOILER, sure, weights), [[0], [1], []])
        # Nothing is sure: the facts are of another matter.
        unsure = [[[0.5], [-1.0]], [[0.4], [-1.0]], [[0.1], [0.1]]]
        self.assertEqual(told_to(asked, BOILER, unsure, weights), [[], [], []])

    def test_types(self) -> None:
        """A sum is just what "how much" asks for."""
        self.assertTrue(is_of_type("much", BOILER[0]))
        self.assertFalse(is_of_type("who", BOILER[0]))

    @given(st.lists(st.text(max_size=60), max_size=4),
           st.dictionaries(st.text(max_size=20), st.text(max_size=40), max_size=4))
    def test_any(self, texts: list[str], known: dict[str, str]) -> None:
        """Any text and any facts can be compared, each pair by as many numbers as have weights."""
        facts = read_facts(known, ())
        asked = [Asked(text, "question", "what") for text in texts]
        sizes = {len(row) for line in compared(asked, facts, EN, None) for row in line}
        self.assertLessEqual(sizes, {56})
        self.assertEqual(len(matched(asked, facts, EN)), len(texts))
