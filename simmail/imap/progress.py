"""
Telling a client that a command takes long: that it is not done yet, and how far it is where that is known.

Told only as long as the command has said nothing else, so that no response is broken up.
Source: RFC 9585.
"""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.interfaces import IDelayedCall, IReactorTime

from simmail.imap.wire.replies import ClientGone

#: Real seconds between two of them.
EVERY = 10.0


class Progress:
    """
    Of one connection.

    @ivar quiet: the command that is being done has said nothing yet.
    @ivar known: answers how many things it has looked at and of how many; None where that is not known.
    @param write: sends a response.  @param working: whether a command is being done.
    """

    def __init__(self, reactor: IReactorTime, write: Callable[[bytes], None], working: Callable[[], bool]) -> None:
        self._reactor = reactor
        self._write = write
        self._working = working
        self._call: IDelayedCall | None = None
        self._began = 0.0
        self._tag = b""
        self.quiet = False
        self.known: Callable[[], tuple[int, int]] | None = None

    def begin(self, now: float, tag: bytes) -> None:
        """A command is about to be done."""
        self._began, self._tag = now, tag
        self.quiet, self.known = True, None

    def watch(self) -> None:
        """It is not done at once."""
        if self._call is None:
            # One call watches over all commands: most are done long before.
            self._call = self._reactor.callLater(EVERY, self._look)

    def stop(self) -> None:
        """The client has left."""
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _look(self) -> None:
        self._call = None
        if not self._working():
            return
        left = self._began + EVERY - self._reactor.seconds()
        if left <= 0:
            left = EVERY
            if self.quiet:
                self._tell()
        self._call = self._reactor.callLater(left, self._look)

    def _tell(self) -> None:
        how_far = b"NIL NIL"
        if self.known is not None:
            done, goal = self.known()
            if goal:
                how_far = b"%d %d" % (min(done, goal - 1), goal)
        about = b"" if b"]" in self._tag else b' ("%b" %b)' % (self._tag, how_far)
        try:
            self._write(b"* OK [INPROGRESS%b] Still working\r\n" % about)
        except ClientGone:
            return
        # That was not the command's own.
        self.quiet = True
