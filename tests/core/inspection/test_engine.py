"""What other filters answer."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis.strategies import binary
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.inspection.engine import BadEngineAnswer, read_rspamd, read_spamd
from simmail.core.rules.spam import SpamRule

SPAMD = (b"SPAMD/1.1 0 EX_OK\r\nContent-length: 400\r\nSpam: True ; 1000.9 / 5.0\r\n\r\n"
         b"Spam detection software\n\n pts rule name              description\n---- ------------ ------------\n"
         b" 1.4 MISSING_DATE           Missing Date: header\n1000 GTUBE                  BODY: Generic Test\n"
         b"-0.5 NO_RELAYS              Informational\n\n")
RSPAMD = json.dumps({"score": 12.5, "required_score": 15.0, "action": "add header", "symbols": {
    "R_DKIM_NA": {"name": "R_DKIM_NA", "score": 0.0}, "GTUBE": {"score": 12.5, "description": "test"}}}).encode()


class EngineTests(SynchronousTestCase):
    """spamd and rspamd."""

    def test_spamd(self) -> None:
        """Score, threshold and the rules of its report."""
        found = read_spamd(SPAMD)
        self.assertEqual((found.engine, found.score, found.threshold, found.action),
                         ("spamassassin", 1000.9, 5.0, "spam"))
        self.assertEqual(found.rules, (
            SpamRule("GTUBE", 1000.0, "BODY: Generic Test"), SpamRule("MISSING_DATE", 1.4, "Missing Date: header"),
            SpamRule("NO_RELAYS", -0.5, "Informational")))

    def test_rspamd(self) -> None:
        """Score, threshold, action and symbols."""
        found = read_rspamd(RSPAMD)
        self.assertEqual((found.engine, found.score, found.threshold, found.action),
                         ("rspamd", 12.5, 15.0, "add header"))
        self.assertEqual([one.name for one in found.rules], ["GTUBE", "R_DKIM_NA"])

    def test_bad(self) -> None:
        """What is no answer is told as such."""
        for octets in (b"", b"220 smtp\r\n\r\n", b"SPAMD/1.1 76 Bad header line\r\n\r\n",
                       SPAMD.replace(b"1000.9", b"x")):
            self.assertRaises(BadEngineAnswer, read_spamd, octets)
        for octets in (b"", b"{}", b"[]", b'{"symbols": 1}', RSPAMD.replace(b"12.5", b'"x"')):
            self.assertRaises(BadEngineAnswer, read_rspamd, octets)

    @given(binary(max_size=200))
    def test_anything(self, octets: bytes) -> None:
        """Any octets are an answer or none."""
        for read in (read_spamd, read_rspamd):
            for one in (octets, b"SPAMD/1.1 0 EX_OK\r\nSpam: True ; 1 / 5\r\n\r\n" + octets):
                try:
                    read(one)
                except BadEngineAnswer:
                    pass
