"""Scores of what the application sends."""

from __future__ import annotations

from typing import Any

import msgspec
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config, Inspect
from simmail.core.records.commit import EventQuery
from simmail.errors import NotFound
from simmail.testing.universe import MemoryServer, now
from simmail.universe.inspection.scoring import FEW, PAUSE, SOON

_MAIL = b"From: app@sim.test\nTo: maria@acme.test\nSubject: %s\nMessage-ID: <%d@sim.test>\n\nDear Maria,\n%s\n"


class ScoringTestCase(SynchronousTestCase):
    """A universe whose mail is scored."""

    options = Inspect()

    def setUp(self) -> None:
        """A server in memory."""
        self.server = MemoryServer(Config(inspect=self.options))
        self.universe = self.server.universe()

    def send(self, n: int = 1, subject: bytes = b"Your order", text: bytes = b"it is on its way.") -> None:
        """Let a mail in."""
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", _MAIL % (subject, n, text))

    def told(self, kind: str = "inspect.scored") -> list[dict[str, Any]]:
        """The data of the events of a kind."""
        rows = now(self.universe.log.query(EventQuery(limit=1000)))
        return [one["data"] for one in map(msgspec.json.decode, rows) if one["type"] == kind]


class ScoringTests(ScoringTestCase):
    """Behind acceptance, when there is time."""

    def test_scored(self) -> None:
        """Each mail, a moment after it was taken; the score is the junk filter's."""
        self.send(1)
        self.send(2, b"YOU HAVE WON", b"claim your prize, you have won the lottery, congratulations, you")
        self.assertEqual(self.told(), [])
        self.server.reactor.advance(SOON)
        first, second = self.told()
        self.assertEqual(first, {"message_id": "<1@sim.test>", "subject": "Your order", "score": 0.0,
                                 "engine": "rules", "action": "deliver"})
        self.assertEqual((second["message_id"], second["action"]), ("<2@sim.test>", "junk"))

    def test_behind(self) -> None:
        """While mail keeps coming only a few are scored in each look; in a pause all that waits is."""
        for n in range(3 * FEW):
            self.send(n)
        self.server.reactor.advance(SOON - PAUSE / 2)
        self.send(100)
        self.server.reactor.advance(PAUSE / 2)
        self.assertEqual(len(self.told()), FEW)
        self.server.reactor.advance(SOON)
        self.assertEqual(len(self.told()), 3 * FEW + 1)

    def test_in_thread(self) -> None:
        """It is done in a thread, and one at a time."""
        waiting: list[Deferred[Any]] = []

        def later(work: Any, *arguments: Any) -> Deferred[Any]:
            done: Deferred[Any] = Deferred()
            done.addCallback(lambda _: work(*arguments))
            waiting.append(done)
            return done

        self.server.in_thread = later
        self.send(1)
        self.send(2)
        self.server.reactor.advance(SOON)
        self.assertEqual((len(waiting), self.told()), (1, []))
        waiting[0].callback(None)
        waiting[1].callback(None)
        self.assertEqual(len(self.told()), 2)

    def test_gone(self) -> None:
        """A mail that is gone meanwhile has no score, and holds up none."""
        self.send(1)
        folder = now(self.universe.store.folder("maria@acme.test", "INBOX"))
        now(folder.expunge(folder.uids))
        self.send(2)
        self.server.reactor.advance(SOON)
        self.assertEqual([one["message_id"] for one in self.told()], ["<2@sim.test>"])

    def test_many_gone(self) -> None:
        """Those that are gone keep nobody waiting while mail keeps coming."""
        for n in range(3 * FEW):
            self.send(n)
        folder = now(self.universe.store.folder("maria@acme.test", "INBOX"))
        now(folder.expunge(folder.uids))
        self.server.reactor.advance(SOON - PAUSE / 2)
        self.send(100)
        self.server.reactor.advance(PAUSE / 2)
        self.assertEqual([one["message_id"] for one in self.told()], ["<100@sim.test>"])

    def test_stop(self) -> None:
        """When the universe stops nothing is left to be done."""
        self.send(1)
        now(self.universe.stop())
        self.assertEqual([call for call in self.server.reactor.getDelayedCalls()
                          if "scoring" in repr(call.func).lower()], [])

    def test_stop_while_looking(self) -> None:
        """Nor does it look for more when it stops while it looks for one."""
        looked: list[Deferred[Any]] = []

        def folder(*name: str) -> Deferred[Any]:
            looked.append(Deferred())
            return looked[-1]

        self.send(1)
        self.send(2)
        self.patch(self.universe.store, "folder", folder)
        self.server.reactor.advance(SOON)
        now(self.universe.stop())
        looked[0].errback(NotFound("gone"))
        self.assertEqual(len(looked), 1)
        self.assertEqual(self.flushLoggedErrors(), [])


class OffTests(ScoringTestCase):
    """Switched off."""

    options = Inspect(scored=False)

    def test_off(self) -> None:
        """Nothing is scored."""
        self.send(1)
        self.server.reactor.advance(60)
        self.assertEqual(self.told(), [])


class LinkTests(ScoringTestCase):
    """Links of what was sent."""

    options = Inspect(links=True)

    def test_checked(self) -> None:
        """Each link is opened once but for those that do something; broken ones are named."""
        self.server.web.put("https://shop.com/good")
        self.server.web.put("https://shop.com/gone", status=404)
        self.send(1, text=b"See https://shop.com/good and https://shop.com/gone\n"
                          b"Unsubscribe: https://shop.com/unsubscribe?u=1")
        self.server.reactor.advance(SOON)
        (found,) = self.told("inspect.links")
        self.assertEqual(found, {"message_id": "<1@sim.test>", "subject": "Your order", "links": 2,
                                 "broken": ["https://shop.com/gone"]})
        self.assertEqual([one.url for one in self.server.web.visited],
                         ["https://shop.com/good", "https://shop.com/gone"])

    def test_none(self) -> None:
        """A mail without links tells nothing of them."""
        self.send(1)
        self.server.reactor.advance(SOON)
        self.assertEqual((len(self.told()), self.told("inspect.links")), (1, []))
