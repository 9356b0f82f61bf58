"""
What C{/readyz} tells of damage: mailboxes and messages that are harmed while all others are served.

Collected from the log, where it is said by whoever finds it (L{simmail.mailstore.damage}), in whichever process.
"""

from __future__ import annotations

from collections import Counter

from twisted.logger import ILogObserver, LogEvent
from zope.interface import implementer

#: Places that are remembered; lines that are told, and characters of one.
MOST_KEPT, MOST_TOLD, LONGEST = 1000, 10, 200


@implementer(ILogObserver)
class Troubles:
    """What is damaged now, and what was and is mended, since the start."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}

    def __call__(self, event: LogEvent) -> None:
        """One more event of the log, in whichever thread."""
        trouble = event.get("trouble")
        if trouble is None:
            return
        key = str(event.get("universe", "")), str(event.get("where", ""))
        self._known.pop(key, None)
        if trouble:
            if len(self._known) >= MOST_KEPT:
                self._known.pop(next(iter(self._known)), None)
            self._known[key] = str(trouble)

    def describe(self) -> list[str]:
        """Return a line for each kind of damage in each universe, which names no address: those are in the log."""
        counts = Counter((universe, trouble) for (universe, _), trouble in list(self._known.items()))
        lines = [f"{universe}: {trouble}{f' ({count} times)' if count > 1 else ''}"[:LONGEST]
                 for (universe, trouble), count in sorted(counts.items())]
        if len(lines) > MOST_TOLD:
            lines[MOST_TOLD - 1:] = [f"and {len(lines) - MOST_TOLD + 1} more; see the log"]
        return lines
