"""What asks without being a question."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.indirect import direct


class IndirectTests(SynchronousTestCase):
    """Sentences that are read as the questions they are."""

    def test_direct(self) -> None:
        """What stands before and behind stays a sentence; what only sounds alike stays as it is."""
        for sentence, pieces in (
            ("We're off on Friday and I wondered if you'd feed Mr Biscuit again.",
             ["We're off on Friday.", "Would you feed Mr Biscuit again?"]),
            ("I don't suppose you still have the green scores.", ["Do you still have the green scores?"]),
            ("I still haven't had the login.", ["Could you send me the login?"]),
            ("I'd also like you to take the minutes.", ["Could you take the minutes?"]),
            ("Someone ought to stay the night, he won't ask.", ["Could you stay the night?", "He won't ask."]),
            ("Would you mind having a look in yours?", ["Would you have a look in yours?"]),
            ("If you could send it by Friday, that would be great.", ["Could you send it by Friday?"]),
            ("Nobody has told me which gate we should use.", ["Which gate we should use?"]),
            ("I'm not sure yet.", ["I'm not sure yet."]),
            ("I'd like to thank you.", ["I'd like to thank you."]),
            ("Ich wollte fragen.", ["Ich wollte fragen."]),
        ):
            self.assertEqual(direct(sentence, "en"), pieces, sentence)

    @given(st.text(max_size=60))
    def test_anything(self, text: str) -> None:
        """Whatever stands there, something is left to read, and a beginning without more is no question."""
        self.assertTrue(direct(f"I wondered if you'd {text}", "en"))
        self.assertEqual(direct("I wondered if you'd", "en"), ["I wondered if you'd"])

    def test_done_with(self) -> None:
        """What is wanted done with a thing is asked for; a thing alone is not."""
        self.assertEqual(direct("I'd like the parcel left with the neighbour.", "en"),
                         ["Could you have the parcel left with the neighbour?"])
        self.assertEqual(direct("I want it fixed before Friday.", "en"), ["Could you have it fixed before Friday?"])
        self.assertEqual(direct("I'd like the blue one.", "en"), ["I'd like the blue one."])

    def test_two(self) -> None:
        """Two beginnings in a sentence are two questions."""
        self.assertEqual(
            direct("I need someone to tell Mrs Khan he can't come and I want his book sent home.", "en"),
            ["Could you tell Mrs Khan he can't come?", "Could you have his book sent home?"])
