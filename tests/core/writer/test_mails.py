"""
Mails that applications send, of many kinds, and what must hold for every answer to them.

C{mails/<name>.eml} are the mails; those whose answers are approved to the letter are in C{golden}.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from mailparser_reply import EmailReplyParser
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.compose.quoting import quote
from simmail.core.html.text import render
from simmail.core.language.prose import read_prose
from simmail.core.language.tables import language
from simmail.core.message.mail import Mail
from simmail.core.message.parse import read
from simmail.core.message.splitting import split_reply
from simmail.core.records.persona import Style
from simmail.core.rng import Dice
from simmail.core.writer import Written, write
from tests.core.writer.samples import TEMPERAMENTS, request

HERE = Path(__file__).parent
CLIENTS = ("gmail", "outlook", "apple", "iphone", "android", "plain")

#: The mails by name, and what each is taken for.
MAILS = {
    "access_request": "access", "agenda": "agenda", "anger": "complaint", "anger_short": "invoice", "anniversary":
    "congrats", "apology": "meeting", "apology_plain": "received", "app_name": "report", "approve": "task",
    "bank_wrong": "details", "beta": "beta", "bug_report": "bug", "can_i_call": "meeting", "candidate": "chaser",
    "card_failed": "account", "chase": "chaser", "confirm_change": "confirmation", "congrats": "congrats",
    "contract_renewal": "renewal", "data_deletion": "deletion", "de_angebot": "offer", "de_bank": "bank",
    "de_beschwerde": "complaint", "de_danke": "thanks", "de_fehler": "bug", "de_glueckwunsch": "congrats",
    "de_kurz": "question", "de_liefertag": "delivery", "de_mixed": "document", "de_preis": "terms", "de_protokoll":
    "minutes", "de_rechnung": "invoice", "de_termin_werkstatt": "booked", "de_urlaub": "approval", "de_versand":
    "confirmation", "delivery_days": "delivery", "dentist": "booked", "dunning3": "invoice", "event": "event",
    "event_reminder": "booked", "expense_approval": "approval", "expense_reminder": "document", "feature_request":
    "news", "five_questions": "question", "forwarded": "question", "fyi_prices": "terms", "garage": "booked",
    "holiday_approval": "approval", "interview": "meeting", "intro": "contact", "introduction": "introduced",
    "invite_ics": "invite", "invoice_paid": "confirmation", "legal_gdpr": "document", "legal_nda": "question",
    "long_thread": "question", "newsletter_html": "newsletter", "nps": "feedback", "onboarding": "question",
    "one_line_ok": "question", "one_line_thoughts": "question", "order_change": "question", "out_of_stock":
    "alternatives", "outage": "outage", "payment_link": "payment", "postmortem": "incident", "price_increase":
    "terms", "product_comment": "question", "purchase_order": "order", "quote_request": "enquiry",
    "recruit_invite": "meeting", "recruit_reject": "rejection", "recruiter_cold": "recruiting", "reference":
    "question", "refund": "confirmation", "return_label": "returns", "review_request": "feedback", "see_you":
    "closing", "ship_failed": "question", "shipping": "confirmation", "sick": "sick", "slot_pick": "booked",
    "subscription_cancelled": "ended", "survey": "feedback", "table": "report", "tax_form": "information",
    "terms_change": "terms", "three_q": "question", "two_languages": "information", "two_parts": "question",
    "vat_missing": "details", "verify_code": "code", "webinar": "webinar", "whats_the": "question",
}

_HOLE = re.compile(r"[{}|]|\[[^\]]*\]|None| ,| \.(?!\.)|,,|(?<!\.)\.\.(?!\.)|  ")
_DOUBLED = re.compile(r"\b([A-Za-zÄÖÜäöüß]{3,})[ ,]+\1\b", re.IGNORECASE)
#: Said twice on purpose.
_EMPHASIS = frozenset(("yes", "thank", "know", "ich", "danke", "nein", "perfect", "sorry", "wirklich", "tomorrow"))


def mail(name: str) -> Mail:
    """A mail by name."""
    return read((HERE / "mails" / f"{name}.eml").read_bytes().replace(b"\n", b"\r\n"))


def everything() -> dict[str, Mail]:
    """All of them, the golden ones too."""
    golden = {path.stem: read(path.read_bytes().replace(b"\n", b"\r\n")) for path in (HERE / "golden").glob("*.eml")}
    return {**{name: mail(name) for name in MAILS}, **golden}


def answer(one: Mail, temperament: str, seed: str = "mails", style: Style | None = None) -> Written:
    """What a temperament answers."""
    return write(request(one, temperament=temperament, dice=Dice(seed).on(one.message_id, temperament),
                         style=style, facts={"PO number": "PO-99812"}))


class AnswerTests(SynchronousTestCase):
    """Every mail, seven people."""

    def test_intents(self) -> None:
        """Each mail is taken for what it is."""
        self.assertEqual({path.stem for path in (HERE / "mails").glob("*.eml")}, set(MAILS))
        for name, intent in MAILS.items():
            self.assertEqual(answer(mail(name), "busy").intent, intent, name)

    def test_no_holes(self) -> None:
        """No answer has a hole of a template, a doubled word or stop, or a line of its own twice."""
        for name, one in everything().items():
            for temperament in TEMPERAMENTS:
                for seed in range(3):
                    text = answer(one, temperament, str(seed)).text
                    body = text.split("\n-- \n")[0]
                    self.assertIsNone(_HOLE.search(body), f"{name}, {temperament}: {text}")
                    for doubled in _DOUBLED.finditer(body):
                        self.assertIn(doubled.group(1).lower(), _EMPHASIS, f"{name}, {temperament}: {text}")
                    lines = Counter(line for line in body.split("\n") if len(line.split()) > 3)
                    self.assertEqual([line for line, count in lines.items() if count > 1], [], text)

    def test_named_once(self) -> None:
        """Who is greeted by name is not called by name again in the first sentence without a reason."""
        for name in ("recruiter_cold", "intro", "onboarding"):
            for temperament in ("responsive", "skeptical"):
                for seed in range(10):
                    text = answer(mail(name), temperament, str(seed)).text
                    self.assertLessEqual(text.count(mail(name).from_.name.split()[0]), 1, text)

    def test_lunch_has_no_agenda(self) -> None:
        """Nobody asks for the agenda of a lunch, and a single time is not one of several."""
        lunch = everything()["lunch"]
        for temperament in TEMPERAMENTS:
            for seed in range(10):
                text = answer(lunch, temperament, str(seed)).text
                self.assertIn("Friday at 12:30", text)
                for word in ("agenda", "other times", "minutes"):
                    self.assertNotIn(word, text)

    def test_the_moved_meeting(self) -> None:
        """A meeting that is moved to another day "at the same time" is agreed to for that time."""
        for temperament in TEMPERAMENTS:
            text = answer(everything()["cancel_meeting"], temperament).text
            self.assertIn("Thursday at 15:00", text)
            self.assertNotIn("tomorrow", text)

    def test_choices(self) -> None:
        """A choice without articles is made in its own words."""
        for temperament in TEMPERAMENTS:
            text = answer(mail("ship_failed"), temperament).text.lower()
            self.assertTrue("with a neighbour" in text or "at the parcel shop" in text, text)

    def test_marks(self) -> None:
        """Asked for a number from 1 to 5, everybody gives one of them."""
        for temperament in TEMPERAMENTS:
            text = answer(mail("survey"), temperament).text
            self.assertEqual(len(re.findall(r"(?<![0-9])[1-5](?![0-9])", text.split("\n-- \n")[0].split("Maria")[0])),
                             2 if temperament == "flaky" and "low number" in text else 1, text)


class QuotedTests(SynchronousTestCase):
    """What stands below."""

    def test_never_read(self) -> None:
        """Of an answer in any client's form only its new part is read, also where the attribution is folded."""
        for code in ("en", "de"):
            known = language(code)
            for one in everything().values():
                for client in CLIENTS:
                    text = quote(client, "Hi,\n\nthis is new.\n\nJo", one, language=code)[0]
                    self.assertEqual(read_prose(text, known).body.split(), ["Hi", "this", "is", "new.", "Jo"], text)

    def test_answers_in_between(self) -> None:
        """Answers between quoted lines are all read."""
        prose = read_prose("Yes.\n\n> is it?\n\nNo.\n\n> and that?\n\nPerhaps on Friday.", language("en"))
        self.assertEqual(prose.sentences, ("Yes.", "No.", "Perhaps on Friday."))


