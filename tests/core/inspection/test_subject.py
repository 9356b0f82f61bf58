"""How a message came."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.compose.complete import complete
from simmail.core.compose.message_id import message_id
from simmail.core.inspection.report import inspect
from simmail.core.inspection.subject import Envelope, arrived
from simmail.core.rng import Dice
from simmail.core.time.instant import parse_instant
from tests.core.inspection.messages import BODY, GOOD, without

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

    def test_added(self) -> None:
        """What this server added on the way in was missing, and is told so; what came with the mail was not."""
        now = parse_instant("2026-03-02T09:00:00Z")

        def outcomes(octets: bytes, domain: str = "sim.test") -> list[str]:
            stored = complete(octets, lambda: message_id(Dice("s"), "plain", domain, "named", "a@b.test", 1), now)
            report = inspect(_TRACE + stored, arrived(_TRACE + stored))
            found = {one.rule: one for one in report.rules}
            return [found[name].outcome for name in ("MESSAGE_ID_PRESENT", "MESSAGE_ID_FORM", "DATE_PRESENT")]

        nameless = without(b"message-id")
        self.assertEqual(outcomes(GOOD + BODY), ["pass"] * 3)
        self.assertEqual(outcomes(nameless), ["fail", "fail", "pass"])
        self.assertEqual(outcomes(without(b"date", nameless)), ["fail"] * 3)
        # Another server's, or one that stands where a client puts it.
        self.assertEqual(outcomes(nameless, "shop.example"), ["pass"] * 3)
        made = message_id(Dice("s"), "plain", "sim.test", "named", "a@b.test", 1).encode()
        self.assertEqual(outcomes(b"Message-ID: " + made + b"\r\n" + nameless), ["pass"] * 3)
