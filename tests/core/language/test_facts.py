"""Which fact answers which question."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.facts import answering, on_money, read_facts, value_type
from simmail.core.language.tables import language
from simmail.universe.meaning import Meaning

EN, DE = language("en"), language("de")
FACTS = read_facts(
    {"delivery_address": "Hafenvägen 12", "opening hours": "8 to 16", "fork lift": "yes", "PO number": "PO-7781",
     "story": "the truck broke down on the bridge and had to be towed away before noon"},
    ["phone: 040 123", "(crm) something: else", "no fact"])


class FactTests(SynchronousTestCase):
    """Facts and notes."""

    def test_told(self) -> None:
        """A value is told as it stands, without its full stop and a verb that says nothing."""
        for label, value, told in (
                ("gate", "gate 3", "gate 3"), ("status", "is waiting at the customs", "waiting at the customs"),
                ("Status", "liegt beim Zoll", "liegt beim Zoll"), ("truck", "It left at noon.", "It left at noon")):
            one, = read_facts({label: value}, ())
            self.assertEqual(one.values(EN)["value"], told)

    def test_answering(self) -> None:
        """The fact whose name the question says, and none when it says too little of it."""
        for asked, label in (
            ("Which delivery address should we use?", "delivery address"),
            ("What are your opening hours?", "opening hours"),
            ("Do you have a fork lift?", "fork lift"),
            ("What's your phone?", "phone"),
            ("Do you like cheese?", None),
            ("What number is it?", None),
            ("Where should we deliver to?", "delivery address"),
        ):
            found = answering(asked, FACTS, EN)
            self.assertEqual(found.label if found else None, label, asked)

    def test_types(self) -> None:
        """A value has a type, and nobody is told a day who asks for somebody."""
        for value, expected in (
            ("yes", "flag"), ("EUR 348.00", "much"), ("940 pounds", "much"), ("4 May 2026", "when"), ("18:30", "when"),
            ("18.30", "when"), ("1.82 m", "many"), ("10.30 to 12", "when"),
            ("8 to 16", "when"), ("Friday", "when"), ("three months", "long"), ("14", "many"), ("480 kg", "many"),
            ("Erik Sund", "who"), ("Mrs Berg", "who"), ("Quay Street 4", "text"), ("dark blue", "text"),
            ("the truck may come on any day that suits you and us", "text"),
        ):
            self.assertEqual(value_type(value), expected, value)
        (day,) = read_facts({"contact": "4 May 2026"}, [])
        self.assertIsNone(answering("Who is our contact?", [day], EN))

    def test_meaning(self) -> None:
        """With a model a fact is found that shares no word with the question; a far one answers nothing."""
        meaning = Meaning()
        facts = read_facts({"venue": "town hall", "contact": "Erik Sund", "budget": "EUR 12,000"}, [])
        for asked, label in (
            ("Where does it take place?", "venue"), ("Who do I talk to at your end?", "contact"),
            ("How much are you willing to spend?", "budget"), ("Do you like cheese?", None),
        ):
            found = answering(asked, facts, EN, meaning)
            self.assertEqual(found.label if found else None, label, asked)
            self.assertIsNone(answering(asked, facts, EN), asked)

    def test_attributes(self) -> None:
        """One asks for a weight by saying how heavy: a fact is called what is asked for, and of its type."""
        meaning = Meaning()
        for code, facts, asked, label in (
            ("en", {"load": "480 kg", "height": "1.82 m"}, "How heavy is it?", "load"),
            ("en", {"article": "blue jacket", "order date": "2 February"}, "When did you order?", "order date"),
            ("en", {"shoe size": "44", "height": "1.82 m"}, "How tall are you?", "height"),
            ("en", {"founded": "1998", "seat": "Leeds"}, "Since when has the firm existed?", "founded"),
            ("de", {"Spediteur": "Kühne", "Ort": "Kiel"}, "Wer bringt die Sendung?", "Spediteur"),
            ("de", {"Rechnungsbetrag": "12 Euro", "Rabatt": "3 Euro"}, "Was macht das insgesamt?", "Rechnungsbetrag"),
            ("es", {"taller": "Motor Nilo", "testigo": "Luis Eco"}, "¿Quién lo vio?", "testigo"),
            ("es", {"profesión": "comprador", "ciudad": "Vigo"}, "¿A qué te dedicas?", "profesión"),
            ("fr", {"loyer": "780 euros", "caution": "1560 euros"}, "Combien faut-il laisser en dépôt ?", "caution"),
            ("de", {"Herkunft": "Kiel", "Anfahrt": "mit der Bahn"}, "Wie kommen Sie hin?", "Anfahrt"),
            ("it", {"peso": "480 kg"}, "Che tempo fa?", None),
        ):
            found = answering(asked, read_facts(facts, []), language(code), meaning)
            self.assertEqual(found.label.lower() if found else None, label and label.lower(), asked)

    def test_whether(self) -> None:
        """Who asks whether somebody wants something is not told a fact because of one word."""
        facts = read_facts({"wish": "exchange for size L"}, [])
        self.assertIsNone(answering("Do you want coffee?", facts, EN))
        self.assertIsNone(answering("Do you want coffee?", facts, EN, Meaning()))

    def test_german_compounds(self) -> None:
        """A German noun is found in its compound, and is written large."""
        (fact,) = read_facts({"lieferadresse": "Hafenweg 1"}, [])
        found = answering("An welche Adresse dürfen wir liefern?", [fact], DE)
        assert found is not None
        self.assertEqual(found.label, "Lieferadresse")

    def test_money(self) -> None:
        """A fact about paying, unless the other side has said it itself."""
        found = on_money(FACTS, (), "please tell us your PO number", EN)
        assert found is not None
        self.assertEqual(found.value, "PO-7781")
        self.assertIsNone(on_money(FACTS, ("PO-7781",), "please tell us your PO number", EN))
        self.assertIsNone(on_money(FACTS, (), "your invoice is overdue", EN))

    def test_hostile(self) -> None:
        """Names and values are made fit to be said."""
        (fact,) = read_facts({"a {b}": "c\nd {e}", "": "x", "y": ""}, [])
        self.assertEqual((fact.label, fact.value), ("a b", "c d e"))
