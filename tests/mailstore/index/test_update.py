"""The index follows what happens to messages."""

from __future__ import annotations

from time import sleep
from types import SimpleNamespace
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.index import update


class FollowingTests(SynchronousTestCase):
    """What the thread of the index is given."""

    def setUp(self) -> None:
        self.given: list[Any] = []
        self.index: Any = SimpleNamespace(
            thread=SimpleNamespace(send=self.give), call=self.give, later=lambda deferred: None)
        self.folder: Any = SimpleNamespace(mailbox="maria@acme.test", name="INBOX", uidvalidity=1)

    def give(self, function: Any, *args: Any) -> Deferred[None]:
        self.given.append(function)
        return succeed(None)

    def test_one_by_one(self) -> None:
        """Who changes messages one by one does not have the index rest each time."""
        for uid in range(1, 50):
            update.expunged(self.index, self.folder, [uid])
            update.transferred(self.index, self.folder, self.folder, [(uid, uid)], True)
        self.assertEqual(len(self.given), 49 * 3)
        self.assertNotIn(sleep, self.given)

    def test_many(self) -> None:
        """After many it rests once, before it begins."""
        update.transferred(self.index, self.folder, self.folder, [(uid, uid) for uid in range(1, 1001)], False)
        self.assertEqual([function is sleep for function in self.given], [True, False, False])
