"""Tests of what is had beforehand of a universe that another server has: it is a help, and never missed."""

from __future__ import annotations

import os
import tempfile
from functools import partial
from itertools import takewhile
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.replication import bodies
from simmail.mailstore.replication.bodies import SpareBodies
from simmail.mailstore.replication.changes import digest_of
from simmail.mailstore.replication.objects import LogObject, id_of
from simmail.mailstore.replication.standby import LONGEST, PAUSE, RELIST, Follower, HadBeforehand, Standby
from simmail.mailstore.threads import outcome
from simmail.testing.objects import MemoryObjects
from tests.contracts.mailstores import a_delivery, a_mail, result_of
from tests.mailstore.contracts.test_model import BEGINNING, COMMANDS, Side
from tests.mailstore.replication.providers import ReplicatedProvider, clear
from tests.mailstore.replication.test_compaction import Compacting
from tests.mailstore.replication.test_faults import Books
from tests.mailstore.replication.test_replicas import identities, shown

MARIA, TOM = "maria@acme.test", "tom@acme.test"
IN_THREAD = partial(maybeDeferred, outcome)


class Beside(Compacting):
    """
    One beside which another server stands by, which takes over when it is lost; then the other way round.

    @ivar kept: the disk of the one that is lost is there when it comes back.
    @ivar restarted: the other one is started anew before it takes over.
    """

    segments = 7
    kept = restarted = False

    def __init__(self, path: str, objects: MemoryObjects | None = None) -> None:
        self._two = f"{path}/a", f"{path}/b"
        self.heir_clock = Clock()
        super().__init__(self._two[0], objects)
        self.watch()

    def watch(self) -> None:
        """The other one stands by."""
        self.heir = Standby(
            self.objects, self.heir_clock, IN_THREAD, f"{self._two[1]}/mail", self.boot)  # type: ignore[arg-type]
        self.heir.want({"main"})

    def look(self) -> None:
        """It looks, so often that it looks at all objects too."""
        self.heir_clock.pump([LONGEST] * (RELIST + 2))

    def expect(self, soon: bool = True) -> None:
        """It expects to take over, or does not, and looks once."""
        self.heir.want({"main"}, {"main"} if soon else ())
        self.heir_clock.advance(PAUSE)

    def stop(self) -> None:
        """An orderly end of both."""
        self.heir.stop()
        super().stop()

    def before(self) -> None:
        """The one that takes over stood by."""
        if self.standby:
            if self.restarted:
                self.heir.stop()
                result_of(self.replicas.lay_aside("main"))
                self.replicas.stand_by({"main"})
            else:
                self.replicas._standby = self.heir

    def start(self) -> Any:
        """A process begins."""
        store = super().start()
        self.replicas.stand_by(())
        return store

    def restart(self) -> Any:
        """An orderly end and a new start."""
        super().stop()
        return self.start()

    def lose(self) -> Any:
        """One is lost, the other has it."""
        self.replicas.stop()
        self.die()
        for universe in self.opened:
            self.opened[universe].layout.close()
        if not self.kept:
            clear(self.path)
        self._two = self._two[1], self._two[0]
        self.path = self._two[0]
        self.standby = True
        try:
            store = self.start()
        finally:
            self.standby = False
        self.watch()
        return store


