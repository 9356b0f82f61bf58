"""Webhooks of a universe in memory: what its endpoints get, and when."""

from __future__ import annotations

import json
from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.commit import Commit, EventQuery
from simmail.core.records.event import Event
from simmail.core.webhook.endpoint import HIDDEN, ShownWebhook, WebhookFields
from simmail.core.webhook.retry import WebhookAnswer
from simmail.errors import Conflict, Invalid, NotFound
from simmail.testing.universe import MemoryServer, now
from simmail.universe.universe import Universe
from simmail.universe.webhooks.delivery import AT_ONCE, MOST_WAITING

ONE, TWO = "https://one.example.com/", "https://two.example.com/"
OK, BUSY = WebhookAnswer(204), WebhookAnswer(500, body="no")


class WebhooksTestCase(SynchronousTestCase):
    """A universe with endpoints."""

    def setUp(self) -> None:
        """A frozen universe; both endpoints take everything."""
        self.server = MemoryServer()
        self.universe = self.server.universe()
        self.endpoints = self.server.endpoints
        self.endpoints.replies = {ONE: OK, TWO: OK}

    def put(self, *urls: str, universe: Universe | None = None, **fields: Any) -> list[ShownWebhook]:
        """Replace the list."""
        return now((universe or self.universe).webhooks.put([WebhookFields(url=one, **fields) for one in urls]))

    def happen(self, count: int = 1, type: str = "pace") -> int:
        """Events happen; the number of the last."""
        universe = self.universe
        done = now(universe.committer.commit(Commit(events=tuple(
            Event(type, universe.clock.now(), {"nth": n}) for n in range(count)))))
        self.pass_time()
        return int(done.first) + count - 1

    def pass_time(self, seconds: float = 0.0) -> None:
        """Real time passes; what is due is done."""
        self.server.reactor.advance(seconds)
        for _ in range(2000):
            before = len(self.endpoints.got)
            self.server.reactor.advance(0)
            self.server.reactor.advance(0)
            self.server.reactor.advance(0)
            if len(self.endpoints.got) == before:
                break

    def ids(self, url: str = ONE) -> list[int]:
        """Numbers of the events that an endpoint got, in order."""
        return [json.loads(body)["id"] for at, _, body in self.endpoints.got if at == url]

    def failed(self) -> list[dict[str, Any]]:
        """The data of webhook.failed events."""
        rows = now(self.universe.log.query(EventQuery(types=("webhook.failed",))))
        return [json.loads(row)["data"] for row in rows]


