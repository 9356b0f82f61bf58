"""Host names to addresses, by a resolver that may be late or hang."""

from __future__ import annotations

from threading import Event
from typing import Any

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.outbound.resolver import AWAY, LATE_ONES, Names, PATIENCE, system_addresses


class FakeThreads(Clock):
    """
    Time, and threads that end when a test says so.

    @ivar trouble: what they ended with.
    """

    def __init__(self) -> None:
        super().__init__()
        self.trouble: list[Exception] = []

    def callFromThread(self, f: Any, *args: Any) -> None:
        """At once: the test waits for the thread."""
        try:
            f(*args)
        except Exception as error:
            self.trouble.append(error)


class NamesTests(SynchronousTestCase):
    """Host names to addresses."""

    def setUp(self) -> None:
        """A resolver that waits until it may answer."""
        self.clock = FakeThreads()
        self.may, self.began, self.ended = Event(), Event(), Event()
        self.asked: list[str] = []

        def blocking(host: str) -> list[str]:
            self.asked.append(host)
            self.began.set()
            self.may.wait(10)
            if host.startswith("no"):
                raise OSError("no such name")
            if host.startswith("odd"):
                raise UnicodeError("label too long")
            return ["192.0.2.1"]

        self.names = Names(self.clock, blocking)
        self.addCleanup(self.may.set)

    def ask(self, host: str) -> Any:
        """What comes of asking, once its thread has ended."""
        result: list[Any] = []
        self.names.addresses(host).addBoth(result.append)
        for _ in range(2000):
            if result:
                return result[0]
            self.ended.wait(0.005)
        self.fail("no answer")

    def test_answers(self) -> None:
        """A name has addresses, or there is an OSError whatever the resolver raised."""
        self.may.set()
        self.assertEqual(self.ask("a.com"), ["192.0.2.1"])
        for host in ("no.com", "odd.com"):
            self.ask(host).trap(OSError)

    def test_system(self) -> None:
        """The system knows localhost, IPv4 first, each once."""
        found = system_addresses("localhost")
        self.assertIn("127.0.0.1", found)
        self.assertEqual(found, sorted(set(found), key=lambda one: (":" in one, found.index(one))))
        self.assertRaises(OSError, system_addresses, "nobody.invalid")

    def test_late(self) -> None:
        """A resolver that does not answer is not waited for, and after some such is left alone for a while."""
        results: list[Any] = []
        for n in range(LATE_ONES):
            self.names.addresses(f"slow{n}.com").addBoth(results.append)
        self.clock.advance(PATIENCE)
        self.assertEqual(len(results), LATE_ONES)
        self.names.addresses("more.com").addBoth(results.append)
        self.assertEqual(len(results), LATE_ONES + 1)
        for one in results:
            one.trap(OSError)
        self.assertNotIn("more.com", self.asked)
        self.clock.advance(AWAY)
        self.may.set()
        self.assertEqual(self.ask("later.com"), ["192.0.2.1"])
        self.assertEqual([type(one) for one in self.clock.trouble], [])
