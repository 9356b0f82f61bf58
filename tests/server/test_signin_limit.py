"""Tests for C{simmail.server.signin_limit} and C{lanes}."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import CancelledError, Deferred, fail, maybeDeferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from simmail.errors import TooMany, Unauthenticated, Unavailable
from simmail.interfaces import IPeers
from simmail.server import signin_limit
from simmail.server.signin_limit import SharedSignInLimit, SignInLimit
from simmail.testing.universe import now

AWAY, HERE = "192.0.2.1", "127.0.0.1"


async def right() -> str:
    """The password is right."""
    return "in"


async def wrong() -> str:
    """It is not."""
    raise Unauthenticated("no")


class SignInLimitTests(SynchronousTestCase):
    """Ten failures of a login, thirty of an address."""

    def setUp(self) -> None:
        """A brake."""
        self.reactor = Clock()
        self.limit = SignInLimit(self.reactor, 10, 30)

    def failing(self, count: int, remote: str = AWAY, login: str = "a") -> None:
        """Try wrong passwords that are looked at."""
        for _ in range(count):
            self.assertRaises(Unauthenticated, now, self.limit.attempt(remote, login, wrong))

    def refused(self, remote: str = AWAY, login: str = "a", look: Any = right) -> TooMany:
        """One more is refused."""
        error: TooMany = self.assertRaises(TooMany, now, self.limit.attempt(remote, login, look))
        return error

    def test_of_a_login(self) -> None:
        """After ten failures that login has to wait, and not longer than a minute from the first."""
        self.reactor.advance(1000)
        self.failing(1)
        self.reactor.advance(20)
        self.failing(9)
        self.assertEqual(self.refused().retry_after, 40)
        self.assertEqual(now(self.limit.attempt(AWAY, "b", right)), "in")
        self.assertEqual(now(self.limit.attempt("192.0.2.2", "a", right)), "in")
        self.reactor.advance(40)
        self.failing(1)
        self.refused()

    def test_of_an_address(self) -> None:
        """After as many failures as an address may have nothing from there is looked at, whichever the login."""
        for n in range(30):
            self.failing(1, login=f"name {n}")
        self.refused(login="another")
        self.assertEqual(now(self.limit.attempt("192.0.2.2", "another", right)), "in")
        self.reactor.advance(60)
        self.assertEqual(now(self.limit.attempt(AWAY, "another", right)), "in")

    def test_here(self) -> None:
        """From this machine the right password is never refused; a wrong one over the limit is, and counts no more."""
        for remote in (HERE, "::1"):
            self.failing(10, remote)
            self.refused(remote, look=wrong)
            self.assertEqual(now(self.limit.attempt(remote, "a", right)), "in")
            for n in range(20):
                self.failing(1, remote, f"name {n}")
            self.refused(remote, "another", wrong)
            self.assertEqual(now(self.limit.attempt(remote, "another", right)), "in")
        self.reactor.advance(60)
        self.failing(10, HERE)

    def test_counts_from_its_beginning(self) -> None:
        """What is being looked at counts as failed until it is known; others wait, in order, and each is answered."""
        looking: list[Deferred[None]] = []
        begun: list[int] = []
        told: list[Any] = []

        async def look(n: int) -> str:
            begun.append(n)
            looking.append(Deferred())
            await looking[-1]
            return await (right() if n % 3 == 0 else wrong())

        for n in range(40):
            Deferred.fromCoroutine(self.limit.attempt(AWAY, "a", lambda n=n: look(n))).addBoth(told.append)
        self.assertEqual(begun, list(range(10)))
        while looking:
            looking.pop(0).callback(None)
            self.reactor.advance(0)
        self.assertEqual(begun, sorted(begun))
        self.assertEqual(sum(n % 3 != 0 for n in begun), 10)
        self.assertEqual(len(told), 40)

    def test_in_turn(self) -> None:
        """Who waits with one login does not wait behind all who wait with another."""
        looking: dict[str, list[Deferred[None]]] = {"a": [], "b": []}

        async def look(name: str) -> str:
            looking[name].append(Deferred())
            await looking[name][-1]
            return "in"

        for name, count in (("a", 12), ("b", 12), ("c", 0)):
            for _ in range(count):
                Deferred.fromCoroutine(self.limit.attempt(AWAY, name, lambda name=name: look(name)))
        looking["a"][0].callback(None)
        looking["b"][0].callback(None)
        self.reactor.advance(0)
        self.assertEqual((len(looking["a"]), len(looking["b"])), (11, 11))

    def test_cancelled(self) -> None:
        """Who waits no more takes nobody's turn."""
        first: Deferred[None] = Deferred()
        small = SignInLimit(self.reactor, 1, 30)
        told: list[Any] = []

        async def slow() -> str:
            await first
            return "in"

        Deferred.fromCoroutine(small.attempt(AWAY, "a", slow)).addBoth(told.append)
        gone = Deferred.fromCoroutine(small.attempt(AWAY, "a", wrong))
        Deferred.fromCoroutine(small.attempt(AWAY, "a", right)).addBoth(told.append)
        gone.cancel()
        self.failureResultOf(gone, CancelledError)
        first.callback(None)
        self.reactor.advance(0)
        self.assertEqual(told, ["in", "in"])

    def test_memory(self) -> None:
        """Tries from very many addresses, and of very many logins, do not fill the memory."""
        self.patch(signin_limit, "MOST_PLACES", 50)
        for n in range(200):
            self.failing(1, f"192.0.2.{n}")
        self.assertEqual(len(self.limit), 50)
        for n in range(1000):
            self.assertRaises((Unauthenticated, TooMany), now, self.limit.attempt(AWAY, f"name {n}", wrong))
            self.assertEqual(now(self.limit.attempt(HERE, f"name {n}", right)), "in")
            self.reactor.advance(1)
        for place in self.limit._places.values():
            self.assertLessEqual(len(place.logins), 60)

    def test_waiting_is_bounded(self) -> None:
        """Only so many of one address wait."""
        self.patch(signin_limit, "MOST_WAITING", 5)

        looking: Deferred[str] = Deferred()

        async def look() -> str:
            return await looking

        trying = [Deferred.fromCoroutine(self.limit.attempt(HERE, "a", look)) for _ in range(15)]
        self.refused(HERE)
        self.assertEqual(now(self.limit.attempt(HERE, "b", right)), "in")
        self.assertFalse(any(one.called for one in trying))


