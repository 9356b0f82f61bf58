"""The bank of exchanges: its data, and that what was learned was learned from it."""

from __future__ import annotations

import re
from collections import Counter

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.vectors.exemplars import NOTHING, Exemplars
from simmail.core.language_data import WRITTEN
from simmail.core.writer.exchanges.bank import ASKED, PREFIX, TOLD, exchanges, heard, said
from simmail.core.writer.voice import parse, ways
from simmail.testing.exchanges import digest

#: What a line may name; marks that end a line; lines of a stance at least, and those that name nothing.
NAMES, ENDS, FEWEST, PLAIN = {"when", "who"}, ".!?…)", 3, 2
SLOT = re.compile(r"\{(\w*)\}")


class BankTests(SynchronousTestCase):
    """What stands in the data files."""

    def test_languages(self) -> None:
        """Each language has the same exchanges, with the same stances."""
        for code in WRITTEN:
            self.assertEqual({name: one.stances for name, one in exchanges(code).items()},
                             {name: one.stances for name, one in exchanges("en").items()}, code)

    def test_stances(self) -> None:
        """What asks is answered with yes, no or later, what tells with warm, plain or cross; who agrees may refuse."""
        for name, one in exchanges("en").items():
            asked = [stance for stance in one.stances if stance in ASKED]
            self.assertTrue(one.stances, name)
            self.assertFalse(asked and {"warm", "plain"} & {*one.stances}, name)
            self.assertTrue(not asked or {"yes", "no"} <= {*asked}, name)
            self.assertTrue(0 <= one.silent <= 1, name)

    def test_lines(self) -> None:
        """Every line is a sentence that can be said, names what it may, and each stance has some that name nothing."""
        for code in WRITTEN:
            for name, one in exchanges(code).items():
                for stance in one.stances:
                    act = f"{PREFIX}{name}.{stance}"
                    lines = [parse(way) for text in said(code, act) for way in ways(text)]
                    self.assertGreaterEqual(len(said(code, act)), FEWEST, (code, act))
                    self.assertGreaterEqual(len([line for line in lines if not line.names]), PLAIN, (code, act))
                    for text in said(code, act):
                        self.assertLessEqual({*SLOT.findall(text)}, NAMES, (code, act, text))
                        self.assertTrue(all(way.rstrip()[-1:] in ENDS for way in ways(text)), (code, act, text))
                        self.assertFalse(code == "en" and "[" in text, (code, act, text))

    def test_heard(self) -> None:
        """No sentence begins two exchanges."""
        often = Counter(text.lower() for _, text in {(name, text) for _, name, text in heard(WRITTEN)})
        self.assertEqual([text for text, count in often.items() if count > 1], [])

    def test_up_to_date(self) -> None:
        """The model was learned from the bank as it is: after a change run scripts/bench/exchanges --learn."""
        learned = Exemplars.read("exchanges.npz")
        self.assertEqual(learned.examples, digest())
        self.assertEqual({*learned.names} - {NOTHING}, {*exchanges("en")})

    def test_stances_apart(self) -> None:
        """No stance is of both kinds."""
        self.assertTrue(set(ASKED).isdisjoint(TOLD))