class BesideTests(SynchronousTestCase):
    """What is restored from what was had beforehand, in part or not."""

    @settings(max_examples=int(os.environ.get("MODEL_EXAMPLES", "40")), deadline=None,
              suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(st.one_of(
        COMMANDS, st.tuples(st.just("look")), st.tuples(st.just("expect")), st.tuples(st.just("lose"))), max_size=25),
        st.booleans(), st.booleans())
    def test_equal(self, commands: list[tuple[Any, ...]], kept: bool, restarted: bool) -> None:
        """After any commands, the store that the other makes is equal to the one that was lost."""
        path = tempfile.mkdtemp(prefix="replica")
        provider = Beside(path)
        provider.kept, provider.restarted = kept, restarted
        side = Side(provider)
        try:
            for command in (*BEGINNING, *commands, ("lose",)):
                if command[0] in ("look", "expect"):
                    getattr(provider, command[0])()
                elif command[0] == "lose":
                    self.lose(side)
                else:
                    side.does(command)
        finally:
            provider.stop()
            clear(path)

    def lose(self, side: Side) -> None:
        """It is lost, and nothing is missing."""
        before, known = shown(side), identities(side.store)
        side.provider.later()
        owed = set(result_of(side.store.uncommitted()))
        side.leave()
        side.store = side.provider.lose()
        self.assertEqual(shown(side), before)
        self.assertEqual(identities(side.store), known)
        self.assertEqual(set(result_of(side.store.uncommitted())), owed)

    @settings(max_examples=int(os.environ.get("MODEL_EXAMPLES", "40")), deadline=None,
              suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(st.one_of(
        st.tuples(st.just("deliver"), st.integers(1, 3)), st.tuples(st.just("flag"), st.integers(0, 9)),
        st.tuples(st.just("expunge"), st.integers(0, 9)), st.tuples(st.just("move"), st.integers(0, 9)),
        st.tuples(st.just("look")), st.tuples(st.just("expect")),
        st.tuples(st.just("fail"), st.sampled_from(["away", ""])),
        st.tuples(st.just("time")), st.tuples(st.just("crash")), st.tuples(st.just("lose"))), max_size=40),
        st.booleans(), st.booleans())
    def test_acknowledged(self, steps: list[tuple[Any, ...]], kept: bool, restarted: bool) -> None:
        """Whatever fails, nothing acknowledged is lost, nothing is there twice, no UID is another's."""
        path = tempfile.mkdtemp(prefix="replica")
        provider = Beside(path)
        provider.kept, provider.restarted = kept, restarted
        books = Books(provider)
        try:
            for step in (("deliver", 2), *steps, ("lose",)):
                if step[0] in ("look", "expect"):
                    getattr(provider, step[0])()
                else:
                    books.does(step)
        finally:
            provider.stop()
            clear(path)


