"""
Whether what was written is on the disk; when that is in doubt, nothing more is promised until it is known again.

After an error of a sync the pages that could not be written count as clean,
so a later sync proves nothing for them.  It is known again when a new segment
of the journal took all notes, all mail that the journal has was written once
more, and the disks could be synced after that.
Source: decisions, section 20.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from twisted.logger import Logger

from simmail.errors import Unavailable
from simmail.mailstore.journal.sync import Hands


class Condition(NamedTuple):
    """
    How a journal is.

    @ivar doubt: why no mail is taken: the disk may have lost what was written; C{""} when all is well.
    @ivar damage: what of it could not be read.
    """

    doubt: str = ""
    damage: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """The doubt, for people."""
        return f"no mail is taken, for the disk may have lost what was written: {self.doubt}" if self.doubt else ""


class Doubts:
    """
    The doubts of one writer.

    @param begin: makes what follows go into a new segment, durably.
    @param rewrite: writes all mail that the journal has once more, a little at each step.
    @param changed: called when C{reason} is another one.
    @ivar reason: why nothing is promised, C{""} when all is well.
    """

    log = Logger()

    def __init__(
        self, begin: Callable[[], None], rewrite: Callable[[], Iterator[None]], hands: Hands,
        changed: Callable[[], None],
    ) -> None:
        self.reason = ""
        self._begin, self._rewrite, self._hands, self._changed = begin, rewrite, hands, changed
        self._checking = False
        # Counted, so that one that comes while it is being checked is not forgotten.
        self._count = self._checked = 0
        self._steps: Iterator[None] = iter(())

    def arise(self, reason: str) -> None:
        """The disk has said that something was not written."""
        self._count += 1
        if not self.reason:
            self.log.critical(
                "the disk may have lost what was written: {reason}; no mail is taken until it could be written again",
                reason=reason)
        if reason != self.reason:
            self.reason = reason
            self._changed()

    def check(self) -> None:
        """Find out whether the disk can be written to again; asked again and again while there is a doubt."""
        if not self.reason or self._checking:
            return
        self._checking, self._checked = True, self._count
        try:
            self._begin()
        except OSError as error:
            self._not_yet(error)
        else:
            self._hands.sync(self._write_again)

    def _write_again(self, error: OSError | None) -> None:
        if error is not None:
            self._not_yet(error)
            return
        # Errors from before have been told by now.
        self._steps = self._rewrite()
        self._write_some()

    def _write_some(self) -> None:
        try:
            next(self._steps)
        except StopIteration:
            self._hands.sync(self._passed)
        except (OSError, Unavailable) as error:
            self._not_yet(error)
        else:
            # Others are served meanwhile.
            self._hands.writer(self._write_some)

    def _not_yet(self, error: Exception) -> None:
        self.log.debug("the disk is still in doubt: {error}", error=error)
        self._checking, self._steps = False, iter(())

    def _passed(self, error: OSError | None) -> None:
        if error is not None:
            self._not_yet(error)
            return
        self._checking = False
        if self._count == self._checked:
            self.reason = ""
            self.log.info("the disk could be written to again; mail is taken")
            self._changed()
