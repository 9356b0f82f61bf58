"""
The process that writes mail: what it is asked over a socket, it does in order and answers.

    python -c "..." SOCKET JOURNAL SEGMENT

It ends when the other side of the socket is gone, having done what it was
asked before; signals that people send to the service are not meant for it.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import socket
from collections import deque
from collections.abc import Callable, Sequence
from time import monotonic, time
from typing import Any, cast

from twisted.logger import ILogObserver, LogEvent, Logger, formatEvent, globalLogBeginner
from twisted.python.failure import Failure

from simmail.errors import Refusal
from simmail.mailstore.delivery.delivery import Filed, Filer
from simmail.mailstore.journal.condition import Condition
from simmail.mailstore.journal.disks import Disks
from simmail.mailstore.journal.groupcommit import Clerk, Entry
from simmail.mailstore.journal.segment import decode_described, delivery_of
from simmail.mailstore.threads import Job, LONGEST_KEPT, LUMP, MOST_AT_ONCE, Worker, outcome
from simmail.mailstore.writer.office import Office, open_office
from simmail.mailstore.writer.protocol import (
    CONDITION, ERROR, FILE, FILED, Frame, Frames, LOGGED, Logged, PROMISE, PROMISED, RESULT, SEND, encode_condition,
    encode_filed, encode_logged, head, pickled,
)

#: Real seconds that the writer of a process that was killed may take to finish what it was asked.
_PATIENCE = 5.0


class Program:
    """
    The process.

    @param connection: the socket; path: of the journal; segment: octets of its segments.
    """

    log = Logger()

    def __init__(self, connection: socket.socket, path: str, segment: int) -> None:
        self._socket = connection
        self._frames = Frames()
        self._asked: deque[tuple[int, Job]] = deque()
        self._here: deque[Job] = deque()
        self._out: list[bytes] = []
        self._lines: deque[bytes] = deque()
        self._ended = False
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._waker, False)
        self._poll = select.poll()
        for fd in (connection.fileno(), self._woken):
            self._poll.register(fd, select.POLLIN)
        disks = Disks()
        syncer = Worker(self, "mail syncer")
        self._clerk = Clerk(path, segment, self, disks, lambda: self, lambda: syncer, disks.sync, _PATIENCE,
                            self._tell_condition)
        self._office = Office(self._clerk, lambda path, universe: Filer(path, universe, time))
        open_office(self._office)

    # What threads of this process ask

    def seconds(self) -> float:
        """Real seconds of a clock that nobody sets."""
        return monotonic()

    def send(self, function: Callable[..., Any], *args: Any) -> None:
        """Do it, between what is asked over the socket."""
        self._here.append(Job(None, function, args))
        try:
            os.write(self._waker, b"x")
        except BlockingIOError:
            pass

    callFromThread = send  # noqa: N815

    # The work

    def run(self) -> None:
        """Until the other side is gone."""
        while True:
            asked = self._next()
            if not asked:
                break
            self._guarded(self._clerk.before, [job for _, job in asked])
            self._promise(asked)
            told, count = monotonic(), 0
            for kind, job in asked:
                self._answer(kind, job)
                count += kind != SEND
                # One by one, the two processes would wake each other for every answer.
                if count == LUMP or monotonic() - told > LONGEST_KEPT:
                    self._flush()
                    told, count = monotonic(), 0
            # Who waits is told first: whatever is asked next is done after the notes.
            self._flush()
            self._guarded(self._clerk.after)
            if self._lines or self._out:
                self._flush()

    def _next(self) -> list[tuple[int, Job]]:
        """What is to be done next; nothing when there will be nothing more."""
        # Nothing is received before all is done that came before: its octets are still in the buffer.
        while not (self._asked or self._here or self._ended):
            for fd, _ in self._poll.poll():
                if fd == self._woken:
                    os.read(fd, 4096)
                else:
                    self._receive()
        taken = [(SEND, self._here.popleft()) for _ in range(len(self._here))]
        while self._asked and len(taken) < MOST_AT_ONCE:
            taken.append(self._asked.popleft())
        return taken

    def _receive(self) -> None:
        try:
            frames = self._frames.receive(self._socket)
        except OSError:
            frames = None
        if frames is None:
            self._ended = True
            self._poll.unregister(self._socket.fileno())
        else:
            self._asked += map(self._understood, frames)

    def _understood(self, frame: Frame) -> tuple[int, Job]:
        kind, first, second, third = frame
        try:
            if kind in (FILE, PROMISE):
                described = bytes(second)
                # A view: the octets are copied nowhere on their way to the disk.
                delivery = delivery_of(decode_described(described), cast(bytes, third))
                entry = Entry(delivery, self._office.file(bytes(first)), described, kind == PROMISE)
                return kind, Job(None, self._clerk.file, (entry,))
            function, args = pickle.loads(first)
            return kind, Job(None, function, args)
        except Exception as error:
            return kind, Job(None, _refuse, (error,))

    def _promise(self, asked: list[tuple[int, Job]]) -> None:
        """Tell which deliveries are durable: they become visible while the other side goes on."""
        promised = bytes([getattr(job.args[0], "promised", False) for kind, job in asked if kind == PROMISE])
        if promised:
            self._say(PROMISED, promised)
            if any(promised):
                self._flush()

    def _answer(self, kind: int, job: Job) -> None:
        result = outcome(job)
        if kind == SEND:
            if isinstance(result, Failure):
                self.log.failure("nobody waited for this", result)
            return
        try:
            if isinstance(result, Filed):
                self._say(FILED, encode_filed(result))
            elif not isinstance(result, Failure):
                self._say(RESULT, pickled(result))
        except Exception:
            # It cannot be said elsewhere what it is.
            result = Failure()
        if isinstance(result, Failure):
            self._say(ERROR, _portable(result))

    def _guarded(self, hook: Callable[..., None], *args: Any) -> None:
        # Everybody would wait for ever.
        try:
            hook(*args)
        except Exception:
            self.log.failure("the writer stumbled")

    # What is said

    def observe(self, event: LogEvent) -> None:
        """A line for the log."""
        text = formatEvent(event)
        failure = event.get("log_failure")
        if failure is not None:
            text = f"{text}\n{failure.getTraceback()}"
        # By any thread: it is sent with what is answered next.
        fields = {name: str(event[name]) for name in ("universe", "where", "trouble") if "trouble" in event}
        self._lines.append(encode_logged(Logged(event["log_level"].name, event["log_namespace"], text, fields)))

    def _say(self, kind: int, octets: bytes) -> None:
        self._out += (head(kind, len(octets)), octets)

    def _tell_condition(self, condition: Condition) -> None:
        self._say(CONDITION, encode_condition(condition))

    def _flush(self) -> None:
        said, self._out = self._out, []
        while self._lines:
            self._say(LOGGED, self._lines.popleft())
        if said or self._out:
            octets = b"".join((*self._out, *said))
            self._out = []
            try:
                self._socket.sendall(octets)
            except OSError:
                # Nobody is there to be told.
                pass


def _refuse(error: Exception) -> None:
    raise error


def _portable(failure: Failure) -> bytes:
    """An exception that can be raised elsewhere."""
    error = failure.value
    if error is not None and not isinstance(error, Refusal):
        error.add_note(failure.getTraceback())
    try:
        octets = pickled(error)
        pickle.loads(octets)
    except Exception:
        octets = pickled(RuntimeError(failure.getTraceback()))
    return octets


def main(arguments: Sequence[str]) -> None:
    """Run the process."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    descriptor, path, segment = arguments
    program = Program(socket.socket(fileno=int(descriptor)), path, int(segment))
    globalLogBeginner.beginLoggingTo(
        [cast(ILogObserver, program.observe)], redirectStandardIO=False, discardBuffer=True)
    program.run()
