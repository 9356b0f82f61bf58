"""The words of whole mails: replies, and every other kind."""

from __future__ import annotations

import re
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
from simmail.core.writer.speech_act import KNOWN
from tests.core.language.test_intents import MAILS
from tests.core.writer.samples import NOW, TEMPERAMENTS, mail, maria, request, wrote

QUESTION = mail("Hi Maria,\n\nwhich delivery address should we use?\n\nBest,\nDana", "Order 77120")
CONTRACT = mail("Hi Maria, could you please send us the signed contract by Friday, 6 March?", "Contract FA-118")
LEFT_OVER = re.compile(r"\{(%s)\}" % "|".join(KNOWN))


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


class QuestionTests(SynchronousTestCase):
    """What is asked and waited for."""

    def test_in_passing(self) -> None:
        """Nobody waits for an answer of a machine, whatever is said to it."""
        for text, subject in (
            ("Use 884 120 to sign in to Pinwheel. It expires in 15 minutes.", "Your login code: 884 120"),
            ("We have received your request and filed it as ticket #70918. We will be in touch.", "[#70918] Received"),
        ):
            for temperament in TEMPERAMENTS:
                answered = wrote(mail(text, subject), temperament=temperament)
                self.assertIsNone(answered.question, answered.text)


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
