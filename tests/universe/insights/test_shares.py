"""Tests for C{simmail.universe.insights.shares}."""

from __future__ import annotations

import msgspec

from simmail.errors import Invalid, NotFound
from simmail.testing.universe import now
from simmail.universe.insights import shares as module
from tests.universe.insights.test_insights import InsightsTestCase
from tests.universe.test_road import persona


class ShareTests(InsightsTestCase):
    """Reports that are shared."""

    def test_made(self) -> None:
        """A token nobody can guess, kept over a crash, until it is revoked."""
        one, other = (now(self.universe.shares.create(title, 7)) for title in ("One", "Other"))
        self.assertRegex(one.token, r"^shr_[A-Za-z0-9_-]{43}$")
        self.assertNotEqual(one.token, other.token)
        again = self.started_again()
        self.assertEqual({share.token for share in again.shares.list()}, {one.token, other.token})
        now(again.shares.revoke(one.token))
        self.assertEqual(again.shares.list(), [other])
        for token in (one.token, other.token[:-1], other.token + "x", "", "\ud800"):
            self.assertRaises(NotFound, again.shares.get, token)
            self.assertRaises(NotFound, now, again.shares.revoke(token))
        self.assertEqual([event["data"] for event in self.events("settings.updated")], [{"name": "shares"}] * 3)

    def test_bound(self) -> None:
        """There are only so many."""
        self.patch(module, "MOST_SHARES", 1)
        now(self.universe.shares.create("One", 7))
        self.assertRaises(Invalid, now, self.universe.shares.create("Other", 7))

    def test_shown(self) -> None:
        """Senders are domains, senders of one domain are one, and nobody's whole name is in a subject."""
        now(self.universe.people.create(persona(addresses=["ann@acme.test"], name="Ann Berg")))
        for sender in ("app@sim.test", "news@sim.test"):
            self.server.send(self.universe, sender, "maria@acme.test",
                             b"Subject: Maria, Ann Berg asks\nMessage-ID: <" + sender.encode() + b">\n\nHello\n")
        report = self.report()
        self.assertEqual([one["subject"] for one in report["campaigns"]], ["Ann Berg asks"] * 2)
        shown = now(self.universe.shares.shown(now(self.universe.shares.create("News", 30))))
        self.assertEqual([(one.sender, one.subject, one.sent) for one in shown.insights.campaigns],
                         [("sim.test", "asks", 2)])
        self.assertNotIn(b"@", msgspec.json.encode(shown))
