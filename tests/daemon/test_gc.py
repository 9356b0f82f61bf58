"""How the interpreter of a serving process is set."""

from __future__ import annotations

import gc
import os
import sys
from itertools import count
from socket import socket, socketpair
from typing import Any

from twisted.internet.epollreactor import EPollReactor
from twisted.internet.interfaces import IReadDescriptor
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from simmail.daemon.gc import Turns, prefer_latency, shorten_turns


class LatencyTests(SynchronousTestCase):
    """Short turns before throughput."""

    def test_set(self) -> None:
        """A busy thread gives way soon; what is there at the start is not looked through again."""
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        self.addCleanup(gc.set_threshold, *gc.get_threshold())
        self.addCleanup(gc.unfreeze)
        prefer_latency()
        self.assertLessEqual(sys.getswitchinterval(), 0.001)
        self.assertGreater(gc.get_freeze_count(), 1000)
        self.assertLess(len(gc.get_objects()), gc.get_freeze_count())


class Poller:
    """An epoll object that has something to tell at some time."""

    def __init__(self, comes: int) -> None:
        self.comes = comes
        self.asked: list[float] = []

    def poll(self, timeout: float, most: int) -> list[tuple[int, int]]:
        self.asked.append(timeout)
        return [(5, 1), (6, 4)] if timeout or len(self.asked) > self.comes else []


class Served:
    """An epoll reactor that notes what it served; the first of two does not end well."""

    def __init__(self, comes: int) -> None:
        self._poller = Poller(comes)
        self._selectables = {5: "five", 6: "six"}
        self.served: list[tuple[Any, int, int]] = []

    def _doReadOrWrite(self, selectable: Any, descriptor: int, event: int) -> None:
        self.served.append((selectable, descriptor, event))
        if descriptor == 5:
            raise ValueError


class TurnTests(SynchronousTestCase):
    """A turn of the reactor."""

    def asked(self, comes: int, timeout: float | None, awake: float = 50e-6) -> list[float]:
        """The time-outs asked with, when something comes after so many looks that take 10 microseconds each."""
        reactor, ticks = Served(comes), count()
        Turns(reactor, lambda: next(ticks) * 10e-6, awake)(timeout)
        if timeout != 0 or not comes:
            # One that fails keeps nobody else waiting.
            self.assertEqual(reactor.served, [("five", 5, 1), ("six", 6, 4)])
            self.assertEqual(len(self.flushLoggedErrors(ValueError)), 1)
        else:
            self.assertEqual(reactor.served, [])
        return reactor._poller.asked

    def test_moment(self) -> None:
        """What comes within the moment is served without sleeping; afterwards it sleeps as long as it was to."""
        self.assertEqual(self.asked(0, 2.5), [0])
        self.assertEqual(self.asked(3, 2.5), [0] * 4)
        self.assertEqual(self.asked(99, 2.5), [0] * 5 + [2.5])
        self.assertEqual(self.asked(99, None), [0] * 5 + [-1])

    def test_no_time(self) -> None:
        """Who does not want to wait is answered at once."""
        self.assertEqual(self.asked(0, 0), [0])
        self.assertEqual(self.asked(3, 0), [0])

    def test_one_processor(self) -> None:
        """Who does not stay awake sleeps at once."""
        self.assertEqual(self.asked(99, 2.5, 0.0), [0, 2.5])

    def test_gone(self) -> None:
        """What was ended by what was served before it is not served."""
        reactor = Served(0)
        del reactor._selectables[5]
        Turns(reactor, lambda: 0.0, 0.0)(None)
        self.assertEqual(reactor.served, [("six", 6, 4)])

    def test_reactor(self) -> None:
        """It is a reactor's, where it is one that polls with epoll; the moment is for more than one processor."""
        one, two, other = EPollReactor(), EPollReactor(), object()
        for reactor in (one, two):
            self.addCleanup(reactor._poller.close)
        self.patch(os, "sched_getaffinity", lambda pid: {3})
        shorten_turns(one)
        self.patch(os, "sched_getaffinity", lambda pid: {3, 4})
        shorten_turns(two)
        shorten_turns(other)
        self.assertEqual([one.doIteration._awake > 0, two.doIteration._awake > 0], [False, True])
        for reactor in (one, two):
            called: list[int] = []
            reactor.callLater(0.01, called.append, 1)
            while not called:
                reactor.iterate(0.05)
            ours, theirs = socketpair()
            self.addCleanup(theirs.close)
            self.addCleanup(ours.close)
            reader = Reader(ours)
            reactor.addReader(reader)
            theirs.send(b"x")
            reactor.iterate(5)
            self.assertEqual(reader.came, [b"x"])
            reactor.removeReader(reader)


@implementer(IReadDescriptor)
class Reader:
    """Reads what comes."""

    def __init__(self, socket: socket) -> None:
        self.socket, self.came = socket, list[bytes]()

    def fileno(self) -> int:
        return self.socket.fileno()

    def doRead(self) -> None:
        self.came.append(self.socket.recv(9))

    def connectionLost(self, reason: Any) -> None:
        """Never."""

    def logPrefix(self) -> str:
        return "reader"
