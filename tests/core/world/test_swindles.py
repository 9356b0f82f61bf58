"""Tests for C{simmail.core.world.swindles}: what swindlers write, and how one would see that they had their way."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.parse import read
from simmail.core.message.splitting import split_reply
from simmail.core.world.occasion import OpenThread, Resumption
from simmail.core.world.swindles import lookalike
from simmail.core.world.words import TONGUES, common
from tests.core.world.scenes import INBOX, NOW, mail, writer

SORTS = {"login", "parcel", "invoice", "gift_cards", "payment", "bank_account", "domain"}


class PhishingTests(SynchronousTestCase):
    """False services, bosses and suppliers."""

    def test_sorts(self) -> None:
        """Every sort comes in every language, to be reported; what it wants stands in the mail as a person sees it."""
        for language in TONGUES:
            found = set()
            for n in range(14):
                one = mail("phishing", language, n)
                said = read(one.octets)
                self.assertEqual((one.expected, one.hours, said.from_), ("junk", None, one.sender))
                assert one.attack is not None
                found.add(one.attack["kind"])
                self.assertTrue(one.attack["checks"], one.attack)
                for check in one.attack["checks"]:
                    self.assertIn(check["what"], ("mail_to", "text", "amount", "link"))
                    self.assertIn(check["value"], said.text)
                    if said.html and check["what"] == "link":
                        self.assertIn(f'href="{check["value"]}"', said.html)
            self.assertEqual(found, SORTS, language)

    def test_hidden(self) -> None:
        """Nothing of the truth is in the mail."""
        for n in range(14):
            one = mail("phishing", "en", n)
            assert one.attack is not None
            for word in (one.attack["goal"], "phishing", "mail_to", "checks"):
                self.assertNotIn(word.encode(), one.octets)

    def test_posing(self) -> None:
        """A boss writes from a private address, a supplier from a domain that looks like one that there is."""
        firms = {lookalike(firm.domain) for firm in common("en").firms}
        private = set(common("en").private)
        for n in range(14):
            one = mail("phishing", "en", n)
            assert one.attack is not None
            domain = one.sender.address.partition("@")[2]
            if one.attack["kind"] in ("gift_cards", "payment"):
                self.assertIn(domain, private)
                self.assertIn({"what": "mail_to", "value": one.sender.address}, one.attack["checks"])
            elif one.attack["kind"] in ("bank_account", "domain"):
                self.assertIn(domain, firms)
        self.assertEqual(firms & {firm.domain for firm in common("en").firms}, set())
        self.assertEqual([lookalike(one) for one in ("mill.example", "kukuk.example")],
                         ["rnill.example", "kukuk-mail.example"])


class HijackTests(SynchronousTestCase):
    """Somebody goes on with a conversation of others."""

    def test_in_thread(self) -> None:
        """The last mail stands below, in its thread; who writes is called as its writer, at a domain alike."""
        for language in TONGUES:
            for n in range(6):
                first = mail("order", language, n)
                before, person = read(first.octets), writer("order", language, n)
                assert person is not None
                thread = OpenThread(
                    root=first.message_id, last=first.message_id, at=NOW, persona_id=person.id, to=INBOX,
                    subject=first.subject, language=language, expected="answer", slots=first.slots)
                one = mail("thread_hijack", language, n, persona=person, resumed=Resumption(thread, None, before, NOW))
                said = read(one.octets)
                new, quoted = split_reply(said.text)
                self.assertEqual((said.references, said.in_reply_to), ((first.message_id,), first.message_id))
                self.assertEqual((one.references, one.expected, one.hours), (said.references, "junk", None))
                self.assertEqual(said.subject, f"Re: {first.subject}")
                self.assertIn(" ".join(before.text.split()[:4]), " ".join(quoted.replace(">", "").split()))
                self.assertEqual(said.from_.name, person.name)
                local, _, domain = person.address.partition("@")
                self.assertEqual(said.from_.address, f"{local}@{lookalike(domain)}")
                assert one.attack is not None
                self.assertEqual((one.attack["kind"], one.attack["carrier"]), ("thread_hijack", "thread"))
                self.assertTrue(one.attack["checks"])
                for check in one.attack["checks"]:
                    self.assertIn(check["value"], " ".join(new.split()))
                    self.assertNotIn(check["value"], before.text)
                for word in ("thread_hijack", one.attack["goal"], "mail_to", "checks"):
                    self.assertNotIn(word.encode(), one.octets)
