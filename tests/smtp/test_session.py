"""
Sessions: order, waiting, back-pressure, what is stored and where.
"""

from __future__ import annotations

import errno
import os
from typing import Any

import msgspec
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.commit import EventQuery
from simmail.errors import Unavailable
from simmail.smtp import protocol, replies
from simmail.smtp.protocol import AHEAD
from simmail.testing.universe import now
from tests.smtp.door import Door, Wire

MESSAGE = b"Subject: Hello\r\n\r\nHello there\r\n.\r\n"
TRANSACTION = b"MAIL FROM:<app@sim.test>\r\nRCPT TO:<maria@acme.test>\r\nDATA\r\n"


def codes(wire: Wire) -> list[str]:
    """The reply codes said since the last look."""
    return [line[:3] for line in wire.taken().decode().splitlines() if line[3:4] == " "]


class Slow:
    """A post office that takes its time, in place of a universe's own."""

    def __init__(self, door: Door) -> None:
        self.waiting: list[Deferred[None]] = []
        self.submissions: list[Any] = []
        office = door.universe.postoffice
        accept = office.accept

        async def slowly(submission: Any) -> Any:
            self.submissions.append(submission)
            self.waiting.append(Deferred())
            await self.waiting[-1]
            return await accept(submission)

        office.accept = slowly  # type: ignore[method-assign]

    def go_on(self, error: Exception | None = None) -> None:
        """Let the oldest message through."""
        waiting = self.waiting.pop(0)
        waiting.callback(None) if error is None else waiting.errback(error)


class OrderTests(SynchronousTestCase):
    """Nothing overtakes what is being done."""

    def test_wait(self) -> None:
        """Commands behind a message that is being filed wait for it, and are answered in order."""
        door = Door()
        slow, wire = Slow(door), door.hello()
        wire.send(TRANSACTION + MESSAGE + b"NOOP\r\n" + TRANSACTION + MESSAGE + b"QUIT\r\n")
        self.assertEqual(codes(wire), ["250", "250", "354"])
        slow.go_on()
        self.assertEqual(codes(wire), ["250", "250", "250", "250", "354"])
        self.assertFalse(wire.closed())
        slow.go_on()
        self.assertEqual(codes(wire), ["250", "221"])
        self.assertTrue(wire.closed())

    def test_any_packets(self) -> None:
        """However a session is cut into packets, the same is said and stored."""
        script = (b"EHLO client.test\r\nAUTH LOGIN\r\n*\r\n" + TRANSACTION + MESSAGE
                  + b"RSET\r\nMAIL FROM:<>\r\nRCPT TO:<a@b.test>\r\nNO\0OP\r\n"
                  b"BDAT 12\r\nSubject: x\r\nBDAT 6\r\n\r\nQUIT\r\nBDAT 0 LAST\r\n"
                  b"NOOP\r\nMAIL FROM:<>\r\nRCPT TO:<a@b.test>\r\nBDAT 0 LAST\r\n")
        seen = set()
        cuts = [[script[at:at + step] for at in range(0, len(script), step)] for step in (1, 2, 7, 30, 1000)]
        cuts.append(script.splitlines(keepends=True))
        for packets in cuts:
            door = Door()
            wire = door.connect()
            for packet in packets:
                wire.send(packet)
            seen.add((wire.taken(), tuple(door.mail("maria@acme.test")), tuple(door.mail("a@b.test"))))
        self.assertEqual(len(seen), 1)
        ((said, maria, other),) = seen
        self.assertEqual((len(maria), len(other)), (1, 2))
        self.assertRegex(said, rb"250 2\.0\.0 OK\r\n(.*\r\n){3}\Z")
        self.assertRegex(said, rb"250 2\.0\.0 OK: accepted as \S+\r\n\Z")

    def test_gone(self) -> None:
        """A message whose sender hangs up while it is being filed is filed all the same; nothing is said."""
        door = Door()
        slow, wire = Slow(door), door.hello()
        wire.send(TRANSACTION + MESSAGE)
        wire.taken()
        wire.end()
        slow.go_on()
        self.assertEqual((wire.taken(), len(door.mail("maria@acme.test"))), (b"", 1))

    def test_defect(self) -> None:
        """An unknown error is logged under the id that the client is told, as a temporary one."""
        door = Door()
        slow, wire = Slow(door), door.hello()
        wire.send(TRANSACTION + MESSAGE)
        wire.taken()
        slow.go_on(ZeroDivisionError("a mistake"))
        said = wire.taken().decode()
        self.assertRegex(said, r"\A451 4\.3\.0 Internal error [0-9a-f]+, try again later\r\n\Z")
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual(wire.ask("NOOP"), "250 2.0.0 OK\r\n")

    def test_disk_refuses(self) -> None:
        """What the disk refuses is put off, and the session goes on."""
        for number in (errno.EROFS, errno.EIO, errno.ENOENT):
            door = Door()
            slow, wire = Slow(door), door.hello()
            wire.send(TRANSACTION + MESSAGE)
            wire.taken()
            slow.go_on(OSError(number, os.strerror(number)))
            self.assertEqual(wire.taken(), replies.AWAY)
            self.assertEqual(wire.ask("NOOP"), "250 2.0.0 OK\r\n")
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_defect_in_a_command(self) -> None:
        """So is one in a verdict; what is read next cannot be told, so the connection ends."""
        door = Door()
        wire = door.hello()
        door.universe.policy.recipient = lambda address, sender: 1 // 0  # type: ignore[method-assign]
        wire.send(b"MAIL FROM:<app@sim.test>\r\nRCPT TO:<maria@acme.test>\r\n")
        self.assertEqual(codes(wire), ["250", "451"])
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    def test_away(self) -> None:
        """A store or database that goes away meanwhile is temporary."""
        door = Door()
        slow, wire = Slow(door), door.hello()
        wire.send(TRANSACTION + MESSAGE)
        wire.taken()
        slow.go_on(Unavailable("Redis is away"))
        self.assertEqual(wire.taken(), b"451 4.3.0 Temporarily unavailable, try again later\r\n")


