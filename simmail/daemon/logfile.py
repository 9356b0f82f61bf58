"""
The log file: lines are gathered and written a few times a second, trouble at once.

Writing and flushing each line costs more than taking a message; what is lost
when the process is killed is a fifth of a second of log, never of mail.
C{twistd --logger simmail.daemon.logfile.observer} uses it; C{SIMMAILD_LOG} names the file, C{SIMMAILD_LOG_FORMAT}
the form of its lines.
A thread does that (L{simmail.daemon.log_writer}): a disk that hangs stops nobody.
The file is put aside when it is large, and opened anew when a program that
rotates logs has moved it and says so (SIGHUP, SIGUSR1).
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from pathlib import Path
from typing import IO, Any

from twisted.logger import ILogObserver, LogEvent, LogLevel, formatEvent
from twisted.python.logfile import LogFile
from zope.interface import implementer

from simmail.daemon.log_line import FORMS, Form, text_line
from simmail.daemon.log_writer import LogWriter

#: Real seconds that a line may wait, and octets that may.
PATIENCE, MOST = 0.2, 64 * 1024

#: Octets at which a log file is put aside, and how many of those are kept (C{simmail.log.1} is the newest).
LARGEST, KEPT = 64 * 1024 * 1024, 5

#: Who may read it: its owner, and whoever looks after logs.
MODE = 0o640

#: Real seconds that what is left at the end may take to be written, and the last words of a process that gives up.
END, LAST_WORDS = 2.0, 0.5

#: Levels whose lines are written at once.
_TROUBLE = frozenset((LogLevel.warn, LogLevel.error, LogLevel.critical))


class RotatingFile:
    """A log file that does not grow for ever; other files (a terminal, a pipe) have no need of it."""

    def __init__(self, path: str, largest: int = LARGEST, kept: int = KEPT) -> None:
        self._path = Path(path).absolute()
        self._file: Any = LogFile(
            self._path.name, str(self._path.parent), largest, defaultMode=MODE, maxRotatedFiles=kept)

    def write(self, text: str) -> None:
        """Write some lines; before them the file is put aside when it has become large."""
        self._file.write(text.encode("utf-8", "backslashreplace"))

    def flush(self) -> None:
        """Write what the file holds back, so that whoever looks at it sees it."""
        self._file.flush()

    def reopen(self) -> None:
        """Go on in the file of that name, which may be another one now."""
        self._file.reopen()

    def close(self) -> None:
        """Close the file: no more is written."""
        self._file.close()


@implementer(ILogObserver)
class GatheringObserver:
    """
    Writes events as lines.

    An event may bring its text ready in C{said}; one with C{reopen} has the file opened anew.

    @param file: open for writing text; form: makes the line of an event.
    @ivar call_later: C{reactor.callLater}, once the reactor runs.
    """

    def __init__(self, file: IO[str] | RotatingFile | LogWriter, form: Form = text_line) -> None:
        self._file = file
        self._form = form
        self._lines: list[str] = []
        self._size = 0
        self._timer: Any = None
        self.call_later: Any = None

    def __call__(self, event: LogEvent) -> None:
        """One more event."""
        if event.get("reopen") and isinstance(self._file, (RotatingFile, LogWriter)):
            self.flush()
            self._file.reopen()
        level = event.get("log_level", LogLevel.info)
        line = self._form(event, event.get("said") or formatEvent(event))
        self._lines.append(line)
        self._size += len(line)
        if self.call_later is None or level in _TROUBLE or self._size > MOST:
            self.flush()
            if level is LogLevel.critical and isinstance(self._file, LogWriter):
                self._file.drain(LAST_WORDS)
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


def log_file(path: str) -> IO[str] | RotatingFile:
    """Return what C{SIMMAILD_LOG} names; only a file of its own is ever put aside."""
    if path == "-":
        # Not what Twisted has put in its place, which is a log itself.
        return sys.__stdout__ or sys.stdout
    if os.path.exists(path) and not os.path.isfile(path):
        return open(path, "a", encoding="utf-8", errors="backslashreplace")
    return RotatingFile(path)


def observer() -> GatheringObserver:
    """Return the observer for the file that C{SIMMAILD_LOG} names, C{-} or nothing for standard output."""
    from twisted.internet import reactor

    path = os.environ.get("SIMMAILD_LOG", "-")
    form = FORMS.get(os.environ.get("SIMMAILD_LOG_FORMAT", ""), text_line)
    writer = LogWriter(lambda: log_file(path), time.time, form=form)
    made = GatheringObserver(writer, form)

    def running() -> None:
        # Not before: twistd may have left the process that opened the log.
        writer.begin()
        made.call_later = reactor.callLater  # type: ignore[attr-defined] # of IReactorTime

    def stopped() -> None:
        made.call_later = None
        made.flush()
        writer.drain(END)

    reactor.callWhenRunning(running)  # type: ignore[attr-defined] # of IReactorCore
    reactor.addSystemEventTrigger("after", "shutdown", stopped)  # type: ignore[attr-defined]
    # What is said behind that, and by a process that never came to run.
    atexit.register(writer.close, END)
    return made
