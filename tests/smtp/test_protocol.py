"""The pump: octets to commands, without verbs."""

from __future__ import annotations

import errno
import os
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import Deferred
from twisted.internet.testing import StringTransport
from twisted.trial.unittest import SynchronousTestCase

from simmail.smtp import protocol, replies
from simmail.smtp.protocol import AHEAD, check, LINGER, Pump
from simmail.smtp.replies import CommandRefused
from tests.smtp.door import Door


class Transport(StringTransport):
    """One that can be aborted."""

    aborted = False

    def abortConnection(self) -> None:
        self.aborted = True


class PumpTests(SynchronousTestCase):
    """On a transport in memory; what a command says is told back."""

    def setUp(self, **config: Any) -> None:
        door = Door(config)
        self.reactor = door.server.reactor
        self.lines: list[bytes] = []
        self.pump = Pump(door.factory.context, self.obey)
        self.transport = Transport()
        self.pump.start(self.transport, False)

    def obey(self, line: bytes) -> None:
        """Note a line, and answer it."""
        self.lines.append(line)
        if line == b"WAIT":
            self.waiting: Deferred[bytes] = Deferred()
            self.pump.wait(self._waited())
        elif line == b"REFUSE":
            raise CommandRefused(b"500 no\r\n")
        elif line == b"FAIL":
            raise KeyError("a mistake")
        else:
            self.pump.say(b"250 %b\r\n" % line)

    async def _waited(self) -> bytes:
        return await self.waiting

    def said(self) -> bytes:
        """What was said since the last look."""
        octets: bytes = self.transport.value()
        self.transport.clear()
        return octets

    @given(st.lists(st.sampled_from([b"", b"NOOP", b"REFUSE", b"a b  c", b"x" * 30, b"a\0b"]), max_size=6),
           st.integers(1, 9))
    def test_any_packets(self, lines: list[bytes], size: int) -> None:
        """However they are cut, the same lines are taken and the same is said."""
        octets, seen = b"".join(line + b"\r\n" for line in lines), set()
        for step in (size, len(octets) or 1):
            self.setUp()
            for at in range(0, len(octets), step):
                self.pump.receive(octets[at:at + step])
            seen.add((self.said(), tuple(self.lines), bool(self.pump.closed)))
        self.flushLoggedErrors()
        self.assertEqual(len(seen), 1)

    def test_waits(self) -> None:
        """What comes behind a command that takes time waits, and is answered behind it."""
        self.pump.receive(b"WAIT\r\nNEXT\r\n")
        self.assertEqual((self.lines, self.said(), self.pump.is_idle()), ([b"WAIT"], b"", False))
        self.waiting.callback(b"250 done\r\n")
        self.assertEqual((self.said(), self.pump.is_idle()), (b"250 done\r\n250 NEXT\r\n", True))

    def test_failure(self) -> None:
        """A defect is logged and told by its name; in a command that has begun the session goes on."""
        self.pump.receive(b"WAIT\r\n")
        self.waiting.errback(KeyError("a mistake"))
        self.assertRegex(self.said(), rb"\A451 4\.3\.0 Internal error \S+, try again later\r\n\Z")
        self.assertFalse(self.pump.closed)
        self.pump.receive(b"FAIL\r\n")
        self.assertTrue(self.said().startswith(b"451 "))
        self.assertTrue(self.transport.disconnecting)
        self.assertEqual(len(self.flushLoggedErrors(KeyError)), 2)

    def test_disk_refuses(self) -> None:
        """What the disk refuses is put off under no name; it is no defect."""
        for number, reply in ((errno.EROFS, replies.AWAY), (errno.EIO, replies.AWAY), (errno.ENOENT, replies.AWAY),
                              (errno.ENOSPC, replies.DISK_FULL)):
            self.setUp()
            self.pump.receive(b"WAIT\r\n")
            self.waiting.errback(OSError(number, os.strerror(number)))
            self.assertEqual((self.said(), self.pump.closed), (reply, False))
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_useless(self) -> None:
        """Commands without effect are counted, until one has had one."""
        self.setUp(smtp={"idle_commands": 3})
        self.pump.receive(b"REFUSE\r\n" * 3)
        self.pump.forgive()
        self.pump.receive(b"REFUSE\r\n" * 3)
        self.assertFalse(self.transport.disconnecting)
        self.pump.receive(b"REFUSE\r\n")
        self.assertTrue(self.said().endswith(replies.TOO_MANY_COMMANDS))
        self.assertTrue(self.transport.disconnecting)

    def test_bad_lines(self) -> None:
        """Lines that are none: an answer where the next one can be told, else the end."""
        for octets, reply, closed in (
            (b"A\0\r\n", replies.BAD_SYNTAX, False), (b"A\rB\r\n", replies.BAD_SYNTAX, False),
            (b"A\n", replies.BARE_LF, True), (b"x" * 9000, replies.LINE_TOO_LONG, True),
            (b"\x16\x03\x01", replies.NOT_SMTP, True),
        ):
            self.setUp()
            self.pump.receive(octets)
            self.assertEqual((self.said(), bool(self.pump.closed)), (reply, closed), octets[:10])
        for line in (b"a\rb", b"a\nb", b"a\0"):
            self.assertRaises(CommandRefused, check, line)

    def test_ahead(self) -> None:
        """A client that sends on while something is done is not read from."""
        self.pump.receive(b"WAIT\r\n")
        self.pump.receive(b"N\r\n" * (AHEAD // 3))
        self.assertEqual(self.transport.producerState, "producing")
        self.pump.receive(b"N\r\n")
        self.assertEqual(self.transport.producerState, "paused")
        self.waiting.callback(b"")
        while not self.pump.is_idle():
            self.reactor.advance(0)
        self.assertEqual((self.transport.producerState, len(self.lines)), ("producing", AHEAD // 3 + 2))

    def test_choked(self) -> None:
        """A client that does not read is not served, until it does."""
        self.pump.pauseProducing()
        self.pump.receive(b"N\r\n")
        self.assertEqual(self.said(), b"")
        self.pump.resumeProducing()
        self.assertEqual(self.said(), b"250 N\r\n")

    def test_later(self) -> None:
        """What is put off is done when its time has come, and what came meanwhile behind it."""
        self.pump.later(5, self.pump.say, b"250 late\r\n")
        self.pump.receive(b"N\r\n")
        self.reactor.advance(4)
        self.assertEqual(self.said(), b"")
        self.reactor.advance(1)
        self.assertEqual(self.said(), b"250 late\r\n250 N\r\n")

    def test_later_wrong(self) -> None:
        """A refusal put off is said; a defect ends the session."""
        self.pump.later(1, self.obey, b"REFUSE")
        self.reactor.advance(1)
        self.assertEqual(self.said(), b"500 no\r\n")
        self.pump.later(1, self.obey, b"FAIL")
        self.reactor.advance(1)
        self.assertTrue(self.pump.closed)
        self.assertEqual(len(self.flushLoggedErrors(KeyError)), 1)

    def test_times(self) -> None:
        """Who says nothing, who lasts too long, who does not go."""
        context = self.pump.context
        begun = self.pump.started
        self.assertEqual(self.pump.check(begun + 1.0), begun + context.timeout)
        self.pump.check(begun + context.timeout)
        self.assertEqual(self.said(), replies.TIMED_OUT)
        self.assertFalse(self.transport.aborted)
        self.pump.check(self.pump.closed + LINGER + 1)
        self.assertTrue(self.transport.aborted)
        self.setUp()
        self.pump.deadline = self.pump.started + context.total_time + 100
        self.pump.check(self.pump.started + context.total_time)
        self.assertEqual(self.said(), replies.TOO_LONG)

    def test_hang(self) -> None:
        """Who is never answered is dropped when a session is over, or says no more."""
        self.assertNoResult(self.pump.hang())
        self.pump.receive(b"N\r\n")
        last = self.pump.started + self.pump.context.total_time
        self.assertEqual((self.pump.check(last - 1), self.transport.aborted), (last, False))
        self.pump.check(last)
        self.assertEqual((self.said(), self.transport.aborted), (b"", True))
        self.setUp()
        self.pump.hang()
        self.pump.end_input()
        self.assertTrue(self.transport.aborted)

    def test_half_closed(self) -> None:
        """What was asked before the client said no more is answered."""
        self.pump.receive(b"WAIT\r\n")
        self.pump.end_input()
        self.assertFalse(self.transport.disconnecting)
        self.waiting.callback(b"250 done\r\n")
        self.assertEqual((self.said(), self.transport.disconnecting), (b"250 done\r\n", True))

    def test_lost(self) -> None:
        """Once it is lost nothing is said and nothing done; what is being done is done."""
        self.pump.receive(b"WAIT\r\n")
        self.pump.stop()
        self.waiting.callback(b"250 done\r\n")
        self.pump.receive(b"N\r\n")
        self.assertEqual((self.said(), self.lines), (b"", [b"WAIT"]))

    def test_turns(self) -> None:
        """Very many commands leave others their turn."""
        self.patch(protocol, "SLICE", -1.0)
        self.pump.receive(b"N\r\n" * 40)
        self.assertEqual(len(self.lines), 16)
        self.reactor.advance(0)
        self.assertEqual(len(self.lines), 40)