class SmugglingTests(SynchronousTestCase):
    """What is no command is not run (promises, S1)."""

    def test_commands(self) -> None:
        """None of 15 commands with a CR, LF or NUL in them is accepted, nor what stands behind it on the line."""
        for command in (b"HELO a%bb", b"MAIL FROM:<a@b.test>%b SIZE=1", b"RCPT TO:<%ba@b.test>", b"NOOP %bRSET",
                        b"AUTH PLAIN %bAGEAYg=="):
            for octet in (b"\r", b"\n", b"\0"):
                door = Door()
                wire = door.hello()
                if command.startswith(b"RCPT"):
                    wire.ask("MAIL FROM:<app@sim.test>")
                wire.send(command % octet + b"\r\n")
                self.assertEqual(codes(wire), ["500"], command % octet)

    def test_message(self) -> None:
        """A message with a false end of data in it is refused as a whole, and what follows stays inside it."""
        door = Door()
        wire = door.transaction()
        wire.send(b"Subject: x\r\n\r\ntext\n.\nMAIL FROM:<evil@sim.test>\nRCPT TO:<maria@acme.test>\nDATA\nevil\r.\r"
                  b"\r\n.\r\nNOOP\r\n")
        self.assertEqual(codes(wire), ["550", "250"])
        self.assertEqual(door.mail("maria@acme.test"), [])


