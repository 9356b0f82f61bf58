"""What mails do to what was agreed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language import agreements
from simmail.core.language.reader import Findings
from simmail.core.language.tables import LANGUAGES, language
from tests.core.hostile import seconds
from tests.core.scenes import NOW, mail


def found(text: str, **fields: str) -> Findings:
    """What a mail says."""
    return Findings(mail(text, **fields), NOW)


class AgreeingTests(SynchronousTestCase):
    """Yes to a time."""

    def test_agrees(self) -> None:
        """A sentence that agrees is no question and has nothing against it."""
        for text, expected in (
            ("Wednesday at 11:00 works for me.", True), ("Great, see you then!", True), ("I'll take the refund.", True),
            ("That doesn't work for me.", False), ("Sounds good, but I can't.", False), ("It isn't great.", False),
            ("Wednesday works for me, but not before ten.", False),
            ("Does Wednesday work for you?", False), ("The parcel is here.", False), ("Passt mir gut.", True),
            ("Das passt mir leider nicht.", False), ("Einverstanden.", True), ("", False),
        ):
            self.assertEqual(agreements.agrees(text), expected, text)


class UnwantedTests(SynchronousTestCase):
    """What is not wanted any more."""

    def test_things(self) -> None:
        """The thing is named as its writer has it; "it" names nothing."""
        for code, text, thing, nothing in (
            ("en", "Please forget the refund.", "refund", False),
            ("en", "The refund is no longer needed.", "refund", False),
            ("en", "We don\u2019t need the certificate any more.", "certificate", False),
            ("en", "Please cancel our call on Thursday.", "call", False), ("en", "You can cancel it.", "", True),
            ("en", "Never mind, I found it myself.", "", True), ("en", "Could you please cancel it?", "", True),
            ("de", "Den Vertrag brauchen wir nicht mehr.", "Vertrag", False),
            ("de", "Bitte stornieren Sie die Bestellung 7.", "Bestellung 7", False),
            ("de", "Vergiss es.", "", True),
            ("de", "Die Leiter hat sich erledigt, den Bohrer brauche ich noch.", "Leiter", False),
            ("de", "Den Bohrer brauche ich noch, die Leiter hat sich erledigt.", "Leiter", False),
            ("en", "I still need the drill, but the ladder is no longer needed.", "ladder", False),
            ("es", "La escalera ya no hace falta, el taladro todavía lo necesito.", "escalera", False),
            ("fr", "L'échelle n'est plus nécessaire, il me faut toujours la perceuse.", "", False),
        ):
            self.assertEqual(agreements.calls_off(text, [text]), (text,), text)
            self.assertEqual(agreements.thing(text, language(code)), thing, text)
            self.assertEqual(agreements.names_nothing(text), nothing, text)

    def test_wanted(self) -> None:
        """Other sentences call nothing off."""
        for text in ("I need the refund.", "Please send the certificate.", "We never forgot it.",
                     "Danke für den Vertrag.", "Don't forget the meeting."):
            self.assertEqual(agreements.calls_off(text, [text]), (), text)

    @given(st.text(max_size=300), st.sampled_from(LANGUAGES))
    def test_anything(self, text: str, code: str) -> None:
        """Whatever is written, it is read without a fault, and what is named stands there."""
        agreements.agrees(text)
        agreements.places(text)
        for word in agreements.thing(f"please cancel the {text}", language(code)).split():
            self.assertIn(word, text)

    def test_quick(self) -> None:
        """Long texts take no long."""
        self.assertLess(seconds(agreements.places, "room A" * 100_000), 1)
        self.assertLess(seconds(lambda: found("please cancel the the " * 50_000).unwanted), 1)


class PlaceTests(SynchronousTestCase):
    """Where."""

    def test_places(self) -> None:
        """A room has a number, a letter or a name; calls have a program."""
        for text, expected in (
            ("We meet in room 4 on the second floor.", ("room 4",)), ("In Room Elbe, at ten.", ("Room Elbe",)),
            ("We talk on Teams, or in meeting room B.", ("Teams", "meeting room B")),
            ("Wir treffen uns in Raum 2.07.", ("Raum 2.07",)), ("There is room for four.", ()), ("", ()),
        ):
            self.assertEqual(agreements.places(text), expected, text)
            self.assertEqual(found(text).places, expected, text)


class PreferredTests(SynchronousTestCase):
    """Of several times one is liked best."""

    def test_preferred(self) -> None:
        """It stands behind "preferably", before "would be best", and alone there is nothing to prefer."""
        for text, expected in (
            ("Could we meet on Tuesday at 10:00 or on Thursday at 14:00, preferably Thursday?", "05 14:00"),
            ("I could do Tuesday at 10:00 or Thursday at 14:00. Ideally Tuesday.", "03 10:00"),
            ("Tuesday at 10:00 or Wednesday at 14:00? Wednesday would be best.", "04 14:00"),
            ("Tuesday at 10:00 would be best for me, Thursday at 14:00 is possible.", "03 10:00"),
            ("Wir können am Dienstag um 10 Uhr oder am Donnerstag um 14 Uhr, am liebsten Donnerstag.", "05 14:00"),
            ("Tuesday at 10:00 or Thursday at 14:00?", None), ("Preferably Tuesday at 10:00.", None),
        ):
            slot = found(text).preferred
            self.assertEqual(slot and slot.start.strftime("%d %H:%M"), expected, text)


class ImpossibleTests(SynchronousTestCase):
    """Dates that there are none of."""

    def test_impossible(self) -> None:
        """A day that no month has, and a weekday that its date is not."""
        for text, expected in (
            ("Could we meet on 31 February at 10:00?", ("31 February",)), ("By 2026-02-30, please.", ("2026-02-30",)),
            ("Is Monday 4 March at 10:00 all right?", ("Monday 4 March",)), ("On Wednesday, 4 March at 10:00.", ()),
            ("Passt es Ihnen am 31.4. um 10 Uhr, und wo?", ("31.4.",)), ("It happened on Monday 4 March.", ()),
            ("Version 2.31. is out.", ()), ("On 31/12/2026.", ()),
        ):
            self.assertEqual(found(text).impossible, expected, text)
