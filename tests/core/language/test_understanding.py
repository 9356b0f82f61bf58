"""How well mail is understood that nothing was tuned on; scripts/bench/understanding prints the figures."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import yaml
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.facts import answering, read_facts
from simmail.core.language.intents import INTENTS, recognise
from simmail.core.language.reader import Findings
from simmail.core.language.tables import LANGUAGES, language, tell
from simmail.testing.examples import NOW, examples
from simmail.universe.meaning import Meaning

HELD_OUT = Path(__file__).resolve().parents[2] / "understanding"


class UnderstandingTests(SynchronousTestCase):
    """Shares of what is right, in hundredths."""

    def test_kinds(self) -> None:
        """Nine of ten kinds are right in English, four of five elsewhere; the model makes rules better everywhere."""
        meaning, held = Meaning(), list(examples(HELD_OUT))
        count, right, ruled = Counter(one.language for one in held), Counter[str](), Counter[str]()
        for one in held:
            right[one.language] += recognise(Findings(one.mail, NOW, None, meaning), False) == one.kind
            ruled[one.language] += recognise(Findings(one.mail, NOW), False) == one.kind
        for code, number in count.items():
            self.assertGreaterEqual(100 * right[code] / number, 90 if code == "en" else 80, code)
            self.assertGreater(right[code], ruled[code], code)

    def test_facts(self) -> None:
        """Most questions get the fact that answers them, or none; without a model few do."""
        meaning, right, ruled, number = Meaning(), 0, 0, 0
        for case in yaml.load((HELD_OUT / "facts" / "held_out.yaml").read_text("utf-8"), Loader=yaml.BaseLoader):
            known, facts = language(case["language"]), read_facts(case["facts"], ())
            for question, wanted in case["questions"].items():
                for model in (meaning, None):
                    found = answering(question, facts, known, model)
                    good = (found.label.lower() if found is not None else "-") == wanted.lower()
                    right, ruled = right + (good and model is not None), ruled + (good and model is None)
                number += 1
        self.assertGreaterEqual(100 * right / number, 75)
        self.assertLess(2 * ruled, right)

    def test_halves(self) -> None:
        """The halves have nothing in common, and at least 800 mails, 40 kinds and five languages."""
        learned, held = list(examples()), list(examples(HELD_OUT))
        self.assertEqual({one.mail.text for one in learned if len(one.mail.text) > 20}.intersection(
            one.mail.text for one in held), set())
        self.assertGreaterEqual(len(held), 400)
        self.assertGreaterEqual(len({one.kind for one in held}), 40)
        self.assertGreaterEqual(len({one.language for one in held}), 5)
        self.assertLessEqual({one.kind for one in [*held, *learned]}, set(INTENTS))

    def test_languages(self) -> None:
        """The language of nearly every mail is told, short as they are."""
        held = [one for one in examples(HELD_OUT) if one.language in LANGUAGES]
        told = sum(tell(f"{one.mail.subject}\n{one.mail.text}") == one.language for one in held)
        self.assertGreaterEqual(told / len(held), 0.95)
