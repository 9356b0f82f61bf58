"""
Trace fields.
"""

from __future__ import annotations

from datetime import UTC, datetime

from twisted.trial.unittest import SynchronousTestCase

from simmail.smtp.trace import Peer, trace, traced

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class TraceTests(SynchronousTestCase):
    """Return-Path and Received."""

    def test_whole(self) -> None:
        """RFC 5321 section 4.4, with a single recipient named."""
        peer = Peer("client.test", "192.0.2.1", True, True, True)
        self.assertEqual(
            trace("App@sim.test", ("maria@acme.test",), peer, "sim.test", "1f", False, NOW),
            b"Return-Path: <App@sim.test>\r\n"
            b"Received: from client.test ([192.0.2.1])\r\n\tby sim.test with ESMTPSA id 1f\r\n"
            b"\tfor <maria@acme.test>;\r\n\tMon, 2 Mar 2026 09:00:00 +0000\r\n")

    def test_protocols(self) -> None:
        """The names of RFC 3848 and RFC 6531 section 4.3."""
        def protocol(utf8: bool, *how: bool) -> bytes:
            return trace("", (), Peer("x", "::1", *how), "sim.test", "1", utf8, NOW).split(b" with ")[1].split()[0]

        self.assertEqual(protocol(False, False), b"SMTP")
        self.assertEqual(protocol(False, True), b"ESMTP")
        self.assertEqual(protocol(False, True, True), b"ESMTPS")
        self.assertEqual(protocol(False, True, False, True), b"ESMTPA")
        self.assertEqual(protocol(True, True, True, True), b"UTF8SMTPSA")

    def test_nobody_is_given_away(self) -> None:
        """Of several recipients none is named: some may be Bcc."""
        fields = trace("a@b.test", ("x@c.test", "y@c.test"), Peer("h", "::1"), "sim.test", "1", False, NOW)
        self.assertNotIn(b"c.test", fields)
        self.assertIn(b"([IPv6:::1])", fields)

    def test_helo_is_harmless(self) -> None:
        """A HELO name that could be anything but a name is not repeated."""
        for name in ("a(b)c", "a b", "x\r\nBcc: y", "ü", "a" * 256, ""):
            self.assertIn(b"from unknown (", trace("", (), Peer(name, "::1"), "sim.test", "1", False, NOW))

    def test_return_path_of_others(self) -> None:
        """A Return-Path that the message brought along goes, folded lines included."""
        self.assertEqual(
            traced(b"T: x\r\n", b"A: b\r\nReturn-path: <a\r\n @b>\r\nC: d\r\n\r\nReturn-Path: stays\r\n"),
            b"T: x\r\nA: b\r\nC: d\r\n\r\nReturn-Path: stays\r\n")

    def test_no_header(self) -> None:
        """Text that begins with no header field becomes the body."""
        self.assertEqual(traced(b"T: x\r\n", b"hello there\r\n"), b"T: x\r\n\r\nhello there\r\n")
        self.assertEqual(traced(b"T: x\r\n", b"a b: c\r\n"), b"T: x\r\n\r\na b: c\r\n")
        self.assertEqual(traced(b"T: x\r\n", b""), b"T: x\r\n\r\n")
        self.assertEqual(traced(b"T: x\r\n", b"\r\nhello\r\n"), b"T: x\r\n\r\nhello\r\n")
        self.assertEqual(traced(b"T: x\r\n", b"Subject : y\r\n\r\n"), b"T: x\r\nSubject : y\r\n\r\n")