class DeliveryTests(WebhooksTestCase):
    """What arrives."""

    def test_request(self) -> None:
        """Body and headers of the contract, and those of Standard Webhooks."""
        self.put(ONE, secret="s3cret")
        last = self.happen()
        url, headers, body = self.endpoints.got[-1]
        self.assertEqual(headers["Content-Type"], "application/json")
        self.assertEqual(headers["User-Agent"], "service-webhook")
        self.assertEqual(headers["webhook-id"], f"evt_main_{last}")
        self.assertEqual(int(headers["webhook-timestamp"]), int(self.server.reactor.seconds()))
        self.assertTrue(headers["X-Service-Signature"].startswith("sha256="))
        self.assertEqual(body, now(self.universe.log.query(EventQuery(descending=True, limit=1)))[0])

    def test_from_now_on(self) -> None:
        """A new webhook gets what happens next, all of it, in order where all goes well."""
        before = self.happen(5)
        self.put(ONE)
        last = self.happen(250)
        self.assertEqual(self.ids(), list(range(before + 1, last + 1)))

    def test_filters(self) -> None:
        """Names and prefixes; what is left out does not keep its place back."""
        self.put(ONE, events=("persona.*", "clock"))
        self.happen(3, "pace")
        last = self.happen(2, "persona.sent")
        self.happen(3, "pace")
        self.assertEqual(self.ids(), [last - 1, last])
        (shown,) = self.universe.webhooks.shown()
        self.assertEqual((shown.health.behind, shown.health.delivered, shown.health.state), (0, 2, "ok"))

    def test_own_failures(self) -> None:
        """Without a filter it is not told of failures; with one it is, and its own make no more of them."""
        self.endpoints.replies[ONE] = BUSY
        self.put(ONE, TWO)
        self.happen()
        self.pass_time(3), self.pass_time(9), self.pass_time(27)
        self.assertEqual(len(self.failed()), 2)  # of settings.updated, and of the event
        self.assertEqual(len(self.ids(TWO)), 2)
        self.put(ONE, events=("webhook.failed",))
        self.happen(1, "webhook.failed")
        self.pass_time(3), self.pass_time(9), self.pass_time(27)
        self.assertEqual(len(self.failed()), 3)

    def test_four_attempts(self) -> None:
        """After 3, 9 and 27 s with one webhook-id; then it is dropped and told."""
        self.put(ONE, events=("pace",))
        self.endpoints.replies[ONE] = BUSY
        number = self.happen()
        counts = []
        for seconds in (0, 2.9, 0.1, 8.9, 0.1, 26.9, 0.1, 100):
            self.pass_time(seconds)
            counts.append(len(self.endpoints.got))
        self.assertEqual(counts, [1, 1, 2, 2, 3, 3, 4, 4])
        self.assertEqual({headers["webhook-id"] for _, headers, _ in self.endpoints.got}, {f"evt_main_{number}"})
        self.assertEqual([headers["webhook-attempt"] for _, headers, _ in self.endpoints.got], ["1", "2", "3", "4"])
        self.assertEqual(self.failed(), [
            {"url": ONE, "error": "HTTP status 500", "webhook": self.universe.webhooks.shown()[0].id,
             "event_id": number}])
        attempts = self.universe.webhooks.attempts()
        self.assertEqual([(one.attempt, one.status, one.answer) for one in attempts],
                         [(4, 500, "no"), (3, 500, "no"), (2, 500, "no"), (1, 500, "no")])
        gaps = [(one.next - one.at).total_seconds() for one in attempts if one.next is not None]
        self.assertEqual(gaps, [27, 9, 3])

    def test_others_go_on(self) -> None:
        """A failing event holds up no other, nor another endpoint."""
        self.endpoints.replies[ONE] = lambda headers, body: _answer(BUSY if b'"nth":0' in body else OK)
        self.put(ONE, TWO, events=("pace",))
        last = self.happen(3)
        self.assertEqual(self.ids(), [last - 2, last - 1, last])
        self.assertEqual(self.ids(TWO), [last - 2, last - 1, last])
        self.pass_time(3)
        self.assertEqual(self.ids()[3:], [last - 2])

    def test_strict(self) -> None:
        """One after the other, each when the one before has come to its end."""
        self.endpoints.replies[ONE] = lambda headers, body: _answer(
            BUSY if b'"nth":0' in body and headers_of(headers)["webhook-attempt"] != "3" else OK)
        self.put(ONE, events=("pace",), order="strict")
        last = self.happen(3)
        first = last - 2
        self.assertEqual(self.ids(), [first])
        self.pass_time(3), self.pass_time(9)
        self.assertEqual(self.ids(), [first, first, first, first + 1, last])

    def test_at_once(self) -> None:
        """So many requests are under way to one endpoint, and no more."""
        waiting: list[Deferred[WebhookAnswer]] = []

        def slow(headers: Any, body: bytes) -> Deferred[WebhookAnswer]:
            waiting.append(Deferred())
            return waiting[-1]

        self.endpoints.replies[ONE] = slow
        self.put(ONE, events=("pace",))
        self.happen(AT_ONCE * 2)
        self.assertEqual(len(waiting), AT_ONCE)
        waiting[0].callback(OK)
        self.pass_time()
        self.assertEqual(len(waiting), AT_ONCE + 1)

    def test_bounded(self) -> None:
        """A dead endpoint takes so many events up, and the rest stay in the log."""
        self.put(ONE, events=("pace",))
        self.endpoints.replies[ONE] = BUSY
        for _ in range(8):
            self.happen(100)
        (shown,) = self.universe.webhooks.shown()
        self.assertEqual(shown.health.waiting, MOST_WAITING)
        self.assertEqual(shown.health.behind, 800)

    def test_retry_after(self) -> None:
        """A busy endpoint is left alone as long as it says."""
        self.put(ONE, events=("pace",))
        self.endpoints.replies[ONE] = WebhookAnswer(503, retry_after="60")
        self.happen()
        self.endpoints.replies[ONE] = OK
        self.happen(2)
        self.pass_time(59)
        self.assertEqual(len(self.endpoints.got), 1)
        self.pass_time(1)
        self.assertEqual(len(self.endpoints.got), 4)

    def test_gone(self) -> None:
        """410 switches it off; switched on again it goes on with the same event."""
        self.put(ONE, events=("pace",))
        self.endpoints.replies[ONE] = WebhookAnswer(410)
        first = self.happen()
        last = self.happen(2)
        (shown,) = self.universe.webhooks.shown()
        assert shown.health.stopped is not None
        self.assertEqual((shown.enabled, shown.health.state, shown.health.stopped.event_id, len(self.endpoints.got)),
                         (False, "off", first, 1))
        with self.assertRaises(Conflict):
            now(self.universe.webhooks.redeliver(ONE, event_id=first))
        self.endpoints.replies[ONE] = OK
        self.put(ONE, events=("pace",))
        self.pass_time()
        self.assertEqual(sorted(self.ids()[1:]), [first, last - 1, last])

    def test_off(self) -> None:
        """What is switched off keeps its place."""
        self.put(ONE, events=("pace",), enabled=False)
        last = self.happen(3)
        self.assertEqual(self.endpoints.got, [])
        self.put(ONE, events=("pace",))
        self.pass_time()
        self.assertEqual(self.ids(), [last - 2, last - 1, last])

    def test_removed(self) -> None:
        """A webhook that is gone gets nothing more, also nothing that waits."""
        self.put(ONE, events=("pace",))
        self.endpoints.replies[ONE] = BUSY
        self.happen()
        self.put()
        self.pass_time(3)
        self.assertEqual(len(self.endpoints.got), 1)


