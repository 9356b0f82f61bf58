"""Who somebody is, estimated from mail."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.learn import LearnedFields, LearnedMail, client_of, learn
from simmail.core.mime.address import Address
from simmail.core.records.persona import new_persona
from simmail.core.rng import Dice
from simmail.core.time.instant import parse_duration
from tests.core.scenes import NOW, mail

OWN = "jo@shop.test"
EAST = timezone(timedelta(hours=2))
SIGNED = "\n-- \nJo Baker\nHead of Sales\nThe Shop"


def wrote(text: str, at: datetime, to: str = "a@b.test", **fields: Any) -> LearnedMail:
    """A mail by Jo."""
    there = at.astimezone(EAST)
    one = mail(text, from_=Address("Jo Baker", OWN), to=(Address("", to),), date=there, **fields)
    return LearnedMail(one, at, True)


def got(at: datetime, number: int, sender: str = "a@b.test") -> LearnedMail:
    """A mail to Jo."""
    one = mail("Hello", message_id=f"<{number}@b.test>", from_=Address("A", sender), to=(Address("", OWN),))
    return LearnedMail(one, at, False)


def exchange(count: int, answered: int, delay: timedelta, text: str) -> list[LearnedMail]:
    """So many mails on working days at ten, some of which Jo answers after a delay."""
    letters = []
    for n in range(count):
        day = NOW.replace(hour=8) + timedelta(days=n % 5 + 7 * (n // 5))
        letters.append(got(day, n))
        if n < answered:
            letters.append(wrote(text, day + delay * (1 + (n % 5 - 2) / 4), in_reply_to=f"<{n}@b.test>"))
    return letters


class LearnTests(SynchronousTestCase):
    """Estimates."""

    def learned(self, letters: list[LearnedMail]) -> LearnedFields:
        """What is learned makes a persona."""
        found = learn(OWN, letters)
        new_persona(found.fields, "p_1", "mail", NOW, Dice("x"))
        return found

    def test_whole(self) -> None:
        """Name, role, style, hours, rate and delay come out as they went in."""
        text = "Dear Mr Smith,\n\nthank you for the order, it leaves today.\n\nBest regards\nJo" + SIGNED
        found = self.learned(exchange(20, 15, timedelta(hours=2), text))
        fields = found.fields
        self.assertEqual((fields["name"], fields["role"], fields["addresses"]), ("Jo Baker", "Head of Sales", [OWN]))
        self.assertEqual(fields["style"], {"length": "short", "formality": "formal", "client": "plain",
                                           "signature": "Jo Baker\nHead of Sales\nThe Shop"})
        self.assertEqual(fields["timing"]["reply_rate"], 0.75)
        self.assertEqual(parse_duration(fields["timing"]["delay"]["median"]), timedelta(hours=2))
        self.assertTrue(1.1 <= fields["timing"]["delay"]["spread"] <= 2)
        self.assertEqual(
            fields["timing"]["hours"], {"tz": "Etc/GMT-2", "from": "11:00", "to": "14:00", "days": "mon-fri"})
        self.assertEqual((found.mails, found.people), (35, ("a@b.test",)))

    def test_temperament(self) -> None:
        """Habits tell the temperament; what is not known is drawn as for anybody."""
        for answered, delay, name in (
                (20, timedelta(minutes=15), "responsive"), (14, timedelta(hours=3), "busy"),
                (9, timedelta(hours=12), "flaky"), (1, timedelta(days=2), "ghost"), (0, timedelta(0), "ghost")):
            self.assertEqual(self.learned(exchange(20, answered, delay, "Yes.")).fields["temperament"], name)
        self.assertNotIn("temperament", self.learned([wrote("Yes.", NOW)]).fields)

    def test_clock(self) -> None:
        """Delays and hours go by when mail came; only where all of it was put there at once, by its Date fields."""
        def stamped(letters: list[LearnedMail], by: timedelta) -> list[LearnedMail]:
            return [one._replace(mail=replace(one.mail, date=(one.at + n * by).astimezone(EAST)))
                    for n, one in enumerate(letters)]

        came = exchange(20, 15, timedelta(hours=2), "Yes.")
        timing = self.learned(stamped(came, timedelta(days=100))).fields["timing"]
        self.assertEqual((timing["reply_rate"], timing["delay"]["median"], timing["hours"]["from"]),
                         (0.75, "2h", "11:00"))
        at_once = [one._replace(at=NOW) for one in stamped(came, timedelta(0))]
        self.assertEqual(self.learned(at_once).fields["timing"], timing)

    def test_signature_without_closing(self) -> None:
        """The lines that most mails end with are a signature from the name on; closing words are said mail by mail."""
        text = "Dear Mr Smith,\n\nnumber {} leaves today.\n\nKind regards,\nJo Baker\nHead of Sales\nThe Shop"
        found = self.learned([wrote(text.format(n), NOW + timedelta(days=n)) for n in range(4)])
        self.assertEqual(found.fields["style"]["signature"], "Jo Baker\nHead of Sales\nThe Shop")
        self.assertEqual(found.fields["role"], "Head of Sales")

    def test_same_words_above_closing(self) -> None:
        """What somebody says again and again above the closing is no part of the signature."""
        text = "Dear Mr Smith,\n\nyes, confirmed.\n\nKind regards\nJo Baker\nHead of Sales\nThe Shop"
        found = self.learned([wrote(text, NOW + timedelta(days=n)) for n in range(4)])
        self.assertEqual(found.fields["style"]["signature"], "Jo Baker\nHead of Sales\nThe Shop")

    def test_little(self) -> None:
        """What the mail does not show is left out."""
        self.assertEqual(self.learned([]).fields, {"addresses": [OWN]})
        self.assertEqual(self.learned([got(NOW, 1)]).fields, {"addresses": [OWN]})
        fields = self.learned([got(NOW, 1), wrote("hey, cheers", NOW)]).fields
        self.assertNotIn("timing", fields)
        self.assertEqual(fields["style"]["formality"], "casual")

    def test_ghost(self) -> None:
        """Who never answers has a rate of nothing and no delay."""
        self.assertEqual(self.learned(exchange(10, 0, timedelta(0), "")).fields["timing"], {"reply_rate": 0.0})

    def test_length(self) -> None:
        """Length follows the words of the new text, not what is quoted."""
        for words, expected in ((10, "short"), (90, "medium"), (300, "long")):
            text = "word " * words + "\n\n> " + "quoted " * 500
            self.assertEqual(self.learned([wrote(text, NOW)]).fields["style"]["length"], expected)

    def test_clients(self) -> None:
        """Mail programs are known by their marks."""
        for fields, expected in (
            ({"headers": (("X-Mailer", "iPhone Mail (21A)"),)}, "iphone"),
            ({"headers": (("X-Mailer", "Apple Mail (2.3)"),)}, "apple"),
            ({"headers": (("X-Mailer", "Microsoft Outlook 16.0"),)}, "outlook"),
            ({"headers": (("Thread-Index", "AQH"),)}, "outlook"),
            ({"message_id": "<CA+x@mail.gmail.com>"}, "gmail"), ({"text": "Yes.\n\nSent from my iPhone"}, "iphone"),
            ({}, "plain"),
        ):
            values: dict[str, Any] = {**fields}
            self.assertEqual(client_of(mail(**values)), expected)

    def test_common_ending(self) -> None:
        """Without a mark the lines that most mails end with are the signature."""
        letters = [wrote(f"Text number {n} about something.\n\nJo Baker\nShop Manager\n", NOW) for n in range(5)]
        fields = self.learned(letters).fields
        self.assertEqual((fields["style"]["signature"], fields["role"]), ("Jo Baker\nShop Manager", "Shop Manager"))

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(st.text(max_size=80), st.integers(0, 10**6), st.booleans(), st.integers(-14, 14)),
                    max_size=20))
    def test_anything(self, rows: list[tuple[str, int, bool, int]]) -> None:
        """Any mail gives fields that a persona can be made of."""
        letters = []
        for text, minutes, own, offset in rows:
            at = NOW + timedelta(minutes=minutes)
            date = at.astimezone(timezone(timedelta(hours=offset)))
            letters.append(LearnedMail(
                mail(text, from_=Address(text[:20], OWN), date=date, in_reply_to=f"<{minutes}@x>"), at, own))
        self.learned(letters)
