"""
The process that writes mail, seen from the one it writes for, and for tests one that does all at once in its place.

Deliveries and calls go out in the order asked, those of one turn of the
reactor together, and are answered in that order.  When the process dies, what
it had not answered fails with L{Unavailable} and another one is started.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from msgspec import Struct, field
from twisted.internet import interfaces
from twisted.internet.defer import Deferred, fail, succeed
from twisted.logger import LogLevel, Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from simmail.core.records.delivery import Delivery
from simmail.errors import Unavailable
from simmail.mailstore.delivery.maildir_delivery import DeliveryResult
from simmail.mailstore.delivery.request import Into, StoreId, T, WriterRequest
from simmail.mailstore.journal.groupcommit import GroupCommit, PendingDelivery
from simmail.mailstore.journal.records import Id, describe
from simmail.mailstore.journal.sync import Disks, Hands, Condition
from simmail.mailstore.maildir.layout import Layout
from simmail.mailstore.threads import MOST_AT_A_TURN, outcome
from simmail.mailstore.writer import protocol
from simmail.mailstore.writer.protocol import (
    CALL, CONDITION, ERROR, FILE, Frame, Frames, LOGGED, PROMISE, PROMISED, SEND, decode_answer, decode_filed,
    decode_request, encode,
)
from simmail.mailstore.writer.requests import Looks, NoteCommitted, RequestHandler, core_looks


#: Octets of the socket's buffers, if the system allows for so many.
_BUFFER = 4 * 1024 * 1024
#: Pieces that one call takes.
_MOST_PIECES = 512
#: Real seconds before a process is started in the place of one that died, and that one that ends may take.
_PAUSE, _END = 0.5, 10

_ROOT = str(Path(__file__).resolve().parents[3])
_PROGRAM = ("import sys; sys.path.insert(0, sys.argv[1]); "
            "from simmail.mailstore.writer.process import main; main(sys.argv[2:])")


class _Asked(Struct, eq=False):
    """
    One who waits for an answer.

    @ivar request: None for a delivery.
    @ivar key: of a delivery that is taken back when its writer dies.
    @ivar durable: called when that is durable.
    """

    request: WriterRequest[Any] | None = None
    key: Id | None = None
    durable: Callable[[], None] | None = None
    done: Deferred[Any] = field(default_factory=Deferred)

    def promise(self, made: bool) -> None:
        """Whether it is durable is known."""
        durable, self.durable = self.durable, None
        if made and durable is not None:
            self.key = None
            durable()


@implementer(interfaces.IReadDescriptor, interfaces.IWriteDescriptor)
class Writer:
    """
    A process that writes, as an L{IWriter<simmail.mailstore.writer.requests.IWriter>}.

    @param reactor: of this process (C{IReactorFDSet}, C{IReactorTime}).
    @param path: of the journal; segment: octets of its segments.
    @param again: called when another process was started, with the deliveries that the one before left unanswered.
    @param told: called with the condition of the journal.
    """

    log = Logger()

    def __init__(
        self, reactor: Any, path: str, segment: int, again: Callable[[Sequence[Id]], None],
        told: Callable[[Condition], None] = lambda condition: None,
    ) -> None:
        self._reactor = reactor
        self._arguments = path, str(segment)
        self._again, self._told = again, told
        self._waiting: deque[_Asked] = deque()
        self._promises: deque[_Asked] = deque()
        self._out: list[bytes] = []
        self._in: deque[Frame] = deque()
        self._flushing = self._choked = False
        self._socket: socket.socket | None = None
        self._stopped: Deferred[None] | None = None
        self._pause: Any = None
        self._start()

    # The process

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            for one in (ours, theirs):
                one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
            ours.setblocking(False)
            # In a session of its own: Ctrl-C in a terminal must reach the service, which ends it in order.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM, _ROOT, str(theirs.fileno()), *self._arguments],
                pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                start_new_session=True)
        self._socket = ours
        self._frames = Frames()
        self._reactor.addReader(self)

    def _died(self) -> None:
        """The process has ended."""
        assert self._socket is not None
        self._reactor.removeReader(self)
        self._reactor.removeWriter(self)
        self._socket.close()
        self._socket, self._choked, self._out = None, False, []
        code = self._process.wait(_END)
        waiting, self._waiting = self._waiting, deque()
        self._promises.clear()
        if self._stopped is None:
            self.log.critical("the process that writes mail has died ({code}); another one is started", code=code)
            refused = [asked.key for asked in waiting if asked.key is not None]
            self._pause = self._reactor.callLater(_PAUSE, self._replace, refused)
        for asked in waiting:
            asked.done.errback(Failure(Unavailable("the mail store is away: its writer has died")))
        if self._stopped is not None:
            self._stopped.callback(None)

    def _replace(self, refused: Sequence[Id]) -> None:
        self._pause = None
        self._start()
        self._again(refused)

    def fileno(self) -> int:
        """Of the socket."""
        return self._socket.fileno() if self._socket is not None else -1

    def logPrefix(self) -> str:
        """What Twisted writes in front of log lines."""
        return "mail writer"

    def connectionLost(self, reason: Failure) -> None:
        """The reactor gives up on the socket."""
        if self._socket is not None:
            self._died()

    @property
    def alive(self) -> bool:
        """Whether there is such a process now."""
        return self._socket is not None

    # What is asked

    def call(self, request: WriterRequest[T]) -> Deferred[T]:
        """Deferred of the answer."""
        try:
            octets = encode(request)
        except Exception:
            return fail(Failure())
        done = self._ask(_Asked(request), CALL, octets)
        if not self._choked and self._stopped is None:
            # Who calls may have more to do in this turn, and the process could work meanwhile.
            self.doWrite()
        return done

    def send(self, request: WriterRequest[Any]) -> None:
        """The same where nobody waits for the answer."""
        if self._socket is not None and self._stopped is None:
            octets = encode(request)
            self._out += (protocol.head(SEND, len(octets)), octets)
            self._flush_soon()

    def file(
        self, delivery: Delivery, into: Into, durable: Callable[[], None] | None = None
    ) -> Deferred[DeliveryResult]:
        """
        Deferred of what became of a delivery.

        @param durable: called before that when the delivery is in the journal and stays there until it is visible.
        """
        try:
            described = describe(delivery)
        except Exception:
            return fail(Failure())
        asked = _Asked(None, Id(delivery.universe, delivery.id), durable)
        return self._ask(asked, FILE if durable is None else PROMISE, encode(into), described, delivery.octets)

    def _ask(self, asked: _Asked, kind: int, first: bytes, second: bytes = b"", third: bytes = b"") -> Deferred[Any]:
        if self._stopped is not None:
            return fail(Unavailable("the mail store is closed"))
        if self._socket is None:
            return fail(Unavailable("the mail store is away; try again"))
        self._waiting.append(asked)
        if kind == PROMISE:
            self._promises.append(asked)
        self._out += (protocol.head(kind, len(first), len(second), len(third)), first)
        if second:
            self._out += (second, third)
        if len(self._waiting) == 1:
            # The process has nothing else to do; what comes while it works goes together.
            self.doWrite()
        else:
            self._flush_soon()
        return asked.done

    def stop(self) -> Deferred[None]:
        """Deferred: all that was asked is done, and the process has ended."""
        if self._stopped is not None:
            return succeed(None)
        self._stopped = Deferred()
        if self._socket is None:
            if self._pause is not None:
                self._pause.cancel()
            self._stopped.callback(None)
        elif not self._out:
            self._socket.shutdown(socket.SHUT_WR)
        return self._stopped

    # To and fro

    def _flush_soon(self) -> None:
        if not self._flushing and not self._choked:
            self._flushing = True
            self._reactor.callLater(0, self._flush)

    def _flush(self) -> None:
        self._flushing = False
        self.doWrite()

    def doWrite(self) -> None:
        """There is room for more."""
        if self._socket is None:
            return
        out = self._out
        try:
            while out:
                sent, done = self._socket.sendmsg(out[:_MOST_PIECES]), 0
                while done < len(out) and sent >= len(out[done]):
                    sent -= len(out[done])
                    done += 1
                del out[:done]
                if sent:
                    out[0] = out[0][sent:]
        except BlockingIOError:
            if not self._choked:
                self._choked = True
                self._reactor.addWriter(self)
            return
        except OSError:
            # It is told where the socket is read.
            out.clear()
        if self._choked:
            self._choked = False
            self._reactor.removeWriter(self)
        if self._stopped is not None:
            self._socket.shutdown(socket.SHUT_WR)

    def doRead(self) -> None:
        """Answers have come."""
        assert self._socket is not None
        if self._in:
            # Read again when that has been told: it is in the buffer.
            return
        try:
            received = self._frames.receive(self._socket)
        except BlockingIOError:
            return
        except OSError:
            received = None
        if received is None:
            self._died()
        else:
            self._in += received
            self._tell_some()

    def _tell_some(self) -> None:
        """Answer those who wait, so many in one turn of the reactor."""
        for _ in range(min(MOST_AT_A_TURN, len(self._in))):
            self._tell(self._in.popleft())
        if self._in:
            self._reactor.callLater(0, self._tell_some)

    def _tell(self, frame: Frame) -> None:
        kind, octets, _, _ = frame
        if kind == LOGGED:
            line = protocol.decode_logged(octets)
            Logger(namespace=line.namespace).emit(LogLevel.lookupByName(line.level), "{text}", text=line.text,
                                                  **line.fields)
            return
        if kind == CONDITION:
            self._told(protocol.decode_condition(octets))
            return
        if kind == PROMISED:
            for promised in octets:
                self._promises.popleft().promise(bool(promised))
            return
        asked = self._waiting.popleft()
        try:
            if kind == ERROR:
                raise protocol.decode_error(octets)
            result = decode_filed(octets) if asked.request is None else decode_answer(asked.request, octets)
        except Exception:
            asked.done.errback(Failure())
        else:
            asked.done.callback(result)


class InlineWriter:
    """
    Is an L{IWriter<simmail.mailstore.writer.requests.IWriter>} whose Deferreds have fired.

    @param path: of the journal; segment: octets of its segments; all else as for L{GroupCommit}.
    @ivar commit: the journal's group commit; handler: does what is asked.
    """

    def __init__(
        self, path: str, segment: int, disks: Disks, hands: Hands, tell: Callable[[Condition], None],
        open_layout: Callable[[StoreId], Layout], looks: Callable[[], Looks] = core_looks,
    ) -> None:
        self.commit = GroupCommit(path, segment, disks, hands._replace(writer=self._do_soon), tell=tell)
        self.handler = RequestHandler(self.commit, open_layout, hands.seconds, looks)
        self._stopped = False

    alive = True

    def call(self, request: WriterRequest[T]) -> Deferred[T]:
        """Deferred of the answer."""
        if self._stopped:
            return fail(Unavailable("the mail store is closed"))
        request = cast("WriterRequest[T]", decode_request(encode(request)))
        self.commit.before((), request.keys if isinstance(request, NoteCommitted) else ())
        result = outcome(self._answer, request)
        self.commit.after()
        return fail(result) if isinstance(result, Failure) else succeed(result)

    def _answer(self, request: WriterRequest[T]) -> T:
        return decode_answer(request, encode(self.handler.do(request)))

    def send(self, request: WriterRequest[Any]) -> None:
        """The same where nobody waits for the answer."""
        self.call(request).addErrback(lambda failure: None)

    def file(
        self, delivery: Delivery, into: Into, durable: Callable[[], None] | None = None
    ) -> Deferred[DeliveryResult]:
        """Deferred of what became of a delivery: it is visible as soon as it is durable, and nothing is promised."""
        if self._stopped:
            return fail(Unavailable("the mail store is closed"))
        pending = PendingDelivery(delivery, self.handler.batch(into))
        self.commit.before((pending,))
        result = outcome(self.commit.file, pending)
        self.commit.after()
        return fail(result) if isinstance(result, Failure) else succeed(result)

    def stop(self) -> Deferred[None]:
        """Nothing is under way."""
        self._stopped = True
        return succeed(None)

    def _do_soon(self, function: Callable[..., Any], *args: Any) -> None:
        if not self._stopped:
            self.commit.before(())
            outcome(function, *args)
            self.commit.after()