class PressureTests(SynchronousTestCase):
    """Memory is bounded by us, not by the client."""

    def test_turns(self) -> None:
        """Very many commands in one packet leave others their turn; all are answered, in order."""
        self.patch(protocol, "SLICE", -1.0)
        door = Door()
        wire = door.hello()
        wire.send(b"MAIL FROM:<app@sim.test>\r\n" + b"".join(b"RCPT TO:<u%d@x.test>\r\n" % n for n in range(100)))
        wire.send(b"DATA\r\n")
        self.assertEqual(wire.taken().count(b"\r\n"), 16)
        door.pass_time(0.01, 0.001)
        said = wire.taken()
        self.assertEqual(said.count(b"\r\n"), 86)
        self.assertTrue(said.endswith(b"354 End data with <CR><LF>.<CR><LF>\r\n"), said)
        wire.send(b"Subject: x\r\n\r\n.\r\n")
        self.assertIn(b"250 2.0.0 OK", wire.taken())

    def test_ahead(self) -> None:
        """A client that sends on and on while a message is being filed is not read from, until it is filed."""
        door = Door({"smtp": {"idle_commands": 1_000_000}})
        slow, wire = Slow(door), door.hello()
        wire.send(TRANSACTION + MESSAGE)
        for _ in range(AHEAD // 1200 + 2):
            wire.send(b"VRFY x\r\n" * 150)
        self.assertEqual(wire.producerState, "paused")
        slow.go_on()
        self.assertEqual(wire.producerState, "producing")

    def test_deaf(self) -> None:
        """A client that does not read is not read from, and is dropped after a while."""
        door = Door()
        wire = door.hello()
        wire.protocol.pump.pauseProducing()
        wire.send(b"NOOP\r\n" * 50)
        self.assertEqual(wire.taken(), b"")
        wire.protocol.pump.resumeProducing()
        self.assertEqual(len(codes(wire)), 50)
        wire.protocol.pump.pauseProducing()
        door.pass_time(310)
        self.assertTrue(wire.aborted)

    def test_before_login(self) -> None:
        """A command line may have 8 KiB before login and 64 KiB after."""
        door = Door()
        door.login("app@sim.test", "secret")
        wire = door.hello()
        wire.send(b"NOOP " + b"x" * 8000 + b"\r\n")
        self.assertEqual(codes(wire), ["250"])
        wire.ask("AUTH PLAIN AGFwcEBzaW0udGVzdABzZWNyZXQ=")
        wire.send(b"NOOP " + b"x" * 65_000 + b"\r\n")
        self.assertEqual(codes(wire), ["250"])
        wire.send(b"NOOP " + b"x" * 66_000)
        self.assertEqual(wire.taken(), b"500 5.5.2 Line too long; closing connection\r\n")
        self.assertTrue(wire.closed())

    def test_acting_for_somebody_else(self) -> None:
        """Another authorization identity than one's own fails as a wrong name does, and is recorded (RFC 4616)."""
        door = Door()
        door.login("app@sim.test", "secret")
        self.assertIn("535 5.7.8", door.hello().ask("AUTH PLAIN bWFyaWFAYWNtZS50ZXN0AGFwcEBzaW0udGVzdABzZWNyZXQ="))
        (row,) = now(door.universe.log.query(EventQuery(after=0, types=("auth.*",), limit=9)))
        event = msgspec.json.decode(row)
        self.assertEqual((event["type"], event["data"]), ("auth.failed", {
            "proto": "smtp", "username": "maria@acme.test*app@sim.test", "address": "", "remote": "127.0.0.1",
            "why": "no such login"}))

    def test_put_back(self) -> None:
        """Who has signed in goes on in what was put in the place of the universe; in between it is told to wait."""
        door = Door()
        door.login("app@sim.test", "secret")
        snapshot = now(door.server.roster.snapshots.create(door.universe))
        wire = door.hello()
        self.assertIn("235", wire.ask("AUTH PLAIN AGFwcEBzaW0udGVzdABzZWNyZXQ="))
        mail = ("MAIL FROM:<app@sim.test>", "RCPT TO:<maria@acme.test>", "DATA", "Subject: x", "", ".")
        now(door.universe.close())
        self.assertIn("451 4.3.0", wire.ask(*mail))
        wire.ask("RSET")
        door.universe = now(door.server.roster.snapshots.restore(snapshot))
        self.assertIn("250 2.0.0 OK", wire.ask(*mail))
        self.assertEqual(len(door.mail("maria@acme.test")), 1)

    def test_slow_data(self) -> None:
        """Data below 500 octets a second is cut off, data above goes on for as long as a session lasts."""
        for octets, closed in ((400, True), (600, False)):
            door = Door()
            wire = door.transaction()
            for _ in range(320):
                wire.send(b"x" * (octets * 5 - 2) + b"\r\n")
                door.pass_time(5)
            self.assertEqual(wire.closed(), closed, octets)

    def test_cut_in_time(self) -> None:
        """Whoever is too slow is cut off when the time is up, however many there are, at a few looks in all."""
        door = Door()
        door.hello()
        door.pass_time(1.3)
        silent = [door.hello() for _ in range(3)]
        talking = door.hello()
        data = door.transaction()
        looked: list[float] = []
        check = talking.protocol.pump.check
        talking.protocol.pump.check = (
            lambda now: (looked.append(now), check(now))[1])  # type: ignore[func-returns-value]
        cut: dict[str, float] = {}
        for tenth in range(3400):
            if tenth % 10 == 0:
                data.send(b"x" * 38 + b"\r\n")
            if tenth % 600 == 0:
                talking.send(b"NOOP\r\n")
            door.pass_time(0.1)
            for name, wire in (("data", data), *((f"silent {n}", wire) for n, wire in enumerate(silent))):
                if wire.closed():
                    cut.setdefault(name, tenth / 10 + 0.1)
        # Forty octets a second earn eight hundredths of one.
        self.assertTrue(all(300 <= cut[f"silent {n}"] < 301 for n in range(3)), cut)
        self.assertTrue(326 <= cut["data"] < 327, cut)
        self.assertFalse(talking.closed())
        self.assertLess(len(looked), 340 / 5 + 20)

    def test_lingering(self) -> None:
        """A connection that was told to go and does not is dropped."""
        door = Door()
        wire = door.hello()
        wire.end = lambda: None  # type: ignore[method-assign]
        wire.send(b"QUIT\r\n")
        self.assertFalse(wire.aborted)
        door.pass_time(20)
        self.assertTrue(wire.aborted)

    def test_nothing_is_left(self) -> None:
        """When everybody is gone nothing waits on the reactor."""
        door = Door()
        door.login("app@sim.test", "secret")
        pending = len(door.server.reactor.getDelayedCalls())
        one, two = door.hello(), door.hello()
        for _ in range(2):
            two.send(b"AUTH PLAIN AGFwcEBzaW0udGVzdAB3cm9uZw==\r\n")
        one.end()
        two.end()
        self.assertEqual(len(door.server.reactor.getDelayedCalls()), pending)
        self.assertEqual(door.factory.drain().result, None)

    def test_drain_has_an_end(self) -> None:
        """Who does not finish a message before the shutdown's patience ends is dropped."""
        door = Door()
        wire = door.transaction()
        drained = door.factory.drain(5.0)
        self.assertNoResult(drained)
        door.pass_time(6)
        self.assertTrue(wire.aborted)
        self.successResultOf(drained)


class StoredTests(SynchronousTestCase):
    """What becomes of a message."""

    def test_octets(self) -> None:
        """The octets are stored as sent behind their trace; Message-ID and Date are added where missing."""
        door = Door()
        wire = door.transaction()
        wire.send("Subject: schön\r\n\r\n..dot\r\n8 bit: ü\r\n.\r\n".encode())
        (octets,) = door.mail("maria@acme.test")
        self.assertEqual(
            octets,
            b"Return-Path: <app@sim.test>\r\n"
            b"Received: from client.test ([127.0.0.1])\r\n\tby sim.test with ESMTP id d000001\r\n"
            b"\tfor <maria@acme.test>;\r\n\tMon, 2 Mar 2026 09:00:00 +0000\r\n"
            + "Subject: schön\r\n".encode()
            + b"Message-ID: <tdnmfgm943txxhdqvtv7xmt3@sim.test>\r\nDate: Mon, 2 Mar 2026 09:00:00 +0000\r\n"
            + "\r\n.dot\r\n8 bit: ü\r\n".encode())

    def test_bcc(self) -> None:
        """Bcc fields reach nobody, and no recipient learns of another from the trace."""
        door = Door()
        wire = door.hello()
        wire.send(b"MAIL FROM:<app@sim.test>\r\nRCPT TO:<maria@acme.test>\r\nRCPT TO:<secret@acme.test>\r\nDATA\r\n"
                  b"To: maria@acme.test\r\nBcc: secret@acme.test,\r\n other@acme.test\r\n\r\nHello\r\n.\r\n")
        for address in ("maria@acme.test", "secret@acme.test", "app@sim.test"):
            (octets,) = door.mail(address, "Sent" if address == "app@sim.test" else "INBOX")
            self.assertNotIn(b"secret@", octets)
            self.assertNotIn(b"other@", octets)

    def test_sent_copy(self) -> None:
        """One copy in the login's Sent folder, whoever the message says it is from; none when it is switched off."""
        for save in (True, False):
            door = Door({"smtp": {"save_sent": save}})
            door.login("app@sim.test", "secret")
            wire = door.hello()
            wire.ask("AUTH PLAIN AGFwcEBzaW0udGVzdABzZWNyZXQ=")
            wire.send(b"MAIL FROM:<noreply@sim.test>\r\nRCPT TO:<maria@acme.test>\r\nRCPT TO:<otto@acme.test>\r\n"
                      b"DATA\r\n" + MESSAGE)
            self.assertEqual(len(door.mail("app@sim.test", "Sent")), int(save))

    def test_dsn_request(self) -> None:
        """What is asked of notifications reaches the post office."""
        door = Door()
        slow, wire = Slow(door), door.hello("192.0.2.7")
        wire.send(b"MAIL FROM:<App@sim.test> RET=HDRS ENVID=QQ1\r\n"
                  b"RCPT TO:<maria@acme.test> NOTIFY=NEVER\r\n"
                  b"RCPT TO:<otto@acme.test> NOTIFY=SUCCESS,FAILURE ORCPT=rfc822;Otto@acme.test\r\n"
                  b"DATA\r\n" + MESSAGE)
        (submission,) = slow.submissions
        self.assertEqual((submission.sender, submission.via, submission.login, submission.remote),
                         ("app@sim.test", "smtp", None, "192.0.2.7"))
        self.assertEqual((submission.dsn.ret, submission.dsn.envid), ("HDRS", "QQ1"))
        self.assertEqual([(one.address, one.notify, one.orcpt) for one in submission.recipients], [
            ("maria@acme.test", ("NEVER",), ""),
            ("otto@acme.test", ("SUCCESS", "FAILURE"), "rfc822;Otto@acme.test")])

    def test_two_universes(self) -> None:
        """Without a login each recipient's universe gets its own; 250 comes when all have it, else nothing is said."""
        door = Door()
        other = door.server.universe("other")
        now(other.store.create("otto@beta.test"))
        wire = door.hello()
        wire.send(b"MAIL FROM:<app@sim.test>\r\nRCPT TO:<maria@acme.test>\r\nRCPT TO:<otto@beta.test>\r\nDATA\r\n"
                  + MESSAGE)
        self.assertEqual(codes(wire), ["250", "250", "250", "354", "250"])
        self.assertEqual(len(door.mail("maria@acme.test")), 1)
        self.assertFalse(door.universe.store.exists("otto@beta.test"))
        self.assertEqual(now(other.store.counts())["otto@beta.test"].folders, {"INBOX": (1, 1)})
        self.assertFalse(other.store.exists("maria@acme.test"))

    def test_login_decides(self) -> None:
        """With a login everything happens in its universe."""
        door = Door()
        other = door.server.universe("other")
        now(other.store.create("maria@acme.test"))
        door.login("app@sim.test", "secret")
        wire = door.hello()
        wire.ask("AUTH PLAIN AGFwcEBzaW0udGVzdABzZWNyZXQ=")
        wire.send(TRANSACTION + MESSAGE)
        self.assertEqual(len(door.mail("maria@acme.test")), 1)
        self.assertEqual(now(other.store.counts())["maria@acme.test"].total, 0)

    def test_tls_is_told(self) -> None:
        """The trace says that the message came over TLS from somebody who signed in."""
        door = Door(implicit_tls=True)
        door.login("app@sim.test", "secret")
        wire = door.hello()
        wire.ask("AUTH PLAIN AGFwcEBzaW0udGVzdABzZWNyZXQ=")
        wire.send(TRANSACTION + MESSAGE)
        self.assertIn(b" with ESMTPSA id ", door.mail("maria@acme.test")[0])

    def test_exact_limit(self) -> None:
        """A message of exactly the announced size is taken, its trace not counted."""
        door = Door({"limits": {"message": 5000}})
        wire = door.transaction()
        text = b"Subject: x\r\n\r\n"
        wire.send(text + b"x" * (4998 - len(text)) + b"\r\n.\r\n")
        self.assertEqual(codes(wire), ["250"])
