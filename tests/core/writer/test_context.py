"""What a text is written from."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.tables import language
from simmail.core.mime.address import Address
from simmail.core.records.conversation import Remark
from simmail.core.writer.context import TOGETHER, Scene, base_subject, mentions, set_scene, without_determiner
from simmail.universe.meaning import Meaning
from tests.core.writer.samples import NOW, mail, maria, request

EN = language("en")


class SceneTests(SynchronousTestCase):
    """A request, read."""

    def scene(self, text: str, subject: str = "Hello", **fields: object) -> Scene:
        """Maria before one mail."""
        return set_scene(request(mail(text, subject), **fields))

    def test_names(self) -> None:
        """Who writes, who reads, and what it is about."""
        common = self.scene("Hi Maria, the invoice INV-2041 over EUR 10.00 is due.\n\nDana").common
        self.assertEqual((common["me"], common["first"], common["name"]), ("Maria Lindqvist", "Dana", "Dana Novak"))
        self.assertEqual((common["company"], common["ref"], common["amount"]), ("Brightdesk", "INV-2041", "EUR 10.00"))

    def test_language(self) -> None:
        """The language is that of the last mail; German is said politely until somebody says du."""
        self.assertEqual(self.scene("Könnten Sie uns bitte die Rechnung schicken?").language.code, "de")
        self.assertTrue(self.scene("Könnten Sie uns bitte die Rechnung schicken?").far)
        self.assertFalse(self.scene("Hallo Maria, kannst du mir bitte deine Rechnung schicken?").far)

    def test_short(self) -> None:
        """One word tells the language of a line; where none does it is the one that its reader wrote, or speaks."""
        self.assertEqual(self.scene("Montag 8 Uhr ok?", "Fenster").language.code, "de")
        self.assertEqual(self.scene("Tuesday 8:00 ok?", "PX-7").language.code, "en")
        german = maria(languages=("de", "en"))
        self.assertEqual(self.scene("8:00 ok?", "PX-7", persona=german).language.code, "de")
        before = mail("Dear Dana, thank you, we will see.", "PX-7")
        self.assertEqual(self.scene("8:00 ok?", "PX-7", persona=german, own=(before,)).language.code, "en")

    def test_unread(self) -> None:
        """Who was given languages reads no other; who was given none reads all that are written."""
        french, polish = "Quand pouvez-vous livrer notre commande ?", "Kiedy możemy spodziewać się płatności?"
        for languages, text, expected in (
            ((), french, ("fr", "")), (("fr",), french, ("fr", "")), (("sv", "de"), french, ("de", "fr")),
            (("it", "es"), "Quando possiamo consegnare il vostro ordine?", ("es", "")), ((), polish, ("en", "pl")),
            (("es",), polish, ("es", "pl")),
        ):
            scene = self.scene(text, persona=maria(**({"languages": languages} if languages else {})))
            self.assertEqual((scene.language.code, scene.unread), expected, languages)

    def test_friends(self) -> None:
        """Who has no company and is called by the first name writes to a friend, in the whole thread."""
        own = {"org": "", "role": ""}
        for text, fields, friends in (
            ("Maria mate,\n\nhow's the knee?\n\nDana", own, True), ("Maria mate,\n\nhow's it?\n\nDana", {}, False),
            ("Dear Ms Lindqvist,\n\nwill you be at home?\n\nDana Novak", own, False),
            ("Hallo Maria, kommst du am Sonntag? LG Dana", own, True),
            ("Hallo Frau Lindqvist, kommen Sie am Sonntag?", own, False),
        ):
            scene = self.scene(text, persona=maria("procedural", **fields))
            self.assertEqual((scene.friends, scene.formality), (friends, "casual" if friends else "formal"), text)
        before = Remark("said", "correspondent", "", NOW, "kommst du am Sonntag mit an die Schlei?", language="de")
        later = self.scene("Wann war das und wo?", "Re: Schlei", own=(mail("Ja, sehr gern."),), remarks=(before,))
        self.assertFalse(later.far)

    def test_titles(self) -> None:
        """Nobody is called "Mr"."""
        common = set_scene(request(mail("Hello?", sender=Address("Mr Dobbs", "dobbs@lettings.example")))).common
        self.assertEqual(common["first"], "Mr Dobbs")

    def test_arrival(self) -> None:
        """Days are meant from the arrival, in the zone that the mail names, else its Date's, else the reader's."""
        east = timezone(timedelta(hours=5, minutes=30))
        came = NOW - timedelta(days=3)
        for text, stamp, offset in (
            ("Thursday at 10:00?", datetime(1999, 1, 1, tzinfo=east), east.utcoffset(None)),
            ("Thursday at 10:00?", datetime(2031, 1, 1, tzinfo=timezone.utc), timedelta(0)),
            ("Thursday? 10:00 or 11:00 (CET) would do.", datetime(1999, 1, 1, tzinfo=east), timedelta(hours=1)),
            ("Thursday? 10:00 or 11:00 would do.", None, timedelta(hours=1)),
        ):
            dated = replace(mail(text), date=stamp)
            base = set_scene(request(dated, arrived=(came,))).read[0].base
            self.assertEqual((base, base.utcoffset()), (came, offset), text)
            self.assertEqual(set_scene(request(dated)).read[0].base, NOW)
        (one, other) = set_scene(request(mail("Tomorrow?"), mail("Today?"), arrived=(came, NOW))).read
        self.assertEqual((one.base, other.base), (came, NOW))

    def test_batch(self) -> None:
        """Of many mails the last ones are answered."""
        many = [mail(f"Part {n} is here.") for n in range(TOGETHER + 3)]
        self.assertEqual([read.mail.text for read in set_scene(request(*many)).read],
                         [one.text for one in many[-TOGETHER:]])

    def test_asked_of_one(self) -> None:
        """What but looks like a letter to many is none where its reader is asked for something."""
        meaning, subject = Meaning(), "Autumn campaign, three things"
        many = "Our autumn campaign: a pick of headlines, the half-term push and a photo of the bar."
        asks = ("Quick one from the agency! We need (1) your pick of headline: \"Come in from the cold\" or \"Stay "
                "salty\", (2) ok to spend the remaining 700 pounds on the half-term push, and (3) a photo of the new "
                "bar. By Friday noon please because the printer closes the file.")
        self.assertEqual(self.scene(many, subject, meaning=meaning).read[0].intent, "newsletter")
        self.assertEqual(self.scene(asks, subject, meaning=meaning).read[0].intent, "question")

    def test_in_thread(self) -> None:
        """What was paid or agreed before is not paid or agreed again."""
        own = (mail("Hi Dana, I will pay it by Friday."),)
        reminder = "Invoice INV-7 over EUR 10.00 is still unpaid. Where is it?"
        self.assertEqual(self.scene(reminder, "Payment reminder").read[0].intent, "invoice")
        self.assertEqual(
            self.scene(reminder, "Payment reminder", own=own, done={"payment": "INV-7"}).read[0].intent, "chaser")
        self.assertEqual(self.scene("Thursday at 10:00 works for me.", own=own).read[0].intent, "booked")

    def test_moved_in_thread(self) -> None:
        """A new time with "all right?" behind it moves an appointment; what was said is checked where none is moved."""
        own = (mail("Thursday at 10:00 works."),)
        for text, intent in (
            ("Thursday is impossible, I have to cancel. Friday at 14:30 instead, all right?", "meeting"),
            ("El jueves no puedo. Lo pasamos al viernes a las 14:30, ¿de acuerdo?", "meeting"),
            ("Jeudi ne va plus. On décale à vendredi 14 h 30 ?", "meeting"),
            ("We said Thursday at 10:00, right?", "question"),
        ):
            self.assertEqual(self.scene(text, "Re: Kickoff", own=own).read[0].intent, intent, text)

    def test_part(self) -> None:
        """Nobody orders from a customer, bills who sent a bill, or has somebody who needs help find the fault."""
        def seen(text: str, part: str) -> str:
            own = (replace(mail("Hello.", "A question"), in_reply_to="", references=()),)
            return self.scene(text, "Re: A question", own=own, part=part).read[0].intent

        for text, intent, part, told in (
                ("Thanks. We would like to order 5 chairs, please confirm the order. When will you deliver?", "order",
                 "customer", "question"),
                ("Our bank details have changed, please use the new account from now on.", "bank", "supplier",
                 "information"),
                ("Our engineers look at your ticket about the issue. Which version of it do you have?", "support",
                 "customer", "question"),
                ("Please restart it and tell us whether the error is still there.", "support", "customer", "support")):
            self.assertEqual((seen(text, ""), seen(text, part)), (intent, told), text)

    def test_due(self) -> None:
        """A promise is for a working day, and not after a deadline that can still be kept."""
        before = self.scene("Hello.")
        self.assertEqual(before.due(3), date(2026, 3, 5))
        self.assertEqual(before.due(3, (date(2026, 3, 4),)), date(2026, 3, 4))
        self.assertEqual(before.due(3, (date(2026, 3, 1),)), date(2026, 3, 5))

    def test_somebody_else(self) -> None:
        """A greeting to another person is astray, unless the mail was passed on."""
        text = "Dear Mr Okafor,\n\nhere is our offer."
        self.assertEqual(self.scene(text).read[0].intent, "wrong")
        passed = request(mail(text), persona=maria(addresses=("purchasing@norrland-print.example",)))
        self.assertNotEqual(set_scene(passed).read[0].intent, "wrong")


class PhraseTests(SynchronousTestCase):
    """Small things."""

    def test_subject(self) -> None:
        """A subject without its prefixes, however many."""
        self.assertEqual(base_subject("Re: AW: Fwd: re:re: The plan", EN), "The plan")
        self.assertEqual(base_subject("Regarding the plan", EN), "Regarding the plan")

    def test_words(self) -> None:
        """A phrase without its article; words of a sentence in whichever case."""
        self.assertEqual(without_determiner("the plan", EN), "plan")
        self.assertEqual(without_determiner("the", EN), "the")
        self.assertTrue(mentions("Is it Overdue?", frozenset(("overdue",))))
        self.assertFalse(mentions("Is it overdue?", frozenset(("over",))))
