"""
Threads that do what they are given, in order.

Outcomes arrive in the reactor thread in the same order.  What the disk or
SQLite refuses arrives as L{Unavailable}; all else as it is.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple, Protocol

from twisted.internet.defer import Deferred, fail, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.errors import Unavailable

#: What people are told when the disk refuses something, before what it said.
AWAY = "the mail store is away"
#: What is taken from the queue at once, at most.
MOST_AT_ONCE = 256
#: What is answered in one turn of the reactor, at most, and real seconds after which no more is: what is sent off
#: goes out at the end of a turn, to clients that then ask for the next thing.
MOST_AT_A_TURN, LONGEST_TURN = 64, 0.004
#: Outcomes are told in lumps of so many, or when one has been kept for so long (real seconds).
LUMP, LONGEST_KEPT = 8, 0.002


class Caller(Protocol):
    """What a worker needs of a reactor (C{IReactorFromThreads})."""

    def callFromThread(self, function: Callable[..., Any], *args: Any) -> None:  # noqa: N802
        """ThreadCall it in the reactor thread."""


class ThreadCall(NamedTuple):
    """One call, and who waits for it."""

    done: Deferred[Any] | None
    function: Callable[..., Any]
    args: tuple[Any, ...]


#: Tells somebody to call a function with arguments some time, in the order told; nobody waits for the answer.
Send = Callable[..., None]


class IWorker(Protocol):
    """Any kind of worker."""

    def send(self, function: Callable[..., Any], *args: Any) -> None:
        """Do it some time, in the order told; nobody waits for the answer."""

    def call(self, function: Callable[..., Any], *args: Any) -> Deferred[Any]:
        """Deferred of what the function answers."""

    def stop(self) -> Deferred[None]:
        """Deferred: all that was given is done."""


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    """Return what a call answers, or a Failure."""
    try:
        return function(*args)
    except OSError as error:
        return _failure(Unavailable(f"{AWAY}: {error.strerror or error}"))
    except sqlite3.Error as error:
        return _failure(Unavailable(f"the index is away: {error}"))
    except BaseException:
        return _failure()


def _failure(error: Exception | None = None) -> Failure:
    return Failure(error)  # type: ignore[no-untyped-call]


class Worker:
    """One thread."""

    log = Logger()

    def __init__(self, reactor: Caller, name: str) -> None:
        self._reactor = reactor
        self._queue: SimpleQueue[ThreadCall | None] = SimpleQueue()
        self._outcomes: deque[tuple[Deferred[Any], Any]] = deque()
        self._called = False
        self._stopping = False
        self._thread = Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def call(self, function: Callable[..., Any], *args: Any) -> Deferred[Any]:
        """Deferred of what the function answers."""
        if self._stopping:
            return fail(Unavailable("the mail store is closed"))
        done: Deferred[Any] = Deferred()
        self._queue.put(ThreadCall(done, function, args))
        return done

    def send(self, function: Callable[..., Any], *args: Any) -> None:
        """The same where nobody waits for the answer."""
        if not self._stopping:
            self._queue.put(ThreadCall(None, function, args))

    def stop(self) -> Deferred[None]:
        """Deferred: all that was given is done, and the thread has ended."""
        if self._stopping:
            return succeed(None)
        done = self.call(lambda: None)
        self._stopping = True
        self._queue.put(None)
        return done.addCallback(lambda _: self._thread.join())

    def _work(self) -> None:
        queue = self._queue
        while True:
            call = queue.get()
            calls: list[ThreadCall] = []
            try:
                while call is not None:
                    calls.append(call)
                    if len(calls) >= MOST_AT_ONCE:
                        break
                    call = queue.get_nowait()
            except Empty:
                pass
            told, count = monotonic(), 0
            for one in calls:
                result = outcome(one.function, *one.args)
                if one.done is not None:
                    self._outcomes.append((one.done, result))
                    count += 1
                    # One by one, the two threads would hand each other the interpreter for every outcome.
                    if count == LUMP or monotonic() - told > LONGEST_KEPT:
                        self._tell()
                        told, count = monotonic(), 0
                elif isinstance(result, Failure):
                    self._reactor.callFromThread(self.log.failure, "nobody waited for this", result)
            if self._outcomes:
                self._tell()
            if call is None:
                return

    def _tell(self) -> None:
        # Testing and setting need no lock: a missed True only calls once more.
        if not self._called:
            self._called = True
            self._reactor.callFromThread(self._deliver)

    def _deliver(self) -> None:
        self._called = False
        outcomes = self._outcomes
        until = monotonic() + LONGEST_TURN
        for _ in range(MOST_AT_A_TURN):
            if not outcomes:
                return
            done, result = outcomes.popleft()
            # A Failure goes to the errbacks.
            done.callback(result)
            if monotonic() > until:
                break
        self._reactor.callFromThread(self._deliver)


class Inline:
    """Does it at once, in the thread of who asks: for tests."""

    def __init__(self) -> None:
        self._stopped = False

    def call(self, function: Callable[..., Any], *args: Any) -> Deferred[Any]:
        """Deferred, already fired, of what the function answers."""
        if self._stopped:
            return fail(Unavailable("the mail store is closed"))
        result = outcome(function, *args)
        return fail(result) if isinstance(result, Failure) else succeed(result)

    def send(self, function: Callable[..., Any], *args: Any) -> None:
        """The same where nobody waits for the answer."""
        self.call(function, *args).addErrback(lambda failure: None)

    def stop(self) -> Deferred[None]:
        """Nothing is under way."""
        self._stopped = True
        return succeed(None)
