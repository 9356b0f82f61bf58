"""What things cost in a thread after it was changed."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.facts import Fact
from simmail.core.language.questions import read_question
from simmail.core.language.tables import language
from simmail.core.records.conversation import Remark
from simmail.core.writer.sources.cut.price_table import PriceTable
from tests.core.writer.sources.cut.test_thread_table import table

NOW = datetime(2026, 9, 7, 10, tzinfo=timezone.utc)
ROOMS = (Fact("Blue Room", "£210 a day"), Fact("Barn", "£340 a day"), Fact("towels", "£4 each"))


def told(code: str, asked: str, mails: tuple[str, ...], facts: tuple[Fact, ...] = ()) -> str:
    """What a question is told in a thread of mails, a day apart, each of one sentence."""
    remarks = [Remark("said", "correspondent", "", NOW + timedelta(days=place), one) for place, one in enumerate(mails)]
    question, priced = read_question(asked, language(code)), PriceTable(remarks, facts, language(code))
    if question.type != "much":
        return priced.chosen(question)
    thing = priced.price(question)
    return "" if thing is None else thing.text if thing.fact is None else thing.fact.value


class PriceTableTests(SynchronousTestCase):
    """Threads in which a price was changed, or something else was chosen."""

    def test_changed(self) -> None:
        """A sum with nothing beside it takes the place of one that it is near to, and of no other."""
        bike = (Fact("price", "£180, would take £160"),)
        self.assertEqual(told("en", "What was the price again?", ("£160 then, done.",), bike), "£160")
        self.assertEqual(told("en", "What was the price again?", ("The van is another £30.",), bike), bike[0].value)
        week = ("La semaine coûte 640 €, le linge 12 € par lit.", "Je vous la laisse à 600 €.")
        self.assertEqual(told("fr", "C'est combien la semaine ?", week), "600 €")
        self.assertEqual(told("fr", "C'est combien le linge ?", week), "12 €")

    def test_chosen(self) -> None:
        """Of several things with a price for the same, what was spoken of last is meant, by name or by none."""
        some = ("The Blue Room, please.", "We are more than I thought, so the Barn it is.")
        self.assertEqual(told("en", "Which room is it now?", some, ROOMS), "Barn")
        self.assertEqual(told("en", "What does it cost?", some, ROOMS), "£340 a day")
        self.assertEqual(told("en", "What does the Blue Room cost?", some, ROOMS), "£210 a day")

    def test_unsure(self) -> None:
        """What has no price is told none, and of several that nobody spoke of none is told."""
        self.assertEqual(told("en", "What does the parking cost?", ("The Barn it is.",), ROOMS), "")
        self.assertEqual(told("en", "What does it cost?", (), ROOMS), "")
        self.assertEqual(told("en", "Which room is it?", (), ROOMS), "")

    def test_span(self) -> None:
        """The two days that one sentence named last are those from which and until which something is."""
        found = table("de", ("Wir möchten vom 9. bis 12. Oktober kommen.",),
                      ("Wir können erst am 10. anreisen und bleiben dafür bis zum 13.",)).span()
        assert found is not None
        self.assertEqual([one.start.date() for one in found], [date(2026, 10, 10), date(2026, 10, 13)])
        self.assertIsNone(table("de", ("Wir kommen am 9. Oktober.",)).span())
