"""
A thread that writes the log, so that a disk that hangs stops nobody but it.

What waits is bounded; lines beyond that are dropped, counted, and told of in
the log itself as soon as it can be written again.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from twisted.logger import LogLevel

from simmail.daemon.log_line import Form, text_line

#: Octets of lines that may wait.
MOST = 4 * 1024 * 1024

#: Real seconds before a file that could not be opened or written is tried again.
AGAIN = 0.5


class LogWriter:
    """
    Takes text at once, and writes it in its turn.

    @param opened: opens the file; called by the thread.
    @param seconds: Unix time; form: makes the line that tells of what is missing.
    @ivar dropped: lines that found no room, or that the disk refused, and that are not told of yet.
    """

    def __init__(
        self, opened: Callable[[], Any], seconds: Callable[[], float], most: int = MOST, form: Form = text_line,
    ) -> None:
        self.dropped = 0
        self._opened = opened
        self._seconds = seconds
        self._most = most
        self._form = form
        self._file: Any = None
        # None: the file is to be opened anew.
        self._waiting: deque[str | None] = deque()
        self._octets = 0
        self._changed = threading.Condition()
        self._writing = self._ended = False
        self._thread: threading.Thread | None = None

    def write(self, text: str) -> None:
        """Take some lines."""
        with self._changed:
            if self._octets + len(text) > self._most:
                self.dropped += text.count("\n")
                return
            self._waiting.append(text)
            self._octets += len(text)
            self._changed.notify_all()

    def flush(self) -> None:
        """Do nothing: it is written without being asked to."""

    def reopen(self) -> None:
        """Go on in the file of that name, which may be another one now."""
        with self._changed:
            self._waiting.append(None)
            self._changed.notify_all()

    def begin(self) -> None:
        """Write from now on, in a thread: not before the process has become what it stays."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="log writer", daemon=True)
            self._thread.start()

    def drain(self, seconds: float) -> bool:
        """Wait until all is written, or for so long; whether it is."""
        self.begin()
        with self._changed:
            return self._changed.wait_for(lambda: not (self._waiting or self._writing), seconds)

    def close(self, seconds: float) -> bool:
        """The same, and no more is written."""
        done = self.drain(seconds)
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        return done

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._ended)
                if self._ended:
                    return
                taken, self._waiting, self._octets = self._waiting, deque(), 0
                dropped, self.dropped = self.dropped, 0
                self._writing = True
            lost = self._write_all(taken, dropped)
            with self._changed:
                self._writing = False
                self.dropped += lost
                self._changed.notify_all()
                if lost:
                    # A disk that refuses is not asked for every line.
                    self._changed.wait_for(lambda: self._ended, AGAIN)

    def _write_all(self, taken: deque[str | None], dropped: int) -> int:
        """How many lines could not be written."""
        left = deque(taken)
        try:
            if self._file is None:
                self._file = self._opened()
            if dropped:
                # In the place where they are missing or a little behind it.
                self._file.write(self._form(
                    {"log_time": self._seconds(), "log_level": LogLevel.warn,
                     "log_namespace": "simmail.daemon.logfile"},
                    f"{dropped} lines are missing: the log could not be written"))
                dropped = 0
            while left:
                text = left[0]
                if text is not None:
                    self._file.write(text)
                elif hasattr(self._file, "reopen"):
                    self._file.flush()
                    self._file.reopen()
                left.popleft()
            self._file.flush()
        except (OSError, ValueError):
            return dropped + sum(text.count("\n") for text in left if text is not None)
        return 0


def writable(path: str) -> None:
    """
    Tell whether a log can be written there; its folder is made when it is missing, for its owner and group only.

    A pipe that nobody reads yet is.

    @raise OSError: it cannot.
    """
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        os.mkdir(folder, 0o750)
        os.chmod(folder, 0o750)
    if os.path.exists(path) and not os.path.isfile(path):
        if not os.access(path, os.W_OK):
            raise PermissionError(13, os.strerror(13))
        return
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640))