@implementer(IPeers)
class OnePeer:
    """The process that counts, as another one knows it; C{away}: it is not there."""

    number = 1
    away = False

    def __init__(self, limit: SignInLimit) -> None:
        self.answers: dict[str, Any] = {"attempt": limit.begin, "attempted": limit.end}

    def owner(self, name: str) -> int:
        return 0

    def mine(self, name: str) -> bool:
        return False

    def ask_owner(self, name: str, question: str, *arguments: Any) -> Deferred[Any]:
        return fail(Unavailable("away")) if self.away else maybeDeferred(self.answers[question], *arguments)


class SharedSignInLimitTests(SignInLimitTests):
    """The same, tried at a process that does not count itself."""

    def setUp(self) -> None:
        self.reactor = Clock()
        self.counting = SignInLimit(self.reactor, 10, 30)
        self.peer = OnePeer(self.counting)
        self.limit = SharedSignInLimit(self.reactor, 10, 30, self.peer)

    def test_together(self) -> None:
        """What is tried at several processes is counted together."""
        self.failing(5)
        for _ in range(5):
            self.assertRaises(Unauthenticated, now, self.counting.attempt(AWAY, "a", wrong))
        self.refused()
        self.assertRaises(TooMany, now, self.counting.attempt(AWAY, "a", right))

    def test_away(self) -> None:
        """While nobody counts each counts what it sees."""
        self.peer.away = True
        self.failing(10)
        self.refused()

    def test_never_told(self) -> None:
        """A process that died never tells how it went: its try ends by itself, and is no failure."""
        now(Deferred.fromCoroutine(self.counting.begin(AWAY, "a")))
        self.reactor.advance(signin_limit.WINDOW)
        self.failing(10)
        self.refused()

    def test_memory(self) -> None:
        """Of the one that counts."""
        self.limit = self.counting
        super().test_memory()
