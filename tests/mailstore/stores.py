"""A store on disk under the real reactor, its mail written by a process of its own."""

from __future__ import annotations

from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred, ensureDeferred
from twisted.trial.unittest import TestCase

from simmail.mailstore.journal.journal import Journal, SEGMENT
from simmail.mailstore.mailstore import MailStore
from tests.contracts.mailstores import tiny_digest


class StoreTestCase(TestCase):
    """
    Has such a store, which can be stopped and started again.

    @cvar segment: octets of a segment of the journal.
    """

    timeout = 60
    segment = SEGMENT

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.start()

    def start(self) -> None:
        """As the service does it."""
        self.journal = Journal(f"{self.path}/journal", reactor, segment=self.segment)
        self.store: Any = MailStore(
            "main", f"{self.path}/mail", self.journal, f"{self.path}/index", reactor, tiny_digest)

    async def stop(self) -> None:
        """Everything is on disk, the process has ended."""
        await self.store.close()
        await self.journal.close()

    def tearDown(self) -> Deferred[None]:
        return ensureDeferred(self.stop())
