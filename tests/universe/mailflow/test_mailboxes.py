"""Tests for C{simmail.universe.mailflow.mailboxes}."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from simmail.config import Config, Limits
from simmail.errors import Invalid, NotFound, TooLarge
from simmail.testing.universe import START, MemoryServer, now
from simmail.universe.mailflow.mailboxes import Counts
from simmail.universe.policy import Account
from tests.universe.test_road import MAIL, RoadTestCase, persona


class MailboxesTests(RoadTestCase):
    """Mailboxes as the API has them."""

    def setUp(self) -> None:
        """Three messages in one INBOX."""
        super().setUp()
        self.mailboxes = self.universe.mailboxes
        for number in range(3):
            self.inject(b"Subject: %d\n\ntext\n" % number)

    def inject(self, octets: bytes, to: str = "app@sim.test", folder: str = "INBOX") -> Any:
        return now(self.mailboxes.inject(to, folder, octets.replace(b"\n", b"\r\n")))

    def subjects(self, **asked: Any) -> list[str]:
        return [one.digest.subject for one in now(self.mailboxes.messages("app@sim.test", **asked))]

    def test_messages(self) -> None:
        """The newest come first, so many at most, below a UID."""
        self.assertEqual(self.subjects(), ["2", "1", "0"])
        self.assertEqual(self.subjects(limit=2), ["2", "1"])
        self.assertEqual(self.subjects(before=3, limit=1), ["1"])
        self.assertEqual(self.subjects(folder="Sent"), [])

    def test_listed(self) -> None:
        """Those without a persona come first, each with whose it is, what it may and what it holds."""
        now(self.universe.people.create(persona()))
        now(self.universe.store.create("zoe@sim.test"))
        self.universe.policy.took(Account("zoe@sim.test", "hash", display_name="Zoe"))
        now(self.mailboxes.change("app@sim.test", "INBOX", 1, seen=True))
        found = now(self.mailboxes.list())
        self.assertEqual([one.address for one in found], ["app@sim.test", "zoe@sim.test", "maria@acme.test"])
        self.assertEqual((found[0].total, found[0].unread, found[0].folders), (3, 2, {"INBOX": Counts(3, 2)}))
        self.assertEqual((found[1].display_name, found[1].can_login, found[0].can_login), ("Zoe", True, False))
        self.assertEqual((found[2].persona, found[0].persona_id), ("Maria Rossi", UNSET))

    def test_changed(self) -> None:
        """Seen or not, and moved: a message that was moved has a UID of its new folder."""
        folder, uid = now(self.mailboxes.change("app@sim.test", "INBOX", 2, seen=True, move_to="Archive"))
        self.assertEqual((folder, self.subjects(), self.subjects(folder="Archive")), ("Archive", ["2", "0"], ["1"]))
        entry, octets = now(self.mailboxes.read("app@sim.test", folder, uid))
        self.assertIn("\\Seen", entry.flags)
        self.assertIn(b"Subject: 1\r\n", octets)
        self.assertEqual(now(self.mailboxes.change("app@sim.test", folder, uid, seen=False)), (folder, uid))
        self.assertNotIn("\\Seen", now(self.mailboxes.read("app@sim.test", folder, uid))[0].flags)
        # Into the folder it is in already it goes nowhere.
        self.assertEqual(now(self.mailboxes.change("app@sim.test", "INBOX", 1, move_to="INBOX")), ("INBOX", 1))

    def test_not_there(self) -> None:
        """What is not there is said so, and nothing has changed where the target is missing."""
        read, change = self.mailboxes.read, self.mailboxes.change
        for work in (lambda: read("no@sim.test", "INBOX", 1), lambda: read("app@sim.test", "Lists", 1),
                     lambda: read("app@sim.test", "INBOX", 9), lambda: change("app@sim.test", "INBOX", 9, seen=True),
                     lambda: change("app@sim.test", "INBOX", 1, True, "Lists"),
                     lambda: self.mailboxes.delete("app@sim.test", "INBOX", 9)):
            self.assertRaises(NotFound, now, work())
        self.assertNotIn("\\Seen", now(read("app@sim.test", "INBOX", 1))[0].flags)
        now(self.mailboxes.delete("app@sim.test", "INBOX", 1))
        self.assertEqual(self.subjects(), ["2", "1"])

    def test_found(self) -> None:
        """A message is found by its Message-ID in whichever folder it is, the newest of them."""
        for folder in ("INBOX", "Archive", "Archive"):
            self.inject(MAIL, folder=folder)
        self.assertEqual(now(self.mailboxes.find("app@sim.test", "<one@app.test>")), ("INBOX", 4))
        now(self.mailboxes.delete("app@sim.test", "INBOX", 4))
        self.assertEqual(now(self.mailboxes.find("app@sim.test", "<one@app.test>")), ("Archive", 2))
        self.assertIsNone(now(self.mailboxes.find("app@sim.test", "<two@app.test>")))

    def test_injected(self) -> None:
        """It is made complete, its mailbox with it; nobody is told, and who waits for mail sees it."""
        folder, uid = self.inject(b"hello\n", "New@Sim.test")
        octets = now(self.mailboxes.read("new@sim.test", folder, uid))[1]
        self.assertRegex(octets, rb"Message-ID: <\S+@sim\.test>\r\n")
        self.assertEqual(self.events(), [])
        self.assertEqual(self.universe.recent.numbers("new@sim.test", "INBOX"), {uid: 0})
        (filed,) = now(self.mailboxes.messages("new@sim.test"))
        self.assertEqual(filed.entry.date, START)

    def test_not_injected(self) -> None:
        """No address, or over the limit: there is no mailbox for it either."""
        universe = MemoryServer(Config(limits=Limits(message=100))).universe()
        self.assertRaises(Invalid, now, universe.mailboxes.inject("nobody", "INBOX", MAIL))
        self.assertRaises(TooLarge, now, universe.mailboxes.inject("a@x.test", "INBOX", MAIL))
        self.assertFalse(universe.store.exists("a@x.test"))
