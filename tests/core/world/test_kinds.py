"""Tests for C{simmail.core.world}: what the mail of each kind says, and that it is what such mail is."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import get_args

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.auto_submitted import automatic
from simmail.core.message.parse import read
from simmail.core.records.world import Company, WorldKind
from simmail.core.rng import Dice
from simmail.core.rules.spam import score
from simmail.core.time.instant import UTC
from simmail.core.time.invitation import invitation
from simmail.core.world.facts import slots
from simmail.core.world.kinds import KINDS, answer_by
from simmail.core.world.occasion import OpenThread, Resumption
from simmail.core.world.words import Slots, TONGUES, common, fill, kind_words, slots_of, speaks
from tests.core.world.scenes import INBOX, NOW, mail

#: What only the composers of machines, and mails of a conversation, have a value for.
_ADDED = {"domain": "x.example", "to": INBOX, "local": "hello", "token": "t", "link": "http://x.example/",
          "about": "Something", "sent_on": "1 March", "drop": "a@b.example", "code": "ABC123"}

#: Mail of swindlers looks like spam to some.
_HOSTILE = frozenset(("phishing", "prompt_injection", "thread_hijack"))


class WordsTests(SynchronousTestCase):
    """The data."""

    def test_every_kind(self) -> None:
        """Every kind that a stream may have is composed, and written in every language of the world."""
        self.assertEqual(set(KINDS), set(get_args(WorldKind)))
        self.assertEqual({kind: speaks(kind) for kind in KINDS}, dict.fromkeys(KINDS, TONGUES))
        self.assertEqual(set(TONGUES), {"en", "de", "fr", "es"})

    def test_twelve_each(self) -> None:
        """Each kind has at least twelve mails in each language, of at least six that have nothing in common."""
        for kind in KINDS:
            for language in speaks(kind):
                words = kind_words(kind, language)
                texts = {one.text for one in words.mails}
                self.assertGreaterEqual(len(texts), 6, (kind, language))
                self.assertGreaterEqual(
                    len(texts) * len(set(words.openings)) * len(set(words.endings)), 24, (kind, language))
                said = {read(mail(kind, language, n).octets).text for n in range(14)}
                self.assertGreaterEqual(len(said), 12, (kind, language))

    def test_sayable(self) -> None:
        """Every text of every language can be said, with values for all its slots."""
        for language in TONGUES:
            values = Slots({**slots(language, Dice("x"), NOW, "", "Acme", "A B", "F", "a@b.test"), **_ADDED})
            for kind in KINDS:
                words = kind_words(kind, language)
                texts = [*words.openings, *words.endings, *words.greetings, *words.closings, *words.nudges,
                         *words.questions, *words.orders, *(text for one in words.mails for text in (
                             one.text, one.html, *one.subject, *one.must, *one.must_not))]
                for text in texts:
                    said = fill(text, values, Dice("y"))
                    self.assertNotRegex(said, r"[{}|]|<[^<>]*>", (kind, language))
                    self.assertNotRegex(said, r"(?i)\b(the|a|our|your) the\b", text)
            for text in (*common(language).greetings, *common(language).closings, common(language).papers["pay"]):
                self.assertLessEqual(slots_of(text), values.keys())

    def test_must(self) -> None:
        """What a right answer has to name was said in the mail."""
        for kind in KINDS:
            for language in TONGUES:
                for one in kind_words(kind, language).mails:
                    for must in one.must:
                        self.assertIn(must, one.text, (kind, language))

    def test_follow_ups(self) -> None:
        """People of every sort ask again, and further."""
        for kind, one in KINDS.items():
            for language in TONGUES if one.sort not in ("machine", "impostor") else ():
                words = kind_words(kind, language)
                self.assertGreaterEqual(len(words.nudges), 2, (kind, language))
                self.assertGreaterEqual(len(words.questions), 2, (kind, language))
                # One can be said whatever the first mail was about.
                for some in (words.nudges, words.questions):
                    self.assertTrue([text for text in some if slots_of(text) <= {"about", "sent_on", "company"}])


class LetterTests(SynchronousTestCase):
    """Mail of people."""

    def test_truth(self) -> None:
        """What was said is kept, and what must be named is in it."""
        found = 0
        for n in range(20):
            one = mail("order", "en", n)
            assert one.facts is not None
            read_mail = read(one.octets)
            for value in one.facts["must"]:
                found += 1
                self.assertIn(value, read_mail.text)
                self.assertIn(value, one.facts["given"].values())
            self.assertNotIn("Acme", one.facts["given"].values())
        self.assertGreater(found, 15)

    def test_invoice(self) -> None:
        """The PDF has the number and the sum of the mail."""
        for language in TONGUES:
            one = mail("invoice", language)
            (attachment,) = read(one.octets).attachments
            self.assertEqual(attachment.content_type, "application/pdf")
            assert one.facts is not None
            self.assertIn(one.facts["given"]["invoice"], attachment.filename)
            for name in ("invoice", "total"):
                value = one.facts["given"].get(name)
                if value is not None:
                    self.assertIn(value.encode("cp1252"), attachment.octets)

    def test_account(self) -> None:
        """Account numbers have the right check digits (ISO 7064, mod 97-10) and length, and dates the right year."""
        lengths = {"en": 22, "de": 22, "fr": 27, "es": 24}
        for language in TONGUES:
            for n in range(20):
                at = datetime(2027, 1, 2, 12, tzinfo=UTC)
                one = slots(language, Dice("account").on(n), at, "", "Acme", "A B", "F", "a@b.test")
                iban = one["iban"].replace(" ", "")
                self.assertEqual(len(iban), lengths[language])
                self.assertEqual(int("".join(str(int(sign, 36)) for sign in iban[4:] + iban[:4])) % 97, 1)
                self.assertEqual(one["past_year"], "2026")

    def test_application(self) -> None:
        """A CV goes with an application."""
        one = read(mail("job_application", "de").octets)
        (attachment,) = one.attachments
        self.assertTrue(attachment.octets.startswith(b"%PDF-1.4"))
        self.assertIn(one.from_.name.encode("cp1252"), attachment.octets)

    def test_invitation(self) -> None:
        """The calendar part asks for the time that the mail names, in the zone of its writer, on a working day."""
        for n in range(12):
            one = mail("calendar", "en", n)
            said = read(one.octets)
            asked = invitation((part.content_type, part.octets) for part in said.attachments)
            self.assertEqual((asked.method, asked.organizer), ("request", said.from_.address))
            assert asked.start is not None and one.appointment is not None and one.facts is not None
            self.assertEqual((asked.start, asked.span), (one.appointment.start, timedelta(minutes=45)))
            self.assertLess(asked.start.weekday(), 5)
            local = one.appointment.start
            self.assertEqual(one.facts["given"].get("hour", f"{local:%-H:%M}"), f"{local:%-H:%M}")
            self.assertIn(b"method=REQUEST", one.octets.replace(b"\r\n\t", b" "))

    def test_asks_again(self) -> None:
        """One more mail is threaded behind the last, quotes it, and names what the first named."""
        first = mail("order", "en", 4)
        before = read(first.octets)
        thread = OpenThread(
            root=first.message_id, last=first.message_id, at=NOW, persona_id="p_scene4", to=INBOX,
            subject=first.subject, language="en", expected=first.expected, slots=first.slots)
        later = NOW + timedelta(days=2)
        again = mail("order", "en", 4, now=later, mix="follow_up", nth=2,
                     resumed=Resumption(thread, None, before, NOW))
        said = read(again.octets)
        self.assertEqual((said.subject, said.references), (f"Re: {first.subject}", (first.message_id,)))
        self.assertIn(before.text.split("\n\n")[1].split(".")[0][:40], said.text)
        for name, value in first.slots.items():
            self.assertEqual(again.slots[name], value)

    def test_asks_third_time(self) -> None:
        """Who asks once more names the day of the first mail, not of the one asked with in between."""
        first = mail("order", "en", 4)
        thread = OpenThread(
            root=first.message_id, last="<second@x>", at=NOW + timedelta(days=2), persona_id="p_scene4", to=INBOX,
            subject=first.subject, language="en", expected=first.expected, slots=first.slots, written=2, begun=NOW)
        again = [read(mail("order", "en", n, now=NOW + timedelta(days=4), mix="follow_up", nth=3,
                           resumed=Resumption(thread)).octets).text for n in range(40)]
        self.assertTrue([text for text in again if "3 March" in text])
        self.assertFalse([text for text in again if "5 March" in text])

    def test_just_now(self) -> None:
        """What happened "today at" or "since" an hour happened before the mail was written, also at night."""
        for hours in range(0, 24, 3):
            for language in TONGUES:
                said = slots(language, Dice(f"{hours}"), NOW.replace(hour=hours), "", "Acme", "A B", "F", "a@b.test")
                hour, minute = map(int, said["lately"].split(":"))
                before = NOW.replace(hour=hour, minute=minute, second=0)
                if said["lately_on"] != said["today"]:
                    before -= timedelta(days=1)
                self.assertLess(before, NOW.replace(hour=hours))
                self.assertGreater(before, NOW.replace(hour=hours) - timedelta(hours=2))
                for kind in KINDS:
                    for one in kind_words(kind, language).mails:
                        self.assertFalse({"today", "hour"} <= slots_of(one.text), (kind, language))

    def test_odd(self) -> None:
        """Whatever an inbox and a company are called, what comes is a message, and nothing called is said twice."""
        company = Company(name='{order} <a|b> "x" & <b>', industry="<i>")
        for to in ("größe@exämple.de", '"a b"@acme.test', "x@[192.0.2.1]", "a" * 60 + "@" + "b" * 60 + ".test"):
            for kind in KINDS:
                one = mail(kind, "de", 1, to=to, company=company)
                said = read(one.octets)
                self.assertEqual((said.message_id, said.subject), (one.message_id, one.subject), (to, kind))
                self.assertLess(max(map(len, one.octets.split(b"\r\n"))), 999)
        letters = [read(mail("inquiry", "en", n, company=company).octets) for n in range(12)]
        self.assertTrue([one for one in letters if '{order} <a|b> "x" & <b>' in one.text])

    def test_trace(self) -> None:
        """It came over the network, and its domain vouches for it; none of the truth is in it."""
        for kind in KINDS:
            octets = mail(kind).octets
            self.assertTrue(octets.startswith(b"Return-Path: <"), kind)
            self.assertIn(b"X-Service-Simulated: yes", octets)
            one = read(octets)
            self.assertEqual("dkim=pass" in one.header("Authentication-Results"), kind != "spam")
            for word in (b"bounce_backscatter", b"expected", b"sales_pitch", b"escalate"):
                self.assertNotIn(word, octets.lower())


class MachineTests(SynchronousTestCase):
    """Mail that nobody writes by hand."""

    def test_newsletter(self) -> None:
        """One can leave a newsletter, with one click too."""
        one = read(mail("newsletter").octets)
        self.assertIn("<https://", one.header("List-Unsubscribe"))
        self.assertEqual(one.header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click")
        self.assertTrue(one.header("List-Id").endswith(">"))
        self.assertTrue(one.html)

    def test_automatic(self) -> None:
        """Machines say that they are machines, but for spam, and nothing they send wants an answer."""
        for kind in ("newsletter", "notification", "auto_reply", "bounce_backscatter"):
            for language in TONGUES:
                one = mail(kind, language)
                self.assertTrue(automatic(read(one.octets), one.reverse_path), kind)
                self.assertEqual((one.expected, one.hours, one.facts), ("ignore", None, None))

    def test_bounce(self) -> None:
        """A bounce is a report about a mail that names the company as its sender."""
        for n in range(6):
            one = mail("bounce_backscatter", "en", n)
            octets = one.octets
            self.assertIn(b"multipart/report; report-type=delivery-status", octets.replace(b"\r\n\t", b" "))
            self.assertIn(b"From: hello@acme.test", octets.replace(b"<", b"").replace(b">", b""))
            self.assertEqual((read(octets).from_, read(octets).subject), (one.sender, one.subject))
            self.assertEqual(octets.count(b"Return-Path:"), 1)

    def test_spam(self) -> None:
        """Most spam is told from mail by its looks, and hardly any mail is taken for spam."""
        for language in TONGUES:
            scores = {kind: [score(read(one.octets), one.reverse_path, INBOX).score for one in (
                mail(kind, language, n) for n in range(24 if kind == "spam" else 8))]
                      for kind in KINDS if kind not in _HOSTILE}
            junk = scores.pop("spam")
            self.assertGreater(sum(junk) / len(junk), 3.0, language)
            self.assertGreater(sum(one >= 3.0 for one in junk), 10, language)
            for kind, others in scores.items():
                self.assertLess(max(others), 3.0, (kind, language))


class DeadlineTests(SynchronousTestCase):
    """Until when something should be answered."""

    def test_weekend(self) -> None:
        """Saturdays and Sundays do not count."""
        friday = datetime(2026, 3, 6, 15, tzinfo=UTC)
        self.assertEqual(answer_by(friday, 8), datetime(2026, 3, 6, 23, tzinfo=UTC))
        self.assertEqual(answer_by(friday, 24), datetime(2026, 3, 9, 15, tzinfo=UTC))
        self.assertEqual(answer_by(friday + timedelta(days=1), 8), datetime(2026, 3, 9, 8, tzinfo=UTC))
        self.assertEqual(answer_by(NOW, 48), NOW + timedelta(days=2))
