"""What holds in a thread after it was changed."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.dates import Slot
from simmail.core.language.questions import read_question
from simmail.core.language.tables import language
from simmail.core.records.conversation import Remark
from simmail.core.writer.sources.cut.thread_table import ThreadTable, as_agreed

NOW = datetime(2026, 9, 7, 10, tzinfo=timezone.utc)


def table(code: str, *mails: tuple[str, ...], subject: str = "") -> ThreadTable:
    """The table of a thread of mails, a day apart, each of some sentences."""
    return ThreadTable([
        Remark("said", "correspondent", "", NOW + timedelta(days=place), sentence)
        for place, mail in enumerate(mails) for sentence in mail], subject, language(code), timezone.utc)


class ThreadTableTests(SynchronousTestCase):
    """Threads in which somebody changed his mind."""

    def test_moved(self) -> None:
        """A day that was moved holds with its hour, and is found by the words that were said of it."""
        for code, mails, asked, day, at in (
            ("en", (("Could you come on Thursday 10th at 4.15?",), ("Sorry, I can't.", "Friday 11th at 9.40 instead?")),
             "When are you coming?", date(2026, 9, 11), time(9, 40)),
            ("de", (("Können Sie am Donnerstag, den 17., um 16 Uhr zum Aufmaß kommen?",),
                    ("Am Donnerstag hat mein Mann doch Dienst.", "Geht auch Freitag, der 18., um 9?"),
                    ("Super, Freitag um 9.",)), "Wann kommt Ihr Mann zum Aufmaß?", date(2026, 9, 18), time(9)),
            ("fr", (("On passe lundi 14 à 8h chercher les cadres.",), ("Finalement plutôt mardi 15.",)),
             "Quand passez-vous ?", date(2026, 9, 15), time(8)),
            ("es", (("Las bicis las recogemos el domingo 20 a las 8:30.",), ("Lo pasamos al sábado 26, a las 9:30.",)),
             "¿Cuándo recogemos las bicis?", date(2026, 9, 26), time(9, 30)),
        ):
            found = table(code, *mails).when(asked)
            assert found is not None
            self.assertEqual((found.day, found.at), (day, at), mails)

    def test_another(self) -> None:
        """What is spoken of in other words is another thing, and has another time."""
        found = table("en", ("The party is on Saturday 19th at 2.",), ("The plumber comes on Tuesday 15th at 11.",))
        party, plumber = found.when("When is the party?"), found.when("When does the plumber come?")
        assert party is not None and plumber is not None
        self.assertEqual((party.day, plumber.day), (date(2026, 9, 19), date(2026, 9, 15)))

    def test_number(self) -> None:
        """A number that takes the place of another is of the same things."""
        for code, mails, asked, now, first in (
            ("en", (("We need 12 shelves.",), ("Two of the twelve are cracked.", "So ten now.")),
             "How many shelves come now?", "10 shelves", "12 shelves"),
            ("en", (("We need 12 shelves.",), ("So ten now.",), ("The driver comes on Thursday 17th instead.",
                                                                 "Between 9 and 11.")),
             "How many shelves come now?", "10 shelves", "12 shelves"),
            ("de", (("Wir bräuchten 8 Tischgestecke.",), ("Es sind 11 Tische statt 8.",)),
             "Wie viele Gestecke haben Sie?", "11 Tischgestecke", "8 Tischgestecke"),
            ("es", (("Pues 12 normales y 2 eléctricas.",), ("Al final serían 9 normales y 2 eléctricas.",)),
             "¿Cuántas te quedan, normales y eléctricas?", "9 normales, 2 eléctricas", "12 normales, 2 eléctricas"),
            ("de", (("Wir suchen ein Zimmer für zwei Personen.",), ("Meine Schwester will mit, wir sind zu dritt.",)),
             "Für wie viele Personen?", "drei", "zwei Personen"),
            ("fr", (("Nous serons 60.",), ("Finalement nous serons 72, la famille vient aussi.",)),
             "Combien sommes-nous maintenant ?", "72", "60"),
        ):
            self.assertEqual(table(code, *mails).number(asked, "", False)[0].lower(), now.lower())
            self.assertEqual(table(code, *mails).number(asked, "", True)[0].lower(), first.lower())

    def test_place_and_choice(self) -> None:
        """The last place and the last colour hold; the first ones are known still."""
        found = table("de", ("wir feiern in der Alten Mühle.", "Die Blumen am liebsten in Apricot."),
                      ("die Alte Mühle hatte einen Wasserschaden, wir feiern jetzt im Gasthof Linde.",),
                      ("Apricot ist zu blass, also doch lieber Koralle.",))
        where = read_question("Wo wird gefeiert?", language("de"))
        self.assertEqual((found.place(where, False), found.place(where, True)), (
            ("im Gasthof Linde", True), ("in der Alten Mühle", True)))
        self.assertEqual(found.chosen("Welche Farbe?"), "Koralle")
        found = table("en", ("We have a do at 2, at the swimming pool.",), ("So it's the village hall, Sunday at 3?",))
        self.assertEqual(found.place(read_question("Where is it now?", language("en")), False)[0], "the village hall")

    def test_agreed_weekday(self) -> None:
        """A bare weekday is the day that was agreed."""
        when = datetime(2026, 9, 18, 9, tzinfo=timezone.utc)
        agreed = Remark("agreed", "persona", "appointment", NOW, "", when, True)
        slots = as_agreed([Slot(datetime(2026, 9, 11, 9, tzinfo=timezone.utc), True)], "Super, Freitag um 9.", [agreed],
                          language("de"), timezone.utc)
        self.assertEqual(slots[0].start.date(), date(2026, 9, 18))

    def test_shifted(self) -> None:
        """ "An hour later" is one later than what was agreed, on the day that is named or on the same."""
        when = datetime(2026, 9, 18, 9, tzinfo=timezone.utc)
        agreed = Remark("agreed", "persona", "appointment", NOW, "", when, True)
        english, two = language("en"), timezone(timedelta(hours=2))
        for slots, text, start in (
            ([], "Could we make it an hour later?", "2026-09-18T12:00:00+02:00"),
            ([Slot(datetime(2026, 9, 21, 9, tzinfo=timezone.utc), False)], "Monday, half an hour earlier?",
             "2026-09-21T08:30:00+00:00"),
        ):
            (slot,) = as_agreed(slots, text, [agreed], english, two)
            self.assertEqual((slot.start.isoformat(), slot.timed), (start, True))
        self.assertEqual(as_agreed([], "Could we make it an hour later?", [], english, two), ())
