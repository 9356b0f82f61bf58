"""How a message came."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.inspection.subject import Envelope, arrived
from tests.core.inspection.messages import BODY, GOOD

_TRACE = (b"Return-Path: <bounce@shop.example>\r\nReceived: from mail.shop.example ([127.0.0.1])\r\n\tby sim.test with "
          b"ESMTP id 1;\r\n\tMon, 2 Mar 2026 09:00:00 +0000\r\n")


class ArrivedTests(SynchronousTestCase):
    """The trace on top of a stored message."""

    def test_trace(self) -> None:
        """Client, greeting and reverse-path, the null one too."""
        self.assertEqual(arrived(_TRACE + GOOD + BODY),
                         Envelope("127.0.0.1", "mail.shop.example", "bounce@shop.example"))
        self.assertEqual(arrived(_TRACE.replace(b"bounce@shop.example", b"") + GOOD + BODY).sender, "")
        self.assertEqual(arrived(_TRACE.replace(b"127.0.0.1", b"IPv6:::1") + GOOD + BODY).ip, "::1")

    def test_none(self) -> None:
        """Without it, or with one that is further down, nothing is known."""
        for octets in (GOOD + BODY, b"Subject: x\r\n" + _TRACE + BODY, b"", _TRACE.replace(b"([", b"[") + BODY):
            self.assertEqual(arrived(octets), Envelope())
