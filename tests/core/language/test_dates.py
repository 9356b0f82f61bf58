"""Days and times in sentences."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.dates import Dates, due, find, stated_zone
from simmail.core.language.tables import language
from tests.core.hostile import seconds

CET = timezone(timedelta(hours=1))
MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=CET)


def english(sentence: str) -> Dates:
    return find(sentence, MONDAY, language("en"))


def german(sentence: str) -> Dates:
    return find(sentence, MONDAY, language("de"))


def starts(found: Dates) -> list[str]:
    return [slot.start.strftime("%m-%d %H:%M") if slot.timed else slot.start.strftime("%m-%d") for slot in found.slots]


class ZoneTests(SynchronousTestCase):
    """Zones."""

    def test_stated(self) -> None:
        """A zone that is named once, behind a time or in brackets, is that of all times; two are nobody's."""
        for text, hours in (
            ("Tuesday? 10:00 or 14:00 CET would do.", 1), ("10 am EST", -5), ("at 10 (CEST)", 2),
            ("Dienstag um 10 Uhr MEZ?", 1), ("All times are local (JST).", 9),
            ("10:00 CET or 9:00 GMT", None), ("10:00 CET, 11:00 CET", 1), ("the est. cost is 10 est", None),
            ("room 4 CET-lab", None), ("10:00", None), ("", None),
        ):
            zone = stated_zone(text)
            self.assertEqual(zone and zone.utcoffset(None), None if hours is None else timedelta(hours=hours), text)

    def test_quick(self) -> None:
        """A long text takes no long."""
        self.assertLess(seconds(stated_zone, "10 (" * 200_000), 1)


