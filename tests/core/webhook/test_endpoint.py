"""Webhooks as they are configured and shown."""

from __future__ import annotations

from itertools import count
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.webhook.endpoint import HIDDEN, Webhook, WebhookFields, WebhookState, configured, shown
from simmail.errors import Invalid

NOW = 1_790_000_000.0
URL = "https://app.example.com/hook"


class ConfiguredTests(SynchronousTestCase):
    """A new list, made of what is given and what was there."""

    def setUp(self) -> None:
        """Ids are numbers."""
        self.numbers = count(1)

    def made(self, *given: dict[str, Any], before: tuple[Webhook, ...] = (), now: float = NOW) -> tuple[Webhook, ...]:
        """What the list makes."""
        fields = [WebhookFields(**{"url": URL, **one}) for one in given]
        return configured(fields, before, lambda: next(self.numbers), now)

    def refused(self, given: dict[str, Any]) -> str:
        """The field that is named."""
        with self.assertRaises(Invalid) as raised:
            self.made({}, given)
        return raised.exception.field

    def test_kept(self) -> None:
        """The same url keeps id and hidden secret; two of one url are told apart by name."""
        first = self.made({"name": "a", "secret": "one"}, {"name": "b", "secret": "two"})
        again = self.made({"name": "b", "secret": HIDDEN}, {"name": "a", "secret": HIDDEN}, before=first)
        self.assertEqual([(one.id, one.name, one.secret) for one in again],
                         [("wh_2", "b", "two"), ("wh_1", "a", "one")])
        renamed = self.made({"name": "c", "secret": HIDDEN}, before=first[:1])
        self.assertEqual((renamed[0].id, renamed[0].secret), ("wh_1", "one"))

    def test_rotated(self) -> None:
        """A new secret lets the old one sign too for a while; the old one cannot outlive its time by another PUT."""
        first = self.made({"secret": "one"})
        second = self.made({"secret": "two", "overlap": "1h"}, before=first)
        self.assertEqual(len(second[0].keys(NOW + 3599)), 2)
        self.assertEqual(len(second[0].keys(NOW + 3600)), 1)
        third = self.made({"secret": HIDDEN, "overlap": "1h"}, before=second, now=NOW + 1800)
        self.assertEqual((third[0].previous, third[0].until), ("one", NOW + 3600))
        at_once = self.made({"secret": "two", "overlap": "0s"}, before=first)
        self.assertEqual(len(at_once[0].keys(NOW)), 1)
        self.assertEqual(self.made({}, before=first)[0].keys(NOW), ())

    def test_refused(self) -> None:
        """By index and field."""
        self.assertEqual(self.refused({"url": "ftp://x.test/"}), "1.url")
        self.assertEqual(self.refused({"url": "https://user:pw@x.test/"}), "1.url")
        self.assertEqual(self.refused({"events": ("persona.sent", "persona.sant")}), "1.events.1")
        self.assertEqual(self.refused({"events": ("nothing.*",)}), "1.events.0")
        self.assertEqual(self.refused({"secret": HIDDEN}), "1.secret")
        self.assertEqual(self.refused({"secret": "whsec_?"}), "1.secret")
        self.assertEqual(self.refused({"overlap": "soon"}), "1.overlap")
        self.assertEqual(self.refused({"overlap": "500d"}), "1.overlap")
        self.assertEqual(self.refused({"name": "a\r\nb"}), "1.name")
        with self.assertRaises(Invalid):
            self.made(*[{}] * 51)

    def test_filters(self) -> None:
        """Without a filter everything but what failed."""
        self.assertEqual(Webhook("1", URL).filters, ("-webhook.failed",))
        self.assertEqual(Webhook("1", URL, events=("*",)).filters, ("*",))


class ShownTests(SynchronousTestCase):
    """A secret is never shown, and what a consumer has to know is."""

    def test_secret(self) -> None:
        """Hidden, with a word on what libraries make of it."""
        one = shown(Webhook("1", URL, secret="not base64!"), WebhookState(), 0, NOW)
        self.assertEqual(one.secret, HIDDEN)
        self.assertIn("bytes only", one.note)
        for secret in ("", "c2VjcmV0c2VjcmV0", "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2Vj"):
            self.assertEqual(shown(Webhook("1", URL, secret=secret), WebhookState(), 0, NOW).note, "")
        self.assertEqual(shown(Webhook("1", URL), WebhookState(), 0, NOW).secret, "")

    def test_behind(self) -> None:
        """What it has still to get."""
        self.assertEqual(shown(Webhook("1", URL), WebhookState(place=7), 10, NOW).health.behind, 3)
        self.assertEqual(shown(Webhook("1", URL), WebhookState(place=7), 10, NOW).health.state, "new")
        self.assertEqual(shown(Webhook("1", URL, enabled=False), WebhookState(), 0, NOW).health.state, "off")
