"""What is picked up from a mail."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.questions import MailQuestion
from simmail.core.language.reader import Findings
from simmail.core.language.tables import language
from tests.core import scenes
from tests.core.hostile import seconds
from tests.core.writer.samples import NOW, mail
from simmail.core.language.text import say

EN, DE = language("en"), language("de")


def english(text: str, subject: str = "Hello", html: str = "") -> Findings:
    return Findings(mail(text, subject, html=html), NOW, EN)


def german(text: str) -> Findings:
    return Findings(mail(text), NOW, DE)


def question(text: str) -> MailQuestion:
    (found,) = english(text).questions
    return found


class PickUpTests(SynchronousTestCase):
    """Amounts, references, documents, choices, thanks."""

    def test_amounts(self) -> None:
        """Sums with their currency, as they were written."""
        self.assertEqual(
            english("EUR 1,240.00 or 45 € or $12.50, not 300 pieces, CHF 9").amounts,
            ("EUR 1,240.00", "45 €", "$12.50", "CHF 9"))

    def test_references(self) -> None:
        """References by their looks or by the word before; numbers of anything else are none."""
        found = english(
            "Ticket #48213, order 77120 and PO-7781. We sold 5000 of them in 2026, see https://x.example/AB-12, "
            "EUR1240 by 2026-03-10.", subject="Invoice INV-2041")
        self.assertEqual(found.references, ("INV-2041", "#48213", "77120", "PO-7781"))
        self.assertEqual(found.named, ("INV-2041", "ticket #48213", "order 77120", "PO-7781"))

    def test_documents(self) -> None:
        """Requested documents, with the determiner the sending side uses; a mentioned one is not requested."""
        for text, expected in (
            ("Could you please send us the signed framework agreement by Friday?", ("the signed framework agreement",)),
            ("Please send me a copy of your insurance certificate.", ("our insurance certificate",)),
            ("We are still missing your W-9 form and the price list.", ("our W-9 form", "the price list")),
            ("Can you forward that file?", ("the file",)),
            ("We have sent you the contract.", ()),
            ("Please sign here.", ()),
        ):
            self.assertEqual(english(text).documents, expected, text)
        self.assertEqual(german("Könnten Sie uns die unterschriebene Auftragsbestätigung zusenden?").documents,
                         ("die unterschriebene Auftragsbestätigung",))
        self.assertEqual(german("Bitte schicken Sie uns Ihren Vertrag.").documents, ("unseren Vertrag",))

    def test_options(self) -> None:
        """The two sides of a choice, as they are taken."""
        self.assertEqual(english("We can offer you either a replacement or a refund of €45.00.").options,
                         ("the replacement", "the refund of €45.00"))
        self.assertEqual(german("Wir können einen Ersatz oder eine Gutschrift über 45 Euro anbieten.").options,
                         ("Ersatz", "Gutschrift über 45 Euro"))
        self.assertEqual(english("We are here, more or less.").options, ())
        self.assertEqual(english("Tell us whether it works or not.").options, ())

    def test_deed(self) -> None:
        """What thanks are for, turned around; thanks for a thing name no deed."""
        self.assertEqual(english("Thank you so much for talking to our new customers yesterday.").deed,
                         "talking to your new customers")
        self.assertEqual(english("Thanks for sending us your figures!").deed, "sending you our figures")
        self.assertEqual(english("Thank you for your order.").deed, "")

    def test_small_things(self) -> None:
        """Minutes, percentages, codes, pictures without a description."""
        found = english("A 15-minute call. We save 18% on average. Code: 493817.",
                        html='<img src="a"><img alt="b" src="c"><IMG alt="">')
        self.assertEqual((found.minutes, found.figure, found.coded, found.unlabelled_images), ("15", "18%", True, 2))

    def test_familiar(self) -> None:
        """German that says du."""
        self.assertTrue(german("Kannst du mir das schicken?").familiar)
        self.assertFalse(german("Können Sie mir das schicken?").familiar)


class QuestionTests(SynchronousTestCase):
    """Questions: what they ask for and what they are about."""

    def test_forms(self) -> None:
        """When, how many, why, what, a choice, and yes or no."""
        for text, form in (
            ("When will you pay?", "when"),
            ("How many licences do you need?", "many"),
            ("Why did it take so long?", "why"),
            ("Which address should we use?", "what"),
            ("Could you tell me which address is right?", "what"),
            ("Also, do you still need the cables?", "yes_no"),
            ("Would you like the red one or the blue one?", "choice"),
        ):
            self.assertEqual(question(text).form, form, text)

    def test_topics(self) -> None:
        """What it is about, as the answering side says it."""
        for text, topic in (
            ("Which delivery address should we use for the printers?", "the delivery address"),
            ("Is your billing address still correct?", "our billing address"),
            ("Do you have our price list?", "your price list"),
            ("How many licences do you need?", "the number of licences"),
            ("When do you expect to place the next order?", "the next order"),
            ("Who should the driver call on arrival?", "the driver"),
            ("Are you coming?", ""),
        ):
            self.assertEqual(question(text).topic, topic, text)

    def test_short_answers(self) -> None:
        """Yes and no in a form that fits the question."""
        for text, yes in (
            ("Do you still need the cables?", "yes, we do"),
            ("Is your address still correct?", "yes, it is"),
            ("Are the figures right?", "yes, they are"),
            ("Should we keep it?", "yes, please do"),
            ("Have you been told?", "yes, we have"),
            ("Could you call me?", "yes"),
        ):
            self.assertEqual(question(text).short[0], yes, text)

    def test_apart(self) -> None:
        """Two questions in one sentence are two."""
        found = english("When do you need them, and how many do you need?").questions
        self.assertEqual([one.text for one in found], ["When do you need them?", "How many do you need?"])
        found = english("Hi Maria,\n\nwhich address should we use, and do you still need the cables?").questions
        self.assertEqual([(one.form, one.topic) for one in found], [("what", "the address"), ("yes_no", "the cables")])
        found = english("Also, who should the driver call, and is there a loading ramp?").questions
        self.assertEqual([one.form for one in found], ["what", "yes_no"])
        self.assertEqual(len(english("Do you have red, blue and green ones?").questions), 1)

    def test_idle(self) -> None:
        """Footers and courtesies ask nothing."""
        for text in ("Any questions?", "Didn't request this?", "How are you?", "Need help?", "Really?"):
            self.assertEqual(english(text).questions, (), text)


class HostileTests(SynchronousTestCase):
    """Text that wants to do harm."""

    def test_say(self) -> None:
        """What is said again is one line, capped, without signs of templates or markup."""
        self.assertEqual(say("a {first}\r\n<b>[x|y]\u2028\u202eb"), "a first b x y b")
        self.assertLessEqual(len(say("word " * 1000, 40)), 41)

    @given(st.text(max_size=300), st.text(max_size=80))
    def test_anything(self, text: str, subject: str) -> None:
        """Any text and subject are read; what is picked up can be said again."""
        for known in (EN, DE):
            found = Findings(mail(text, subject, html=text), NOW, known)
            for one in (*found.amounts, *found.references, *found.documents, *found.options, found.deed,
                        *(asked.text for asked in found.questions), *(asked.topic for asked in found.questions)):
                self.assertFalse(set(one) & set("{}[]<>|\n\r\0"), one)

    def test_linear(self) -> None:
        """Megabytes of the worst text are read in a moment."""
        def worst() -> None:
            for text in ("please send the a " * 100_000, "1,234.56 " * 200_000, "EUR " * 300_000, "? " * 500_000,
                         "or either the a or the b? " * 50_000, "Mon 10 March 10:00 " * 50_000,
                         "thank you for x" * 80_000):
                Findings(mail(text, text[:100_000], html="<img " * 300_000), NOW, EN)

        self.assertLess(seconds(worst), 3.0)


def asking(text: str) -> tuple[int, bool]:
    """How many questions the words find, and whether the decision finds one."""
    found = Findings(scenes.mail(text), NOW)
    return len(found.questions), Findings(scenes.mail(text), NOW).asks_question


def shown(text: str, **fields: Any) -> set[str]:
    """What a mail does to its reader, by name."""
    found = Findings(scenes.mail(text, **fields), NOW)
    return {name for name in ("thanks", "sorry", "nagging", "pressure", "complaint", "delivers")
            if getattr(found, name)}


class MoodTests(SynchronousTestCase):
    """Phrases."""

    def test_phrases(self) -> None:
        """Each kind of phrase is seen, and only it."""
        for text, expected in (
            ("Thank you for the quick help.", {"thanks"}), ("Many thanks in advance", set()),
            ("No thanks.", set()), ("We are so sorry, it was our mistake.", {"sorry"}),
            ("Just following up on this.", {"nagging"}), ("I haven\u2019t heard from you.", {"nagging"}),
            ("This is urgent.", {"pressure"}), ("This is unacceptable.", {"complaint"}),
            ("Please find it attached.", {"delivers"}),
            ("Vielen Dank!", {"thanks"}), ("The weather is fine.", set()), ("We are sorry to see you go.", set()),
        ):
            self.assertEqual(shown(text), expected, text)

    def test_subject(self) -> None:
        """The subject counts unless it is that of a reply."""
        self.assertEqual(shown("See below.", subject="Reminder: invoice"), {"nagging"})
        self.assertEqual(shown("See below.", subject="Re: Reminder: invoice"), set())

    def test_attachments(self) -> None:
        """An attachment brings something, an inline picture does not."""
        self.assertEqual(shown("x", attachments=(scenes.attached("a.pdf"),)), {"delivers"})

    def test_quotes(self) -> None:
        """What is quoted is not said."""
        self.assertEqual(shown("Fine.\n\n> This is urgent, where is it?"), set())
        self.assertEqual(asking("Fine.\n\n> Really?"), (0, False))

    def test_questions(self) -> None:
        """The decision and the words find the same questions; idle ones and question marks in addresses are none."""
        for text, expected in (
            ("When? And where?", 2), ("See https://x.test/?a=b", 0), ("https://x.test/?", 0), ("Is it \"done?\"", 1),
            ("What?!", 1), ("???", 0), ("Or (maybe?)", 1), ("Is it *really?*", 1), ("ok?", 1),
            ("Any questions? Our spring sale has begun.", 0), ("can you send the plan? thanks", 1),
            ("Hi Maria, how are you? The plan is attached.", 0), ("Thoughts?", 1), ("Noch Fragen? Wir sind da.", 0),
        ):
            self.assertEqual(asking(text), (expected, expected > 0), text)

    def test_asks(self) -> None:
        """An answer is asked for by a question, also in a subject, or in other words."""
        self.assertTrue(Findings(scenes.mail("Please let me know"), NOW).asks)
        self.assertTrue(Findings(scenes.mail("It would be on me.", subject="Lunch on Friday?"), NOW).asks_question)
        self.assertFalse(Findings(scenes.mail("On me.", subject="Re: Lunch on Friday?"), NOW).asks_question)
        self.assertFalse(Findings(scenes.mail("Our spring sale.", subject="Any questions?"), NOW).asks)

    def test_farewell(self) -> None:
        """A short answer that takes its leave, and neither asks nor complains nor brings anything."""
        for text, expected in (
            ("Perfect, see you on Friday!", True), ("Perfect. When do we meet?", False),
            ("See you. This is unacceptable.", False), ("See you on Friday. " * 20, False), ("It rained.", False),
        ):
            answer = scenes.mail(text, in_reply_to="<1@app.test>")
            self.assertEqual(Findings(answer, NOW).farewell, expected, text)
            self.assertFalse(Findings(scenes.mail(text), NOW).farewell)

    def test_informs_many(self) -> None:
        """A notice to a group; not where the group is asked, nor where one is greeted."""
        for text, expected in (
            ("Dear all,\n\nthe water is off on Wednesday.", True), ("Liebe Eltern,\n\nam Freitag ist frei.", True),
            ("Estimados vecinos:\n\nEl ascensor no funciona.", True), ("Chers voisins,\n\nl'eau sera coupée.", True),
            ("Dear colleagues,\n\nplease leave by the nearest stairs.", True),
            ("Dear all,\n\nwho brings a cake?", False), ("Dear all,\n\nplease let me know by Friday.", False),
            ("Dear Ann,\n\nthe water is off on Wednesday.", False), ("Water is off. All of it.", False),
        ):
            self.assertEqual(Findings(scenes.mail(text), NOW).informs_many, expected, text)

    @given(st.text(max_size=500), st.text(max_size=50))
    def test_anything(self, text: str, subject: str) -> None:
        """Any text is read."""
        found = Findings(scenes.mail(text, subject=subject), NOW)
        self.assertIsInstance(found.asks, bool)
        self.assertEqual(found.farewell, False)
