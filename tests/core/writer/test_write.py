"""The words of whole mails: replies, and every other kind."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.intents import INTENTS
from simmail.core.message.mail import Attachment
from simmail.core.mime.address import Address
from simmail.core.records.persona import OutOfOffice, Style
from simmail.core.rng import Dice
from simmail.core.writer import Kind, Promised, write
from simmail.core.writer.context import set_scene
from simmail.core.writer.kinds import said_by
from simmail.core.writer.speech_act import KNOWN
from tests.core.language.test_intents import MAILS
from tests.core.writer.samples import NOW, TEMPERAMENTS, mail, maria, request, wrote

QUESTION = mail("Hi Maria,\n\nwhich delivery address should we use?\n\nBest,\nDana", "Order 77120")
CONTRACT = mail("Hi Maria, could you please send us the signed contract by Friday, 6 March?", "Contract FA-118")
LEFT_OVER = re.compile(r"\{(%s)\}" % "|".join(KNOWN))


class ReplyTests(SynchronousTestCase):
    """Replies."""

    def test_facts(self) -> None:
        """A fact the persona knows is stated by everybody, whatever their voice."""
        for temperament in TEMPERAMENTS:
            text = wrote(QUESTION, temperament=temperament, facts={"delivery address": "Hafenvägen 12"}).text
            self.assertIn("Hafenvägen 12", text, temperament)

    def test_unknown(self) -> None:
        """What a responsive person does not know it promises to find out, and the promise is told."""
        written = wrote(QUESTION)
        assert written.promise is not None
        self.assertEqual(written.promise.what, "an answer on the delivery address")
        self.assertEqual(written.promise.due, datetime(2026, 3, 3, 16, 0, tzinfo=timezone.utc))
        self.assertIn("tomorrow", written.text)

    def test_promised_day(self) -> None:
        """Asked when something comes that was promised, everybody names the day it was promised for."""
        asked = mail("Hi Maria, when do we get the delivery note for INV-88?", "INV-88")
        for temperament in TEMPERAMENTS:
            owes = (Promised("the offer", NOW + timedelta(days=20)),
                    Promised("delivery note", NOW + timedelta(days=30)))
            self.assertIn("1 April", wrote(asked, temperament=temperament, owes=owes).text, temperament)
            past = (Promised("delivery note", NOW - timedelta(days=30)),)
            self.assertNotIn("January", wrote(asked, temperament=temperament, owes=past).text)

    def test_paid(self) -> None:
        """A fact about the payment is told instead of a new promise to pay."""
        reminder = mail("Invoice INV-2041 over EUR 300.00 is overdue.", "Payment reminder")
        for temperament in TEMPERAMENTS:
            written = wrote(reminder, temperament=temperament, facts={"payment": "made on 27 February"})
            self.assertIn("made on 27 February", written.text, temperament)
            self.assertIsNone(written.promise)

    def test_attached(self) -> None:
        """Whoever says that a document is attached attaches it, and nobody else does."""
        seen = set()
        for seed in range(30):
            written = wrote(CONTRACT, seed=str(seed))
            self.assertEqual(bool(written.attachments), written.promise is None, written.text)
            self.assertEqual(bool(written.attachments), "ttached" in written.text, written.text)
            seen.add(bool(written.attachments))
        self.assertEqual(seen, {True, False})

    def test_deadline(self) -> None:
        """A promise is not made for later than the deadline, and not for a day off."""
        for temperament in ("busy", "procedural", "flaky"):
            for seed in range(5):
                written = wrote(CONTRACT, temperament=temperament, seed=str(seed))
                if written.promise is not None:
                    self.assertLessEqual(written.promise.due.date(), datetime(2026, 3, 6).date())
                    self.assertLess(written.promise.due.weekday(), 5)
                    self.assertGreater(written.promise.due, NOW)

    def test_request_beside(self) -> None:
        """A document asked for in passing is dealt with once, not answered with yes as well."""
        passing = mail("Hi Maria, could you send us the contract? Could we meet on Tuesday at 10:00 or Friday at 9:00?")
        for temperament in TEMPERAMENTS:
            acts = [said.act for said in said_by(set_scene(request(passing, temperament=temperament)))]
            self.assertIn("meeting.accept", acts)
            self.assertEqual(len([act for act in acts if act.startswith("document.")]), 1)
            self.assertEqual([act for act in acts if act.startswith("answer.")], [])

    def test_two_documents(self) -> None:
        """Two documents asked for are two files."""
        both = mail("Please send us your insurance certificate and the price list.")
        files = next(files for files in (wrote(both, seed=str(n)).attachments for n in range(20)) if files)
        self.assertEqual([one.filename for one in files], ["insurance-certificate.pdf", "price-list.csv"])

    def test_no_slot_fits(self) -> None:
        """Times outside the persona's hours are declined, with two of its own that are inside."""
        weekend = mail("Could we meet on Saturday at 10:00 or on Sunday at 11:00?", "Meeting")
        for temperament in TEMPERAMENTS:
            text = wrote(weekend, temperament=temperament).text
            self.assertRegex(text, r"Monday 9 March|Tuesday 10 March", temperament)
            self.assertNotRegex(text, r"Saturday at|Sunday at", temperament)

    def test_no_slot_given(self) -> None:
        """Who is asked for a time without being given one proposes one."""
        for temperament in TEMPERAMENTS:
            asking = mail("Can we schedule a call next week? What is your availability?")
            text = wrote(asking, temperament=temperament).text
            self.assertRegex(text, r"(Mon|Tues|Wednes|Thurs|Fri)day|tomorrow", temperament)

    def test_batched(self) -> None:
        """Several mails are answered together, each of them."""
        written = wrote(CONTRACT, QUESTION, temperament="procedural", facts={"delivery address": "Hafenvägen 12"})
        self.assertIn("contract", written.text)
        self.assertIn("Hafenvägen 12", written.text)
        self.assertEqual(written.intent, "question")

    def test_distrust(self) -> None:
        """Without trust nothing is sent or paid: it is asked first."""
        for seed in range(10):
            written = wrote(CONTRACT, trust=0.1, seed=str(seed))
            self.assertEqual((written.attachments, written.promise), ((), None))
            self.assertIsNotNone(written.question)

    def test_patience(self) -> None:
        """Warmth and lost patience show."""
        texts = {name: {wrote(QUESTION, temperament="difficult", seed=str(seed), nth=3, **{name: value}).text
                        for seed in range(12)}
                 for name, value in (("patience", 0.05), ("warmth", 0.95), ("trust", 0.5))}
        self.assertTrue(texts["patience"] - texts["trust"])
        self.assertTrue(texts["warmth"] - texts["trust"] - texts["patience"])

    def test_images(self) -> None:
        """A reader with a screen reader asks about images without a description, others do not."""
        pictures = mail("Which of these do you like?", html='<img src="a.png">')
        self.assertRegex(wrote(pictures, style=Style(access="screen_reader")).text, "images|pictures")
        self.assertNotRegex(wrote(pictures).text, "images|pictures")

    def test_not_again(self) -> None:
        """In a thread a person does not say the same sentence twice running."""
        first = wrote(QUESTION, temperament="busy")
        line = first.text.split("\n")[2]
        texts = {seed: wrote(QUESTION, temperament="busy", seed=seed).text for seed in map(str, range(20))}
        self.assertTrue(any(line in text for text in texts.values()))
        for seed in texts:
            self.assertNotIn(line, wrote(QUESTION, temperament="busy", seed=seed, own=(mail(first.text),)).text)

    def test_du(self) -> None:
        """A German mail that says du is answered with du, one that says Sie with Sie."""
        near = mail("Hallo Maria, kannst du mir bitte bis Freitag den Vertrag schicken? Wann kommst du?\n\nGruß\nJonas")
        far = mail("Hallo, können Sie mir bitte bis Freitag den Vertrag schicken? Wann kommen Sie?\n\nGruß\nJonas")
        said = {"du": "", "Sie": ""}
        for temperament in TEMPERAMENTS:
            for seed in range(8):
                said["du"] += wrote(near, temperament=temperament, seed=str(seed)).text
                said["Sie"] += wrote(far, temperament=temperament, seed=str(seed)).text
        self.assertNotRegex(said["du"], r"\b(Ihnen|Ihre[nr]?|[a-z]+en Sie)\b")
        self.assertNotRegex(said["Sie"], r"\b(dir|dich|deine[nr]?|[a-z]+st du)\b")
        self.assertRegex(said["du"], r"\b(dir|dich|deine[nr]?|[a-z]+st du)\b")


