"""Tests for C{simmail.universe.score}: the score of mail that came and was written."""

from __future__ import annotations

from typing import Any

from simmail.core.message.parse import read
from simmail.core.score.points import ScorePart
from simmail.errors import Invalid
from simmail.testing.universe import now, turned
from tests.universe.world.test_world_mail import INBOX, NEW, WorldTestCase, stream


class ScoresTests(WorldTestCase):
    """A world of orders and spam, and an application that answers."""

    def setUp(self) -> None:
        """One order and one spam mail have come."""
        super().setUp()
        self.put(stream(id="orders", kind="order", mix=NEW, enabled=False),
                 stream(id="bad", kind="spam", enabled=False))
        self.fire("orders")
        self.fire("bad")
        self.order, self.spam = self.mails()

    def parts(self, **asked: Any) -> dict[str, ScorePart]:
        """The parts of the score that have points."""
        report = turned(self.universe, self.universe.scores.score(**asked))
        return {one.id: one for one in report.parts if one.n}

    def mail(self, message_id: str) -> Any:
        """The mail that came, and where it is."""
        folder, uid = now(self.universe.mailboxes.find(INBOX, message_id))
        return folder, uid, read(now(self.universe.mailboxes.read(INBOX, folder, uid))[1])

    def answer(self, text: str, name: str = "<1@acme.test>", **fields: str) -> None:
        """The order is answered."""
        came = self.mail(self.order["message_id"])[2]
        to = came.from_.address
        headers = {"From": INBOX, "To": to, "Subject": f"Re: {came.subject}", "Message-ID": name,
                   "In-Reply-To": came.message_id, **fields}
        quoted = "\n".join(f"> {line}" for line in came.text.split("\n"))
        octets = "".join(f"{one}: {value}\n" for one, value in headers.items()) + f"\n{text}\n\n{quoted}\n"
        self.server.send(self.universe, INBOX, to, octets.encode())

    def test_answered(self) -> None:
        """What the answer says itself counts, not what it quotes; spam that was moved was reported."""
        must = self.order["facts"]["must"]
        self.assertTrue(must)
        self.answer("Thank you, it is on its way.")
        folder, uid, _ = self.mail(self.spam["message_id"])
        now(self.universe.mailboxes.change(INBOX, folder, uid, move_to="Junk"))
        parts = self.parts()
        self.assertEqual({name: one.score for name, one in parts.items()}, {
            "answered": 1.0, "in_time": 1.0, "thread": 1.0, "once": 1.0, "facts": 0.0, "unwanted": 1.0,
            "reported": 1.0})
        self.assertEqual(parts["answered"].points[0].messages, (self.order["message_id"], "<1@acme.test>"))
        self.answer(f"Your order: {', '.join(must)}", "<2@acme.test>")
        parts = self.parts()
        self.assertEqual((parts["facts"].score, parts["once"].score), (1.0, 0.0))
        self.assertEqual(self.parts(), parts)

    def test_left(self) -> None:
        """Nobody did anything for a week."""
        self.assertEqual({name: one.score for name, one in self.parts().items()}, {"unwanted": 1.0})
        since = self.universe.clock.now()
        self.advance(days=7)
        self.assertEqual({name: one.score for name, one in self.parts().items()}, {
            "answered": 0.0, "in_time": 0.0, "thread": 0.0, "once": 0.0, "facts": 0.0, "unwanted": 1.0,
            "reported": 0.0})
        self.assertIn("lies in INBOX", self.parts()["reported"].points[0].why)
        self.assertEqual(self.parts(since=since), self.parts())
        self.assertEqual(self.parts(since=self.universe.clock.now()), {})

    def test_machine(self) -> None:
        """What says itself that it was made by a machine is no answer."""
        self.answer("We got it.", **{"Auto-Submitted": "auto-replied"})
        self.advance(days=7)
        self.assertIn("a machine alone", self.parts()["answered"].points[0].why)

    def test_secrets(self) -> None:
        """A secret of a case that an answer tells is lost."""
        now(self.universe.case_editor.push({"title": "Floor", "secrets": {"floor": "81,500 EUR"}}))
        self.assertEqual(self.parts()["secrets"].score, 1.0)
        self.answer("The least we take is 81,500 EUR.")
        self.assertEqual(self.parts()["secrets"].score, 0.0)

    def test_expectations(self) -> None:
        """They are kept, replaced whole, and reported on; a bad document changes nothing."""
        stated = {"expectations": [{"id": "confirm", "on": {"kind": "order"}, "within": "1h"}]}
        turned(self.universe, self.universe.scores.put_expectations(stated))
        self.assertRaises(Invalid, lambda: now(self.universe.scores.put_expectations({"expectations": [{"id": "x"}]})))
        self.assertNotIn("expectations", self.parts())
        self.answer("Yes.")
        self.assertEqual(self.parts()["expectations"].score, 1.0)
        now(self.universe.settings.start())
        self.assertEqual(self.universe.scores.expectations.expectations[0].id, "confirm")
        turned(self.universe, self.universe.scores.put_expectations({}))
        self.assertNotIn("expectations", self.parts())

    def test_nothing_changes(self) -> None:
        """Who asks for the score changes nothing."""
        last = now(self.universe.database.last_event(self.universe.id))
        self.parts()
        self.assertEqual(now(self.universe.database.last_event(self.universe.id)), last)
