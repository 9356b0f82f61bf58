"""By how much something is changed."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.shifts import Shift, figure_shifts, time_shift
from simmail.core.language.tables import LANGUAGES, language


class TimeTests(SynchronousTestCase):
    """L{time_shift}"""

    def test_later(self) -> None:
        """A span of time behind which "later" stands, or before which something is put back."""
        for code, sentence, minutes in (
            ("en", "Could we make it an hour later than I said?", 60),
            ("en", "They put me on the one that's two hours after.", 120),
            ("en", "Can we push our call back by half an hour?", 30),
            ("en", "An hour and a half later would suit me better.", 90),
            ("en", "The train is running 20 minutes late", 20),
            ("de", "Ginge es eine Stunde später?", 60),
            ("fr", "Je voudrais décaler le rendez-vous d'une demi-heure.", 30),
            ("es", "¿Podemos vernos una hora más tarde?", 60),
        ):
            self.assertEqual(time_shift(sentence, language(code)), timedelta(minutes=minutes), sentence)

    def test_earlier(self) -> None:
        """The same of what is to be before."""
        for code, sentence, minutes in (
            ("en", "Could you come 15 minutes earlier?", 15), ("en", "Let's bring it forward a week.", 7 * 1440),
            ("de", "Zwei Tage früher wäre besser", 2 * 1440), ("es", "media hora antes, por favor", 30),
        ):
            self.assertEqual(time_shift(sentence, language(code)), timedelta(minutes=-minutes), sentence)

    def test_none(self) -> None:
        """What happened later, or a while after something else, lets nothing be later."""
        for sentence in ("See you in an hour.", "We opened two hours after you left.", "I can do two hours before 5",
                         "He came an hour later and nobody was there.", "It lasts an hour.", ""):
            self.assertIsNone(time_shift(sentence, language("en")), sentence)


class FigureTests(SynchronousTestCase):
    """L{figure_shifts}"""

    def test_changed(self) -> None:
        """Sums, measures and numbers, more and less."""
        for code, sentence, amount, unit in (
            ("en", "I've got room for 20cm more counter.", 20, "cm"), ("en", "I can knock £600 off.", -600, "£"),
            ("en", "two more tables please", 2, "tables"), ("en", "We need three fewer chairs", -3, "chairs"),
            ("en", "Another 12 boxes would be good", 12, "boxes"), ("en", "50 euros cheaper", -50, "€"),
            ("en", "£30 extra for delivery", 30, "£"), ("de", "es werden zwei Personen mehr", 2, "Personen"),
            ("fr", "50 € de moins", -50, "€"), ("es", "dos personas más", 2, "personas"),
        ):
            self.assertEqual(figure_shifts(sentence, language(code)), [Shift(Decimal(amount), unit)], sentence)

    def test_compared(self) -> None:
        """What is only compared changes nothing."""
        for sentence in ("more than 20 people", "the price is £40 less than last year", "an hour more", "5% off"):
            self.assertEqual(figure_shifts(sentence, language("en")), [], sentence)


class AnyTests(SynchronousTestCase):
    """Whatever is written."""

    @given(st.text(max_size=300), st.sampled_from(LANGUAGES))
    def test_any(self, text: str, code: str) -> None:
        """Anything is read, also in a language without words for it."""
        time_shift(text, language(code))
        for one in figure_shifts(text, language(code)):
            self.assertTrue(one.amount and one.unit)
