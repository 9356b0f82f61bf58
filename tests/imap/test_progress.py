"""Commands that take long: what they say of it, and when they do not."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from tests.imap.play import House


class ProgressTests(SynchronousTestCase):
    """What is said while a command is being done."""

    def setUp(self) -> None:
        """A search whose index is slow."""
        self.house = House()
        for _ in range(450):
            self.house.deliver("plain")
        self.client = self.house.signed_in("INBOX")
        self.held: list[Deferred[None]] = []
        folder = self.house.folder()
        digested = folder.digested

        def slowly(*args: Any) -> Deferred[Any]:
            self.held.append(Deferred())
            found = digested(*args)
            return self.held[-1].addCallback(lambda _: found)

        folder.digested = slowly

    def test_search(self) -> None:
        """A search says how many messages it has looked at of how many."""
        self.client.send(b"a SEARCH SENTBEFORE 1-Jan-2020\r\n")
        self.house.reactor.advance(10)
        self.assertEqual(self.client.taken(), b'* OK [INPROGRESS ("a" 0 450)] Still working\r\n')
        self.held.pop().callback(None)
        self.house.reactor.advance(10)
        said = self.client.taken()
        self.assertRegex(said, rb'\A\* OK \[INPROGRESS \("a" [1-9]\d* 450\)\] Still working\r\n\Z')
        while self.held:
            self.held.pop().callback(None)
        self.assertEqual(self.client.taken(), b"* SEARCH\r\na OK SEARCH completed\r\n")

    def test_not_within(self) -> None:
        """Once a response has begun nothing is said that would break it up."""
        self.client.send(b"a FETCH 1:2 BODY.PEEK[]\r\n")
        self.client.taken()
        producer = self.client.transport.producer
        write = self.client.transport.write

        def writing(octets: bytes) -> None:
            write(octets)
            producer.pauseProducing()

        self.client.transport.write = writing  # type: ignore[method-assign]
        self.client.send(b"b FETCH 1:450 (FLAGS BODY.PEEK[])\r\n")
        self.client.taken()
        self.house.reactor.advance(60)
        self.assertNotIn(b"INPROGRESS", self.client.taken())
        del self.client.transport.write
        producer.resumeProducing()
        self.assertTrue(self.client.taken().endswith(b"b OK FETCH completed\r\n"))

    def test_leaving(self) -> None:
        """A client that leaves meanwhile is told nothing, and nothing is left to be done."""
        self.client.send(b"a SEARCH SENTBEFORE 1-Jan-2020\r\n")
        self.house.reactor.advance(10)
        self.client.lose()
        self.assertEqual(self.house.reactor.getDelayedCalls(), [])
        self.held.pop().callback(None)
        self.assertEqual(self.flushLoggedErrors(), [])
