"""Telling a client that is not asking."""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.untagged.push import Push
from simmail.imap.wire.replies import ClientGone
from tests.imap.recorder import connection, Recorder


class PushTests(SynchronousTestCase):
    """On a connection whose client reads when it likes."""

    def setUp(self) -> None:
        self.imap = Recorder()
        self.push = Push(connection(self.imap))
        self.reading: Deferred[None] | None = None
        write = self.imap.write

        async def send(octets: bytes) -> None:
            write(octets)
            if self.reading is not None:
                await self.reading

        self.imap.send = send  # type: ignore[method-assign]

    def happens(self, octets: bytes) -> None:
        """Something is to be told."""
        self.imap.pending.put(octets, octets)
        self.push.wake()

    def test_together(self) -> None:
        """What happens in one turn is told in the next, together."""
        self.happens(b"a")
        self.happens(b"b")
        self.assertEqual((self.imap.sent, len(self.imap.reactor.getDelayedCalls())), (b"", 1))
        self.imap.reactor.advance(0)
        self.assertEqual((self.imap.sent, self.push.telling), (b"ab", False))

    def test_not_reading(self) -> None:
        """While the client does not read, what happens is only remembered; then it is told."""
        self.reading = Deferred()
        self.happens(b"a")
        self.imap.reactor.advance(0)
        self.happens(b"b")
        self.happens(b"c")
        self.imap.reactor.advance(1)
        self.assertEqual((self.imap.sent, self.push.telling), (b"a", True))
        reading, self.reading = self.reading, None
        reading.callback(None)
        self.imap.reactor.advance(0)
        self.assertEqual(self.imap.sent, b"abc")

    def test_stop(self) -> None:
        """Nothing begins any more, and what is being told is told to its end."""
        self.reading = Deferred()
        self.happens(b"a")
        self.imap.reactor.advance(0)
        self.happens(b"b")
        stopped = Deferred.fromCoroutine(self.push.stop())
        self.assertNoResult(stopped)
        self.reading.callback(None)
        self.assertIsNone(self.successResultOf(stopped))
        self.imap.reactor.advance(1)
        self.assertEqual(self.imap.sent, b"a")

    def test_cancel(self) -> None:
        """What has not begun does not."""
        self.happens(b"a")
        self.push.cancel()
        self.imap.reactor.advance(1)
        self.assertEqual((self.imap.sent, self.imap.reactor.getDelayedCalls()), (b"", []))

    def test_cancelled_when_due(self) -> None:
        """Who finds at its turn that nothing is to be told cancels it, and is woken again later."""
        class Busy(Push):
            def _tell(self) -> None:
                self.cancel()

        push = Busy(connection(self.imap))
        for _ in range(2):
            push.wake()
            self.imap.reactor.advance(0)
        self.assertEqual((push.telling, self.imap.reactor.getDelayedCalls()), (False, []))

    def test_left(self) -> None:
        """A client that leaves is no defect; another error is logged, and the next thing told."""
        for error, logged in ((ClientGone(), 0), (KeyError("x"), 1)):
            self.reading = Deferred()
            self.happens(b"a")
            self.imap.reactor.advance(0)
            reading, self.reading = self.reading, None
            reading.errback(error)
            self.assertEqual(len(self.flushLoggedErrors(KeyError)), logged)
        self.happens(b"z")
        self.imap.reactor.advance(0)
        self.assertTrue(self.imap.sent.endswith(b"z"))
