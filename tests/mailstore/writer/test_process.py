"""The process that writes mail, here."""

from __future__ import annotations

import os
import socket
from typing import Any

from twisted.logger import LogLevel, capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.mailstore.delivery.request import Into, StoreId, WriterRequest
from simmail.mailstore.journal.records import describe
from simmail.mailstore.writer import protocol
from simmail.mailstore.writer.process import Program
from simmail.mailstore.writer.protocol import (
    CALL, CONDITION, ERROR, FILE, FILED, Frame, Frames, LOGGED, PROMISE, PROMISED, RESULT, SEND, decode_error,
    decode_filed, decode_logged, encode, head,
)
from simmail.mailstore.writer.requests import Attach, Begin, CloseStore, IsReady, ListForeign, ReadShown
from tests.contracts.mailstores import a_delivery

MARIA = "maria@acme.test"


class ProgramTests(SynchronousTestCase):
    """The process, here."""

    def test_answers_first(self) -> None:
        """Who waits is answered before the journal's notes are made."""
        ours, theirs = socket.socketpair()
        program, seen = Program(theirs, self.mktemp(), 1 << 20), []
        octets = encode(ListForeign("main"))
        ours.sendall(head(protocol.CALL, len(octets)) + octets)
        ours.shutdown(socket.SHUT_WR)
        program._commit.after = lambda: seen.append(ours.recv(100, socket.MSG_DONTWAIT))  # type: ignore[method-assign]
        with ours, theirs:
            program.run()
        answer = encode([])
        self.assertEqual(seen, [head(protocol.RESULT, len(answer)) + answer])
        program._commit.shut(True)


class AskedTests(SynchronousTestCase):
    """What is asked over the socket, and what is said."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.at = StoreId(f"{self.path}/mail", "main")
        self.ours, theirs = socket.socketpair()
        self.addCleanup(self.ours.close)
        self.addCleanup(theirs.close)
        self.program = Program(theirs, f"{self.path}/journal", 1 << 20)
        self.addCleanup(lambda: self.program._commit.shut(True))

    def ask(self, request: WriterRequest[Any], kind: int = CALL) -> None:
        octets = encode(request)
        self.ours.sendall(head(kind, len(octets)) + octets)

    def file(self, number: int, kind: int = FILE) -> None:
        delivery = a_delivery(number, MARIA)
        parts = encode(Into(self.at)), describe(delivery), delivery.octets
        self.ours.sendall(head(kind, *map(len, parts)) + b"".join(parts))

    def said(self) -> list[tuple[int, bytes]]:
        """All that is said until there is nothing more to do."""
        self.ours.shutdown(socket.SHUT_WR)
        self.program.run()
        self.program._socket.shutdown(socket.SHUT_WR)
        frames, found = Frames(), list[Frame]()
        while (some := frames.receive(self.ours)) is not None:
            found += [Frame(one.kind, memoryview(bytes(one.first)), one.second, one.third) for one in some]
        return [(one.kind, bytes(one.first)) for one in found if one.kind != LOGGED]

    def test_in_order(self) -> None:
        """Answers come in the order of the questions; to what nobody waits for there is none."""
        self.ask(Attach(f"{self.path}/mail"), SEND)
        self.ask(Begin(self.at))
        for number in (1, 2):
            self.file(number)
        self.ask(ListForeign("main"))
        self.ask(CloseStore(self.at), SEND)
        said = self.said()
        self.assertEqual([kind for kind, _ in said], [RESULT, FILED, FILED, RESULT])
        self.assertEqual([decode_filed(octets).copies[0].uid for kind, octets in said if kind == FILED], [1, 2])

    def test_promised(self) -> None:
        """What may be promised is told when it is durable, before it is visible."""
        self.file(1, PROMISE)
        self.file(2, PROMISE)
        said = self.said()
        self.assertEqual([kind for kind, _ in said], [PROMISED, FILED, FILED])
        self.assertEqual(said[0][1], bytes((1, 1)) if self.program._commit.disks.have_room() else bytes(2))

    def test_nonsense(self) -> None:
        """What cannot be understood is answered as a defect, in its place; the process goes on."""
        self.ours.sendall(head(CALL, 3) + b"xyz" + head(FILE, 1, 1, 1) + b"xyz")
        self.ask(IsReady())
        said = self.said()
        self.assertEqual([kind for kind, _ in said], [ERROR, ERROR, RESULT])
        self.assertIsInstance(decode_error(said[0][1]), protocol.WriterDefect)

    def test_refused(self) -> None:
        """What the disk refuses is unavailable."""
        self.ask(Begin(StoreId("/proc/none", "main")))
        ((kind, octets),) = self.said()
        self.assertEqual((kind, type(decode_error(octets))), (ERROR, Unavailable))

    def test_hooks_that_fail(self) -> None:
        """What goes wrong before or after is in the log; who waits is answered."""
        self.program._commit.before = lambda *_: 1 / 0  # type: ignore[method-assign,assignment]
        self.program._commit.after = lambda: 1 / 0  # type: ignore[method-assign,assignment]
        self.ask(ListForeign("main"))
        with capturedLogs() as events:
            said = self.said()
        self.flushLoggedErrors(ZeroDivisionError)
        self.assertEqual(([kind for kind, _ in said], len(events)), ([RESULT], 2))

    def test_nobody_waits(self) -> None:
        """What nobody waits for and goes wrong is in the log."""
        self.ask(ReadShown(self.at, "\0", b"a\0b\0"), SEND)
        with capturedLogs() as events:
            self.assertEqual(self.said(), [])
        self.flushLoggedErrors(ValueError)
        self.assertEqual([event["log_level"] for event in events], [LogLevel.critical])

    def test_logged(self) -> None:
        """A line for the log crosses with its level, and what it says of damage."""
        self.program.observe({
            "log_level": LogLevel.warn, "log_namespace": "x", "log_format": "{a} is {trouble}", "a": "b",
            "trouble": "bad", "where": "here", "universe": "main", "other": 1})
        line = decode_logged(self.program._lines.popleft())
        self.assertEqual(line, ("warn", "x", "b is bad", {"universe": "main", "where": "here", "trouble": "bad"}))

    def test_condition(self) -> None:
        """Damage of the journal is told."""
        os.makedirs(f"{self.path}/journal")
        with open(f"{self.path}/journal/0000000001.journal", "wb") as file:
            file.write(b"x" * 500)
        self.ask(IsReady())
        with capturedLogs():
            said = self.said()
        self.assertEqual([kind for kind, _ in said], [CONDITION, RESULT])
        self.assertIn("500 octets at 0", protocol.decode_condition(said[0][1]).damage[0])
