"""
The log file: lines are gathered and written a few times a second, trouble at once.

Writing and flushing each line costs more than taking a message; what is lost
when the process is killed is a fifth of a second of log, never of mail.
C{twistd --logger simmail.logs.observer} uses it; C{SIMMAILD_LOG} names the file.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from typing import IO, Any

from twisted.logger import ILogObserver, LogEvent, LogLevel, formatEvent
from zope.interface import implementer

#: Real seconds that a line may wait, and octets that may.
PATIENCE, MOST = 0.2, 64 * 1024


@implementer(ILogObserver)
class GatheringObserver:
    """
    Writes events as lines: time, level, namespace, text, and below it the traceback of a failure.

    An event may bring its text ready in C{said}.

    @param file: open for writing text; call_later: C{reactor.callLater}, once the reactor runs.
    """

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._lines: list[str] = []
        self._size = 0
        self._timer: Any = None
        self.call_later: Any = None
        self._second = -1
        self._stamp = ""

    def __call__(self, event: LogEvent) -> None:
        """One more event."""
        level = event.get("log_level", LogLevel.info)
        second = int(event["log_time"])
        if second != self._second:
            self._second, self._stamp = second, datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        text = event.get("said") or formatEvent(event)
        if not text.isprintable():
            # It may quote a stranger: a line stays one line, and a terminal what it is.
            text = "".join([one if one.isprintable() else one.encode("unicode_escape").decode() for one in text])
        line = f"{self._stamp} {level.name} {event.get('log_namespace', '-')}: {text}\n"
        if "log_failure" in event:
            line += event["log_failure"].getTraceback()
        self._lines.append(line)
        self._size += len(line)
        if self.call_later is None or level >= LogLevel.warn or self._size > MOST:
            self.flush()
        elif self._timer is None:
            self._timer = self.call_later(PATIENCE, self._fired)

    def _fired(self) -> None:
        self._timer = None
        self.flush()

    def flush(self) -> None:
        """Write what has been gathered."""
        if self._lines:
            text, self._lines, self._size = "".join(self._lines), [], 0
            self._file.write(text)
            self._file.flush()


def observer() -> GatheringObserver:
    """The observer for the file that C{SIMMAILD_LOG} names, C{-} or nothing for standard output."""
    from twisted.internet import reactor

    path = os.environ.get("SIMMAILD_LOG", "-")
    file = sys.stdout if path == "-" else open(path, "a", encoding="utf-8", errors="backslashreplace")
    made = GatheringObserver(file)

    def running() -> None:
        made.call_later = reactor.callLater  # type: ignore[attr-defined] # of IReactorTime

    def stopped() -> None:
        made.call_later = None
        made.flush()

    reactor.callWhenRunning(running)  # type: ignore[attr-defined] # of IReactorCore
    reactor.addSystemEventTrigger("after", "shutdown", stopped)  # type: ignore[attr-defined]
    return made