class StyleTests(SynchronousTestCase):
    """Length, formality, slips, signature, client."""

    def test_length(self) -> None:
        """Long writers write more than short ones."""
        for temperament in TEMPERAMENTS:
            sizes = [sum(len(wrote(QUESTION, temperament=temperament, seed=str(n), style=Style(length=length)).text)
                         for n in range(12)) for length in ("short", "medium", "long")]
            self.assertLess(sizes[0], sizes[2], temperament)

    def test_formality(self) -> None:
        """Formal writers greet by the whole name and use no contractions; casual ones do neither."""
        formal = wrote(CONTRACT, style=Style(formality="formal"), temperament="skeptical").text
        self.assertTrue(formal.startswith("Dear Dana Novak,"))
        self.assertNotRegex(formal, r"\b\w+('ll|n't|'ve|'m|'re)\b")
        casual = wrote(CONTRACT, style=Style(formality="casual"), temperament="skeptical").text
        self.assertTrue(casual.startswith("Hi Dana"))

    def test_slips(self) -> None:
        """Slips change words, never the references, names and amounts of the mail, and not the signature."""
        reminder = mail(
            "Hi Maria, invoice INV-2041 over EUR 1,240.00 is overdue.\n\nBest,\nDana Novak", "Payment reminder")
        plain = wrote(reminder, temperament="procedural", style=Style(typos=0.0))
        typed = wrote(reminder, temperament="procedural", style=Style(typos=0.6))
        self.assertNotEqual(plain.text, typed.text)
        for kept in ("INV-2041", "EUR 1,240.00", "Dear Dana Novak", "Maria Lindqvist", "Head of Purchasing"):
            self.assertEqual(plain.text.count(kept), typed.text.count(kept), kept)
        self.assertEqual(len(plain.text.split()), len(typed.text.split()))

    def test_signature(self) -> None:
        """The given signature stands below the delimiter; an empty one means none; the default is name, role, firm."""
        given_ = wrote(QUESTION, style=Style(signature="M. L.\n040 123", client="gmail")).text
        self.assertTrue(given_.endswith("\n\n-- \nM. L.\n040 123\n"), given_)
        self.assertNotIn("-- ", wrote(QUESTION, style=Style(signature="")).text)
        self.assertNotIn("--", wrote(QUESTION, style=Style(signature="-- \n")).text)
        for client in ("gmail", "plain", "outlook"):
            text = wrote(QUESTION, style=Style(signature="-- \nM. L.\n040 123", client=client)).text
            self.assertEqual((text.count("--"), text.count("-- \nM. L.\n040 123")), (1, 1), client)
        self.assertTrue(wrote(QUESTION).text.endswith("-- \nMaria Lindqvist\nHead of Purchasing\nNorrland Print\n"))

    def test_clients(self) -> None:
        """Phones say what they are, in the mail's language; Outlook puts no delimiter and says RE."""
        self.assertTrue(wrote(QUESTION, style=Style(client="iphone")).text.endswith("\n\nSent from my iPhone\n"))
        german = mail("Welche Adresse ist die richtige, und wann können wir liefern?")
        self.assertTrue(wrote(german, style=Style(client="iphone")).text.endswith("Von meinem iPhone gesendet\n"))
        outlook = wrote(german, style=Style(client="outlook"))
        self.assertNotIn("-- ", outlook.text)
        self.assertEqual(outlook.subject, "AW: Hello")

    def test_habits(self) -> None:
        """A person keeps to one greeting and one closing."""
        self.assertEqual(len({wrote(QUESTION, seed=str(n)).text.split("\n")[0] for n in range(20)}), 1)


