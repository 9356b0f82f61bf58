"""Tests for C{simmail.server.snapshots}."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from msgspec.structs import replace
from twisted.internet.defer import Deferred, fail, succeed

from simmail.core.rules.quota_plan import Allowances, Plan
from simmail.core.webhook.endpoint import WebhookFields
from simmail.core.webhook.retry import WebhookAnswer
from simmail.errors import Conflict, Invalid, NotFound, OverAllowance, Unavailable
from simmail.mailstore.memory.images import MemoryMailImages
from simmail.mailstore.memory.mailstore import MemoryMailStore
from simmail.server.remainder import DEFAULT
from simmail.testing.universe import START, now
from simmail.universe.mailflow.envelope import Recipient, Submission
from tests.server.copies import CopiesTestCase, Killed, Killing, LOGIN, PASSWORD
from tests.universe.test_road import MAIL, persona


class Kept:
    """The mail of snapshots in a store of objects, as far as snapshots see that."""

    def __init__(self, server: MemoryMailImages) -> None:
        self._server = server
        self.images: dict[str, MemoryMailStore] = {}
        self.away = False

    def keep(self, image: str) -> Deferred[None]:
        """Keep it."""
        if self.away:
            return fail(Unavailable("the store of objects is away"))
        self.images[image] = MemoryMailStore(image)
        self.images[image].take(self._server.store(image), False)
        return succeed(None)

    def fetch(self, image: str) -> Deferred[None]:
        """Bring it."""
        if self.away:
            return fail(Unavailable("the store of objects is away"))
        self._server.store(image).take(self.images[image], False)
        return succeed(None)


class SnapshotTests(CopiesTestCase):
    """Snapshots come, are put back, and go."""

    def test_what_it_says(self) -> None:
        """What it is of, and how much is in it; each universe has its own."""
        first = self.snapshot()
        self.assertEqual((first.universe, first.at, first.messages, first.personas, first.pending_jobs),
                         ("main", START, 2, 1, 1))
        self.assertEqual(first.fingerprint, self.taken(self.universe))
        self.server.reactor.advance(1)
        second = self.done(self.roster.snapshots.create(self.universe, "before the sale"))
        self.assertEqual([one.id for one in self.roster.snapshots.of("main")], [second.id, first.id])
        self.assertEqual(second.name, "before the sale")
        self.assertEqual(self.roster.snapshots.of("other"), [])
        self.assertRaises(NotFound, self.roster.snapshots.get, "other", first.id)
        self.assertRaises(Invalid, self.done, self.roster.snapshots.create(self.universe, "x" * 201))

    def test_same_future(self) -> None:
        """Put back, the same mail leads to the same: the fingerprint of the first run; what came since is gone."""
        snapshot, before = self.snapshot(), self.universe.log.last
        first = self.lived(self.universe)
        folder = now(self.universe.store.folder(LOGIN, "INBOX"))
        last, validity, old = self.universe.log.last, folder.uidvalidity, self.universe
        self.universe = self.done(self.roster.snapshots.restore(snapshot))
        self.assertIs(self.roster.universe("main"), self.universe)
        self.assertEqual(self.taken(self.universe), snapshot.fingerprint)
        self.assertEqual(self.inbox(), [])
        self.assertEqual(self.universe.clock.now(), START)
        self.assertEqual(self.lived(self.universe), first)
        self.assertGreater(now(self.universe.store.folder(LOGIN, "INBOX")).uidvalidity, validity)
        numbers = [one["id"] for one in self.events()]
        self.assertEqual(numbers, sorted(numbers))
        self.assertEqual([one for one in numbers if before < one <= last], [])
        self.assertGreater(numbers[-1], last)
        # Who still holds what was there before changes nothing.
        self.assertTrue(old.closed)
        self.assertRaises(Unavailable, self.server.send, old, LOGIN, "maria@acme.test", MAIL)
        self.assertEqual(now(self.roster.sign_in(LOGIN, PASSWORD, "imap", "::1")).universe, self.universe)

    def test_again_and_again(self) -> None:
        """It can be put back as often as wanted, and after a restart too."""
        snapshot = self.snapshot()
        first = self.lived(self.universe)
        for _ in range(3):
            self.universe = self.done(self.roster.snapshots.restore(snapshot))
            self.assertEqual(self.lived(self.universe), first)
        now(self.roster.stop())
        self.restarted()
        self.universe = self.done(self.roster.snapshots.restore(self.roster.snapshots.get("main", snapshot.id)))
        self.assertEqual(self.lived(self.universe), first)

    def test_replicated(self) -> None:
        """
        That of a replicated universe is kept elsewhere before it is told of, and comes from there to a disk that has it
        not; nothing is left of one that could not be kept.
        """
        kept = self.roster.snapshots._replicas = Kept(self.server.images)
        local = self.snapshot()
        self.assertEqual((local.durability, kept.images), ("local", {}))
        self.universe.record = replace(self.universe.record, durability="replicated")
        kept.away = True
        self.assertRaises(Unavailable, self.done, self.roster.snapshots.create(self.universe))
        self.assertEqual(self.roster.snapshots.of("main"), [local])
        self.assertEqual(now(self.server.images.universes()), ["main", local.image])
        kept.away = False
        snapshot = self.snapshot()
        self.assertEqual((snapshot.durability, list(kept.images)), ("replicated", [snapshot.image]))
        first = self.lived(self.universe)
        for one in (local, snapshot):
            now(self.server.images.erase(one.image))
        self.assertRaises(Conflict, self.done, self.roster.snapshots.restore(local))
        self.assertEqual(self.lived(self.done(self.roster.snapshots.fork(snapshot, "sapling")).universe), first)
        now(self.server.images.erase(snapshot.image))
        kept.away = True
        self.assertRaises(Unavailable, self.done, self.roster.snapshots.restore(snapshot))
        self.assertFalse(self.universe.closed)

    def test_moved(self) -> None:
        """A universe that was with another when the snapshot was made stays where it is by now."""
        self.universe.record = replace(self.universe.record, beside="original")
        snapshot = self.snapshot()
        self.universe.record = replace(self.universe.record, beside="")
        self.assertEqual(self.roster.snapshots.going_with("main").puts[0], ("going", snapshot.image, b'"main"'))
        fork = self.done(self.roster.snapshots.fork(snapshot, "sapling")).universe
        self.assertEqual(fork.record.beside, "main")
        self.assertEqual(self.done(self.roster.snapshots.restore(snapshot)).record.beside, "")

    def test_a_clock_that_runs(self) -> None:
        """It goes on from the instant of the snapshot, however much later it is put back."""
        running = self.server.universe("running", speed=60.0, frozen=False)
        snapshot = self.done(self.roster.snapshots.create(running))
        self.server.reactor.advance(1000)
        self.assertEqual(running.clock.now(), START + timedelta(seconds=60_000))
        running = self.done(self.roster.snapshots.restore(snapshot))
        self.assertEqual(running.clock.now(), START)
        self.server.reactor.advance(10)
        self.assertEqual(running.clock.now(), START + timedelta(seconds=600))

    def test_stands_still(self) -> None:
        """Mail that comes while it is made waits, is not in it, and is taken afterwards; so does the clock."""
        copying: Deferred[None] = Deferred()
        copy = self.server.images.copy

        async def slow(*args: Any, **options: Any) -> None:
            await copying
            await copy(*args, **options)

        self.patch(self.server.images, "copy", lambda *args, **options: Deferred.fromCoroutine(slow(*args, **options)))
        made = Deferred.fromCoroutine(self.roster.snapshots.create(self.universe))
        self.server.reactor.advance(0)
        verdict = self.universe.policy.recipient("maria@acme.test", LOGIN)
        sent = Deferred.fromCoroutine(self.universe.postoffice.accept(Submission(
            sender=LOGIN, recipients=(Recipient("maria@acme.test", verdict),),
            octets=MAIL.replace(b"\n", b"\r\n").replace(b"<one@", b"<two@"), via="smtp")))
        moved = Deferred.fromCoroutine(self.universe.scheduler.advance(until="idle"))
        self.server.reactor.advance(5)
        self.assertEqual((sent.called, moved.called), (False, False))
        copying.callback(None)
        for _ in range(20):
            self.server.reactor.advance(0)
        snapshot = now(made)
        now(sent)
        now(moved)
        self.assertEqual(snapshot.messages, 2)
        self.assertEqual(len(self.inbox("maria@acme.test")), 2)
        self.assertTrue(self.inbox(LOGIN))
        self.assertEqual(len(now(self.fork(snapshot).mailboxes.messages("maria@acme.test"))), 1)

    def test_deleted(self) -> None:
        """One that is deleted leaves nothing; its universe and forks stay.  It goes with its universe."""
        snapshot, other = self.snapshot(), self.snapshot()
        fork = self.fork(snapshot)
        now(self.roster.snapshots.delete(snapshot))
        self.assertRaises(NotFound, now, self.roster.snapshots.delete(snapshot))
        self.assertRaises(NotFound, now, self.roster.snapshots.restore(snapshot))
        self.assertRaises(NotFound, now, self.roster.snapshots.fork(snapshot))
        self.assertEqual(now(self.server.images.universes()), sorted(["main", other.image, fork.id]))
        self.lived(fork)
        self.server.universe("shop")
        gone = self.done(self.roster.snapshots.create(self.roster.universe("shop")))
        now(self.roster.delete_universe("shop"))
        self.assertEqual(self.roster.snapshots.of("shop"), [])
        self.assertEqual(now(self.server.database.table(gone.image, "state")), {})
        self.assertEqual(now(self.server.database.table("", "going")), {})
        self.assertEqual([one.id for one in self.roster.snapshots.of("main")], [other.id])

    def test_limits(self) -> None:
        """The plan says how many snapshots and universes there may be."""
        self.server.plans["self-hosted"] = Plan("self-hosted", limits=Allowances(universes=2, snapshots=1))
        snapshot = self.snapshot()
        error = self.assertRaises(OverAllowance, self.done, self.roster.snapshots.create(self.universe))
        self.assertEqual(str(error), "the plan self-hosted allows 1 snapshots")
        self.fork(snapshot)
        self.assertRaises(OverAllowance, self.done, self.roster.snapshots.fork(snapshot))


class ForkTests(CopiesTestCase):
    """Forks."""

    def test_what_it_is(self) -> None:
        """It has the original's name, seed, people, jobs and logins; its key opens it."""
        snapshot = self.snapshot()
        forked = self.done(self.roster.snapshots.fork(snapshot, "try-1"))
        fork = forked.universe
        self.assertEqual((fork.id, fork.seed, fork.record.origin, forked.fingerprint),
                         ("try-1", "main", "main", self.taken(self.universe)))
        self.assertEqual(self.taken(fork), forked.fingerprint)
        self.assertEqual(forked.logins, (("app@sim.test%try-1", "app@sim.test"),))
        self.assertEqual(now(self.roster.identify(forked.key)).universe, "try-1")
        self.assertEqual(now(self.roster.sign_in("app@sim.test%try-1", PASSWORD, "smtp", "::1")).universe, fork)
        self.assertEqual(now(self.roster.sign_in("app@sim.test", PASSWORD, "smtp", "::1")).universe, self.universe)
        self.assertEqual(list(fork.pending.by_id), list(self.universe.pending.by_id))
        # Above those of the original, whose numbers it has: nobody takes one for the other's.
        self.assertEqual(fork.log.last, self.universe.log.last)
        other = self.fork(snapshot, seed="another", name="Another", ttl=timedelta(minutes=1))
        self.assertEqual((other.seed, other.name), ("another", "Another"))
        self.server.reactor.advance(61)
        self.assertRaises(NotFound, self.roster.universe, other.id)

    def test_refused(self) -> None:
        """Bad ids, ids that are taken, bad times."""
        snapshot = self.snapshot()
        for options, error in (({"fork_id": "A b"}, Invalid), ({"fork_id": "main"}, Conflict),
                               ({"ttl": timedelta(0)}, Invalid)):
            self.assertRaises(error, now, self.roster.snapshots.fork(snapshot, **options))  # type: ignore[arg-type]
        self.assertEqual(len(self.roster.universes()), 1)

    def test_same_and_independent(self) -> None:
        """The same mail leads to the same in each; another mail in one is seen in no other."""
        snapshot = self.snapshot()
        one, two, three = (self.fork(snapshot) for _ in range(3))
        first = self.lived(self.universe)
        self.assertEqual((self.lived(one), self.lived(two)), (first, first))
        self.assertNotEqual(self.lived(three, 3), first)
        before = self.taken(one)
        now(self.roster.delete_universe("main"))
        self.assertEqual(self.roster.snapshots.of("main"), [])
        self.assertEqual(self.taken(one), before)
        self.assertNotEqual(self.lived(one, 4), before)

    def test_sixty_four(self) -> None:
        """Many of one universe side by side, each with its own clock, and none sees another."""
        snapshot = self.snapshot()
        forks = [self.fork(snapshot) for _ in range(64)]
        for n, fork in enumerate(forks):
            now(fork.people.create(persona(addresses=[f"own{n}@acme.test"])))
            self.done(fork.scheduler.advance(by=timedelta(hours=n)))
            self.server.send(fork, LOGIN, f"own{n}@acme.test", MAIL.replace(b"<one@", b"<f%d@" % n))
        for n, fork in enumerate(forks):
            self.assertEqual(fork.clock.now(), START + timedelta(hours=n))
            self.assertEqual([one.address for one in now(fork.mailboxes.list()) if one.address.startswith("own")],
                             [f"own{n}@acme.test"])
            self.assertEqual(len(now(fork.mailboxes.messages(f"own{n}@acme.test"))), 1)
        self.assertEqual(self.universe.clock.now(), START)
        self.assertEqual(len(self.universe.people), 1)

    def test_webhooks(self) -> None:
        """The webhooks of a fork are there and switched off; put back, they send nothing that they have sent."""
        self.server.endpoints.replies["https://hooks.test/a"] = WebhookAnswer(200)
        now(self.universe.webhooks.put([WebhookFields("https://hooks.test/a")]))
        self.server.send(self.universe, LOGIN, "maria@acme.test", MAIL.replace(b"<one@", b"<two@"))
        self.server.reactor.pump([1.0] * 5)
        snapshot = self.snapshot()
        self.server.reactor.pump([1.0] * 5)
        sent = len(self.server.endpoints.got)
        self.assertGreater(sent, 0)
        fork = self.fork(snapshot)
        self.server.send(fork, LOGIN, "maria@acme.test", MAIL.replace(b"<one@", b"<three@"))
        self.server.reactor.pump([1.0] * 5)
        self.assertEqual(len(self.server.endpoints.got), sent)
        self.assertEqual([(one.url, one.enabled) for one in fork.webhooks.shown()], [("https://hooks.test/a", False)])
        self.universe = self.done(self.roster.snapshots.restore(snapshot))
        self.server.reactor.pump([1.0] * 5)
        self.assertEqual(len(self.server.endpoints.got), sent)
        self.server.send(self.universe, LOGIN, "maria@acme.test", MAIL.replace(b"<one@", b"<four@"))
        self.server.reactor.pump([1.0] * 5)
        self.assertGreater(len(self.server.endpoints.got), sent)

    def test_shares(self) -> None:
        """A fork shares no report; one that was revoked since a snapshot stays revoked when that is put back."""
        kept, revoked = (now(self.universe.shares.create(title, 30)) for title in ("Kept", "Revoked"))
        snapshot = self.snapshot()
        now(self.universe.shares.revoke(revoked.token))
        self.assertEqual(self.fork(snapshot).shares.list(), [])
        self.universe = self.done(self.roster.snapshots.restore(snapshot))
        self.assertEqual(self.universe.shares.list(), [kept])
        self.done(self.roster.reset_universe("main", DEFAULT))
        self.assertEqual(self.roster.universe("main").shares.list(), [kept])


