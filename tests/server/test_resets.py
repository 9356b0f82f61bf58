"""Tests for C{simmail.server.resets}, C{remainder} and C{replacement}."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from twisted.internet.defer import Deferred

from simmail.core.records.commit import Commit
from simmail.core.webhook.endpoint import WebhookFields
from simmail.errors import NotFound, Unavailable
from simmail.server.remainder import DEFAULT, KEPT
from simmail.server.replacement import AGAIN
from simmail.server.resets import Removed, begun_again
from simmail.testing.universe import START, now
from simmail.universe.clock import Timeline
from tests.server.copies import CopiesTestCase, Killed, Killing, LOGIN, PASSWORD
from tests.universe.test_road import MAIL, persona


class ResetTests(CopiesTestCase):
    """A universe is as new."""

    def reset(self, keep: Any = DEFAULT, **options: Any) -> Removed:
        """Reset it, and look at what is there then."""
        removed: Removed = self.done(self.roster.reset_universe("main", keep, **options))
        self.universe = self.roster.universe("main")
        return removed

    def test_by_default(self) -> None:
        """Logins, settings and webhooks stay, all else goes; what went is counted."""
        now(self.universe.settings.set_pace(2.0))
        now(self.universe.webhooks.put([WebhookFields("https://hooks.test/a")]))
        now(self.universe.case_editor.push({"title": "Order 7"}))
        self.done(self.universe.scheduler.advance(until="idle"))
        events, jobs = len(self.events()), len(self.universe.pending)
        token = now(self.roster.create_key("main", "admin", ""))
        removed = self.reset()
        self.assertEqual((removed.messages, removed.mailboxes, removed.personas, removed.cases, removed.events),
                         (4, 1, 1, 1, events))
        self.assertGreater(removed.jobs, jobs)
        self.assertEqual(removed.fingerprint, self.taken(self.universe))
        self.assertEqual((self.events(), len(self.universe.people), len(self.universe.pending), self.inbox()),
                         ([], 0, 0, []))
        self.assertEqual(self.universe.settings.pace.factor, 2.0)
        self.assertEqual([one.url for one in self.universe.webhooks.shown()], ["https://hooks.test/a"])
        self.assertEqual(self.universe.store.mailboxes(), [LOGIN])
        self.assertEqual(self.universe.clock.now(), START)
        self.assertEqual(now(self.roster.identify(token)).universe, "main")
        self.assertEqual(now(self.roster.sign_in(LOGIN, PASSWORD, "imap", "::1")).universe, self.universe)

    def test_repeats(self) -> None:
        """From one reset to the next the same mail leads to the same, octet for octet."""
        first = self.reset()
        runs = []
        for _ in range(2):
            now(self.universe.people.create(persona()))
            runs.append((self.lived(self.universe), [one.message_id for one in self.inbox()]))
            self.assertEqual(self.reset().fingerprint, first.fingerprint)
        self.assertEqual(runs[0], runs[1])

    def test_numbers_go_on(self) -> None:
        """No event has a number, no folder a UIDVALIDITY that there was before."""
        last = self.universe.log.last
        validity = now(self.universe.store.folder(LOGIN, "INBOX")).uidvalidity
        self.reset()
        now(self.universe.people.create(persona()))
        self.assertEqual([one["id"] for one in self.events()], [last + 1])
        self.assertGreater(now(self.universe.store.folder(LOGIN, "INBOX")).uidvalidity, validity)

    def test_keep(self) -> None:
        """Each is kept when it is named, and goes when it is not; people of the configuration always stay."""
        now(self.universe.people.configured([{"addresses": ["from.file@acme.test"], "name": "From File"}]))
        now(self.universe.settings.set_pace(2.0))
        now(self.universe.webhooks.put([WebhookFields("https://hooks.test/a")]))
        now(self.universe.case_editor.push({
            "title": "Order 7", "people": [{"addresses": ["case@acme.test"], "name": "Casey"}]}))
        snapshot = self.snapshot()

        def left() -> dict[str, Any]:
            return {"personas": sorted(one.addresses[0] for one in self.universe.people.everyone()),
                    "accounts": [one.address for one in self.universe.policy.accounts()],
                    "settings": self.universe.settings.pace.factor,
                    "webhooks": len(self.universe.webhooks.shown()), "cases": len(self.universe.cases)}

        everything, nothing = left(), {
            "personas": ["from.file@acme.test"], "accounts": [], "settings": 1.0, "webhooks": 0, "cases": 0}
        self.assertEqual(len(everything["personas"]), 3)
        self.reset(KEPT)
        self.assertEqual(left(), everything)
        for one in ("", *KEPT):
            self.universe = self.done(self.roster.snapshots.restore(snapshot))
            self.reset([one] if one else [])
            wanted: dict[str, Any] = {**nothing, **{key: everything[key] for key in (one,) if one}}
            if one == "cases":
                # Who is on a case stays with it.
                wanted["personas"] = ["case@acme.test", "from.file@acme.test"]
            self.assertEqual(left(), wanted)

    def test_what_the_plan_counts(self) -> None:
        """Mail of this month stays counted."""
        used = self.universe.usage.used("mail_per_month")
        self.reset(())
        self.assertEqual((used, self.universe.usage.used("mail_per_month")), (1, 1))

    def test_seed_and_clock(self) -> None:
        """Others, where they are given, also for the resets to come."""
        later = START + timedelta(days=30)
        self.reset(seed="other", clock=Timeline(later, self.server.reactor.seconds(), frozen=True, touched=True))
        self.done(self.universe.scheduler.advance(by=timedelta(days=1)))
        self.reset()
        self.assertEqual((self.universe.seed, self.universe.clock.now()), ("other", later))
        now(self.roster.stop())
        self.restarted()
        self.assertEqual((self.universe.seed, self.universe.clock.now()), ("other", later))

    def test_clock_of_real_time(self) -> None:
        """One that was made in real time is at real time; one that runs begins again where it began."""
        real = datetime(2030, 1, 1, tzinfo=UTC)
        self.assertEqual(begun_again(Timeline(START, 5.0), real.timestamp()), Timeline(real, real.timestamp()))
        line = Timeline(START, 5.0, speed=60.0, touched=True)
        self.assertEqual(begun_again(line, 1000.0).at(1010.0), START + timedelta(seconds=600))

    def test_none(self) -> None:
        """A universe that is not there."""
        self.assertRaises(NotFound, now, self.roster.reset_universe("nope", DEFAULT))

    def test_killed(self) -> None:
        """Whenever it is killed: as it was, or reset, and nothing else is left."""
        before, after, states = self.taken(self.universe), 0, []
        snapshot = self.snapshot()
        while True:
            killing, over = Killing(self.server, after), False
            try:
                self.reset()
                over = True
            except Killed:
                pass
            finally:
                killing.over()
            self.restarted()
            states.append(self.taken(self.universe))
            self.assertEqual({*now(self.server.images.universes()), *now(self.server.database.universes())},
                             {"main", snapshot.image})
            self.assertEqual(now(self.roster.sign_in(LOGIN, PASSWORD, "imap", "::1")).universe, self.universe)
            if over:
                break
            after += 1
        self.assertEqual((states[0], len(set(states))), (before, 2))
        self.assertGreater(after, 5)

    def test_away_meanwhile(self) -> None:
        """Where the disk refuses in the midst, it is completed when it does not; until then all is told to wait."""
        broken = [True]
        reset = type(self.universe.store).reset

        def refusing(store: Any, keep: Any) -> Any:
            if broken[0]:
                raise Unavailable("the disk is full")
            return reset(store, keep)

        self.patch(type(self.universe.store), "reset", refusing)
        work = Deferred.fromCoroutine(self.roster.reset_universe("main", DEFAULT))
        self.server.reactor.pump([0.0, AGAIN, AGAIN])
        self.assertFalse(work.called)
        closed = self.roster.universe("main")
        self.assertTrue(closed.closed)
        self.assertRaises(Unavailable, self.server.send, closed, LOGIN, "maria@acme.test", MAIL)
        broken[0] = False
        self.server.reactor.pump([AGAIN] + [0.0] * 20)
        now(work)
        self.assertEqual(len(self.roster.universe("main").people), 0)

    def test_not_written_down(self) -> None:
        """While Redis is away it is refused, and nothing has changed."""
        before = self.taken(self.universe)
        self.server.database.set_healthy(False)
        self.assertRaises(Unavailable, now, self.roster.reset_universe("main", DEFAULT))
        self.server.database.set_healthy(True)
        self.assertEqual(self.taken(self.universe), before)
        now(self.universe.committer.commit(Commit()))
