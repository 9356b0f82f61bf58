"""Work that goes on when who asked for it leaves."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from twisted.internet.defer import CancelledError, Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.mailstore.folder import Folder
from simmail.mailstore.unbroken import unbroken
from tests.contracts.mailstores import DiskProvider, a_delivery, result_of

MARIA = "maria@acme.test"


class UnbrokenTests(SynchronousTestCase):
    """Several ask for the same; the first leaves."""

    def setUp(self) -> None:
        self.provider = DiskProvider(self.mktemp())
        self.store = self.provider.store
        self.addCleanup(self.provider.stop)
        result_of(self.store.accept(a_delivery(0, MARIA)))

    def test_unbroken(self) -> None:
        """The work goes on; an unknown error of what nobody waits for is logged, a refusal is not."""
        for error in (Unavailable("x"), ValueError("y")):
            turn: Deferred[None] = Deferred()
            done: list[str] = []

            async def work(turn: Deferred[None] = turn, done: list[str] = done, error: Exception = error) -> None:
                await turn
                done.append("done")
                raise error

            asked = unbroken(work())
            asked.cancel()
            self.failureResultOf(asked, CancelledError)
            turn.callback(None)
            self.assertEqual(done, ["done"])
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 1)
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_loading(self) -> None:
        """A folder that others wait for is loaded for them."""
        turn: Deferred[None] = Deferred()
        load = Folder.load

        async def later(folder: Folder) -> None:
            await turn
            await load(folder)

        with patch.object(Folder, "load", later):
            first, second = [Deferred.fromCoroutine(self.store.catalogue.load((MARIA, "INBOX"))) for _ in range(2)]
            first.cancel()
            self.failureResultOf(first, CancelledError)
            self.assertNoResult(second)
            turn.callback(None)
        self.assertEqual(list(self.successResultOf(second).uids), [1])

    def test_counting(self) -> None:
        """Counts that others wait for are told when all is counted; when counting fails, each counts anew."""
        turns: list[Deferred[Any]] = []
        call = self.store.writer.call

        def later(function: Any, *args: Any) -> Deferred[Any]:
            turns.append(Deferred().addCallback(lambda _: call(function, *args)))
            return turns[-1]

        with patch.object(self.store.writer, "call", later):
            asked = [self.store.counts() for _ in range(3)]
            asked[0].cancel()
            self.failureResultOf(asked[0], CancelledError)
            for one in asked[1:]:
                self.assertNoResult(one)
            turns[0].errback(Unavailable("not now"))
            self.assertEqual(len(turns), 2)
            turns[1].callback(None)
        for one in asked[1:]:
            self.assertEqual(self.successResultOf(one), {MARIA: (1, 1)})

    def test_looking(self) -> None:
        """A look at what others changed ends before the next change begins."""
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        turn: Deferred[None] = Deferred()
        look, looked = folder._look, []

        async def later() -> None:
            await turn
            await look()
            looked.append(True)

        with patch.object(folder, "_look", later):
            polled = folder.poll()
            polled.cancel()
            self.failureResultOf(polled, CancelledError)
            expunged = folder.expunge([1])
            self.assertNoResult(expunged)
            turn.callback(None)
        self.assertEqual((looked, self.successResultOf(expunged)), ([True], [1]))