class SlotTests(SynchronousTestCase):
    """Appointments."""

    def test_day_of_month(self) -> None:
        """A number behind a weekday is the day of this month or the next that fits it; else it is of something else."""
        for code, sentence, expected in (
            ("en", "Could you come on Saturday 14th at 4?", ["03-14 16:00"]),
            ("en", "Friday 13 or Monday the 16th?", ["03-13", "03-16"]),
            ("en", "Friday 3rd?", ["04-03"]),
            ("en", "Friday 6 am", ["03-06 06:00"]),
            ("en", "Friday 13 people come", ["03-06"]),
            ("en", "Friday 12 boxes", ["03-06"]),
            ("en", "Friday 12.30", ["03-06 12:30"]), ("en", "Friday 6 March at 11.10.", ["03-06 11:10"]),
            ("es", "¿Puede ser el viernes 13 a las 10?", ["03-13 10:00"]),
            ("fr", "le vendredi 13 à 14h ?", ["03-13 14:00"]),
            ("de", "am Freitag, den 13., um 10 Uhr", ["03-13 10:00"]),
        ):
            self.assertEqual(starts(find(sentence, MONDAY, language(code))), expected, sentence)

    def test_day_of_the_month_alone(self) -> None:
        """A day may be a number alone, where nothing is counted by it; an hour may be written with a dot."""
        for code, sentence, expected in (
            ("en", "Wednesday 18th or the 21st?", ["03-18", "03-21"]), ("en", "in the 21st century", []),
            ("en", "the 2nd door", []), ("en", "Thursday 12th at 4.15?", ["03-12 16:15"]), ("en", "at 4.15 €", []),
            ("de", "Der Umzug ist am 26. um 10 Uhr", ["03-26 10:00"]), ("de", "am 3. Tag", []),
            ("fr", "le 26 ou le 28 ?", ["03-26", "03-28"]), ("fr", "le 12 rue Haute", []),
            ("fr", "mardi 17 vous irait, à 8h ?", ["03-17 08:00"]), ("es", "¿el otro sábado, el 21?", ["03-21"]),
            ("fr", "lundi 16 ou mardi 17 vous irait, à 8h ?", ["03-16 08:00", "03-17 08:00"]),
            ("es", "el 10 % más", []),
            ("en", "He will be six on the 21st and there is a party on the Saturday at 2", ["03-21", "03-21 14:00"]),
        ):
            self.assertEqual(starts(find(sentence, MONDAY, language(code))), expected, sentence)

    def test_said_hours(self) -> None:
        """Hours in words."""
        for code, sentence, expected in (
            ("en", "Friday at half past ten", ["03-06 10:30"]), ("en", "Friday at three?", ["03-06 15:00"]),
            ("en", "tomorrow at quarter to nine", ["03-03 08:45"]), ("en", "Friday at two days' notice", ["03-06"]),
            ("de", "am Freitag um halb elf", ["03-06 10:30"]),
            ("de", "am Freitag um viertel nach elf", ["03-06 11:15"]),
            ("de", "am Freitag um drei Uhr", ["03-06 15:00"]),
            ("fr", "vendredi à huit heures et demie", ["03-06 08:30"]),
            ("es", "el viernes a las nueve y media", ["03-06 09:30"]),
            ("es", "el viernes a las 9 y media", ["03-06 09:30"]),
            ("en", "half of it on Friday", ["03-06"]),
        ):
            self.assertEqual(starts(find(sentence, MONDAY, language(code))), expected, sentence)

    def test_as_people_write(self) -> None:
        """Hours in everyday words, spans, days a week later, and days that are named by two words."""
        for code, sentence, expected in (
            ("en", "Monday around 5ish", ["03-09 17:00"]), ("en", "Wednesday between 2 and 3", ["03-04 14:00"]),
            ("en", "Saturday 14th from 2 to 5", ["03-14 14:00"]), ("en", "Wednesday 2 to 3pm", ["03-04 14:00"]),
            ("en", "tonite 8 o clock", ["03-02 20:00"]), ("en", "tmrw after 6", ["03-03 18:00"]),
            ("en", "the day after tomorrow at noon", ["03-04 12:00"]), ("en", "weds at 7", ["03-04 07:00"]),
            ("en", "Tues 10th @ 6", ["03-10 18:00"]), ("en", "April 3rd from 9.30", ["04-03 09:30"]),
            ("en", "a week on Thursday at 3", ["03-12 15:00"]), ("en", "Thursday week at 3", ["03-12 15:00"]),
            ("en", "Tuesday of next week", ["03-10"]), ("en", "ten past 3 on Friday", ["03-06 15:10"]),
            ("en", "five to nine tomorrow", ["03-03 08:55"]), ("en", "this evening at 8", []),
            ("de", "morgen um viertel nach vier", ["03-03 16:15"]), ("de", "heute Abend um acht", ["03-02 20:00"]),
            ("de", "nächsten Dienstag 10.30", ["03-10 10:30"]), ("de", "kommenden Freitag gegen 17h", ["03-06 17:00"]),
            ("de", "zwischen 14 und 15 Uhr am Montag", ["03-09 14:00"]), ("de", "Dienstag in einer Woche", ["03-10"]),
            ("fr", "samedi à quatre heures", ["03-07 16:00"]), ("fr", "après-demain à 9h", ["03-04 09:00"]),
            ("fr", "mardi en huit", ["03-10"]), ("fr", "jeudi de la semaine prochaine", ["03-12"]),
            ("es", "pasado mañana a las 9", ["03-04 09:00"]), ("es", "el martes de la semana que viene", ["03-10"]),
            ("en", "about three people on Friday", ["03-06"]), ("en", "say four of us on Friday at 3", ["03-06 15:00"]),
        ):
            self.assertEqual(starts(find(sentence, MONDAY, language(code))), expected, sentence)

    def test_morning(self) -> None:
        """A small hour is one of the afternoon, unless the morning stands beside it."""
        for code, sentence, expected in (
            ("en", "Friday at 6?", "18:00"), ("en", "Friday at 6 in the morning?", "06:00"),
            ("en", "tomorrow morning at 6?", "06:00"), ("es", "mañana a las 6", "18:00"),
            ("es", "el viernes a las 6 de la mañana", "06:00"),
        ):
            self.assertEqual(starts(find(sentence, MONDAY, language(code)))[0][6:], expected, sentence)

    def test_english(self) -> None:
        """Dates and times as English mails write them."""
        for sentence, expected in (
            ("Tuesday 10 March, 14:30", ["03-10 14:30"]),
            ("Tue, Mar 10th at 2:30 pm", ["03-10 14:30"]),
            ("March 10, 2026 at 9 a.m.", ["03-10 09:00"]),
            ("2026-03-10 14:30", ["03-10 14:30"]),
            ("10/03/2026 at 14:30", ["03-10 14:30"]),
            ("on Thursday at 10:00 or 15:00", ["03-05 10:00", "03-05 15:00"]),
            ("at 10:00 on Thursday", ["03-05 10:00"]),
            ("tomorrow at noon", ["03-03 12:00"]),
            ("next Thursday at 10 am", ["03-12 10:00"]),
            ("Wednesday from 10:00 to 11:00", ["03-04 10:00"]),
            ("Wednesday 10:00-11:00 or Friday 9:00", ["03-04 10:00", "03-06 09:00"]),
            ("Tuesday or Thursday", ["03-03", "03-05"]),
            ("we have 12 of them at EUR 10.30", []),
            ("call 040 123 456", []),
            ("it may take long and the sun shines", []),
        ):
            self.assertEqual(starts(english(sentence)), expected, sentence)

    def test_german(self) -> None:
        """Dates and times as German mails write them."""
        for sentence, expected in (
            ("Dienstag, 10. März, um 14:30 Uhr", ["03-10 14:30"]),
            ("am Di, 10.03. um 9 Uhr", ["03-10 09:00"]),
            ("am 10.3.2026 um 14.30 Uhr", ["03-10 14:30"]),
            ("morgen um 8:00 oder übermorgen", ["03-03 08:00", "03-04"]),
            ("guten Morgen, so geht das", []),
        ):
            self.assertEqual(starts(german(sentence)), expected, sentence)

    def test_versions(self) -> None:
        """Versions and parts of a contract are no days; a date without a year is one, before an hour too."""
        self.assertEqual(english("Since version 4.18.2 the export fails on iOS 17.4.1.").dates, ())
        self.assertEqual(english("Clause 7.2. says so, and 3.11.2 too.").dates, ())
        self.assertEqual(german("Siehe Ziffer 3.4. und Version 2.11.").dates, ())
        self.assertEqual(starts(german("Am 10.3. 9 Uhr oder am 12.3., Version 5.12.")), ["03-10 09:00", "03-12"])

    def test_zones(self) -> None:
        """A named zone is that of the times; else it is the zone the mail was written in."""
        self.assertEqual(english("Thursday 10:00").slots[0].start.utcoffset(), timedelta(hours=1))
        self.assertEqual(english("Thursday 10 am EST").slots[0].start.utcoffset(), timedelta(hours=-5))
        self.assertTrue(english("Thursday 10 am EST").slots[0].halves)

    def test_deadlines(self) -> None:
        """A date after "by" and the like is a deadline, not a slot."""
        found = english("Please send it by Friday, 6 March.")
        self.assertEqual((found.slots, found.deadlines), ((), (date(2026, 3, 6),)))
        self.assertEqual(german("Bitte bis Freitag, 6. März, zusenden").deadlines, (date(2026, 3, 6),))
        self.assertEqual(english("It was due on 14 February.").deadlines, (date(2026, 2, 14),))

    def test_years(self) -> None:
        """A date without a year is the nearest one."""
        self.assertEqual(english("15 December").dates, (date(2025, 12, 15),))
        self.assertEqual(english("15 August").dates, (date(2026, 8, 15),))
        self.assertEqual(english("31 February").dates, ())

    @given(st.text(max_size=200))
    def test_anything(self, sentence: str) -> None:
        """Any sentence is read, and slots are aware."""
        for found in (english(sentence), german(sentence)):
            for slot in found.slots:
                self.assertIsNotNone(slot.start.tzinfo)

    @given(st.dates(date(2025, 10, 1), date(2026, 8, 1)), st.times())
    def test_any_date(self, day: date, at: object) -> None:
        """Every date of the months around is read back from each way of writing it."""
        months, weekdays = language("en").months, language("en").weekdays
        name, weekday = months[day.month - 1], weekdays[day.weekday()]
        for text in (f"{weekday} {day.day} {name}", f"{name} {day.day}, {day.year}", day.isoformat(),
                     f"{day.day}.{day.month}.{day.year}"):
            self.assertEqual(english(text).dates, (day,), text)


