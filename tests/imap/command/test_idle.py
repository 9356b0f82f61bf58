"""IDLE, and what is told while it lasts."""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.command.idle import idle
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad
from tests.imap.recorder import connection, Recorder


class IdleTests(SynchronousTestCase):
    """On a connection in memory (RFC 2177)."""

    def setUp(self) -> None:
        self.imap = Recorder(folder="INBOX")
        self.idling = Deferred.fromCoroutine(idle(connection(self.imap), Arguments(b"")))

    def test_told(self) -> None:
        """What happens is told together in the next turn, and not after the end."""
        self.assertEqual(self.imap.sent, b"+ idling\r\n")
        for _ in range(2):
            self.imap.house.deliver()
            self.imap.idling.wake()
        self.imap.reactor.advance(0)
        self.assertEqual(self.imap.sent.count(b"EXISTS"), 1)
        self.assertIn(b"* 2 EXISTS\r\n", self.imap.sent)
        self.imap.listening.callback(b"done ")
        self.assertIsNone(self.successResultOf(self.idling))
        self.assertIsNone(self.imap.idling)
        self.assertEqual(self.imap.reactor.getDelayedCalls(), [])

    def test_at_once(self) -> None:
        """What is pending when it begins is told at once."""
        self.imap.listening.callback(b"DONE")
        self.imap.house.deliver()
        self.setUp()
        self.imap.pending.put("x", b"* x\r\n")
        Deferred.fromCoroutine(idle(connection(self.imap), Arguments(b"")))
        self.imap.reactor.advance(0)
        self.assertTrue(self.imap.sent.endswith(b"* x\r\n"))

    def test_no_done(self) -> None:
        """Another line than DONE is Bad, and ends it all the same."""
        self.imap.listening.callback(b"a NOOP")
        self.failureResultOf(self.idling, Bad)
        self.assertIsNone(self.imap.idling)
