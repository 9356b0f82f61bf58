"""Webhooks over HTTP."""

from __future__ import annotations

from typing import Any

from simmail.core.webhook.endpoint import HIDDEN
from simmail.core.webhook.retry import WebhookAnswer
from simmail.testing.universe import now
from tests.rest.served import ServedTestCase

URL = "https://app.example.com/hook"


class WebhookTests(ServedTestCase):
    """What is configured, tried and asked for."""

    def setUp(self) -> None:
        """The endpoint takes everything."""
        super().setUp()
        self.server.endpoints.replies[URL] = WebhookAnswer(200, 3, body="thanks")

    def put(self, **fields: Any) -> dict[str, Any]:
        """One webhook."""
        (shown,) = self.good("PUT", "/api/webhooks", [{"url": URL, **fields}])
        return dict(shown)

    def settle(self) -> None:
        """Everything that is due is sent."""
        for _ in range(20):
            self.server.reactor.advance(0)

    def test_contract(self) -> None:
        """The list is replaced whole; secrets are shown as dots, and dots keep them."""
        self.assertEqual(self.good("GET", "/api/webhooks", role="viewer"), [])
        shown = self.put(name="app", events=["persona.*"], secret="s3cret")
        self.assertEqual((shown["name"], shown["url"], shown["events"], shown["secret"]),
                         ("app", URL, ["persona.*"], HIDDEN))
        again = self.put(name="app", secret=HIDDEN)
        self.assertEqual((again["id"], again["events"], again["secret"]), (shown["id"], [], HIDDEN))
        self.assertEqual(self.put()["secret"], "")
        self.assertEqual(self.good("PUT", "/api/webhooks", []), [])
        self.assertEqual(self.good("GET", "/api/webhooks"), [])

    def test_who(self) -> None:
        """Reading needs a viewer, changing an administrator and the feature."""
        self.bad(403, "PUT", "/api/webhooks", [], "member")
        self.bad(403, "POST", "/api/webhooks/test", {"webhook": "a"}, "member")
        self.bad(403, "POST", "/api/webhooks/verify", {"headers": {}, "body": "", "secret": "s"}, "viewer")
        self.assertIn("webhooks", self.good("GET", "/api/plan")["features"])

    def test_refused(self) -> None:
        """A bad list names the field and changes nothing."""
        self.put(name="app")
        for body, words in (
            ([{"url": URL}, {"url": "gopher://x.test"}], "1.url: only http and https"),
            ([{"url": "http://169.254.169.254/latest"}], "0.url: "),
            ([{"url": URL, "events": ["persona.sant"]}], "0.events.0: no such event type"),
            ([{"url": URL, "secret": "whsec_x"}], "0.secret: "),
            ([{"url": "https://other.example.com/", "secret": HIDDEN}], "0.secret: "),
            ([{"name": "none"}], "0.url"),
            ([{"url": URL, "colour": "red"}], "colour"),
            ({"url": URL}, ""),
        ):
            self.assertIn(words, self.bad(400, "PUT", "/api/webhooks", body), words)
        self.assertEqual([one["name"] for one in self.good("GET", "/api/webhooks")], ["app"])

    def test_attempts(self) -> None:
        """What was tried is listed, newest first, in pages."""
        self.put(name="app", events=["settings.updated", "pace"])
        for n in (1, 2, 3):
            self.good("PUT", "/api/pace", {"factor": n})
        self.settle()
        answer = self.ask("GET", "/api/webhooks/attempts?limit=2")
        page = answer.json()
        self.assertEqual([(one["type"], one["status"], one["answer"], one["attempt"], one["next"]) for one in page],
                         [("pace", 200, "thanks", 1, None)] * 2)
        rest = self.good("GET", f"/api/webhooks/attempts?before={page[-1]['id']}&webhook=app")
        self.assertEqual([one["id"] for one in page + rest], [4, 3, 2, 1])
        self.bad(404, "GET", "/api/webhooks/attempts?webhook=nobody")

    def test_test(self) -> None:
        """A test call answers with what came back."""
        self.put(name="app", secret="s3cret")
        attempt = self.good("POST", "/api/webhooks/test", {"webhook": "app"})
        self.assertEqual((attempt["type"], attempt["status"], attempt["ms"], attempt["answer"]),
                         ("webhook.test", 200, 3, "thanks"))
        self.bad(404, "POST", "/api/webhooks/test", {"webhook": "other"})

    def test_redeliver(self) -> None:
        """One event, or all after one; one of them has to be named."""
        self.put(name="app")
        self.good("PUT", "/api/pace", {"factor": 2})
        self.settle()
        number = self.universe.log.last
        got = len(self.server.endpoints.got)
        self.good("POST", "/api/webhooks/redeliver", {"webhook": "app", "event_id": number})
        self.settle()
        self.assertEqual(len(self.server.endpoints.got), got + 1)
        self.good("POST", "/api/webhooks/redeliver", {"webhook": "app", "after": number - 1})
        self.settle()
        self.assertEqual(len(self.server.endpoints.got), got + 2)
        for body in ({"webhook": "app"}, {"webhook": "app", "event_id": 1, "after": 1}):
            self.assertIn("event_id", self.bad(400, "POST", "/api/webhooks/redeliver", body))
        self.bad(404, "POST", "/api/webhooks/redeliver", {"webhook": "app", "event_id": 10**6})
        self.put(name="app", enabled=False)
        self.bad(409, "POST", "/api/webhooks/redeliver", {"webhook": "app", "after": 0})

    def test_verify(self) -> None:
        """What an endpoint got is verified as it came; what it wrote anew is not, and is told why."""
        self.put(name="app", secret="s3cret")
        self.good("POST", "/api/webhooks/test", {"webhook": "app"})
        _, headers, body = self.server.endpoints.got[-1]
        asked = {"headers": headers, "body": body.decode(), "secret": "s3cret"}
        self.assertEqual(self.good("POST", "/api/webhooks/verify", asked, "member"),
                         {"valid": True, "matched": ["X-Service-Signature", "webhook-signature"], "why": []})
        asked["body"] = asked["body"].replace('":"', '": "')  # type: ignore[attr-defined]
        verdict = self.good("POST", "/api/webhooks/verify", asked)
        self.assertFalse(verdict["valid"])
        self.assertIn("written again", verdict["why"][0])

    def test_secret_in_no_log(self) -> None:
        """No event and no attempt has the secret."""
        self.put(name="app", secret="very-secret-indeed")
        self.settle()
        for path in ("/api/events", "/api/webhooks", "/api/webhooks/attempts"):
            self.assertNotIn("very-secret", self.ask("GET", path).body.decode())
        self.assertTrue(now(self.universe.database.table("main", "webhooks")))
