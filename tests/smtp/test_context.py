"""What sessions of a listener share."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.smtp import replies
from simmail.smtp.context import FULL, SmtpContext
from tests.smtp.door import Door


class ContextTests(SynchronousTestCase):
    """One for each listener."""

    def context(self, config: Any = None, **options: Any) -> SmtpContext:
        """That of a server in memory."""
        self.door = Door(config, **options)
        return self.door.factory.context

    def test_service(self) -> None:
        """What the log calls it."""
        for options, name in (({}, "SMTP"), ({"submission": True}, "SUBMISSION"), ({"implicit_tls": True}, "SMTPS")):
            self.assertEqual(self.context(**options).service, name)

    def test_passwords(self) -> None:
        """In clear text on loopback only, unless it is configured."""
        self.assertTrue(self.context().plain_auth_allowed)
        self.assertFalse(self.context(loopback_only=False).plain_auth_allowed)
        self.assertTrue(self.context({"smtp": {"plain_auth_allowed": True}}, loopback_only=False).plain_auth_allowed)

    def test_numbers(self) -> None:
        """Each name comes once."""
        context = self.context()
        self.assertEqual(len({context.number() for _ in range(50)}), 50)

    def test_unavailable(self) -> None:
        """A full disk is told of, with what the message would take; also where the disk cannot be asked."""
        context = self.context()
        store = self.door.universe.store
        for free, octets, expected in ((FULL, 0, replies.AWAY), (FULL - 1, 0, replies.DISK_FULL),
                                       (FULL + 10, 6, replies.DISK_FULL), (FULL + 12, 6, replies.AWAY)):
            store.space = lambda free=free: (free, 1 << 40)
            self.assertEqual(context.unavailable_reply(octets), expected, (free, octets))

        def away() -> None:
            raise Unavailable("x")

        store.space = away
        self.assertEqual(context.unavailable_reply(), replies.AWAY)

    def test_ehlo(self) -> None:
        """The answer to EHLO is made once for each state."""
        context = self.context()
        self.assertEqual(context.ehlo, {})
        for _ in range(2):
            self.door.hello()
        self.assertEqual(list(context.ehlo), [(False, False)])
