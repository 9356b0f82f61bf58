"""What connections of a listener share, and that the server is what commands see."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config, Imap
from simmail.imap.connection import ImapConnection, ListenerContext
from tests.imap.play import House, now


class ContextTests(SynchronousTestCase):
    """One context for each listener."""

    def context(self, config: Config | None = None, loopback_only: bool = True, **options: Any) -> ListenerContext:
        """A context without anybody to sign in."""
        return ListenerContext(config or Config(), None, Clock(), None, loopback_only, **options)  # type: ignore

    def test_passwords(self) -> None:
        """On loopback they may be in clear text, elsewhere not, unless it is configured."""
        self.assertTrue(self.context().plain_auth_allowed)
        self.assertFalse(self.context(loopback_only=False).plain_auth_allowed)
        for allowed in (True, False):
            config = Config(imap=Imap(plain_auth_allowed=allowed))
            self.assertEqual(self.context(config, not allowed).plain_auth_allowed, allowed)

    def test_times(self) -> None:
        """Time-outs in seconds."""
        context = self.context(Config(imap=Imap(timeout="2m", login_timeout="30s")))
        self.assertEqual((context.timeout, context.login_timeout), (120.0, 30.0))

    def test_in_thread(self) -> None:
        """Only what is worth it is done in a thread."""
        done: list[str] = []

        def in_thread(call: Any) -> Deferred[Any]:
            done.append("thread")
            return succeed(call())

        context = self.context(in_thread=in_thread)
        for worth in (False, True):
            self.assertEqual(now(Deferred.fromCoroutine(context.in_thread_if(worth, lambda: 7))), 7)
        self.assertEqual(done, ["thread"])

    def test_numbers(self) -> None:
        """No number comes again, also not in a later process."""
        context = self.context()
        before = [next(context.numbers) for _ in range(3)]
        self.assertEqual(len(set(before)), 3)
        context.reactor.advance(60)  # type: ignore[attr-defined]
        later = ListenerContext(Config(), None, context.reactor, None, True)  # type: ignore[arg-type]
        self.assertGreater(next(later.numbers), max(before))


class ServerTests(SynchronousTestCase):
    """The real one."""

    def test_is_one(self) -> None:
        """All that commands may use is there, once somebody has signed in."""
        server = House().signed_in("INBOX").protocol
        for name in [*ImapConnection.__annotations__, *(one for one in vars(ImapConnection) if one[0] != "_")]:
            self.assertTrue(hasattr(server, name), name)