class SubjectTests(SynchronousTestCase):
    """Subjects."""

    def test_one_prefix(self) -> None:
        """However many prefixes came, one goes back."""
        for subject, expected in (
            ("Hello", "Re: Hello"), ("Re: Hello", "Re: Hello"), ("RE: AW: Fwd: Re:Hello", "Re: Hello"),
            ("[Ticket #1] {x}", "Re: [Ticket #1] {x}"), ("", "Re:"), ("a\r\nBcc: x", "Re: a Bcc: x"),
        ):
            self.assertEqual(wrote(mail("Well?", subject)).subject, expected)

    def test_kinds(self) -> None:
        """Forwards, notices and first mails have subjects of their own."""
        self.assertEqual(wrote(QUESTION, kind="forward").subject, "Fwd: Order 77120")
        self.assertEqual(wrote(QUESTION, kind="ooo").subject, "Automatic reply: Order 77120")
        self.assertEqual(wrote(kind="initiate", case_title="Two monitor arms").subject, "Two monitor arms")
        self.assertEqual(wrote(kind="initiate", persona=maria(wants="wants to get the invoice corrected")).subject,
                         "Invoice corrected")
        self.assertEqual(wrote(kind="deliver", promise=Promised("the price list", NOW)).subject,
                         "As promised: the price list")