class StandbyTests(SynchronousTestCase):
    """One server that stands by for another."""

    def setUp(self) -> None:
        """There is some mail."""
        self.provider = Beside(self.mktemp())
        self.objects = self.provider.objects
        self.addCleanup(self.provider.stop)
        self.number = 0

    def deliver(self, count: int, mailbox: str = MARIA) -> None:
        """Deliver so many, a segment for each."""
        for _ in range(count):
            self.number += 1
            result_of(self.provider.store.accept(
                a_delivery(self.number, mailbox, octets=a_mail(f"mail {self.number}", "x" * 500))))

    def gets(self, from_: int = 0) -> list[LogObject]:
        """Which objects were read that are there."""
        named = [id_of("main", name) for how, name in self.objects.asked[from_:]
                 if how == "get" and name in self.objects.objects]
        return [one for one in named if one is not None]

    def here(self) -> set[bytes]:
        """What the heir has."""
        had = self.had()
        assert had.bodies is not None
        return set(had.bodies.known)

    def had(self) -> HadBeforehand:
        """What the heir would take over with."""
        follower = self.provider.heir._followers["main"]
        return HadBeforehand(follower.bodies, follower.heads)

    def uids(self) -> list[int]:
        """UIDs of Maria's INBOX."""
        return list(result_of(self.provider.store.folder(MARIA, "INBOX")).uids)

    def test_only_the_rest(self) -> None:
        """Who takes a universe over reads the last base and what the last look did not see."""
        self.deliver(16)
        self.provider.look()
        self.deliver(2)
        before = len(self.objects.asked)
        self.provider.lose()
        # Then the one that was lost is there again, and reads all.
        read = list(takewhile(lambda one: one.epoch == 1, self.gets(before)))
        # The base, the two and the seal.
        self.assertEqual([one.base for one in read], [True, False, False, False])
        self.assertEqual(self.uids(), list(range(1, 19)))

    def test_gone(self) -> None:
        """What is not needed any more is not kept for long."""
        self.deliver(8)
        self.provider.look()
        self.assertEqual(len(self.here()), 8)
        folder = result_of(self.provider.store.folder(MARIA, "INBOX"))
        self.provider.store.committed([f"d-{number}" for number in range(1, 9)])
        result_of(folder.expunge([1, 2, 3, 4, 5, 6]))
        self.provider.later()
        self.deliver(9)
        self.provider.look()
        self.assertLessEqual(len(self.here()), 2 + 9)
        self.provider.lose()
        self.assertEqual(self.uids(), list(range(7, 18)))

    def test_another_epoch(self) -> None:
        """It goes on when the universe is opened anew."""
        self.deliver(3)
        self.provider.look()
        self.provider.restart()
        self.deliver(3)
        self.provider.look()
        self.assertEqual(len(self.here()), 6)
        self.assertEqual({one.epoch for one in self.had().heads}, {2})

    def test_had_before(self) -> None:
        """Who has had a universe before reads from its own disk what is there, and that is out of the way."""
        self.provider.kept = True
        self.deliver(20)
        self.provider.lose()
        self.deliver(1)
        mail = f"{self.provider._two[1]}/mail"
        self.assertTrue(os.path.isdir(f"{mail}/main"))
        self.provider.restarted = True
        before = len(self.objects.asked)
        self.provider.lose()
        self.assertEqual(os.listdir(f"{mail}/.standby/boot 1/.before"), [])
        self.assertEqual(self.uids(), [*range(1, 21), 10021])
        self.assertLess(len([one for one in self.gets(before) if not one.base]), 8)

    def test_another_universe(self) -> None:
        """What was had of a universe that is deleted is not taken for one that is made with its id."""
        self.deliver(5)
        self.provider.look()
        self.assertTrue(self.had().heads)
        self.objects.objects.clear()
        self.provider.die()
        for store in self.provider.opened.values():
            store.layout.close()
        clear(self.provider.path)
        self.provider.start()
        self.number = 20
        self.deliver(3, TOM)
        self.provider.lose()
        self.assertEqual(self.provider.store.mailboxes(), [TOM])
        self.assertEqual(list(result_of(self.provider.store.folder(TOM, "INBOX")).uids), [1, 2, 3])

    def test_seldom(self) -> None:
        """It looks less often while nothing is done, and often again when something is."""
        self.deliver(1)
        self.provider.look()
        before = len(self.objects.asked)
        self.provider.heir_clock.pump([PAUSE] * 32)
        # Each looks for the next segment, some at all objects.
        self.assertLessEqual(len(self.objects.asked) - before, 32 * PAUSE / LONGEST + 2)
        self.deliver(1)
        self.provider.heir_clock.advance(LONGEST)
        before = len(self.objects.asked)
        self.provider.heir_clock.pump([PAUSE] * 3)
        self.assertGreaterEqual(len(self.objects.asked) - before, 2)

    def drafts(self) -> list[str]:
        """What is being made where the heir is."""
        place = f"{self.provider._two[1]}/mail/.restoring"
        return os.listdir(place) if os.path.isdir(place) else []

    def test_draft(self) -> None:
        """One that expects to take over has the folders too, as they were, and changes what has changed since."""
        self.deliver(8)
        self.provider.look()
        self.provider.expect()
        self.assertEqual(self.drafts(), [".draft-main"])
        self.deliver(2)
        self.deliver(1, TOM)
        folder = result_of(self.provider.store.folder(MARIA, "INBOX"))
        result_of(folder.flag([3], ["\\Flagged"], "+"))
        result_of(folder.expunge([5]))
        linked: list[int] = []
        link = SpareBodies.link
        self.patch(SpareBodies, "link", lambda *args: (linked.append(1), link(*args)))
        mail = f"{self.provider._two[1]}/mail"
        self.provider.look()
        self.provider.lose()
        # Two and one that came, and the one with another flag.
        self.assertEqual(len(linked), 4)
        self.assertEqual(self.uids(), [1, 2, 3, 4, 6, 7, 8, 9, 10])
        folder = result_of(self.provider.store.folder(MARIA, "INBOX"))
        self.assertEqual([uid for uid in folder.uids if "\\Flagged" in folder.entry(uid).flags], [3])
        self.assertEqual(dict(result_of(folder.reads([9])))[9], a_mail("mail 9", "x" * 500))
        self.assertEqual(os.listdir(f"{mail}/.restoring"), [])

    def test_not_expected(self) -> None:
        """When its server is there again after all the draft goes; one that a process has left goes too."""
        self.deliver(2)
        os.makedirs(f"{self.provider._two[1]}/mail/.restoring/.draft-elm/0/new")
        self.provider.watch()
        self.provider.look()
        self.assertEqual(self.drafts(), [])
        self.provider.expect()
        self.provider.expect(False)
        self.provider.look()
        self.assertEqual(self.drafts(), [])
        self.provider.expect()
        self.assertEqual(self.drafts(), [".draft-main"])
        self.provider.heir.want(())
        self.provider.heir_clock.advance(LONGEST)
        self.assertEqual(self.drafts(), [])

    def test_removed(self) -> None:
        """What somebody has removed is read again."""
        self.deliver(5)
        self.provider.look()
        for digest in sorted(self.here())[:3]:
            os.unlink(f"{self.provider._two[1]}/mail/.standby/boot 1/main/{digest.hex()}")
        self.provider.lose()
        self.assertEqual(self.uids(), [1, 2, 3, 4, 5])

    def test_away(self) -> None:
        """While the store of objects is away nothing is had, and then it goes on."""
        self.deliver(2)
        self.objects.trouble = "gone"
        self.provider.look()
        self.objects.trouble = ""
        self.deliver(2)
        self.provider.look()
        self.assertEqual(len(self.here()), 4)

    def test_full(self) -> None:
        """On a disk that is nearly full no more is had."""
        self.provider.look()
        self.patch(bodies, "_FREE", 0)
        self.deliver(2)
        self.provider.look()
        self.assertEqual(self.here(), set())
        self.provider.lose()
        self.assertEqual(self.uids(), [1, 2])

    def test_damaged(self) -> None:
        """What the store has got wrong is not taken for what it is named."""
        self.deliver(3)
        name = next(name for name in self.objects.objects if name.endswith("/0000000002"))
        self.objects.objects[name] = b"<html>"
        self.provider.look()
        self.assertEqual(len(self.here()), 1)

    def test_wanted(self) -> None:
        """What nobody wants goes, and what another boot of the machine has left."""
        self.deliver(2)
        self.provider.look()
        place = f"{self.provider._two[1]}/mail/.standby"
        os.makedirs(f"{place}/an earlier boot/main")
        self.assertEqual(os.listdir(f"{place}/boot 1"), ["main"])
        self.provider.heir.want(())
        self.provider.look()
        self.provider.heir.want(())
        self.assertEqual((os.listdir(place), os.listdir(f"{place}/boot 1")), (["boot 1"], []))
        self.provider.heir.want({"main"})
        self.provider.look()
        self.assertEqual(len(self.here()), 2)

    def test_stopped(self) -> None:
        """Who is stopped reads nothing more; what it has is there for the next process."""
        self.deliver(2)
        self.provider.look()
        self.provider.heir.stop()
        before = len(self.objects.asked)
        self.deliver(1)
        self.provider.heir_clock.advance(PAUSE)
        self.provider.heir.want({"main"})
        self.assertEqual(self.gets(before), [])
        self.provider.watch()
        asked = len(self.objects.asked)
        self.provider.look()
        self.assertEqual(len(self.here()), 3)
        self.assertLessEqual(len(self.gets(asked)), 3)


