"""What mails say that are no plain replies."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.tables import language as known, tell
from simmail.core.mime.address import Address
from simmail.core.records.conversation import Remark, RemarkKind
from simmail.core.records.persona import OutOfOffice, Style
from simmail.core.rng import Dice
from simmail.core.writer import Promised, idle
from tests.core.writer.samples import NOW, TEMPERAMENTS, mail, maria, request, wrote

QUESTION = mail("Hi Maria,\n\nwhich delivery address should we use?\n\nBest,\nDana", "Order 77120")
CONTRACT = mail("Hi Maria, could you please send us the signed contract by Friday, 6 March?", "Contract FA-118")


class KindTests(SynchronousTestCase):
    """Everything that is no reply."""

    def test_followup(self) -> None:
        """The unanswered question is asked again, and is what the mail asks."""
        for temperament in TEMPERAMENTS:
            written = wrote(QUESTION, kind="followup", temperament=temperament, question="Which version is it?")
            self.assertIn("Which version is it?", written.text)
            self.assertEqual(written.question, "Which version is it?")

    def test_whole_thing(self) -> None:
        """What is promised is called by its whole name, all of it comes, and says what was asked for."""
        sofa = mail("Can you send me a photo of the sofa and its measurements by Thursday?\n\nDana", "Sofa")
        promise = wrote(sofa).promise
        assert promise is not None
        self.assertEqual(promise.what, "the photo of the sofa and its measurements")
        sent = wrote(sofa, kind="deliver", promise=promise)
        self.assertEqual([one.filename for one in sent.attachments], ["photo-of-sofa.pdf", "measurements.pdf"])
        shelves = mail("Hello Maria,\n\nplease send us a quote for 12 oak shelves, 80 x 30 cm.\n\nEmma", "Quote")
        (quote,) = wrote(shelves, kind="deliver", promise=Promised("our quote", NOW)).attachments
        self.assertIn(b"12 oak shelves", quote.octets)

    def test_no_placeholder(self) -> None:
        """What asks for no paper that has a name gets none, and of two papers both are meant."""
        ask = mail("Hello Maria,\n\ncould you ask your printers whether they do gold foil, and let me know?\n\nDana",
                   "Gold foil")
        details = mail("Dear Maria,\n\nplease send us your VAT number, your address and the name of the person who "
                       "handles invoices.\n\nDana", "Form")
        both = mail("Hi Maria,\n\nplease send me the list of participants and the agenda by Friday.\n\nDana", "Guests")
        for temperament in TEMPERAMENTS:
            self.assertNotIn("document", wrote(ask, temperament=temperament).text)
            self.assertRegex(wrote(details, temperament=temperament).text, r"VAT number: \w+\n.*Address: .*\nContact")
            self.assertIn("agenda", wrote(both, temperament=temperament).text)

    def test_over(self) -> None:
        """A time that has gone by is not offered again; another is, in every voice, and given to the thread."""
        for question, text in (("Tuesday at 10:00?", "shall we meet soon?"),
                               ("Dienstag um 10 Uhr?", "wollen wir uns bald treffen?"),
                               ("Mardi à 10h ?", "on se voit bientôt ?"), ("¿El martes?", "¿nos vemos pronto?")):
            for temperament in TEMPERAMENTS:
                for when, again in ((NOW - timedelta(hours=1), False), (NOW + timedelta(days=1), True)):
                    written = wrote(mail(text, "x"), kind="followup", temperament=temperament, question=question,
                                    remarks=(Remark("proposed", "persona", "appointment", NOW - timedelta(days=3),
                                                    when=when, timed=True),))
                    self.assertEqual(question in written.text, again, written.text)
                    self.assertEqual(bool(written.remarks), not again)
                    self.assertTrue(all(one.when is not None and one.when > NOW for one in written.remarks))

    def test_idle(self) -> None:
        """Nobody asks what to prepare for when it is over or off, or for a thing that was never wanted."""
        def about(kind: RemarkKind, ahead: int) -> Remark:
            return Remark(kind, "persona", "appointment", NOW, when=NOW + timedelta(days=ahead), timed=True)

        for remarks, over in (((about("agreed", -1),), True), ((about("agreed", 1),), False),
                              ((about("agreed", 1), about("called_off", 1)), True), ((about("proposed", -1),), False),
                              ((), False)):
            self.assertEqual(idle(request(QUESTION, kind="followup", remarks=remarks)), over)
            self.assertFalse(idle(request(QUESTION, remarks=remarks)))
        wants = maria(wants="wants a refund of £89")
        for what, over in (("the brand new trimmer", True), ("the refund", False), ("the plans", False)):
            self.assertEqual(idle(request(QUESTION, kind="nudge", persona=wants, promise=Promised(what, NOW))), over)
            self.assertFalse(idle(request(QUESTION, kind="nudge", promise=Promised(what, NOW))))

    def test_question_that_points(self) -> None:
        """A question that asks for what stands above it is none to be said again by itself."""
        for n in range(60):
            written = wrote(mail("I am very disappointed. The paper is too thin, this is unacceptable."),
                            temperament="procedural", dice=Dice(f"points {n}"))
            if "Could you send me these" in written.text:
                self.assertEqual(written.question, "")
                return
        self.fail("never asked")

    def test_answer_fits_the_question(self) -> None:
        """A promised answer to who and how many says who and how many, the same whenever it is asked."""
        asked = mail("How many seats do you need? Who will sign the order?")
        promise = Promised("an answer on the number of seats and an answer on the order", NOW)
        numbers = set()
        for temperament in TEMPERAMENTS:
            text = wrote(asked, kind="deliver", temperament=temperament, promise=promise).text
            self.assertRegex(text, r"\b([Mm]e|managing director)\b")
            numbers.update(re.findall(r"(?m)[0-9]+", text.partition("-- ")[0]))
        self.assertEqual(len(numbers), 1)
        self.assertTrue(numbers.pop().isdigit())

    def test_answer_is_the_document(self) -> None:
        """Who was asked where a document is sends it."""
        asked = mail("Thanks. Where is the insurance certificate?")
        promise = Promised("an answer on the insurance certificate", NOW)
        for temperament in TEMPERAMENTS:
            written = wrote(asked, kind="deliver", temperament=temperament, promise=promise)
            self.assertEqual([one.filename for one in written.attachments], ["insurance-certificate.pdf"])

    def test_nothing_found_out(self) -> None:
        """Where nobody could tell what was promised to be found out, that is said, and nothing is fine or done."""
        for asked, promised, named, wrong in (
            (mail("Here is our plan for the stage. More next week.", "Stage"), "an answer on the stage",
             "stage", r"\b(fine|go ahead|done)\b"),
            (mail("Können Sie Ihren Vermieter fragen, ob die Halle am 14. Juni frei ist?", "Halle"),
             "die Rückmeldung, dass es erledigt ist", ".", "erledigt|in Ordnung"),
            (mail("Pourriez-vous demander si la salle est libre le 14 juin ?", "Salle"),
             "une réponse à votre question", ".", "c'est (fait|bon)"),
            (mail("¿Puede preguntar si la sala está libre?", "Sala"), "una respuesta a su pregunta",
             ".", r"hecho|inconveniente|\ben orden"),
        ):
            for temperament in TEMPERAMENTS:
                text = wrote(asked, kind="deliver", temperament=temperament, promise=Promised(promised, NOW)).text
                self.assertRegex(text, named)
                self.assertNotRegex(text.partition("-- ")[0], wrong)

    def test_deed_is_named(self) -> None:
        """What is reported as done is named, by the deed or by what the mail was about."""
        for asked, promised, named in (
            (mail("Could you please print the badges for the fair?", "Fair"), "word that it is done",
             "print the badges for the fair"),
            (mail("Bitte drucken Sie die Ausweise für die Messe.", "Messe"), "die Rückmeldung, dass es erledigt ist",
             "drucke die Ausweise für die Messe"),
            (mail("Merci d'imprimer les badges du salon.", "Badges du salon"), "{task}", "Badges du salon"),
            (mail("Por favor, imprima las tarjetas de la feria.", "Tarjetas de la feria"), "{task}",
             "Tarjetas de la feria"),
        ):
            for temperament in TEMPERAMENTS:
                what = promised.format(task=known(tell(asked.text)).what.task)
                text = wrote(asked, kind="deliver", temperament=temperament, promise=Promised(what, NOW)).text
                self.assertIn(named.lower(), text.lower())

    def test_own_matters(self) -> None:
        """How long somebody was with who is asked, who of them does it, which of two things: nobody else knows."""
        for text, subject, found in (
            ("Nadia Voss gave us your name. How long did she work for you?", "Reference", r"\b[2-8] years"),
            ("Who will sign on your side?", "Contract", r"(?i)\b(me|i am|i do|my|mine|you have the right person)\b"),
            ("You can have a place on 18 March or your £140 back. Which would you prefer?", "Course",
             r"(?i)18 March|£140"),
        ):
            for temperament in ("responsive", "busy", "flaky", "ghost"):
                self.assertRegex(wrote(
                    mail(f"Hi Maria,\n\n{text}\n\nDana", subject), temperament=temperament).text, found)

    def test_complaint_is_put_right(self) -> None:
        """What was promised after a complaint is told as done, not agreed to."""
        complaint = mail("I am very disappointed. The paper is too thin, this is unacceptable.")
        promise = Promised("an answer on the paper", NOW)
        for temperament in TEMPERAMENTS:
            text = wrote(complaint, kind="deliver", temperament=temperament, promise=promise).text
            self.assertNotIn("go ahead", text.lower())
            self.assertNotIn("objections", text.lower())

    def test_correction(self) -> None:
        """A promised day is put right, and the promise moves with it; without a promise something is added."""
        for temperament in TEMPERAMENTS:
            promise = Promised("the price list", NOW + timedelta(days=1))
            written = wrote(QUESTION, kind="correction", temperament=temperament, promise=promise)
            assert written.promise is not None
            self.assertEqual(written.promise.due.date(), datetime(2026, 3, 4).date())
            self.assertIn("Wednesday", written.text)
            self.assertIn("17:00", wrote(QUESTION, kind="correction", temperament=temperament).text)

    def test_ooo(self) -> None:
        """The notice is the persona's own, word for word, or names the days."""
        away = OutOfOffice(from_="2026-03-01", to="2026-03-06", message="At the fair.\nCall Erik.")
        self.assertIn("At the fair.\nCall Erik.", wrote(QUESTION, kind="ooo", ooo=away, style=Style(typos=1.0)).text)
        plain = wrote(QUESTION, kind="ooo", ooo=OutOfOffice(from_="2026-03-01", to="2026-03-06")).text
        self.assertIn("Monday 9 March", plain)

    def test_initiate(self) -> None:
        """What the persona wants is told in the first person; else the case is asked about."""
        for temperament in TEMPERAMENTS:
            text = wrote(kind="initiate", persona=maria(temperament, wants="wants to get her money back")).text
            self.assertIn("I would like to get my money back.", text)
            self.assertIn("Two monitor arms", wrote(kind="initiate", temperament=temperament,
                                                    case_title="Two monitor arms").text)
            self.assertTrue(wrote(kind="initiate", temperament=temperament).text.strip())
        self.assertIn("I would like a refund", wrote(kind="initiate", persona=maria(wants="a refund")).text)
        self.assertIn("about the following: Rockets", wrote(kind="initiate", persona=maria(wants="Rockets")).text)

    def test_deliver(self) -> None:
        """What was promised comes: a document as a file, late with regrets, an answer, a payment, a deed."""
        for temperament in TEMPERAMENTS:
            late = wrote(CONTRACT, kind="deliver", temperament=temperament,
                         promise=Promised("the signed contract", NOW - timedelta(days=3)))
            self.assertEqual([one.filename for one in late.attachments], ["signed-contract-FA-118.pdf"])
            both = wrote(QUESTION, kind="deliver", temperament=temperament, facts={"delivery address": "Hafenvägen 12"},
                         promise=Promised("the price list and an answer on the delivery address", NOW))
            self.assertEqual(len(both.attachments), 1)
            self.assertIn("Hafenvägen 12", both.text)
            for what in ("an answer to your question", "the payment of INV-1", "word that it is done"):
                written = wrote(QUESTION, kind="deliver", temperament=temperament, promise=Promised(what, NOW))
                self.assertEqual(written.attachments, ())
                self.assertNotIn("word that", written.text)

    def test_deliver_by_name(self) -> None:
        """What a case calls by its bare name is spoken of as people do."""
        for what, said in (("March invoice", "the March invoice"), ("our floor plan", "our floor plan"),
                           ("invoice INV-12", "invoice INV-12")):
            text = wrote(kind="deliver", promise=Promised(what, NOW)).text
            self.assertIn(said, text)
            self.assertNotIn("the our", text)
            self.assertNotIn("the invoice INV", text)

    def test_promises_are_understood(self) -> None:
        """Every promise that a reply makes is kept by what deliver sends."""
        for one in (QUESTION, CONTRACT, mail("Could you please update the contact?")):
            for temperament in TEMPERAMENTS:
                promise = wrote(one, temperament=temperament).promise
                if promise is not None:
                    kept = wrote(one, kind="deliver", temperament=temperament, promise=promise)
                    self.assertEqual(bool(kept.attachments), "contract" in promise.what, promise)

    def test_nudge(self) -> None:
        """What was promised to it is asked for by name."""
        for temperament in TEMPERAMENTS:
            written = wrote(QUESTION, kind="nudge", temperament=temperament,
                            promise=Promised("the price list", NOW - timedelta(days=3)))
            self.assertIn("the price list", written.text.lower())

    def test_forward(self) -> None:
        """The note is for the colleague, not for the sender."""
        erik = Address("Erik Holm", "erik@norrland-print.example")
        text = wrote(QUESTION, kind="forward", correspondent=erik).text
        self.assertNotIn("Dana,", text)
        self.assertIn("Erik", text)

    def test_state(self) -> None:
        """How far an order is stands in the case, or is looked after and found: never that nobody could say."""
        asked = mail("Hello Maria,\n\nwhat is the state of our PO 8841?\n\nDana", "PO 8841")
        for temperament in TEMPERAMENTS:
            known_so = wrote(asked, temperament=temperament, facts={"status": "waiting for parts"})
            self.assertIn("waiting for parts", known_so.text.lower())
            self.assertIsNone(known_so.promise)
            promise = wrote(asked, temperament=temperament).promise
            if promise is not None:
                self.assertNotRegex(wrote(asked, kind="deliver", temperament=temperament, promise=promise).text,
                                    r"(?i)could not find|no idea|nobody knows|don't know")
