"""The connection that comes back by itself, second by second, against a scripted Redis."""

from __future__ import annotations

from collections.abc import Iterable
from socket import socket, socketpair
from typing import Any

import hiredis
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionRefusedError
from twisted.internet.interfaces import ISystemHandle
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from simmail.database.connection import DELAYS, MOST_MOVES, PATIENCE, PAUSE, QUIET, TICK, RedisConnection, _Wire
from simmail.database.lua import Script
from simmail.database.trouble import reason
from simmail.errors import Unavailable

SCRIPT = Script(b"return 1", b"sha-of-it")


class Transport(StringTransport):
    """A transport that can be aborted."""

    aborted = False

    def abortConnection(self) -> None:
        self.aborted = True


class Place:
    """Plays both C{RedisUrl} and its endpoint: keeps each attempt to connect for the test to answer."""

    username = ""
    password = ""
    db = 0

    def __init__(self) -> None:
        self.attempts: list[tuple[Any, Deferred[Any]]] = []

    def endpoint(self, reactor: Any, timeout: float) -> Place:
        return self

    def connect(self, factory: Any) -> Deferred[Any]:
        waiting: Deferred[Any] = Deferred()
        self.attempts.append((factory, waiting))
        return waiting


class ScriptedTestCase(SynchronousTestCase):
    """One connection to a place that answers what it is told to."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.place = Place()
        self.changes: list[bool] = []
        self.connection = self.make()
        self.connection.open()

    def make(self) -> RedisConnection:
        """A connection to the scripted place."""
        return RedisConnection(
            self.clock, self.place, 2.0, [SCRIPT],  # type: ignore[arg-type]
            lambda: self.changes.append(self.connection.ready),
        )

    def refuse(self) -> None:
        """The last attempt fails."""
        self.place.attempts[-1][1].errback(Failure(ConnectionRefusedError("nobody there")))

    def accept(self) -> None:
        """The last attempt succeeds; nothing is answered yet."""
        factory, waiting = self.place.attempts[-1]
        self.wire = factory.buildProtocol(None)
        self.transport = Transport()
        self.wire.makeConnection(self.transport)
        waiting.callback(self.wire)

    def sent(self) -> list[list[bytes]]:
        """The commands sent since last asked."""
        reader = hiredis.Reader()
        reader.feed(self.transport.value())
        self.transport.clear()
        commands = []
        while (command := reader.gets()) is not False:
            commands.append(command)
        return commands

    def answer(self, *replies: bytes) -> None:
        """Replies arrive."""
        self.wire.dataReceived(b"".join(reply + b"\r\n" for reply in replies))

    def lose(self) -> None:
        """The connection is lost."""
        self.wire.connectionLost(Failure(ConnectionResetError("gone")))

    def be_ready(self) -> None:
        """Connected and greeted."""
        self.accept()
        self.answer(b"$9", b"sha-of-it", b"+PONG")
        self.sent()

    def calls(self, words: Iterable[str]) -> list[Deferred[Any]]:
        """One command for each word."""
        return [self.connection.call((word,)) for word in words]


class ConnectionTests(ScriptedTestCase):
    """One connection."""

    def test_greeting(self) -> None:
        """Ready means that the scripts are loaded and Redis serves, not that somebody accepted."""
        self.accept()
        self.assertEqual(self.sent(), [[b"SCRIPT", b"LOAD", b"return 1"], [b"PING"]])
        self.assertFalse(self.connection.ready)
        self.answer(b"$9", b"sha-of-it", b"+PONG")
        self.assertTrue(self.connection.ready)
        self.assertEqual(self.changes, [True])

    def test_credentials(self) -> None:
        """User, password and database are said first."""
        self.place.username, self.place.password, self.place.db = "me", "pw", 3
        self.connection = self.make()
        self.connection.open()
        self.accept()
        self.assertEqual(self.sent()[:2], [[b"AUTH", b"me", b"pw"], [b"SELECT", b"3"]])

    def test_wrong_password(self) -> None:
        """A refused password is told as the trouble, and tried again."""
        self.accept()
        self.answer(b"-WRONGPASS invalid username-password pair")
        self.assertTrue(self.transport.aborted)
        self.assertIn("WRONGPASS", self.connection.trouble)
        self.clock.advance(DELAYS[0])
        self.assertEqual(len(self.place.attempts), 2)

    def test_loading(self) -> None:
        """A Redis that still loads its data is not ready, and is asked again and again."""
        self.accept()
        self.answer(b"-LOADING Redis is loading the dataset in memory")
        self.assertFalse(self.connection.ready)
        self.clock.advance(DELAYS[0])
        self.be_ready()
        self.assertTrue(self.connection.ready)

    def test_before(self) -> None:
        """A call before it is ready fails at once and is never sent."""
        self.failureResultOf(self.connection.call(("GET", "k")), Unavailable)
        self.be_ready()
        self.assertEqual(self.sent(), [])

    def test_order(self) -> None:
        """Calls are sent without waiting, and answered in order, however the replies are cut."""
        self.be_ready()
        waiting = self.calls("ABC")
        self.assertEqual(self.sent(), [[b"A"], [b"B"], [b"C"]])
        for octet in b"$1\r\na\r\n:2\r\n*2\r\n$-1\r\n$1\r\nc\r\n":
            self.wire.dataReceived(bytes((octet,)))
        self.assertEqual([self.successResultOf(one) for one in waiting], [b"a", 2, [None, b"c"]])

    def test_patient(self) -> None:
        """The first one nobody waits for goes at once; those that come soon after it go together, in order."""
        self.be_ready()
        waiting = [self.connection.call((word,), may_batch=True) for word in "ABC"]
        self.assertEqual(self.sent(), [[b"A"]])
        self.clock.advance(PATIENCE)
        self.assertEqual(self.sent(), [[b"B"], [b"C"]])
        self.answer(b"+1", b"+2", b"+3")
        self.assertEqual([self.successResultOf(one) for one in waiting], [b"1", b"2", b"3"])
        self.clock.advance(PATIENCE)
        self.connection.call(("D",), may_batch=True)
        self.assertEqual(self.sent(), [[b"D"]])

    def test_patient_and_not(self) -> None:
        """One that somebody waits for takes along what came before it, and nothing is sent twice."""
        self.be_ready()
        for word in "AB":
            self.connection.call((word,), may_batch=True)
        self.connection.call(("C",))
        self.assertEqual(self.sent(), [[b"A"], [b"B"], [b"C"]])
        self.connection.call(("D",), may_batch=True)
        self.clock.advance(PATIENCE)
        self.assertEqual(self.sent(), [[b"D"]])

    def test_patient_and_lost(self) -> None:
        """What was not sent yet when the connection is lost fails like the rest, and is not sent over the next one."""
        self.be_ready()
        waiting = [self.connection.call((word,), may_batch=True) for word in "AB"]
        self.lose()
        for one in waiting:
            self.failureResultOf(one, Unavailable)
        self.clock.advance(DELAYS[0])
        self.be_ready()
        self.clock.advance(PATIENCE)
        self.assertEqual(self.sent(), [])

    def test_decode(self) -> None:
        """A reply is decoded for the caller; what cannot be decoded fails that call alone."""
        self.be_ready()
        good = self.connection.call(("A",), int)
        bad = self.connection.call(("B",), int)
        more = self.connection.call(("C",), int)
        self.answer(b"+1", b"+x", b"+3")
        self.assertEqual((self.successResultOf(good), self.successResultOf(more)), (1, 3))
        self.failureResultOf(bad, ValueError)

    def test_lost(self) -> None:
        """When it is lost it is away at once, and what was not answered fails."""
        self.be_ready()
        waiting = self.calls("AB")
        self.answer(b"+1")
        self.lose()
        self.assertEqual(self.successResultOf(waiting[0]), b"1")
        self.failureResultOf(waiting[1], Unavailable)
        self.assertFalse(self.connection.ready)
        self.assertEqual(self.changes, [True, False])
        self.failureResultOf(self.connection.call(("C",)), Unavailable)

    def test_called_by_the_lost(self) -> None:
        """One who calls again because of the loss fails at once too."""
        self.be_ready()
        again: list[Deferred[Any]] = []
        self.calls("A")[0].addErrback(lambda _: again.append(self.connection.call(("B",))))
        self.lose()
        self.failureResultOf(again[0], Unavailable)

    def test_attempts(self) -> None:
        """It is tried again and again, never more than half a second apart."""
        for _ in range(20):
            before = len(self.place.attempts)
            self.refuse()
            self.clock.advance(0.5)
            self.assertEqual(len(self.place.attempts), before + 1)
        self.be_ready()
        self.assertTrue(self.connection.ready)
        self.assertEqual(self.connection.trouble, "")

    def test_time_is_over(self) -> None:
        """A call that is not answered in time fails; its late reply goes to no other."""
        self.be_ready()
        [early, late] = self.calls("AB")
        self.clock.pump([TICK] * 5)
        self.answer(b"+a")
        self.clock.pump([TICK] * 3)
        [other] = self.calls("C")
        self.assertNoResult(late)
        self.clock.pump([TICK] * 2)
        self.failureResultOf(late, Unavailable)
        self.answer(b"+late", b"+c")
        self.assertEqual((self.successResultOf(early), self.successResultOf(other)), (b"a", b"c"))
        self.assertTrue(self.connection.ready)

    def test_never_past_the_time(self) -> None:
        """No call waits past two seconds, whenever it came between two looks."""
        self.be_ready()
        for offset in (0.01, 0.07, 0.13, 0.19):
            self.clock.advance(offset)
            [waiting] = self.calls("A")
            self.clock.pump([0.01] * 200)
            self.failureResultOf(waiting, Unavailable)
            self.clock.advance(DELAYS[0])
            self.be_ready()

    def test_slow_is_not_lost(self) -> None:
        """While replies come the connection is kept, though some come too late."""
        self.be_ready()
        waiting = self.calls("ABCDEFGHIJ")
        for _ in range(10):
            self.clock.pump([TICK] * 4)
            self.answer(b"+x")
        self.assertTrue(self.connection.ready)
        self.assertFalse(self.transport.aborted)
        self.assertEqual([self.successResultOf(one) for one in waiting[:2]], [b"x", b"x"])
        for one in waiting[2:]:
            self.failureResultOf(one, Unavailable)

    def test_silent(self) -> None:
        """A Redis that says nothing more is given up and dialled again."""
        self.be_ready()
        waiting = self.calls("AB")
        self.clock.pump([TICK] * 10)
        for one in waiting:
            self.failureResultOf(one, Unavailable)
        self.assertTrue(self.transport.aborted)
        self.assertFalse(self.connection.ready)
        self.clock.advance(DELAYS[0])
        self.assertEqual(len(self.place.attempts), 2)

    def test_round_trips(self) -> None:
        """How long Redis took is counted, and what it has not answered."""
        self.be_ready()
        before = self.connection.round_trips.seconds
        self.connection.call(("GET", "a"))
        self.assertEqual(self.connection.waiting, 1)
        self.clock.advance(0.125)
        self.answer(b"$-1")
        self.assertEqual((self.connection.waiting, self.connection.round_trips.seconds - before), (0, 0.125))

    def test_silent_and_not_asked(self) -> None:
        """A Redis that hangs is found out even if nobody asks it anything."""
        self.be_ready()
        self.clock.pump([TICK] * (int(QUIET / TICK) + 1))
        self.assertEqual(self.sent(), [[b"PING"]])
        self.answer(b"+PONG")
        self.clock.pump([TICK] * int((QUIET + 2.0) / TICK + 1))
        self.assertFalse(self.connection.ready)

    def test_silent_in_greeting(self) -> None:
        """One that accepts and says nothing is given up too."""
        self.accept()
        self.clock.pump([TICK] * 11)
        self.assertTrue(self.transport.aborted)
        self.assertEqual(len(self.place.attempts), 2)

    def test_cannot_now(self) -> None:
        """Answers that pass are Unavailable, also from inside a script of an older Redis; the connection stays."""
        self.be_ready()
        for reply in (
            b"-MOVED 3999 127.0.0.1:6381",
            b"-ERR Error running script (call to f_1): @user_script:5: @user_script: 5: -MOVED 3999 127.0.0.1:6381",
        ):
            [waiting] = self.calls("A")
            self.answer(reply)
            self.failureResultOf(waiting, Unavailable)
            self.assertTrue(self.connection.ready)

    def test_two_keys(self) -> None:
        """What takes two keys is tried again after a moment, a few times, while what comes after it is done."""
        for reply in (b"-TRYAGAIN Multiple keys request during rehashing of slot",
                      b"-ERR Script attempted to access a non local key in a cluster node script: f_1, on line 3.",
                      b"-ERR Attempted to access a non local key in a cluster node script: on @user_script:1."):
            self.setUp()
            self.be_ready()
            [waiting] = self.calls("A")
            for _ in range(MOST_MOVES):
                self.assertEqual(self.sent(), [[b"A"]])
                self.answer(reply)
                [other] = self.calls("B")
                self.assertEqual(self.sent(), [[b"B"]])
                self.answer(b":1")
                self.successResultOf(other)
                self.assertNoResult(waiting)
                self.clock.advance(PAUSE)
            self.answer(reply)
            self.failureResultOf(waiting, Unavailable)
            waiting, lost = self.calls("AC")
            self.answer(reply, reply)
            self.sent()
            self.clock.advance(PAUSE)
            self.assertEqual(self.sent(), [[b"A"], [b"C"]])
            self.answer(b":1", reply)
            self.successResultOf(waiting)
            self.lose()
            self.failureResultOf(lost, Unavailable)
            self.connection.close()
            self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_takes_nothing(self) -> None:
        """One that takes nothing is given up until it does: the one that does may be elsewhere by now."""
        for reply, why in (
            (b"-READONLY You can't write against a read only replica.", "it is read-only"),
            (b"-OOM command not allowed when used memory > 'maxmemory'.", "it is out of memory"),
            (b"-BUSY Redis is busy running a script.", "it is busy with a script"),
            (b"-ERR Error running script (call to f_1): @user_script:5: @user_script: 5: -BUSY Redis is busy",
             "it is busy with a script"),
            (b"-MISCONF Errors writing to the AOF file: No space left on device", "its disk refuses"),
            (b"-ERR Error running script (call to f_1): @user_script:5: @user_script: 5: -OOM command not allowed",
             "it is out of memory"),
        ):
            self.setUp()
            self.be_ready()
            [waiting] = self.calls("A")
            self.answer(reply)
            self.failureResultOf(waiting, Unavailable)
            self.assertTrue(self.transport.aborted)
            self.assertFalse(self.connection.ready)
            self.assertEqual(reason(self.connection.trouble), why)

    def test_shut_out(self) -> None:
        """Who may run no scripts any more, or is not known any more, is away; other commands may be kept from us."""
        for command, reply, away in (
            ((b"EVALSHA", b"x", 1, b"k"), b"-NOPERM User u has no permissions to run the 'evalsha' command", True),
            ((b"HGET", b"k", b"f"), b"-NOAUTH Authentication required.", True),
            ((b"WAITAOF", 1, 0, 0), b"-NOPERM User default has no permissions to run the 'waitaof' command", False),
        ):
            self.setUp()
            self.be_ready()
            waiting = self.connection.call(command)
            self.answer(reply)
            self.failureResultOf(waiting, Unavailable if away else RuntimeError)
            self.assertEqual(self.connection.ready, not away)
            if away:
                self.assertEqual(reason(self.connection.trouble), "it does not take the user or password")

    def test_refused(self) -> None:
        """Any other error is a defect of ours, told as such."""
        self.be_ready()
        [waiting] = self.calls("A")
        self.answer(b"-WRONGTYPE Operation against a key holding the wrong kind of value")
        self.assertIn("WRONGTYPE", str(self.failureResultOf(waiting, RuntimeError).value))

    def test_scripts_forgotten(self) -> None:
        """When Redis has forgotten the scripts, all since are sent again behind them, in order."""
        self.be_ready()
        waiting = self.calls("ABC")
        self.answer(b"-NOSCRIPT No matching script.")
        self.sent()
        waiting += self.calls("D")
        self.assertEqual(self.sent(), [])
        self.answer(b"-NOSCRIPT No matching script.", b"+c")
        self.assertEqual(self.successResultOf(waiting[2]), b"c")
        self.assertEqual(self.sent(), [[b"SCRIPT", b"LOAD", b"return 1"], [b"A"], [b"B"], [b"D"]])
        self.answer(b"$9", b"sha-of-it", b"+a", b"+b", b"+d")
        self.assertEqual([self.successResultOf(waiting[i]) for i in (0, 1, 3)], [b"a", b"b", b"d"])

    def test_scripts_refused(self) -> None:
        """When the script is not there even then, the call fails, once and for all."""
        self.be_ready()
        [waiting] = self.calls("A")
        self.answer(b"-NOSCRIPT No matching script.")
        self.answer(b"-NOPERM no", b"-NOSCRIPT No matching script.")
        self.failureResultOf(waiting, RuntimeError)
        self.assertTrue(self.connection.ready)

    def test_scripts_forgotten_and_lost(self) -> None:
        """What waits to be sent again fails with the rest when the connection is lost."""
        self.be_ready()
        waiting = self.calls("AB")
        self.answer(b"-NOSCRIPT No matching script.")
        waiting += self.calls("C")
        self.lose()
        for one in waiting:
            self.failureResultOf(one, Unavailable)

    def test_nonsense(self) -> None:
        """One that does not speak Redis is given up."""
        self.be_ready()
        self.answer(b"HTTP/1.1 400 Bad Request")
        self.assertTrue(self.transport.aborted)

    def test_close(self) -> None:
        """Closed, it fails what waits, dials no more, and leaves no timer."""
        self.be_ready()
        [waiting] = self.calls("A")
        closed = self.connection.close()
        self.assertNoResult(closed)
        self.lose()
        self.successResultOf(closed)
        self.failureResultOf(waiting, Unavailable)
        self.assertEqual(self.clock.getDelayedCalls(), [])
        self.assertEqual(len(self.place.attempts), 1)

    def test_close_while_dialling(self) -> None:
        """Closed while it dials or waits to dial, nothing goes on."""
        self.successResultOf(self.connection.close())
        self.connection = self.make()
        self.connection.open()
        self.refuse()
        self.successResultOf(self.connection.close())
        self.assertEqual(self.clock.getDelayedCalls(), [])


class MovedTests(ScriptedTestCase):
    """Keys that are elsewhere, and whoever finds out where."""

    def make(self) -> RedisConnection:
        """A connection of a cluster."""
        self.told: list[str] = []
        return RedisConnection(
            self.clock, self.place, 2.0, [SCRIPT],  # type: ignore[arg-type]
            lambda: self.changes.append(self.connection.ready), moved=self.told.append)

    def test_moved(self) -> None:
        """From the first that is elsewhere on nothing is sent; when it is known where, all goes there in its order."""
        self.be_ready()
        keys: list[str] = []
        other = ScriptedTestCase()
        other.setUp()
        other.be_ready()
        waiting = [self.connection.call(("GET", f"{{u}}:{n}")) for n in range(3)]
        self.sent()
        self.answer(b"$1", b"a", b"-MOVED 1 h:1", b"-MOVED 1 h:1")
        waiting.append(self.connection.call(("EVALSHA", "sha", "1", "{u}", "more")))
        self.assertEqual((self.told, self.sent(), self.connection.held), (["MOVED 1 h:1"], [], True))

        def where(key: str) -> RedisConnection:
            keys.append(key)
            return other.connection

        self.connection.release(where)
        self.assertEqual(keys, ["{u}:1", "{u}:2", "{u}"])
        self.assertEqual([command[1] for command in other.sent()], [b"{u}:1", b"{u}:2", b"sha"])
        other.answer(b"$1", b"b", b"$1", b"c", b":4")
        self.assertEqual([self.successResultOf(one) for one in waiting], [b"a", b"b", b"c", 4])
        self.assertFalse(self.connection.held)
        other.connection.close()

    def test_asked(self) -> None:
        """Each slot that C{ASK} tells of is told; who is asked for one of these is asked behind ASKING, once."""
        self.be_ready()
        other = ScriptedTestCase()
        other.setUp()
        other.connection = RedisConnection(
            self.clock, other.place, 2.0, [SCRIPT], lambda: None, asking=True)  # type: ignore[arg-type]
        other.connection.open()
        other.accept()
        self.assertEqual(other.sent(), [[b"ASKING"], [b"SCRIPT", b"LOAD", b"return 1"], [b"ASKING"], [b"PING"]])
        other.answer(b"+OK", b"$9", b"sha-of-it", b"+OK", b"+PONG")
        waiting = [self.connection.call(("EVALSHA", "sha", "1", "{%s}" % name)) for name in "uvu"]
        self.answer(b"-ASK 1 h:1", b"-ASK 2 h:1", b"-ASK 1 h:1")
        self.assertEqual(self.told, ["ASK 1 h:1", "ASK 2 h:1", "ASK 1 h:1"])
        self.connection.release(lambda key: other.connection)
        self.assertEqual([command[-1] for command in other.sent()],
                         [b"ASKING", b"{u}", b"ASKING", b"{v}", b"ASKING", b"{u}"])
        other.answer(b"+OK", b":1", b"+OK", b":2", b"+OK", b":3")
        self.assertEqual([self.successResultOf(one) for one in waiting], [1, 2, 3])
        batched = [other.connection.call(("GET", f"{{u}}:{n}"), None, True) for n in range(2)]
        self.clock.advance(PATIENCE)
        self.assertEqual([command[0] for command in other.sent()], [b"ASKING", b"GET"] * 2)
        other.answer(b"+OK", b":1")
        self.assertNoResult(batched[1])
        other.answer(b"-TRYAGAIN of ASKING itself nobody is told", b":2")
        self.assertEqual([self.successResultOf(one) for one in batched], [1, 2])
        other.connection.close()

    def test_again_and_again(self) -> None:
        """One that is never where it is said to be fails; so does what waits for an answer that nobody has."""
        self.be_ready()
        waiting = self.connection.call(("GET", "a"))
        for _ in range(5):
            self.answer(b"-MOVED 1 h:1")
            self.connection.release(lambda key: self.connection)
        self.answer(b"-MOVED 1 h:1")
        self.failureResultOf(waiting, Unavailable)
        waiting = self.connection.call(("GET", "b"))
        self.answer(b"-MOVED 1 h:1")
        held = self.connection.call(("GET", "c"))
        self.clock.pump([0.2] * 15)
        self.failureResultOf(waiting, Unavailable)
        self.failureResultOf(held, Unavailable)

    def test_held(self) -> None:
        """Who holds it is told when all that was sent is answered, or lost; what is asked meanwhile goes out then."""
        self.be_ready()
        before = self.connection.call(("GET", "a"))
        drained = self.connection.hold()
        after = self.connection.call(("GET", "b"))
        self.assertEqual(self.sent(), [[b"GET", b"a"]])
        self.assertNoResult(drained)
        self.answer(b":1")
        self.successResultOf(drained)
        self.successResultOf(before)
        self.connection.release(lambda key: self.connection)
        self.assertEqual(self.sent(), [[b"GET", b"b"]])
        self.answer(b":2")
        self.successResultOf(after)
        self.connection.call(("GET", "c")).addErrback(lambda failure: None)
        drained = self.connection.hold()
        self.lose()
        self.successResultOf(drained)
        self.assertFalse(self.connection.held)


@implementer(ISystemHandle)
class Handled(Transport):
    """A transport of a socket."""

    def __init__(self, handle: socket) -> None:
        super().__init__()
        self.handle = handle

    def getHandle(self) -> socket:
        """The socket."""
        return self.handle


class SocketTests(SynchronousTestCase):
    """Past the transport, without the turn of the reactor that it takes."""

    def setUp(self) -> None:
        """A wire of a socket whose other end is read here."""
        mine, self.other = socketpair()
        mine.setblocking(False)
        self.addCleanup(self.other.close)
        self.addCleanup(mine.close)
        self.transport = Handled(mine)
        self.wire = _Wire(None)  # type: ignore[arg-type] # nothing is answered
        self.wire.makeConnection(self.transport)

    def test_at_once(self) -> None:
        """What is alone goes out at once, what is not keeps its place behind the rest."""
        self.wire.send(b"one", True)
        self.wire.send(b"two", False)
        self.assertEqual((self.other.recv(100), self.transport.value()), (b"one", b"two"))

    def test_full(self) -> None:
        """What the socket does not take is left to the transport."""
        large = b"x" * 10_000_000
        self.wire.send(large, True)
        left = self.transport.value()
        self.assertTrue(0 < len(left) < len(large))
        self.wire.send(b"more", True)
        self.assertEqual(self.transport.value(), left + b"more")

    def test_broken(self) -> None:
        """A socket that is gone is found out by the transport."""
        self.other.close()
        self.wire.send(b"one", True)
        self.assertEqual(self.transport.value(), b"one")
