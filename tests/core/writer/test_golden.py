"""
Golden conversations: application mails and what each of seven temperaments answers, approved as prose.

C{golden/<name>.eml} is the mail, C{golden/<name>/<temperament>.eml} the answer.  After a change of the
wording, look at what it does and approve it with::

    SIMMAILD_GOLDEN=write python -m twisted.trial tests.core.writer.test_golden
    git diff tests/core/writer/golden
"""

from __future__ import annotations

import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.mail import Mail
from simmail.core.message.parse import read
from simmail.core.rng import Dice
from simmail.core.time.instant import email_date
from simmail.core.writer import Written, write
from tests.core.writer.samples import NOW, TEMPERAMENTS, request

GOLDEN = Path(__file__).parent / "golden"

#: The mails by name: (the intent they are taken for, what Maria knows of their case).
CONVERSATIONS: dict[str, tuple[str, dict[str, str]]] = {
    "invoice_reminder": ("invoice", {}),
    "meeting_slots": ("meeting", {}),
    "password_reset": ("code", {}),
    "cold_sales": ("sales", {}),
    "support_answer": ("support", {}),
    "newsletter": ("newsletter", {}),
    "signed_contract": ("document", {}),
    "complaint_reply": ("redress", {}),
    "two_questions": ("question", {"delivery_address": "Hafenvägen 12, 211 24 Malmö"}),
    "thanks": ("thanks", {}),
    "wrong_recipient": ("wrong", {}),
    "german_mail": ("document", {"Lieferadresse": "Hamnvägen 12, 211 24 Malmö"}),
    "lunch": ("meeting", {}),
    "cancel_meeting": ("meeting", {}),
    "trial_ending": ("account", {}),
    "security_alert": ("alert", {}),
    "invoice_new": ("bill", {}),
    "ship_delay": ("delay", {}),
    "support_ask": ("question", {}),
    "churn": ("question", {}),
    "de_termin": ("meeting", {}),
    "de_zwei": ("question", {}),
    "maintenance": ("notice", {}),
    "bank_change": ("bank", {}),
    "quote_sent": ("offer", {}),
    "condolence": ("grief", {}),
    "minutes": ("minutes", {}),
    "de_wartung": ("notice", {}),
}


def original(name: str) -> Mail:
    """The mail that is answered."""
    return read((GOLDEN / f"{name}.eml").read_bytes().replace(b"\n", b"\r\n"))


def answer(name: str, temperament: str) -> Written:
    """What a temperament answers it."""
    return write(request(
        original(name), temperament=temperament, facts=CONVERSATIONS[name][1],
        dice=Dice("golden").on(name, temperament),
    ))


def as_file(mail: Mail, written: Written) -> str:
    """An answer as a readable file: what was decided in the header, the words below."""
    header = [
        ("From", "Maria Lindqvist <maria@norrland-print.example>"),
        ("To", f"{mail.from_.name} <{mail.from_.address}>"),
        ("Subject", written.subject),
        ("Date", email_date(NOW)),
        ("In-Reply-To", mail.message_id),
        ("X-Intent", written.intent),
        ("X-Promise", f"{written.promise.what}, by {written.promise.due:%Y-%m-%d %H:%M}" if written.promise else ""),
        ("X-Question", written.question or ""),
        ("X-Attached", ", ".join(f"{one.filename} ({one.content_type})" for one in written.attachments)),
        ("MIME-Version", "1.0"),
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Transfer-Encoding", "8bit"),
    ]
    return "".join(f"{name}: {value}\n" for name, value in header if value) + "\n" + written.text


class GoldenTests(SynchronousTestCase):
    """Those mails, seven people."""

    def test_answers(self) -> None:
        """Each answer is, to the letter, the one that was read and approved."""
        writing = os.environ.get("SIMMAILD_GOLDEN") == "write"
        for name in CONVERSATIONS:
            mail = original(name)
            for temperament in TEMPERAMENTS:
                path = GOLDEN / name / f"{temperament}.eml"
                now = as_file(mail, answer(name, temperament))
                if writing:
                    path.parent.mkdir(exist_ok=True)
                    path.write_text(now, encoding="utf-8")
                self.assertEqual(path.read_text(encoding="utf-8"), now, f"{name}, {temperament}")

    def test_intents(self) -> None:
        """Each mail is taken for what it is."""
        for name, (intent, _) in CONVERSATIONS.items():
            self.assertEqual(answer(name, "busy").intent, intent, name)

    def test_different_people(self) -> None:
        """No two temperaments say the same to a mail."""
        for name in CONVERSATIONS:
            texts = {answer(name, temperament).text for temperament in TEMPERAMENTS}
            self.assertEqual(len(texts), len(TEMPERAMENTS), name)

    def test_german(self) -> None:
        """A German mail is answered in German by everyone, an English one by nobody."""
        for name in CONVERSATIONS:
            languages = {answer(name, temperament).language for temperament in TEMPERAMENTS}
            self.assertEqual(languages, {"de" if name.startswith(("german_", "de_")) else "en"}, name)

    def test_no_secrets(self) -> None:
        """Nobody says the code of a password mail again."""
        for temperament in TEMPERAMENTS:
            self.assertNotIn("493817", answer("password_reset", temperament).text)

    def test_the_open_slot(self) -> None:
        """A proposed time in her working hours is taken, not by all the same; the one after hours never."""
        chosen = set()
        for temperament in TEMPERAMENTS:
            text = answer("meeting_slots", temperament).text
            self.assertNotIn("18:30", text)
            taken = [slot for slot in ("Wednesday 11 March at 14:30", "Thursday 12 March at 10:00") if slot in text]
            self.assertEqual(len(taken), 1, temperament)
            chosen.update(taken)
        self.assertEqual(len(chosen), 2)

    def test_both_questions(self) -> None:
        """Each of two questions is answered: the known address is told, the cables are decided on."""
        for temperament in TEMPERAMENTS:
            text = answer("two_questions", temperament).text
            self.assertIn("Hafenvägen 12, 211 24 Malmö", text)
            self.assertRegex(text.lower(), r"spare cables|\b(yes|yep|sure|no|nope|not|we do|i do)\b")
