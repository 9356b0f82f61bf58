"""Tests for C{simmail.universe.mailflow.missing_message_id}: mail that comes without a Message-ID."""

from __future__ import annotations

from typing import Any

from simmail.core.message.parse import read
from simmail.testing.universe import MemoryServer, now
from tests.universe.test_road import MAIL, RoadTestCase

NAMELESS = MAIL.replace(b"Message-ID: <one@app.test>\n", b"")


class NamingTests(RoadTestCase):
    """Names are drawn, and counted for each sender."""

    def names(self, universe: Any, *senders: str) -> list[str]:
        """The Message-IDs of nameless mails by some senders, in the order they were sent."""
        found = []
        for sender in senders:
            found.append(self.server.send(universe, sender, "box@sim.test", NAMELESS).message_id)
        folder = now(universe.store.folder("box@sim.test", "INBOX"))
        self.assertEqual([read(now(folder.read(uid))).message_id for uid in folder.uids][-len(found):], found)
        return found

    def test_repeated(self) -> None:
        """The seed, the sender and the number say how a mail is called; others in between change nothing."""
        one = self.names(self.universe, "a@x.test", "b@x.test", "a@x.test", "")
        self.assertEqual(len(set(one)), 4)
        self.assertRegex(one[0], r"^<[a-z0-9]{24}@sim\.test>$")
        self.server = MemoryServer()
        same = self.names(self.server.universe(), "a@x.test", "A@x.test", "b@x.test")
        self.assertEqual([same[0], same[1], same[2]], [one[0], one[2], one[1]])
        self.assertNotEqual(self.names(self.server.universe("u2", seed="another"), "a@x.test"), one[:1])

    def test_own_name_counts_nothing(self) -> None:
        """A mail that has a name keeps it, and takes none of the service's."""
        (first,) = self.names(self.universe, "a@x.test")
        self.assertEqual(self.server.send(self.universe, "a@x.test", "box@sim.test", MAIL).message_id, "<one@app.test>")
        (second,) = self.names(self.universe, "a@x.test")
        self.server = MemoryServer()
        self.assertEqual(self.names(self.server.universe(), "a@x.test", "a@x.test"), [first, second])

    def test_injected(self) -> None:
        """What is put into a mailbox is called by its author's count, which outlives a start."""
        place, uid = now(self.universe.mailboxes.inject("box@sim.test", "INBOX", NAMELESS.replace(b"\n", b"\r\n")))
        first = read(now(self.universe.mailboxes.read("box@sim.test", place, uid))[1]).message_id
        self.assertEqual(now(self.universe.database.table("main", "named")), {"app@sim.test": b"1"})
        now(self.universe.learn())
        again = self.names(self.universe, "app@sim.test")
        self.assertNotEqual(again, [first])
        self.server = MemoryServer()
        self.assertEqual(self.names(self.server.universe(), "app@sim.test", "app@sim.test"), [first, *again])
