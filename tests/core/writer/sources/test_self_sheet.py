"""What a person knows of itself."""

from __future__ import annotations

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.tables import language
from simmail.core.records.persona import Persona
from simmail.core.writer.agenda import Calendar
from simmail.core.writer.sources.self_sheet import SelfSheet, is_title, places, table
from tests.core.writer.samples import NOW, maria

EN, DE = language("en"), language("de")


def sheet(persona: Persona | None = None, code: str = "en") -> SelfSheet:
    """The sheet of a person."""
    who = persona or maria()
    return SelfSheet(who, Calendar(who, NOW), language(code))


class SheetTests(SynchronousTestCase):
    """One person, and several."""

    def test_constant(self) -> None:
        """The same person knows the same of itself, in any language; others know something else."""
        english, german = sheet(), sheet(code="de")
        for name in ("phone", "birthday", "vat", "room", "team", "browser"):
            one, other = english.told(name), german.told(name)
            assert one is not None and other is not None
            if name != "birthday":
                self.assertEqual(one.value, other.value, name)
        travels = [one and one.value for one in (
            sheet(replace(maria(), id=f"p_{n}")).told("travel") for n in range(30))]
        self.assertGreater(len(set(travels)), 3)

    def test_same_places(self) -> None:
        """Values stand at the same place in every language, and every place has a dial of digits to draw."""
        for name, field in table("en").fields.items():
            for code in ("de", "fr", "es"):
                self.assertEqual(len(field.values), len(table(code).fields[name].values), name)
                self.assertEqual(field.private, table(code).fields[name].private, name)
            self.assertEqual(set(field.types), set(table("de").fields[name].types), name)
        for place in places().places.values():
            self.assertIn("#", place.dial)

    def test_telling(self) -> None:
        """What is asked is found, of the type that fits; a yes-or-no question has a yes or a no."""
        for question, kind, field in (
            ("What is your phone number?", "what", "phone"), ("How will you get here?", "how", "travel"),
            ("Which floor is your office on?", "what", "floor"), ("How big is your team?", "how", "team"),
        ):
            told = sheet().telling(question, kind)
            assert told is not None, question
            self.assertEqual(told.field, field)
            self.assertIn(told.value.lower(), told.sentence.lower())
        meat = sheet(maria(who="A vegetarian who runs the shop.")).telling("Do you eat meat?", "yes_no")
        assert meat is not None
        self.assertEqual((meat.agrees, meat.value), (False, "I'm vegetarian"))
        self.assertIsNone(sheet().telling("Is the lift working?", "yes_no"))

    def test_private(self) -> None:
        """Body, pets, garden, children and past days are known as well, and are told as what is private."""
        for code, questions in {
            "en": {"How's the knee?": "body", "How is your cat?": "pet_how", "How was your weekend?": "weekend_past",
                   "What did you plant in the garden?": "garden", "How are the tomatoes?": "going",
                   "How is school going?": "kids_how", "How is the new flat?": "home"},
            "de": {"Was macht dein Knie?": "body", "Wie geht es deiner Katze?": "pet_how",
                   "Wie war dein Urlaub?": "trip_past", "Wie läuft es mit der neuen Stelle?": "going",
                   "Wie alt sind deine Kinder?": "kids_age"},
            "fr": {"Comment va ton genou ?": "body", "Comment va votre chat ?": "pet_how",
                   "Comment s'est passé ton week-end ?": "weekend_past"},
            "es": {"¿Cómo va la rodilla?": "body", "¿Cómo está tu perro?": "pet_how",
                   "¿Qué tal el fin de semana?": "weekend_past"},
        }.items():
            for question, field in questions.items():
                told = sheet(code=code).telling(question, "how" if not question.startswith("What did") else "what")
                assert told is not None, question
                self.assertEqual((told.field, told.private), (field, True), question)
        self.assertIsNone(sheet().telling("How is my cat?", "how"))
        self.assertIsNone(sheet().telling("How is the invoice paid?", "how"))

    def test_parts(self) -> None:
        """Of a question for two things each is told."""
        told = sheet().answering("What's your shoe size and how tall are you?", "what")
        assert told is not None
        self.assertRegex(told.sentence, r"^Shoe size: \S+\. Height: .*\.$")

    def test_house(self) -> None:
        """People of one house name the same first aider, and nobody else's hours; a private person has none."""
        one, other = sheet(replace(maria(), id="p_1")), sheet(replace(maria(), id="p_2"))
        told = one.telling("Who is your first aider?", "who")
        assert told is not None
        self.assertEqual(told.value, getattr(other.telling("Who is your first aider?", "who"), "value", ""))
        alone = sheet(maria(org="", addresses=("maria@gmail.com",)))
        self.assertIsNone(alone.telling("Who is your first aider?", "who"))
        saturday = one.telling("Are you open on Saturday?", "yes_no")
        assert saturday is not None
        self.assertFalse(saturday.agrees)
        self.assertTrue(getattr(one.telling("Are you open on Friday?", "yes_no"), "agrees", None))

    def test_notes(self) -> None:
        """What the notes say of a person is drawn for it."""
        who = maria()
        told = SelfSheet(who, Calendar(who, NOW), EN, notes=("Is vegan since last year",)).told("diet")
        assert told is not None
        self.assertEqual(told.value, "I'm vegan")

    def test_listed(self) -> None:
        """Of a list of details each is told, in its order, and none twice."""
        told = sheet().listed("We need your phone number, your job title and the postal address of your company.")
        self.assertEqual([one.field for one in told], ["phone", "job", "address", "company"])
        self.assertEqual([one.field for one in sheet(code="de").listed(
            "Bitte nennen Sie uns Ihre Telefonnummer, Ihr Geburtsdatum und Ihre Position.")],
            ["phone", "birthday", "job"])
        self.assertEqual([one.field for one in sheet().listed(
            "Please send us your VAT number, your address and the name of the person who handles invoices.")],
            ["vat", "address", "billing_contact"])
        self.assertEqual(sheet().listed("The phone number of the plumber is wrong."), [])

    def test_title(self) -> None:
        """A role is a job title or is none."""
        for role, title in (("Head of Purchasing", True), ("Buyer", True), ("Leiterin Einkauf", True),
                            ("the angry customer", False), ("tenant", False), ("Kundin", False), ("witness", False)):
            self.assertEqual(is_title(role), title, role)

    def test_colleague(self) -> None:
        """Colleagues of one house name the same person for the same matter; a private person has none."""
        one, other = sheet(replace(maria(), id="p_1")), sheet(replace(maria(), id="p_2"))
        area = one.area_of("Who looks after the printer and the network?")
        self.assertEqual(area, "it")
        self.assertEqual(one.colleague(area), other.colleague(area))
        self.assertEqual(one.area, "purchasing")
        alone = sheet(maria(org="", addresses=("maria@gmail.com",)))
        self.assertIsNone(alone.colleague(area))
