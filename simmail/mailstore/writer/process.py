"""
The process that writes mail: what it is asked over a socket, it does in order and answers.

    python -c "..." SOCKET JOURNAL SEGMENT

It ends when the other side of the socket is gone, having done what it was
asked before; signals that people send to the service are not meant for it.
"""

from __future__ import annotations

import os
import select
import signal
import socket
from collections import deque
from collections.abc import Callable, Sequence
from time import monotonic, time
from typing import Any, cast

from twisted.logger import ILogObserver, LogEvent, Logger, formatEvent, globalLogBeginner
from twisted.python.failure import Failure

from simmail.mailstore.delivery.request import WriterRequest
from simmail.mailstore.journal.groupcommit import GroupCommit, PendingDelivery
from simmail.mailstore.journal.records import Id, decode_described, delivery_of
from simmail.mailstore.journal.sync import Disks, Hands, Condition
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.threads import ThreadCall, LONGEST_KEPT, LUMP, MOST_AT_ONCE, Worker, outcome
from simmail.mailstore.writer.protocol import (
    CONDITION, ERROR, FILE, FILED, Frame, Frames, LOGGED, Logged, PROMISE, PROMISED, RESULT, SEND, decode_request,
    encode, encode_error, head,
)
from simmail.mailstore.writer.requests import NoteCommitted, RequestHandler

#: Real seconds that the writer of a process that was killed may take to finish what it was asked.
_PATIENCE = 5.0

#: What is asked: a delivery, a request, what a thread of this process wants done; or what could not be understood.
Asked = PendingDelivery | WriterRequest[Any] | ThreadCall | Exception


class Program:
    """
    The process.

    @param connection: the socket; path: of the journal; segment: octets of its segments.
    """

    log = Logger()

    def __init__(self, connection: socket.socket, path: str, segment: int) -> None:
        self._socket = connection
        self._frames = Frames()
        self._asked: deque[tuple[int, Asked]] = deque()
        self._here: deque[ThreadCall] = deque()
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
        self._commit = GroupCommit(
            path, segment, disks, Hands(monotonic, self.send, syncer.send, disks.sync), _PATIENCE,
            self._tell_condition)
        self._handler = RequestHandler(self._commit, lambda at: Layout(at.path, at.universe, time), time)

    # What threads of this process ask

    def send(self, function: Callable[..., Any], *args: Any) -> None:
        """Do it, between what is asked over the socket."""
        self._here.append(ThreadCall(None, function, args))
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
            self._guarded(self._before, [one for _, one in asked])
            self._promise(asked)
            told, count = monotonic(), 0
            for kind, one in asked:
                self._answer(kind, one)
                count += kind != SEND
                # One by one, the two processes would wake each other for every answer.
                if count == LUMP or monotonic() - told > LONGEST_KEPT:
                    self._flush()
                    told, count = monotonic(), 0
            # Who waits is told first: whatever is asked next is done after the notes.
            self._flush()
            self._guarded(self._commit.after)
            if self._lines or self._out:
                self._flush()

    def _before(self, asked: list[Asked]) -> None:
        committed: list[Id] = []
        for one in asked:
            if type(one) is NoteCommitted:
                committed += one.keys
        self._commit.before([one if type(one) is PendingDelivery else None for one in asked], committed)

    def _next(self) -> list[tuple[int, Asked]]:
        """What is to be done next; nothing when there will be nothing more."""
        # Nothing is received before all is done that came before: its octets are still in the buffer.
        while not (self._asked or self._here or self._ended):
            for fd, _ in self._poll.poll():
                if fd == self._woken:
                    os.read(fd, 4096)
                else:
                    self._receive()
        taken: list[tuple[int, Asked]] = [(SEND, self._here.popleft()) for _ in range(len(self._here))]
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

    def _understood(self, frame: Frame) -> tuple[int, Asked]:
        kind, first, second, third = frame
        try:
            if kind in (FILE, PROMISE):
                described = bytes(second)
                # A view: the octets are copied nowhere on their way to the disk.
                delivery = delivery_of(decode_described(described), cast(bytes, third))
                return kind, PendingDelivery(delivery, self._handler.batch_of(bytes(first)), described, kind == PROMISE)
            return kind, decode_request(first)
        except Exception as error:
            return kind, error

    def _promise(self, asked: list[tuple[int, Asked]]) -> None:
        """Tell which deliveries are durable: they become visible while the other side goes on."""
        promised = bytes([type(one) is PendingDelivery and one.promised for kind, one in asked if kind == PROMISE])
        if promised:
            self._say(PROMISED, promised)
            if any(promised):
                self._flush()

    def _answer(self, kind: int, asked: Asked) -> None:
        result = outcome(self._done, asked)
        if isinstance(result, Failure):
            if kind == SEND:
                self.log.failure("nobody waited for this", result)
            else:
                assert result.value is not None
                self._say(ERROR, encode_error(result.value, result.getTraceback()))
        elif kind != SEND:
            self._say(FILED if type(asked) is PendingDelivery else RESULT, result)

    def _done(self, asked: Asked) -> bytes:
        """Do it, and return the answer, encoded."""
        if isinstance(asked, PendingDelivery):
            return encode(self._commit.file(asked))
        if isinstance(asked, WriterRequest):
            return encode(self._handler.do(asked))
        if isinstance(asked, ThreadCall):
            asked.function(*asked.args)
            return b""
        raise asked

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
        self._lines.append(encode(Logged(event["log_level"].name, event["log_namespace"], text, fields)))

    def _say(self, kind: int, octets: bytes) -> None:
        self._out += (head(kind, len(octets)), octets)

    def _tell_condition(self, condition: Condition) -> None:
        self._say(CONDITION, encode(condition))

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


def main(arguments: Sequence[str]) -> None:
    """Run the process."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    descriptor, path, segment = arguments
    program = Program(socket.socket(fileno=int(descriptor)), path, int(segment))
    globalLogBeginner.beginLoggingTo(
        [cast(ILogObserver, program.observe)], redirectStandardIO=False, discardBuffer=True)
    program.run()