class KilledTests(CopiesTestCase):
    """What is cut short is there in whole or not at all."""

    def places(self) -> set[str]:
        """All ids under which anything lies."""
        mail: Any = now(self.server.images.universes())
        documents: Any = now(self.server.database.universes())
        return set(mail) | set(documents)

    def ways(self, work: Any) -> Any:
        """
        Do it with a kill after each change, and start again each time; each time it has started.

        @param work: begins it.
        """
        after, over = 0, False
        while not over:
            killing = Killing(self.server, after)
            try:
                self.done(work())
                over = True
            except Killed:
                pass
            finally:
                killing.over()
            self.restarted()
            yield
            after += 1
        self.assertGreater(after, 3)

    def test_while_it_is_made(self) -> None:
        """A snapshot: no trace, or complete."""
        known = 0
        for _ in self.ways(lambda: self.roster.snapshots.create(self.universe)):
            there = self.roster.snapshots.of("main")
            self.assertEqual(self.places(), {"main"} | {one.image for one in there})
            if len(there) > known:
                known = len(there)
                self.assertEqual(self.taken(self.fork(there[0])), there[0].fingerprint)
                for one in list(self.roster.universes()):
                    if one.id != "main":
                        now(self.roster.delete_universe(one.id))
        self.assertGreater(known, 0)

    def test_while_it_is_forked(self) -> None:
        """A fork: no trace, or complete."""
        snapshot, found = self.snapshot(), 0
        for _ in self.ways(lambda: self.roster.snapshots.fork(self.roster.snapshots.of("main")[0])):
            ids = {one.id for one in self.roster.universes()}
            self.assertEqual(self.places(), ids | {snapshot.image})
            for one in ids - {"main"}:
                found += 1
                self.assertEqual(self.taken(self.roster.universe(one)), snapshot.fingerprint)
                self.assertEqual([key.universe for key in self.roster.keys()], [one])
                now(self.roster.delete_universe(one))
        self.assertGreater(found, 0)

    def test_while_it_is_put_back(self) -> None:
        """As it was, or put back; and the same future, whenever it was killed."""
        snapshot = self.snapshot()
        then = self.lived(self.universe)
        seen = set()
        for _ in self.ways(lambda: self.roster.snapshots.restore(self.roster.snapshots.of("main")[0])):
            state = self.taken(self.universe)
            self.assertIn(state, (then, snapshot.fingerprint))
            seen.add(state)
            self.assertEqual(self.places(), {"main", snapshot.image})
            if state != then:
                self.assertEqual(self.lived(self.universe), then)
        self.assertEqual(len(seen), 2)

    def test_while_it_is_deleted(self) -> None:
        """A snapshot that is deleted: there, or without a trace."""
        self.snapshot()
        for _ in self.ways(lambda: self.roster.snapshots.delete(self.roster.snapshots.of("main")[0])):
            self.assertEqual(self.places(), {"main"} | {one.image for one in self.roster.snapshots.of("main")})
            if not self.roster.snapshots.of("main"):
                self.snapshot()
