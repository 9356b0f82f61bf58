"""IDLE: what happens in the folder is told as it happens (RFC 2177)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from simmail.imap.fault_injection import meet
from simmail.imap.untagged import tell
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, Gone

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer


class Pushing:
    """
    Telling a client that is not asking.

    What happens in one turn of the reactor is told together; while the client
    does not read, it is only remembered.

    @param expunges: whether messages may vanish meanwhile.
    """

    def __init__(self, imap: ImapServer, expunges: bool = True) -> None:
        self._imap = imap
        self._expunges = expunges
        self._call: Any = None
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
            self._call = self._imap.callLater(0, self._tell)

    def _tell(self) -> None:
        self._call = None
        self._again = False
        self._telling = Deferred.fromCoroutine(tell(self._imap, self._expunges))
        self._telling.addBoth(self._told)

    def _told(self, result: Any) -> None:
        self._telling = None
        if isinstance(result, Failure) and not result.check(Gone):
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


async def idle(imap: ImapServer, arguments: Arguments) -> None:
    """IDLE."""
    arguments.end()
    await meet(imap, "imap_idle")
    imap.idling = pushing = Pushing(imap)
    imap.write(b"+ idling\r\n")
    if imap.news or (imap.selected is not None and imap.selected.pending):
        pushing.wake()
    try:
        line = await imap.listen()
    finally:
        imap.idling = None
        await pushing.stop()
    if line.strip().upper() != b"DONE":
        raise Bad("Expected DONE")