class FollowerTests(SynchronousTestCase):
    """One that is halted while it reads."""

    def test_halted(self) -> None:
        """It ends after what it is reading."""
        provider = ReplicatedProvider(self.mktemp())
        self.addCleanup(provider.stop)
        for number in range(1, 6):
            result_of(provider.store.accept(a_delivery(number, MARIA)))
        follower = Follower(
            provider.objects, "main", IN_THREAD, Clock(), self.mktemp(), "boot")  # type: ignore[arg-type]
        get = provider.objects.get

        def halting(name: str) -> Deferred[bytes]:
            if name.endswith("/0000000003"):
                follower.halt()
            return get(name)

        provider.objects.get = halting  # type: ignore[method-assign]
        result_of(Deferred.fromCoroutine(follower.look()))
        self.assertEqual(sorted(one.number for one in follower.heads), [1, 2, 3])
        result_of(Deferred.fromCoroutine(follower.look()))
        self.assertEqual(len(follower.heads), 3)
        assert follower.bodies is not None
        follower.bodies.close()


class SpareBodiesTests(SynchronousTestCase):
    """Files by the digests of what is in them."""

    def setUp(self) -> None:
        """There are two messages."""
        self.root = self.mktemp()
        self.bodies = SpareBodies(self.root, "elm", "boot")
        self.addCleanup(self.bodies.close)
        self.one, self.two = digest_of(b"one"), digest_of(b"two")
        self.bodies.put(self.one, b"one", 5_000_001)
        self.bodies.put(self.two, b"two", 0)
        os.mkdir(f"{self.root}/target")
        self.target = os.open(f"{self.root}/target", os.O_RDONLY)
        self.addCleanup(os.close, self.target)

    def linked(self, digest: bytes, name: str, date: int) -> tuple[bytes, int, int]:
        """Make one a message: its octets, its date, its inode."""
        self.bodies.link(digest, self.target, name, date)
        path = f"{self.root}/target/{name}"
        with open(path, "rb") as file:
            return file.read(), os.stat(path).st_mtime_ns, os.stat(path).st_ino

    def test_dates(self) -> None:
        """One of the same date is the same file; what is a message already keeps its date."""
        first, again = self.linked(self.one, "a", 5_000_001), self.linked(self.one, "b", 5_000_001)
        self.assertEqual(first[:2], (b"one", 5_000_001_000))
        self.assertEqual(again, first)
        other = self.linked(self.one, "c", 6)
        self.assertEqual(other[:2], (b"one", 6_000))
        self.assertNotEqual(other[2], first[2])
        self.assertEqual(os.stat(f"{self.root}/target/a").st_mtime_ns, 5_000_001_000)
        self.assertEqual(self.linked(self.two, "d", 7)[:2], (b"two", 7_000))
        self.assertRaises(FileNotFoundError, self.bodies.link, digest_of(b"three"), self.target, "e", 0)

    def test_another_process(self) -> None:
        """What is here is known to the next process; what was written by half is not."""
        with open(f"{self.root}/.standby/boot/elm/.fresh", "wb") as file:
            file.write(b"thr")
        again = SpareBodies(self.root, "elm", "boot")
        self.addCleanup(again.close)
        self.assertEqual(again.known, {self.one: 0, self.two: 0})
        again.put(digest_of(b"three"), b"three", 0)
        self.assertEqual(again.read(digest_of(b"three")), b"three")
        again.drop([self.one, digest_of(b"four")])
        self.assertEqual(sorted(os.listdir(f"{self.root}/.standby/boot/elm")),
                         sorted([self.two.hex(), digest_of(b"three").hex()]))
        again.clear()
        self.assertEqual(again.known, {})
        self.assertFalse(os.path.exists(f"{self.root}/.standby/boot/elm"))
