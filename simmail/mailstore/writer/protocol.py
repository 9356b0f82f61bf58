"""
What a process and the one that writes its mail say to each other: frames over a stream socket.

A frame is a head (kind, and the lengths of three parts, in octets) and the
parts.  Asked are requests, and deliveries, whose octets are copied nowhere on
the way; answers come in the order of the questions.
"""

from __future__ import annotations

from socket import socket
from struct import Struct as Format
from typing import Any, NamedTuple, Union

import msgspec

from simmail import errors
from simmail.errors import Refusal
from simmail.mailstore.delivery.maildir_delivery import DeliveryResult
from simmail.mailstore.delivery.request import T, WriterRequest
from simmail.mailstore.journal.sync import Condition
from simmail.mailstore.writer.requests import REQUESTS, answer_of

#: Asked: a request whose answer is waited for, one whose answer is not, a delivery to be filed, one that may be
#: promised.
CALL, SEND, FILE, PROMISE = 1, 2, 3, 4
#: Answered: the answer to a request, what is raised; what was filed.  Said in between: which of the deliveries that
#: may be promised are, an octet each (0 or 1) in the order asked; a line for the log; how the journal is.
RESULT, ERROR, FILED, PROMISED, LOGGED, CONDITION = 5, 6, 7, 8, 9, 10

_HEAD = Format("<BIII")
#: Octets of a buffer that has held no larger frame.
_BUFFER = 512 * 1024

encode = msgspec.msgpack.Encoder().encode
decode_filed = msgspec.msgpack.Decoder(DeliveryResult).decode
decode_request = msgspec.msgpack.Decoder(Union[REQUESTS]).decode
_ANSWERS = {kind: msgspec.msgpack.Decoder(answer_of(kind)) for kind in REQUESTS}


def decode_answer(request: WriterRequest[T], octets: bytes | memoryview) -> T:
    """Decode what a request is answered.  @raise MsgspecError: it is something else."""
    answer: T = _ANSWERS[type(request)].decode(octets)
    return answer


class Logged(NamedTuple):
    """A line for the log: a level's name, the namespace, the text; C{fields}: those of a line about L{damage}."""

    level: str
    namespace: str
    text: str
    fields: dict[str, str] = {}


class Raised(NamedTuple):
    """
    An exception that crosses: the class of a L{Refusal}, what it was made of and what it knows.

    @ivar kind: C{""} for anything else, which is a defect; C{args}: its traceback then.
    """

    kind: str
    args: list[Any]
    known: dict[str, Any] = {}


decode_logged = msgspec.msgpack.Decoder(Logged).decode
decode_condition = msgspec.msgpack.Decoder(Condition).decode
_decode_raised = msgspec.msgpack.Decoder(Raised).decode


class WriterDefect(Exception):
    """Something went wrong in the writer that is no refusal; the text is its traceback."""


def encode_error(error: BaseException, traceback: str) -> bytes:
    """Encode an exception, to be raised elsewhere."""
    if isinstance(error, Refusal):
        kind = next((one.__name__ for one in type(error).__mro__ if hasattr(errors, one.__name__)), "")
        try:
            return encode(Raised(kind, list(error.args), vars(error)))
        except (TypeError, UnicodeEncodeError):
            pass
    return encode(Raised("", [traceback]))


def decode_error(octets: bytes | memoryview) -> Exception:
    """Make the exception again."""
    raised = _decode_raised(octets)
    if not raised.kind:
        return WriterDefect(*raised.args)
    kind: type[Refusal] = getattr(errors, raised.kind)
    # Without C{__init__}, which may take something else.
    error = kind.__new__(kind, *raised.args)
    vars(error).update(raised.known)
    return error


class Frame(NamedTuple):
    """One frame as it came."""

    kind: int
    first: memoryview
    second: memoryview
    third: memoryview


def head(kind: int, first: int, second: int = 0, third: int = 0) -> bytes:
    """What goes in front of parts of these lengths."""
    return _HEAD.pack(kind, first, second, third)


class Frames:
    """
    What comes over a socket, into frames.

    One buffer is used again and again: memory that is fresh for every message costs more than all else here.
    """

    def __init__(self) -> None:
        self._view = memoryview(bytearray(_BUFFER))
        self._begin = self._end = 0

    def receive(self, connection: socket) -> list[Frame] | None:
        """
        The frames that are whole now; None when the other side is gone.

        Their parts are views, which say something else after the next call.

        @raise OSError: nothing came.
        """
        if self._begin == self._end:
            self._begin = self._end = 0
        elif self._end == len(self._view):
            self._make_room()
        received = connection.recv_into(self._view[self._end:])
        if not received:
            return None
        self._end += received
        view, at, end, frames = self._view, self._begin, self._end, []
        while end - at >= _HEAD.size:
            kind, first, second, third = _HEAD.unpack_from(view, at)
            a = at + _HEAD.size
            b = a + first
            c = b + second
            if c + third > end:
                break
            at = c + third
            frames.append(Frame(kind, view[a:b], view[b:c], view[c:at]))
        self._begin = at
        return frames

    def _make_room(self) -> None:
        """For what is still to come of a frame, at the beginning of a buffer that is large enough."""
        view, kept = self._view, self._end - self._begin
        whole = _HEAD.size
        if kept >= _HEAD.size:
            _, *lengths = _HEAD.unpack_from(view, self._begin)
            whole += sum(lengths)
        if self._begin and whole <= len(view):
            view[:kept] = view[self._begin:self._end]
        else:
            self._view = memoryview(bytearray(max(_BUFFER, whole + _BUFFER // 2)))
            self._view[:kept] = view[self._begin:self._end]
        self._begin, self._end = 0, kept
