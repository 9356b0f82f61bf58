"""What somebody keeps to, by the notes it was given."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.writer.sources.limits import OwnLimits
from tests.core.writer.samples import TEMPERAMENTS, mail, wrote

HOUR = timedelta(hours=1)
EARLY = ("No meetings before 10:30, school run", "keine Termine vor 10:30 Uhr", "pas de rendez-vous avant 10h30",
         "nada de reuniones antes de las 10:30", "only from 10:30 am")
AWAY = ("The shop is closed from 24 December to 6 January", "Urlaub vom 24. Dezember bis 6. Januar",
        "fermé du 24 décembre au 6 janvier", "cerrado del 24 de diciembre al 6 de enero")
SAW = ("Budget for the band saw: no more than £3,000", "band saw limit: £3,000")


def at(day: int, hour: int, minute: int = 0) -> datetime:
    """An instant of March 2026, of which the 2nd is a Monday."""
    return datetime(2026, 3, day, hour, minute, tzinfo=timezone.utc)


class LimitsTests(SynchronousTestCase):
    """Hours, days, sums."""

    def test_hours(self) -> None:
        """Nothing begins before the first hour, or goes on behind the last one."""
        for note in EARLY:
            limits = OwnLimits((note,))
            self.assertFalse(limits.free(at(4, 9), HOUR), note)
            self.assertTrue(limits.free(at(4, 10, 30), HOUR), note)
        late = OwnLimits(("Never calls after 5 pm",))
        self.assertTrue(late.free(at(4, 16), HOUR))
        self.assertFalse(late.free(at(4, 16, 30), HOUR))
        monday = OwnLimits(("Not in before 9 on Mondays",))
        self.assertFalse(monday.free(at(2, 8), HOUR))
        self.assertTrue(monday.free(at(3, 8), HOUR))

    def test_busy(self) -> None:
        """Who has something on is not free then, by the part of the day; a liking for a day is nothing on."""
        for note, free, busy in (
            ("Tamsin is in Bristol all day on Thursday", at(4, 9), at(5, 9)),
            ("Opera los martes por la tarde", at(3, 9), at(3, 15)),
            ("Simon est sur un chantier tout le jeudi", at(6, 9), at(5, 16)),
            ("Chorprobe am Mittwochabend", at(4, 10), at(4, 18)),
            ("Swims on Monday mornings", at(2, 14), at(2, 9)),
        ):
            self.assertFalse(OwnLimits((note,)).free(busy, HOUR), note)
            self.assertTrue(OwnLimits((note,)).free(free, HOUR), note)
        self.assertTrue(OwnLimits(("Prefers Thursday mornings",)).free(at(5, 9), HOUR))

    def test_clauses(self) -> None:
        """Of a day that is taken and one that suits the first is kept, on its date, and the second liked."""
        for note in ("free: Monday 9th is taken all day, Wednesday 11th is fine", "Lunes 9 ocupado, miércoles 11 libre",
                     "Montag, 9. ist voll, Mittwoch, 11. passt", "lundi 9 est pris, mercredi 11 convient"):
            limits = OwnLimits((note,))
            self.assertEqual([limits.works(date(2026, 3, day)) for day in (9, 11, 16)], [False, True, True], note)
            self.assertEqual([limits.prefers(date(2026, 3, day)) for day in (9, 11, 18)], [False, True, False], note)

    def test_days(self) -> None:
        """Days of the week and spans of days are kept; what merely happened on one keeps none."""
        for note in ("Never on Wednesdays, works from the other office", "mittwochs nie im Büro",
                     "pas de réunion le mercredi", "los miércoles no trabaja"):
            self.assertFalse(OwnLimits((note,)).works(date(2026, 3, 4)), note)
            self.assertTrue(OwnLimits((note,)).works(date(2026, 3, 5)), note)
        for note in AWAY:
            self.assertFalse(OwnLimits((note,)).works(date(2026, 12, 30)), note)
            self.assertFalse(OwnLimits((note,)).works(date(2027, 1, 6)), note)
            self.assertTrue(OwnLimits((note,)).works(date(2026, 12, 23)), note)
        for note in ("Bought 12 kettles on Wednesday, not 13", "2026-03-02: Dana wrote about no calls on Wednesdays"):
            self.assertTrue(OwnLimits((note,)).works(date(2026, 3, 4)), note)

    def test_sums(self) -> None:
        """A sum that is not exceeded is one for what the note speaks of."""
        for note in (*SAW, "scie à ruban : 3 000 € maximum"):
            code = "fr" if "ruban" in note else "en"
            self.assertEqual(OwnLimits((note,)).most("Band saw, scie BS-400", code), 3000.0, note)
            self.assertEqual(OwnLimits((note,)).most("The kettles", code), 0.0, note)
        self.assertEqual(OwnLimits(("limit: £3,000",)).most("The kettles", "en"), 3000.0)


class AnsweredTests(SynchronousTestCase):
    """Seven people who keep to something."""

    def test_later(self) -> None:
        """Of two times the one is taken that suits; against a single one that does not another is named."""
        two = mail("Hi Maria,\n\nshall we talk on Wednesday at 9:00 or on Thursday at 14:00?\n\nDana", "Drawings")
        one = mail("Hi Maria,\n\nlet's meet on Wednesday at 9:00. OK?\n\nDana", "Drawings")
        for temperament in TEMPERAMENTS:
            for note in EARLY:
                self.assertEqual([r.when for r in wrote(two, temperament=temperament, notes=(note,)).remarks], [
                    at(5, 14)], f"{temperament}, {note}")
                offered = wrote(one, temperament=temperament, notes=(note,)).remarks
                self.assertEqual({r.kind for r in offered}, {"proposed"})
                self.assertTrue(all(r.when is not None and r.when >= at(4, 9, 30) for r in offered))

    def test_all_days(self) -> None:
        """Who keeps every day for itself is not waited for."""
        notes = tuple(f"Never on {day}s" for day in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"))
        self.assertTrue(wrote(mail("Could we meet next week?\n\nDana", "A talk"), notes=notes).text)

    def test_price(self) -> None:
        """An offer above the limit is not taken, however often it is made; one below is not haggled about."""
        for temperament in TEMPERAMENTS:
            for note in SAW:
                for own in ((), (mail("So?", "Band saw"),) * 6):
                    text = wrote(mail("Dear Maria,\n\nthe saw BS-400 costs £3,450. Shall we book it for you?\n\nHolt",
                                      "Band saw BS-400"), temperament=temperament, notes=(note,), own=own).text
                    self.assertIn("£3,000", text)
                self.assertNotIn("£3,000", wrote(mail(
                    "Dear Maria,\n\nthe band saw BS-400 costs £2,850. Shall we book it for you?\n\nHolt",
                    "Band saw BS-400"), temperament=temperament, notes=(note,)).text)

    def test_event(self) -> None:
        """No event is gone to on a day that is kept for something else."""
        for temperament in TEMPERAMENTS:
            said = wrote(mail("Hello Maria,\n\nwe invite you to a tasting on Wednesday at 17:00. Will you come?\n\n"
                              "Vera", "Invitation to our tasting"), temperament=temperament,
                         notes=("Never on Wednesdays",))
            self.assertFalse(any(one.kind == "agreed" for one in said.remarks), said.text)
