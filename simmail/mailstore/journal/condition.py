"""What is wrong with a journal and its disk, as those are told who ask."""

from __future__ import annotations

from typing import NamedTuple


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
