"""
Telling a client that is not asking what is pending.
"""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.python.failure import Failure

from simmail.imap.connection import ImapConnection
from simmail.imap.untagged.tell import tell
from simmail.imap.wire.replies import ClientGone


class Push:
    """
    Telling one client that is not asking.

    What happens in one turn of the reactor is told together; while the client
    does not read, it is only remembered.

    @param expunges: whether messages may vanish meanwhile.
    """

    def __init__(self, imap: ImapConnection, expunges: bool = True) -> None:
        self._imap = imap
        self._expunges = expunges
        self._call: IDelayedCall | None = None
        self._again = False
        self._telling: Deferred[None] | None = None

    @property
    def telling(self) -> bool:
        """Whether something is being told."""
        return self._telling is not None

    def wake(self) -> None:
        """Something is pending."""
        if self._telling is not None:
            self._again = True
        elif self._call is None:
            self._call = self._imap.callLater(0, self._due)

    def _due(self) -> None:
        self._call = None
        self._tell()

    def _tell(self) -> None:
        self._again = False
        self._telling = Deferred.fromCoroutine(tell(self._imap, self._expunges))
        self._telling.addBoth(self._finished)

    def _finished(self, result: Any) -> None:
        self._telling = None
        if isinstance(result, Failure) and not result.check(ClientGone):
            self._imap.log.failure("IDLE could not be told", result)
        if self._again:
            self.wake()

    def cancel(self) -> None:
        """Nothing more begins to be told."""
        if self._call is not None:
            self._call.cancel()
            self._call = None
        self._again = False

    async def stop(self) -> None:
        """Nothing is being told any more."""
        self.cancel()
        if self._telling is not None:
            ended: Deferred[None] = Deferred()
            self._telling.addBoth(lambda _: ended.callback(None))
            await ended
