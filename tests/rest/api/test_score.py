"""The score over HTTP."""

from __future__ import annotations

from datetime import timedelta
from email.utils import parseaddr

from simmail.testing.universe import turned
from tests.rest.served import ServedTestCase
from tests.universe.world.test_world_mail import INBOX, stream, world


class ScoreTests(ServedTestCase):
    """The report, and what is expected."""

    def test_score(self) -> None:
        """Points with their mails; those that cost something, or none, where only they are asked for."""
        self.good("PUT", "/api/world", world(stream(), stream(id="bad", kind="spam")))
        self.good("POST", "/api/world/streams/asked/fire")
        self.good("POST", "/api/world/streams/bad/fire")
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(0)))
        asked, spam = self.good("GET", f"/api/mailboxes/{INBOX}/messages")[::-1]
        self.good("POST", "/api/send", {
            "from": INBOX, "to": [parseaddr(asked["from"])[1]], "subject": f"Re: {asked['subject']}", "text": "Yes.",
            "in_reply_to": asked["message_id"]})
        found = self.good("GET", "/api/score", role="viewer")
        parts = {one["id"]: one for one in found["parts"]}
        self.assertEqual((found["since"], found["graded"], found["waiting"]), (None, 2, 0))
        self.assertEqual([parts[name]["score"] for name in ("answered", "unwanted", "attacks")], [1, 1, None])
        self.assertEqual(parts["answered"]["points"][0]["messages"][0], asked["message_id"])
        self.assertEqual(parts["unwanted"]["points"][0]["messages"], [spam["message_id"]])
        lost = self.good("GET", "/api/score?points=lost&since=2000-01-01T00:00:00Z")
        self.assertEqual((lost["score"], {one["id"]: one["points"] for one in lost["parts"]}["answered"]),
                         (found["score"], []))
        self.assertEqual({tuple(one["points"]) for one in self.good("GET", "/api/score?points=none")["parts"]}, {()})
        self.assertIn("since", self.bad(400, "GET", "/api/score?since=yesterday"))
        self.assertIn("points", self.bad(400, "GET", "/api/score?points=some"))

    def test_expectations(self) -> None:
        """They are replaced by a member, and what was read may be sent back."""
        self.assertEqual(self.good("GET", "/api/score/expectations", role="viewer"), {"expectations": []})
        found = self.good("PUT", "/api/score/expectations", {"expectations": [
            {"id": "x", "to": ["a@b.test"], "before": "2100-01-01T00:00:00Z", "effect": "forbidden"}]}, role="member")
        self.assertEqual(self.good("PUT", "/api/score/expectations", found), found)
        parts = self.good("GET", "/api/score")["parts"]
        self.assertEqual(parts[-1]["points"][0]["why"], "x: a@b.test got nothing forbidden")
        self.assertIn("expectations.0.to", self.bad(400, "PUT", "/api/score/expectations", {
            "expectations": [{"id": "x", "to": ["nobody"]}]}))
        self.bad(403, "PUT", "/api/score/expectations", {}, role="viewer")
        self.assertEqual(self.good("GET", "/api/score/expectations"), found)
