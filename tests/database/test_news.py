"""News over connections that a test answers: what is said on them, and what is heard, told again, or told late."""

from __future__ import annotations


from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.database.connection import DELAYS
from simmail.database.news import News
from tests.database.test_connection import Place, ScriptedTestCase

SUBSCRIBED = b"*3\r\n$10\r\nssubscribe\r\n$1\r\nc\r\n:1"


def push(kind: bytes, payload: bytes) -> bytes:
    """What comes of a channel."""
    return b"*3\r\n$%d\r\n%b\r\n$1\r\nc\r\n$%d\r\n%b" % (len(kind), kind, len(payload), payload)


class End(ScriptedTestCase):
    """The other end of a connection to a place."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place


class NewsTests(SynchronousTestCase):
    """One channel; where it is says the test."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.place = Place()
        self.amiss: list[bool] = []
        self.heard: list[int | None] = []
        self.news = self.make()

    def make(self, sharded: bool = True) -> News:
        """News of a cluster, or of one Redis."""
        return News(
            self.clock, 2.0, lambda key: self.place,  # type: ignore[arg-type,return-value] # it plays a URL
            lambda: self.amiss.append(True), sharded)

    def end(self, place: Place | None = None) -> End:
        """Who answers the last attempt to connect."""
        end = End(place or self.place)
        end.accept()
        end.answer(b"+PONG")
        self.assertEqual(end.sent()[0], [b"PING"])
        return end

    def listening(self) -> End:
        """Who answers somebody who listens."""
        self.ended = self.news.hear("c", self.heard.append)
        end = self.end()
        end.answer(SUBSCRIBED)
        self.heard.clear()
        return end

    def test_heard(self) -> None:
        """Who listens is told that he may have missed something, then numbers; what is no number is none."""
        self.news.hear("c", self.heard.append)
        end = End(self.place)
        end.accept()
        end.answer(b"+PONG")
        self.assertEqual(end.sent(), [[b"PING"], [b"SSUBSCRIBE", b"c"]])
        self.assertEqual(self.heard, [])
        end.answer(SUBSCRIBED)
        self.assertEqual(self.heard, [None])
        end.answer(push(b"smessage", b"7"), push(b"smessage", b"x"), push(b"smessage", b"8"))
        self.assertEqual(self.heard, [None, 7, 8])
        self.clock.pump([0.5] * 3)
        self.assertEqual(end.sent(), [[b"PING"]])
        end.answer(push(b"smessage", b"9"), b"*2\r\n$4\r\npong\r\n$0\r\n")
        self.assertEqual((self.heard[-1], self.amiss), (9, []))

    def test_one_redis(self) -> None:
        """One that is no cluster has a channel of the older kind."""
        self.news = self.make(sharded=False)
        self.news.hear("c", self.heard.append)
        end = End(self.place)
        end.accept()
        end.answer(b"+PONG", b"*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1", push(b"message", b"1"))
        self.assertEqual((end.sent()[-1], self.heard), ([b"SUBSCRIBE", b"c"], [None, 1]))
        self.news.tell("c", 2)
        self.assertEqual(self.telling().sent(), [[b"PUBLISH", b"c", b"2"]])

    def telling(self) -> End:
        """Who answers somebody who tells."""
        end = End(self.place)
        end.accept()
        end.sent()
        end.answer(b"+PONG")
        return end

    def test_failing(self) -> None:
        """One who listens and fails keeps nobody else from hearing."""
        end = self.listening()
        self.news.hear("c", lambda number: 1 / 0)  # type: ignore[operator]
        more: list[int | None] = []
        self.news.hear("c", more.append)
        end.answer(push(b"smessage", b"7"))
        self.assertEqual((self.heard, more), ([7], [7]))
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.ended()
        end.answer(push(b"smessage", b"8"))
        self.assertEqual((self.heard, more), ([7], [7, 8]))
        self.flushLoggedErrors(ZeroDivisionError)

    def test_moved(self) -> None:
        """Where its slot has gone, the channel is opened again as soon as that is known; some may have been missed."""
        end, old = self.listening(), self.place
        end.answer(push(b"sunsubscribe", b"0"))
        self.assertEqual((self.amiss, end.transport.aborted), ([True], True))
        # It is not known yet.
        self.clock.advance(DELAYS[0])
        end = self.end()
        end.answer(b"-MOVED 1 h:1")
        self.assertEqual(len(self.amiss), 2)
        self.place = Place()
        self.news.settle()
        self.clock.advance(5.0)
        self.assertEqual((len(old.attempts), self.heard), (2, []))
        self.end().answer(SUBSCRIBED, push(b"smessage", b"9"))
        self.assertEqual(self.heard, [None, 9])
        self.news.settle()
        self.assertEqual(len(self.place.attempts), 1)

    def test_lost(self) -> None:
        """A connection that is lost is made again; it may be that another has its place."""
        end = self.listening()
        end.lose()
        self.assertEqual(self.amiss, [True])
        self.clock.advance(DELAYS[0])
        self.end().answer(SUBSCRIBED)
        self.assertEqual(self.heard, [None])

    def test_told(self) -> None:
        """What could not be told is told as soon as it can be, the last number only."""
        self.news.tell("c", 1)
        end = self.telling()
        self.assertEqual(end.sent(), [[b"SPUBLISH", b"c", b"1"]])
        end.answer(b":0")
        self.news.tell("c", 2)
        self.assertEqual(end.sent(), [[b"SPUBLISH", b"c", b"2"]])
        self.news.tell("c", 3)
        end.answer(b"-MOVED 1 h:1")
        self.assertTrue(self.amiss)
        self.place = Place()
        self.news.settle()
        end = self.telling()
        self.assertEqual(end.sent(), [[b"SPUBLISH", b"c", b"3"]])
        end.answer(b":1")
        end.lose()
        self.clock.advance(DELAYS[0])
        self.assertEqual(self.telling().sent(), [])

    def test_unknown(self) -> None:
        """A Redis that does not know the commands is asked once; nothing else is the worse for it."""
        self.news.hear("c", self.heard.append)
        end = self.end()
        end.answer(b"-ERR unknown command 'SSUBSCRIBE'")
        self.news.tell("c", 1)
        self.news.settle()
        self.clock.advance(5.0)
        self.assertEqual((len(self.place.attempts), self.heard, self.clock.getDelayedCalls()), (1, [], []))

    def test_close(self) -> None:
        """Nothing goes on."""
        end = self.listening()
        self.news.tell("c", 1)
        telling = self.telling()
        closed = self.news.close()
        for one in (end, telling):
            self.assertTrue(one.transport.aborted)
            one.lose()
        self.successResultOf(closed)
        self.news.tell("c", 2)
        self.news.settle()
        self.assertEqual((len(self.place.attempts), self.clock.getDelayedCalls()), (2, []))
