"""What is read of redirections, and how what is left of a slot is brought over, by a Redis that answers from a list."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred, fail, succeed
from twisted.trial.unittest import SynchronousTestCase

from simmail.database.cluster.open_slots import (
    LONGEST, Redirection, TOGETHER, bring_back, bring_over, migrating, redirection,
)
from simmail.database.url import RedisUrl

NODES = b"""a1 10.0.0.1:7000@17000 master - 0 1 1 connected 0-99 [5->-b2] [7-<-b2]
b2 10.0.0.2:7000@17000 myself,master - 0 1 1 connected 100-16383 [93->-a1] [1002->-a1] [77-<-a1]
"""


class RedirectionTests(SynchronousTestCase):
    """Error answers."""

    def test_read(self) -> None:
        """Slot and place; where no host is told it is the one that was asked."""
        for text, expected in (
            ("MOVED 3999 127.0.0.1:6381", Redirection(False, 3999, "127.0.0.1:6381")),
            ("ASK 3999 127.0.0.1:6381", Redirection(True, 3999, "127.0.0.1:6381")),
            ("-ASK 0 valkey-1.example:7000", Redirection(True, 0, "valkey-1.example:7000")),
            ("ASK 1 :6381", Redirection(True, 1, "seed:6381")),
            ("ASK 1 ?:6381", Redirection(True, 1, "seed:6381")),
            ("ASK 1 2001:db8::1:6381", Redirection(True, 1, "2001:db8::1:6381")),
        ):
            self.assertEqual(redirection(text, "seed"), expected)

    def test_none(self) -> None:
        """Anything else is none, and nothing in it is trusted."""
        for text in ("", "ASK", "MOVED 1", "ASK x h:1", "ASK -1 h:1", "ASK \u0661 h:1", "ASK 1 h", "ASK 1 h:p",
                     "ASK 1 h:", "TRYAGAIN 1 h:1", "ASKING 1 h:1"):
            self.assertIsNone(redirection(text, "seed"), text)

    def test_migrating(self) -> None:
        """Slots that go away, of the one that was asked; not those that come, nor those of others."""
        self.assertEqual(migrating(NODES), {93, 1002})
        for reply in (b"", b"a1 10.0.0.1:7000@17000 master - 0 1 1 connected 0-99 [5->-b2]\n", b"\xff myself",
                      b"a b myself"):
            self.assertEqual(migrating(reply), frozenset())


class BringOverTests(SynchronousTestCase):
    """What the primary is asked that moves a slot away."""

    def bring(self, *replies: Any, slot: int = 93, **link: str) -> Any:
        """What becomes of it where it answers so."""
        return Deferred.fromCoroutine(bring_over(self.answering(*replies), slot, "10.0.0.1:7000", RedisUrl(**link)))

    def answering(self, *replies: Any) -> Any:
        """It answers so."""
        self.asked: list[tuple[Any, ...]] = []
        left = list(replies)

        def ask(words: tuple[Any, ...]) -> Deferred[Any]:
            self.asked.append(words)
            reply = left.pop(0)
            return fail(reply) if isinstance(reply, Exception) else succeed(reply)

        return ask

    def test_all(self) -> None:
        """Keys go until none is left; that somebody else moved some meanwhile means nothing."""
        self.assertTrue(self.successResultOf(self.bring(NODES, [b"a", b"b"], b"OK", [b"c"], b"NOKEY", [])))
        keys = ("CLUSTER", "GETKEYSINSLOT", 93, TOGETHER)
        begin = ("MIGRATE", "10.0.0.1", "7000", "", 0, LONGEST, "REPLACE")
        self.assertEqual(self.asked, [
            ("CLUSTER", "NODES"), keys, (*begin, "KEYS", b"a", b"b"), keys, (*begin, "KEYS", b"c"), keys])

    def test_credentials(self) -> None:
        """The other is told the password, and the user where there is one."""
        for link, words in (({"password": "pw"}, ("AUTH", "pw")),
                            ({"username": "me", "password": "pw"}, ("AUTH2", "me", "pw"))):
            self.bring(NODES, [b"a"], b"OK", [], **link)
            self.assertEqual(self.asked[2][7:], (*words, "KEYS", b"a"))

    def test_not_open(self) -> None:
        """A slot that is not being moved is left alone."""
        self.assertFalse(self.successResultOf(self.bring(NODES, slot=94)))
        self.assertEqual(self.asked, [("CLUSTER", "NODES")])

    def test_back(self) -> None:
        """What was brought over goes back as it went, and replaces nothing."""
        work = bring_back(self.answering([b"a"], b"OK", []), 93, "10.0.0.2:7000", RedisUrl(password="pw"))
        self.assertIsNone(self.successResultOf(Deferred.fromCoroutine(work)))
        self.assertEqual(self.asked[1], ("MIGRATE", "10.0.0.2", "7000", "", 0, LONGEST, "AUTH", "pw", "KEYS", b"a"))

    def test_refused(self) -> None:
        """What Redis says against it is told."""
        self.failureResultOf(self.bring(NODES, [b"a"], RuntimeError("NOPERM")), RuntimeError)