class CallTests(WebhooksTestCase):
    """What the API asks for."""

    def test_again(self) -> None:
        """One event once more; what is not there is not found."""
        self.put(ONE, events=("pace",))
        number = self.happen(2)
        now(self.universe.webhooks.redeliver(ONE, event_id=number - 1))
        self.pass_time()
        self.assertEqual(self.ids(), [number - 1, number, number - 1])
        for name, event_id in ((ONE, 10_000), ("nobody", number)):
            with self.assertRaises(NotFound):
                now(self.universe.webhooks.redeliver(name, event_id=event_id))

    def test_replay(self) -> None:
        """From an event on, in order, one after the other; then as before."""
        self.put(ONE, events=("pace",))
        last = self.happen(150)
        got = len(self.endpoints.got)
        now(self.universe.webhooks.redeliver(ONE, after=last - 120))
        self.pass_time()
        self.assertEqual(self.ids()[got:], list(range(last - 119, last + 1)))
        self.assertEqual(self.universe.webhooks.shown()[0].health.behind, 0)

    def test_replay_ahead(self) -> None:
        """A replay never skips what an endpoint has not had; behind the newest event there is nothing to begin at."""
        self.put(ONE, events=("pace",), order="strict")
        self.endpoints.replies[ONE] = BUSY
        last = self.happen(10)
        with self.assertRaises(Invalid):
            now(self.universe.webhooks.redeliver(ONE, after=last + 1))
        now(self.universe.webhooks.redeliver(ONE, after=last - 2))
        self.endpoints.replies[ONE] = OK
        self.pass_time(3)
        self.assertEqual(self.ids()[1:], list(range(last - 9, last + 1)))
        self.assertEqual(self.happen(), self.ids()[-1])

    def test_test(self) -> None:
        """A test event is sent at once, once, and is no event of the log."""
        self.put(ONE, name="app")
        self.pass_time()
        before = self.universe.log.last
        self.endpoints.replies[ONE] = BUSY
        attempt = now(self.universe.webhooks.test("app"))
        self.assertEqual((attempt.type, attempt.event_id, attempt.status, attempt.next), ("webhook.test", 0, 500, None))
        self.assertEqual(self.universe.log.last, before)

    def test_names(self) -> None:
        """An id, a name or a url, of one webhook."""
        self.put(ONE, TWO, name="same")
        with self.assertRaises(NotFound):
            self.universe.webhooks.found("same")
        self.assertEqual(self.universe.webhooks.found(TWO).url, TWO)

    def test_private(self) -> None:
        """What must not be reached is refused, and nothing changes."""
        self.put(ONE)
        with self.assertRaises(Invalid) as raised:
            self.put(TWO, "http://127.0.0.1:8080/hook")
        self.assertEqual(raised.exception.field, "1.url")
        self.assertIn("webhooks.lab_hosts", str(raised.exception))
        self.assertEqual([one.url for one in self.universe.webhooks.shown()], [ONE])

    def test_pages(self) -> None:
        """Attempts of one webhook and one event, before and after another."""
        self.put(ONE, TWO, events=("pace",))
        last = self.happen(5)
        attempts = self.universe.webhooks.attempts
        self.assertEqual([one.event_id for one in attempts(webhook=ONE, limit=2)], [last, last - 1])
        self.assertEqual({one.url for one in attempts(event_id=last)}, {ONE, TWO})
        third = attempts(webhook=ONE)[2].id
        self.assertEqual([one.event_id for one in attempts(webhook=ONE, before=third)], [last - 3, last - 4])
        self.assertEqual([one.event_id for one in attempts(webhook=ONE, after=third)], [last - 1, last])


