"""Tests for C{simmail.server.replacement}: what a server that is gone has begun with a replicated universe."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from twisted.internet.defer import Deferred, fail, succeed

from simmail.errors import NotFound, Unavailable
from simmail.server.replacement import GOING, Step, STEPS
from simmail.testing.universe import now
from tests.server.copies import CopiesTestCase, LOGIN
from tests.universe.test_road import MAIL


class Stored:
    """A store of objects, as far as this sees it; C{asked}: what was asked of it; C{image}: whether that has one."""

    def __init__(self, images: Any) -> None:
        self._images = images
        self.asked: list[str] = []
        self.image: Any = None

    def prepare(self, universe: str, lost: Any) -> Deferred[None]:
        """Have it here."""
        self.asked.append("prepare")
        return succeed(None)

    def fetch(self, image: str) -> Deferred[None]:
        """Have the mail of a snapshot here."""
        self.asked.append("fetch")
        if self.image is None:
            return fail(NotFound("it is not there"))
        self._images.store(image).take(self.image, False)
        return succeed(None)

    def replaced(self, universe: str) -> Deferred[None]:
        """What is here is what counts."""
        self.asked.append("replaced")
        return succeed(None)

    def erase(self, universe: str) -> Deferred[None]:
        """It is gone."""
        return succeed(None)


class ResumedTests(CopiesTestCase):
    """A replicated universe with a snapshot, closed as a server that is gone has left it."""

    def setUp(self) -> None:
        super().setUp()
        self.stored = Stored(self.server.images)
        self.snapshot = self.done(self.roster.snapshots.create(self.universe))
        self.server.send(self.universe, LOGIN, "maria@acme.test", MAIL.replace(b"<one@", b"<two@"))
        now(self.universe.close())
        self.replacement: Any = self.roster._replacement
        self.replacement._replicas = self.stored
        self.record = replace(self.universe.record, durability="replicated")
        self.images: Any = self.server.images

    def begun(self, step: Step) -> None:
        """It was written down."""
        now(self.roster._documents.put(STEPS, "main", step))

    def table(self, name: str) -> list[str]:
        """The keys of a table."""
        return list(now(self.roster._documents.table(name)))

    def resumed(self) -> Any:
        """What the universe is then."""
        return self.done(self.replacement.resumed(self.record))

    def mails(self) -> int:
        """How many Maria has."""
        return sum(one.total for one in now(self.images.store("main").folders("maria@acme.test")))

    def test_nothing(self) -> None:
        """Where nothing was begun nothing is done."""
        self.assertIs(self.resumed(), self.record)
        self.assertEqual(self.stored.asked, [])
        self.assertTrue(self.done(self.replacement.resumable("main")))

    def test_elsewhere(self) -> None:
        """Only what is on the disk of the other alone waits for that."""
        for step, can in ((Step(self.record, "main!s_0a"), False), (Step(self.record, "main!s_0a", stored=True), True),
                          (Step(self.record, "main!r", keep=()), True)):
            self.begun(step)
            self.assertEqual(self.done(self.replacement.resumable("main")), can)

    def test_put_back(self) -> None:
        """It is what it was to be, and known to be so when that is in the store of objects, not before."""
        self.stored.image = self.images.store(self.snapshot.image)
        del self.images.stores[self.snapshot.image]
        named = replace(self.record, name="as it was")
        self.begun(Step(named, self.snapshot.image, stored=True))
        self.assertEqual(self.resumed(), named)
        self.assertEqual((self.stored.asked, self.mails()), (["prepare", "fetch", "replaced"], 1))
        self.assertEqual(self.table(STEPS), ["main"])
        # Another attempt to open it does nothing again.
        self.record = named
        self.assertEqual(self.resumed(), named)
        self.assertEqual(len(self.stored.asked), 3)
        self.done(self.replacement.opened("main"))
        self.assertEqual(self.table(STEPS), [])
        self.done(self.replacement.opened("main"))

    def test_nowhere(self) -> None:
        """What it was to be is nowhere: it stays as it is."""
        now(self.images.erase(self.snapshot.image))
        self.begun(Step(self.record, self.snapshot.image))
        self.assertRaises(Unavailable, self.resumed)
        self.assertEqual((self.mails(), self.table(STEPS)), (2, ["main"]))

    def test_reset(self) -> None:
        """A reset goes on, and what was laid aside for it goes when it is over."""
        self.begun(Step(self.record, "main!reset", keep=("accounts",)))
        self.resumed()
        self.assertEqual(self.stored.asked, ["prepare"])
        self.assertEqual(self.table(STEPS), ["main"])
        self.assertEqual(now(self.images.store("main").folders(LOGIN))[0].total, 0)
        self.done(self.replacement.opened("main"))
        self.assertEqual((self.table(STEPS), self.table(GOING)), ([], []))
        self.assertEqual([one for one in now(self.server.database.universes()) if "reset" in one], [])
