"""
What is found damaged in the mail of one universe: said once in the log, and again when it is well.

A line about damage has the fields C{universe}, C{where} (a mailbox, folder or message) and C{trouble} (what is
wrong with it, C{""} when it is well again); L{simmail.daemon.metrics.LogFigures} collects them for C{/readyz}.
"""

from __future__ import annotations

from twisted.logger import Logger

#: Places that are remembered as damaged; of more the oldest may be said again.
MOST_SAID = 1000


class Damage:
    """Of one universe.  May be told from any thread; C{said}: what is wrong, by place."""

    log = Logger()

    def __init__(self, universe: str) -> None:
        self._universe = universe
        self.said: dict[str, str] = {}

    def found(self, where: str, trouble: str) -> None:
        """Something is damaged.  C{trouble} names no address: it is shown to whoever asks for C{/readyz}."""
        if where in self.said:
            # What was said first is nearer to the cause.
            return
        while len(self.said) >= MOST_SAID:
            self.said.pop(next(iter(self.said)), None)
        self.said[where] = trouble
        self.log.error("damage in the mail of {universe}: {trouble}: {where}",
                       universe=self._universe, where=where, trouble=trouble)

    def mended(self, where: str, trouble: str) -> None:
        """Something was damaged and is not any more, but those who knew it have to be told; said each time."""
        self.log.error("damage in the mail of {universe}: {trouble}: {folder}",
                       universe=self._universe, folder=where, where=f"{where}: {trouble}", trouble=trouble)

    def well(self, where: str) -> None:
        """A place is not damaged, or no more."""
        if self.said and self.said.pop(where, None) is not None:
            self.log.info("well again in the mail of {universe}: {where}",
                          universe=self._universe, where=where, trouble="")