class RestartTests(WebhooksTestCase):
    """What a process leaves behind is what the next goes on with."""

    def again(self) -> Universe:
        """The universe as the next process has it; the one before was killed."""
        old = self.universe
        old.committer.close()
        for one in old.webhooks._deliveries.values():
            one.stop()
        self.universe = Universe(
            old.record, self.server.config, old.store, self.server.database, self.server.reactor, self.server.unique,
            self.server.web, self.endpoints, self.server.model)
        now(self.universe.start())
        self.universe.begin()
        self.pass_time()
        return self.universe

    def test_place(self) -> None:
        """It goes on where it was; list, secret, attempts and counts are there."""
        self.put(ONE, events=("pace",), secret="one")
        last = self.happen(10)
        self.pass_time(1)
        universe = self.again()
        (shown,) = universe.webhooks.shown()
        self.assertEqual((shown.secret, shown.health.place, shown.health.delivered), (HIDDEN, last, 10))
        self.assertEqual(len(universe.webhooks.attempts()), 10)
        self.assertEqual(self.ids(), list(range(last - 9, last + 1)))
        self.happen()
        self.assertEqual(self.ids()[-1], last + 1)

    def test_not_noted(self) -> None:
        """Killed before it was noted: sent once more, nothing left out."""
        self.put(ONE, events=("pace",))
        self.pass_time(1)
        last = self.happen(3)
        self.again()
        self.assertEqual(self.ids(), [last - 2, last - 1, last] * 2)

    def test_waiting(self) -> None:
        """What was to be tried again is, at its time, with the attempts that are left."""
        self.put(ONE, events=("pace",))
        self.endpoints.replies[ONE] = BUSY
        number = self.happen()
        self.pass_time(1)
        self.again()
        self.assertEqual(len(self.endpoints.got), 1)
        self.pass_time(2)
        self.assertEqual([headers["webhook-attempt"] for _, headers, _ in self.endpoints.got], ["1", "2"])
        self.pass_time(9), self.pass_time(27)
        self.assertEqual([one["event_id"] for one in self.failed()], [number])


def _answer(answer: WebhookAnswer) -> Deferred[WebhookAnswer]:
    done: Deferred[WebhookAnswer] = Deferred()
    done.callback(answer)
    return done


def headers_of(headers: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """By name."""
    return dict(headers)