class RecoveredTests(SynchronousTestCase):
    """What clients make of the answers."""

    def test_new_text(self) -> None:
        """From every client's answer, in both languages, our own rules and a quote-stripping library get the words."""
        seen: Counter[tuple[str, str]] = Counter()
        for name, one in everything().items():
            for number, client in enumerate(CLIENTS):
                temperament = TEMPERAMENTS[(number + len(name)) % len(TEMPERAMENTS)]
                written = answer(one, temperament, style=Style(client=client))  # type: ignore[arg-type]
                text, html = quote(client, written.text, one, language=written.language)
                new = written.text.strip()
                self.assertEqual(split_reply(text)[0].strip(), new, f"{name}, {client}")
                found = EmailReplyParser(languages=[written.language]).parse_reply(text).strip()
                self.assertEqual(found, new.replace("-- \n", "--\n"), f"{name}, {client}")
                if html:
                    self.assertEqual(" ".join(split_reply(render(html))[0].split()), " ".join(new.split()), client)
                seen[client, written.language] += 1
        self.assertEqual(len(seen), 2 * len(CLIENTS))

    def test_answers_to_answers(self) -> None:
        """An answer to a quoting answer answers its new part only."""
        for client in CLIENTS:
            for temperament in TEMPERAMENTS:
                first = mail("whats_the")
                text = quote(client, "Perfect, thank you!\n\nTom", replace(first, text=f"{first.text}\nWhen?"))[0]
                reply = replace(first, text=text, subject="Re: PO number missing", in_reply_to="<a@b.example>")
                self.assertEqual(answer(reply, temperament).intent, "closing", client)
