"""Tests for C{simmail.universe.people.learning}."""

from __future__ import annotations

from simmail.errors import Invalid, NotFound
from simmail.testing.universe import now
from simmail.universe.people.learning import Learned, learn_persona
from tests.universe.test_road import MAIL, RoadTestCase, persona


class LearnTests(RoadTestCase):
    """Personas from the mail that is there."""

    def learn(self, address: str, paused: bool = False) -> Learned:
        """Learn who is behind an address."""
        universe = self.universe
        return now(learn_persona(universe.people, universe.store, universe.search.newest, address, paused))

    def test_learned(self) -> None:
        """Name, client and role come from what somebody wrote; correspondents that are known are named."""
        now(self.universe.people.create(persona()))
        for n in range(4):
            octets = (
                f"From: Jo Park <jo@beta.test>\r\nTo: maria@acme.test\r\nSubject: n {n}\r\nMessage-ID: <{n}@b>\r\n"
                "X-Mailer: Apple Mail (2.3774)\r\n\r\nHi Maria,\r\n\r\nshort note.\r\n\r\n-- \r\nJo Park\r\n"
                "Account Manager\r\n").encode()
            now(self.universe.mailboxes.inject("jo@beta.test", "Sent", octets))
        learned = self.learn("jo@beta.test", paused=True)
        self.assertEqual((learned.persona.provider, learned.persona.name), ("mail", "Jo Park"))
        self.assertEqual((learned.persona.paused, learned.people), (True, ("maria@acme.test",)))
        self.assertEqual(len(self.events("persona.created")), 1)

    def test_nothing_to_learn_from(self) -> None:
        """No mailbox, an empty one, and somebody who is a persona already are refused."""
        self.assertRaises(NotFound, self.learn, "no@beta.test")
        now(self.universe.store.create("empty@beta.test"))
        self.assertRaises(Invalid, self.learn, "empty@beta.test")
        now(self.universe.people.create(persona()))
        self.assertRaises(Invalid, self.learn, "maria@acme.test")

    def test_from_others(self) -> None:
        """Of somebody without a mailbox the mail that lies in those of others is read, each message once."""
        octets = MAIL.replace(b"app@sim.test", b"jo@beta.test")
        for mailbox in ("a@sim.test", "b@sim.test"):
            now(self.universe.mailboxes.inject(mailbox, "INBOX", octets))
        now(self.universe.mailboxes.inject("c@sim.test", "Junk", octets.replace(b"<one@", b"<two@")))
        learned = self.learn("jo@beta.test")
        self.assertEqual(learned.persona.address, "jo@beta.test")
        self.assertIn("1 ", learned.by)