class KindTests(SynchronousTestCase):
    """Everything that is no reply."""

    def test_followup(self) -> None:
        """The unanswered question is asked again, and is what the mail asks."""
        for temperament in TEMPERAMENTS:
            written = wrote(QUESTION, kind="followup", temperament=temperament, question="Which version is it?")
            self.assertIn("Which version is it?", written.text)
            self.assertEqual(written.question, "Which version is it?")

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
            self.assertIn("that would be me", text)
            asked_so = mail("Could you also tell me who signs on your side?")
            told = wrote(asked_so, kind="deliver", promise=Promised("an answer to your question", NOW)).text
            self.assertIn("That would be me", told)
            numbers.add(text.partition("number of seats: ")[2].partition(".")[0])
        self.assertEqual(len(numbers), 1)
        self.assertTrue(numbers.pop().isdigit())

    def test_answer_is_the_document(self) -> None:
        """Who was asked where a document is sends it."""
        asked = mail("Thanks. Where is the insurance certificate?")
        promise = Promised("an answer on the insurance certificate", NOW)
        for temperament in TEMPERAMENTS:
            written = wrote(asked, kind="deliver", temperament=temperament, promise=promise)
            self.assertEqual([one.filename for one in written.attachments], ["insurance-certificate.pdf"])

    def test_answer_to_yes_or_no(self) -> None:
        """A promised answer to what may be agreed to agrees."""
        asked = mail("Can we begin on Monday?")
        text = wrote(asked, kind="deliver", promise=Promised("an answer to your question", NOW)).text
        self.assertTrue("go ahead" in text or "fine" in text, text)

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


class AnyRequestTests(SynchronousTestCase):
    """Whatever comes in."""

    def test_same(self) -> None:
        """The same request gives the same words; another key other ones."""
        self.assertEqual(wrote(CONTRACT), wrote(CONTRACT))
        self.assertGreater(len({wrote(CONTRACT, seed=str(n)).text for n in range(30)}), 4)

    def test_every_kind_without_anything(self) -> None:
        """Every kind is worded for everybody when nothing at all is known, in both languages."""
        for kind in get_args(Kind):
            for temperament in TEMPERAMENTS:
                for mails in ((), (mail(""),), (mail("Bitte melden Sie sich, wir haben noch nicht alles."),)):
                    written = wrote(*mails, kind=kind, temperament=temperament)
                    self.assertTrue(written.text.strip())
                    self.assertNotRegex(written.text, LEFT_OVER)

    def test_mechanics(self) -> None:
        """Spaces and stops are where a writer puts them, whoever writes, in whatever style, to whatever mail."""
        wrong = re.compile(r"  | [,;.!?](?![.\w])|(?<!\.)\.\.(?!\.)|[,;?!]\.|,,|\n\n\n|: :|\(\)")
        for _, one in MAILS:
            for temperament in TEMPERAMENTS:
                for length, formality in (("short", "casual"), ("medium", "neutral"), ("long", "formal")):
                    text = wrote(one, temperament=temperament, style=Style(length=length, formality=formality)).text
                    self.assertNotRegex(text.split("\n-- \n")[0], wrong)

    @settings(max_examples=120, deadline=None)
    @given(
        text=st.one_of(st.text(max_size=400), st.lists(st.sampled_from((
            "Could you send us the contract by Friday?", "Which {first} is it?", "Dear [Sie|du],", "> On x wrote:",
            "INV-2041", "EUR 1,2", "either a {doc} or a {ref}?", "Tuesday 10 March 18:30",
            "bitte senden Sie uns den {doc}", "\n\n", "?",
            "thank you for being {x}", "10.3. um 9 Uhr", "Kind regards,", "{}", "\u2028", "\ud800", "<b>",
        )), max_size=12).map("\n".join)),
        subject=st.text(max_size=60), name=st.text(max_size=30), temperament=st.sampled_from(TEMPERAMENTS),
        kind=st.sampled_from(get_args(Kind)), typos=st.floats(0, 1), signature=st.text(max_size=30),
        seed=st.text(max_size=5), what=st.text(max_size=60), fact=st.text(max_size=40),
    )
    def test_any_mail(
        self, text: str, subject: str, name: str, temperament: str, kind: Kind, typos: float, signature: str,
        seed: str, what: str, fact: str,
    ) -> None:
        """Any mail, name, wish, fact and signature give words that are fit to send, and always the same."""
        asked = request(
            mail(text, subject, Address(name, "x@y.example"), (Attachment(name, "text/plain", b""),), html=text),
            kind=kind, dice=Dice(seed), promise=Promised(what, NOW), question=what, case_title=subject,
            persona=maria(temperament, Style(typos=typos, signature=signature), wants=what, name=name or "x"),
            facts={fact: what, "address": fact}, notes=(text,), own=(mail(text, subject),),
            ooo=OutOfOffice(from_="", to=what, message=""),
        )
        written = write(asked)
        self.assertEqual(written, write(asked))
        written.text.encode("utf-8")
        written.subject.encode("utf-8")
        self.assertFalse(set(written.subject) & set("\r\n\0"))
        self.assertFalse(set(written.text) & set("\r\0"))
        if "{" not in signature:
            self.assertNotRegex(written.text, LEFT_OVER)
        self.assertLess(len(written.text), 8000)
        self.assertIn(written.intent, INTENTS)
        if written.promise is not None:
            self.assertIsNotNone(written.promise.due.tzinfo)