#: The same Monday, 10:00, on a wall in Berlin.
BERLIN = datetime(2026, 3, 2, 10, tzinfo=ZoneInfo("Europe/Berlin"))


def told(text: str, now: datetime = BERLIN) -> str:
    """What a sentence promises something for, as wall-clock time; German behind C{de}."""
    found = due(text.removeprefix("de "), now, language("de" if text.startswith("de ") else "en"))
    return "" if found is None else f"{found:%m-%d %H:%M}"


class DueTests(SynchronousTestCase):
    """The one time that a sentence promises something for."""

    def test_days(self) -> None:
        """Named days end at five."""
        for text, expected in (
            ("by friday", "03-06 17:00"), ("before wednesday.", "03-04 17:00"), ("on monday", "03-09 17:00"),
            ("next tuesday", "03-10 17:00"), ("tomorrow", "03-03 17:00"), ("today", "03-02 17:00"),
            ("by fri", "03-06 17:00"), ("by end of day", "03-02 17:00"), ("by eod", "03-02 17:00"),
            ("by the end of the week", "03-06 17:00"), ("by the end of this week", "03-06 17:00"),
            ("next week", "03-13 17:00"), ("de bis freitag", "03-06 17:00"), ("de morgen", "03-03 17:00"),
            ("de heute noch", "03-02 17:00"), ("de nächste woche", "03-13 17:00"),
        ):
            self.assertEqual(told(text), expected, text)

    def test_dates(self) -> None:
        """Dates of the month and ISO dates; one long past is next year's."""
        for text, expected in (
            ("by 5 march", "03-05 17:00"), ("by march 5th", "03-05 17:00"), ("on the 21st of march", "03-21 17:00"),
            ("by 2026-03-20", "03-20 17:00"), ("by march 32", ""), ("on february 30", ""),
            ("de am 5. märz", "03-05 17:00"),
        ):
            self.assertEqual(told(text), expected, text)
        found = due("by 5 november", BERLIN, language("en"))
        assert found is not None
        self.assertEqual(found.year, 2026)
        found = due("by 5 december", BERLIN.replace(month=6, day=1), language("en"))
        assert found is not None
        self.assertEqual((found.year, found.month), (2026, 12))
        found = due("by 5 january", BERLIN.replace(month=12), language("en"))
        assert found is not None
        self.assertEqual((found.year, found.month), (2027, 1))

    def test_spans(self) -> None:
        """From minutes to weeks, in digits and words."""
        for text, expected in (
            ("within 24 hours", "03-03 10:00"), ("in 10 minutes", "03-02 10:10"), ("within the hour", "03-02 11:00"),
            ("in two days", "03-04 17:00"), ("within 3-5 business days", "03-05 17:00"),
            ("in a couple of weeks", "03-16 17:00"), ("within the next few days", "03-05 17:00"),
            ("de in einer woche", "03-09 17:00"), ("in the meeting", ""), ("in order to help", ""),
        ):
            self.assertEqual(told(text), expected, text)

    def test_hours(self) -> None:
        """An hour with a day, or alone; alone and past it is tomorrow's."""
        for text, expected in (
            ("tomorrow at noon", "03-03 12:00"), ("by 5pm", "03-02 17:00"), ("by 9 am", "03-03 09:00"),
            ("friday 14:30", "03-06 14:30"), ("today at 11:15", "03-02 11:15"), ("by 12 pm", "03-02 12:00"),
            ("by 25:00", ""), ("tonight", "03-02 20:00"), ("at 3", "03-02 15:00"),
        ):
            self.assertEqual(told(text), expected, text)

    def test_ends(self) -> None:
        """The end of the day is that of the day that is named, also behind it."""
        for text, expected in (
            ("by EOD Thursday", "03-05 17:00"), ("by end of day tomorrow", "03-03 17:00"),
            ("on Thursday, by close of business", "03-05 17:00"), ("by COB", "03-02 17:00"),
        ):
            self.assertEqual(told(text), expected, text)
        self.assertEqual(told("by EOD Monday", BERLIN + timedelta(days=1)), "03-09 17:00")

    def test_zones(self) -> None:
        """A time with a zone is in that zone, and so is the day."""
        utc = datetime(2026, 3, 2, 23, 30, tzinfo=timezone.utc)
        for text, expected in (
            ("tomorrow by 10:00 CET", "2026-03-04T10:00:00+01:00"), ("by 10:00 CET", "2026-03-03T10:00:00+01:00"),
            ("on Friday at 9 am EST", "2026-03-06T09:00:00-05:00"), ("by 10:00", "2026-03-03T10:00:00+00:00"),
        ):
            found = due(text, utc, language("en"))
            assert found is not None
            self.assertEqual(found.isoformat(), expected, text)

    def test_short_words(self) -> None:
        """May, sun and wed are words of their own unless said as dates."""
        for text in ("you may have it", "the sun shines", "they wed in secret", "mar the surface"):
            self.assertEqual(told(text), "", text)

    def test_never_past(self) -> None:
        """Today after five is within the hour."""
        late = BERLIN.replace(hour=18)
        self.assertEqual(told("today", late), "03-02 19:00")

    @settings(max_examples=300, deadline=None)
    @given(st.text(max_size=200) | st.lists(st.sampled_from(
        "by in within next friday may 31 2026-02-30 february 5pm 99999999999 3rd ²nd noon week end of the a few days "
        "hours minutes months eow today morgen 0 -1 24:00 month".split()), max_size=10).map(" ".join))
    def test_anything(self, text: str) -> None:
        """Any text gives nothing or an aware instant that is not long past."""
        found = due(text, BERLIN, language("en"))
        if found is not None:
            self.assertIsNotNone(found.utcoffset())
            # Dates are taken as they are said, up to two months back; ISO dates even more.
            if "-" not in text:
                self.assertGreater(found, BERLIN - timedelta(days=62))

    def test_quick(self) -> None:
        """A long sentence costs no more than its words."""
        self.assertLess(seconds(due, "in the next " * 100_000, BERLIN, language("en")), 0.2)


class BeginningTests(SynchronousTestCase):
    """A day from which on something is, is none that is proposed."""

    def test_no_appointment(self) -> None:
        """In all languages, and not where it is asked whether it suits."""
        base = datetime(2026, 9, 9, 10, tzinfo=timezone.utc)
        for code, said in (
                ("en", "from 1 November the rent goes up"), ("de", "ab dem 1. November steigt die Miete"),
                ("fr", "à partir du 1er novembre le loyer augmente"),
                ("es", "desde el 1 de noviembre sube el alquiler")):
            found = find(said, base, language(code))
            self.assertEqual((found.slots, found.dates), ((), (date(2026, 11, 1),)), said)
        self.assertEqual(len(find("Could you work from 2 November?", base, language("en")).slots), 1)
