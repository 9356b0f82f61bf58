"""The store on disk with its threads, under a real reactor."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred, ensureDeferred, gatherResults
from twisted.internet.task import deferLater
from twisted.trial.unittest import TestCase

from simmail.errors import NotFound, Unavailable
from simmail.mailstore import threads as worker
from simmail.mailstore.threads import Worker
from tests.contracts.mailstores import AT, a_delivery, a_mail
from tests.mailstore.stores import StoreTestCase

MARIA, TOM = "maria@acme.test", "tom@acme.test"


def all_of(*awaitables: Awaitable[Any]) -> Deferred[list[Any]]:
    """All at once."""
    return gatherResults([one if isinstance(one, Deferred) else ensureDeferred(one)  # type: ignore[arg-type]
                          for one in awaitables], consumeErrors=True)


class WorkerTests(TestCase):
    """One thread."""

    def setUp(self) -> None:
        self.worker = Worker(reactor, "worker")  # type: ignore[arg-type]
        self.addCleanup(self.worker.stop)

    async def test_order(self) -> None:
        """Outcomes come in the order of the calls, failures too."""
        came: list[Any] = []
        done = []
        for number in range(500):
            deferred = self.worker.call(lambda number=number: 1 / (number % 7))
            done.append(deferred.addBoth(lambda result, number=number: came.append(number)))
        await gatherResults(done)
        self.assertEqual(came, list(range(500)))

    async def test_short_turns(self) -> None:
        """Where answering takes long, others have a turn in between."""
        self.patch(worker, "LONGEST_TURN", -1.0)
        came: list[str] = []
        first: Deferred[str] = Deferred()
        second: Deferred[str] = Deferred()
        first.addCallback(came.append).addCallback(
            lambda _: reactor.callFromThread(came.append, "another"))  # type: ignore[attr-defined]
        second.addCallback(came.append)
        self.worker._outcomes.extend([(first, "first"), (second, "second")])
        self.worker._deliver()
        await second
        self.assertEqual(came, ["first", "another", "second"])

    async def test_disk_errors(self) -> None:
        """What the disk refuses is unavailable; all else is as it is."""
        with self.assertRaises(Unavailable):
            await self.worker.call(open, "/nowhere/at/all")
        with self.assertRaises(NotFound):
            await self.worker.call(self._raise, NotFound("x"))
        with self.assertRaises(ZeroDivisionError):
            await self.worker.call(lambda: 1 / 0)

    def _raise(self, error: Exception) -> None:
        raise error

    async def test_nobody_waits(self) -> None:
        """A failure that nobody waits for is logged."""
        self.worker.send(lambda: 1 / 0)
        await self.worker.call(lambda: None)
        await deferLater(reactor, 0, lambda: None)  # type: ignore[arg-type]
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    async def test_stopped(self) -> None:
        """What was given before is done; afterwards it is unavailable."""
        done: list[int] = []
        for number in range(100):
            self.worker.send(done.append, number)
        await self.worker.stop()
        await self.worker.stop()
        self.assertEqual(done, list(range(100)))
        with self.assertRaises(Unavailable):
            await self.worker.call(lambda: None)


class StoreTests(StoreTestCase):
    """The store."""

    segment = 50_000

    async def test_all_at_once(self) -> None:
        """Deliveries, flags, copies, moves and expunges at once: order, counts and listeners agree in the end."""
        await self.store.accept(a_delivery(0, MARIA))
        inbox, archive = await self.store.folder(MARIA, "INBOX"), await self.store.folder(MARIA, "Archive")
        seen: dict[str, list[int]] = {"INBOX": list(inbox.uids), "Archive": []}
        fired: list[int] = []
        for folder in (inbox, archive):
            folder.listen(lambda change, name=folder.name: self.follow(seen[name], change))

        async def deliver() -> None:
            waiting = []
            for number in range(1, 401):
                waiting.append(self.store.accept(a_delivery(number, MARIA, TOM)).addCallback(
                    lambda copies: fired.append(copies[0].uid)))
                if number % 16 == 0:
                    await waiting[-16]
            for one in waiting:
                await one

        async def change() -> None:
            for step in range(30):
                uids = list(inbox.uids)
                await inbox.flag(uids[step::3], ["\\Seen"], "+-"[step % 2])
                await inbox.copy(uids[step::5], archive)
                await inbox.move(uids[-3:-1], archive)
                await inbox.expunge(uids[step:step + 1])
                await inbox.reads(uids[:20])
                await archive.digests(archive.uids[:5])

        await all_of(deliver(), change(), change())
        self.assertEqual(fired, sorted(fired))
        self.assertEqual((len(fired), fired[-1]), (400, 401))
        for folder in (inbox, archive):
            self.assertEqual(seen[folder.name], list(folder.uids))
            status = folder.status()
            self.assertEqual((status.total, status.unseen), (len(folder.uids), len(folder.unseen())))
        before = {folder.name: (folder.entries(folder.uids), folder.status()) for folder in (inbox, archive)}
        counts = await self.store.counts()
        self.assertEqual({mailbox: one.folders for mailbox, one in counts.items()}, {
            MARIA: {"INBOX": inbox.counts()[:2], "Archive": archive.counts()[:2]}, TOM: {"INBOX": (400, 400)}})
        await self.stop()
        self.start()
        for name, (entries, status) in before.items():
            folder = await self.store.folder(MARIA, name)
            self.assertEqual(folder.entries(folder.uids), entries)
            self.assertEqual(folder.status(), status)
        self.assertEqual(await self.store.counts(), counts)

    def follow(self, uids: list[int], change: Any) -> None:
        """A session's view of a folder."""
        if change.kind == "added":
            self.assertTrue(not uids or change.uids[0] > uids[-1])
            uids.extend(change.uids)
        elif change.kind == "expunged":
            for uid in change.uids:
                uids.remove(uid)
        else:
            self.assertTrue(set(change.uids) <= set(uids))

    async def test_loaded_while_delivering(self) -> None:
        """A folder that is loaded while mail comes in has every message once, whoever asks for it meanwhile."""
        waiting = [self.store.accept(a_delivery(number, MARIA)) for number in range(300)]
        await waiting[50]
        folders = await all_of(*(self.store.folder(MARIA, "INBOX") for _ in range(3)))
        self.assertTrue(folders[0] is folders[1] is folders[2])
        for one in waiting:
            await one
        self.assertEqual(list(folders[0].uids), list(range(1, 301)))

    async def test_waiting_for_what_fails(self) -> None:
        """All who wait for a folder that cannot be loaded are told."""
        await self.store.create(MARIA)
        results = [ensureDeferred(self.store.folder(MARIA, "none")) for _ in range(3)]
        for one in results:
            with self.assertRaises(NotFound):
                await one

    async def test_counted_while_delivering(self) -> None:
        """Counts that are taken while mail comes in count every message once."""
        waiting = [self.store.accept(a_delivery(number, f"user{number % 90}@acme.test")) for number in range(900)]
        await waiting[200]
        await all_of(self.store.counts(), self.store.counts())
        for one in waiting:
            await one
        self.assertEqual({mailbox: one[:2] for mailbox, one in (await self.store.counts()).items()},
                         {f"user{number}@acme.test": (10, 10) for number in range(90)})
        self.assertEqual(await self.store.totals(), {"INBOX": 900})

    async def test_large_messages_do_not_block(self) -> None:
        """While large messages are filed and read the reactor goes on."""
        # On a busy machine any one turn may be long; what blocks is long each time.
        self.assertLess(min([await self.longest_turn(name) for name in ("one", "two", "three")]), 0.5)

    async def longest_turn(self, name: str) -> float:
        """The real seconds of the longest turn while four messages of 20 MiB are filed and read."""
        longest, last = 0.0, reactor.seconds()  # type: ignore[attr-defined]
        going = True

        def tick() -> None:
            nonlocal longest, last
            now = reactor.seconds()  # type: ignore[attr-defined]
            longest, last = max(longest, now - last), now
            if going:
                reactor.callLater(0, tick)  # type: ignore[attr-defined]
        octets = a_mail("large") + b"x" * (20 << 20)
        deliveries = [a_delivery(f"{name}{number}", MARIA, octets=octets) for number in range(4)]
        tick()
        copies = await all_of(*map(self.store.accept, deliveries))
        folder = await self.store.folder(MARIA, "INBOX")
        for (copy,) in copies:
            self.assertEqual(len(await folder.read(copy.uid)), len(octets))
        going = False
        # Half a second is much more than it should be, much less than the disk takes.
        return longest

    async def test_deleted_under_way(self) -> None:
        """A mailbox that is deleted while it is worked on leaves nobody waiting."""
        for number in range(50):
            await self.store.accept(a_delivery(number, MARIA))
        folder = await self.store.folder(MARIA, "INBOX")
        work = [folder.flag(range(1, 51), ["\\Seen"], "+"), folder.append(a_mail("x"), [], AT), folder.expunge([3]),
                folder.read(7), folder.digests([8]), self.store.delete(MARIA), folder.copy([1], folder)]
        for one in work:
            try:
                await one
            except NotFound:
                pass
        self.assertEqual(self.store.mailboxes(), [])
        self.assertEqual((await self.store.accept(a_delivery(99, MARIA)))[0].uid, 1)

    async def test_second_thoughts(self) -> None:
        """After closing, calls fail at once."""
        await self.stop()
        with self.assertRaises(Unavailable):
            await self.store.accept(a_delivery(1, MARIA))
