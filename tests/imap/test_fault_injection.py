"""Fault rules applied to commands."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.rules.fault_rule import rules_of
from simmail.imap.fault_injection import apply_fault, FOREVER
from simmail.imap.wire.replies import ClientGone, No
from tests.imap.recorder import connection, Recorder


class FaultTests(SynchronousTestCase):
    """What each kind does to a command."""

    def setUp(self) -> None:
        self.imap = Recorder()

    def apply(self, username: str = "", stage: Any = "imap_select", **rule: Any) -> Any:
        """Meet one rule."""
        self.imap.house.rules = rules_of([{"stage": stage, **rule}])
        return self.imap.run(apply_fault(connection(self.imap), stage, username))

    def test_none(self) -> None:
        """Without a rule nothing happens, and a command that takes long may still say so."""
        self.imap.progress.quiet = True
        self.imap.run(apply_fault(connection(self.imap), "imap_select"))
        self.assertTrue(self.imap.progress.quiet)

    def test_reject(self) -> None:
        """The command is refused with the words of the rule."""
        with self.assertRaises(No) as caught:
            self.apply(kind="reject", message="Not today")
        self.assertEqual(caught.exception.line, b"NO Not today")

    def test_auth_fail(self) -> None:
        """A login fails as a wrong password does; the rules are those of the universe the name belongs to."""
        self.imap.login = None
        asked: list[str] = []
        self.imap.context.default_universe = lambda name: (  # type: ignore[assignment]
            asked.append(name), self.imap.house.universe)[1]
        with self.assertRaises(No) as caught:
            self.apply("ann", stage="imap_login", kind="auth_fail")
        self.assertTrue(caught.exception.line.startswith(b"NO [AUTHENTICATIONFAILED]"))
        self.assertEqual(asked, ["ann"])
        self.imap.context.default_universe = lambda name: None
        self.apply("ann", stage="imap_login", kind="auth_fail")

    def test_drop(self) -> None:
        """Without a word."""
        with self.assertRaises(ClientGone):
            self.apply(kind="drop")
        self.assertEqual((self.imap.said_goodbye, self.imap.sent), ([""], b""))

    def test_delay(self) -> None:
        """The command is done later, and does not say that it takes long."""
        self.imap.progress.quiet = True
        self.apply(kind="delay", delay_ms=7000)
        self.assertEqual((self.imap.reactor.seconds(), self.imap.progress.quiet), (7.0, False))

    def test_hang(self) -> None:
        """It is never done; who hangs up on such a client says nothing."""
        slept: list[float] = []

        async def sleep(seconds: float) -> None:
            slept.append(seconds)
            await Deferred()

        self.imap.sleep = sleep  # type: ignore[method-assign]
        self.imap.house.rules = rules_of([{"stage": "imap_fetch", "kind": "hang"}])
        hung = Deferred.fromCoroutine(apply_fault(connection(self.imap), "imap_fetch"))
        self.assertNoResult(hung)
        self.assertEqual((slept, self.imap.hung), ([FOREVER], True))
