"""Files that are renamed later: when, and that a store which is closed waits for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import NotFound, Unavailable
from simmail.mailstore.folder.context import PendingRenames
from simmail.mailstore.folder.flags import PLACED
from tests.contracts.mailstores import DiskProvider, a_delivery, result_of

MARIA = "maria@acme.test"


class AFolder:
    """A folder whose files are renamed when the test says so."""

    name, mailbox = "INBOX", "maria@acme.test"

    def __init__(self) -> None:
        self.asked: list[Deferred[None]] = []

    def place(self) -> Deferred[None]:
        self.asked.append(Deferred())
        return self.asked[-1]


class TurnTests(SynchronousTestCase):
    """Renaming files gives way to whoever waits."""

    def test_pauses(self) -> None:
        """While somebody asks for something a slice is done at a time, and all of it when nobody does."""
        path = self.mktemp()
        provider = DiskProvider(path)
        self.addCleanup(provider.stop)
        store, clock = provider.store, provider.clock
        for number in range(3 * PLACED):
            result_of(store.accept(a_delivery(number, MARIA)))
        folder = result_of(store.folder(MARIA, "INBOX"))
        cur = Path(path, "mail", "main", MARIA, "cur")
        result_of(folder.flag(folder.uids, ("\\Flagged",), "+"))
        clock.advance(0.99)
        store.when_visible()
        clock.advance(0.02)
        self.assertEqual(len(list(cur.iterdir())), PLACED)
        store.when_visible()
        clock.advance(0.02)
        self.assertEqual(len(list(cur.iterdir())), 2 * PLACED)
        clock.advance(0.1)
        self.assertEqual(len(list(cur.iterdir())), 3 * PLACED)


class PlacingTests(SynchronousTestCase):
    """C{PendingRenames}."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.left: list[Deferred[Any]] = []
        self.placing = PendingRenames(self.clock, self.left.append, AFolder.place)
        self.folder = AFolder()

    def add(self) -> None:
        self.placing.add(self.folder)

    def test_later(self) -> None:
        """Once for all that was asked within a second."""
        self.add()
        self.add()
        self.clock.advance(0.9)
        self.assertEqual(self.folder.asked, [])
        self.clock.advance(0.2)
        self.assertEqual(len(self.folder.asked), 1)

    def test_refused(self) -> None:
        """A disk that refuses is asked again, a folder that is gone is not."""
        self.add()
        self.clock.advance(1.1)
        self.folder.asked[0].errback(Unavailable("the disk is full"))
        self.clock.advance(1.1)
        self.folder.asked[1].errback(NotFound("it is gone"))
        self.clock.advance(10)
        self.assertEqual(len(self.folder.asked), 2)

    def test_finish(self) -> None:
        """It ends when what was under way is done, and then what has come since."""
        self.add()
        self.clock.advance(1.1)
        self.add()
        finished = Deferred.fromCoroutine(self.placing.finish())
        self.assertNoResult(finished)
        self.assertEqual(len(self.folder.asked), 1)
        self.folder.asked[0].callback(None)
        self.clock.advance(0)
        self.assertEqual(len(self.folder.asked), 2)
        self.assertNoResult(finished)
        self.folder.asked[1].callback(None)
        self.successResultOf(finished)
        self.assertEqual(self.clock.getDelayedCalls(), [])
