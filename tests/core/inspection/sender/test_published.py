"""MTA-STS policies and BIMI marks, as they are found on the web."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.inspection.authentication import RecordCheck
from simmail.core.inspection.sender.published import judge_picture, judge_policy, WebFile

POLICY = b"version: STSv1\r\nmode: enforce\r\nmx: mail.shop.example\r\nmx: *.mx.example\r\nmax_age: 604800\r\n"
SVG = b'''<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps">
<title>Shop</title><rect width="10" height="10" fill="#f00"/></svg>'''


def policy(
    body: bytes = POLICY, hosts: tuple[str, ...] = (), status: int = 200, kind: str = "text/plain"
) -> RecordCheck:
    """What a policy is worth."""
    return judge_policy(RecordCheck("unseen", "", "v=STSv1; id=1", "https://mta-sts.shop.example/", hosts),
                        WebFile(status, kind, body))


def picture(body: bytes = SVG, status: int = 200, kind: str = "image/svg+xml") -> RecordCheck:
    """What a mark is worth."""
    return judge_picture(
        RecordCheck("unseen", "", "v=BIMI1", "https://shop.example/logo.svg"), WebFile(status, kind, body))


class PolicyTests(SynchronousTestCase):
    """RFC 8461 section 3.2."""

    def test_good(self) -> None:
        """A policy that enforces, whose mx are the domain's; one that only tests says so; LF alone will do."""
        for hosts in ((), ("mail.shop.example",), ("MAIL.shop.example.", "a.mx.example")):
            found = policy(hosts=hosts)
            self.assertEqual((found.result, found.record), ("pass", "v=STSv1; id=1"), found.why)
        self.assertIn("enforce", policy(POLICY.replace(b"\r\n", b"\n"), kind="text/plain; charset=utf-8").why)
        self.assertIn("reported only", policy(POLICY.replace(b"enforce", b"testing")).why)

    def test_bad(self) -> None:
        """Each thing that is wrong is named."""
        for body, word in (
            (POLICY.replace(b"STSv1", b"STSv2"), "version"), (POLICY.replace(b"enforce", b"force"), "mode"),
            (POLICY.replace(b"604800", b"soon"), "max_age"), (POLICY.replace(b"604800", b"99999999"), "max_age"),
            (POLICY.replace(b"max_age", b"age"), "max_age"), (POLICY.replace(b"mx:", b"x:"), "no mx"),
            (POLICY.replace(b"enforce", b"none"), "nothing"), (b"", "version"), (b"<html>", "version"),
        ):
            self.assertEqual(policy(body).result, "fail", body)
            self.assertIn(word, policy(body).why)
        for host in ("mx.example", "b.a.mx.example", "other.example"):
            self.assertIn(host, policy(hosts=("mail.shop.example", host)).why)
        self.assertIn("404", policy(status=404).why)
        self.assertIn("302", policy(status=302).why)
        self.assertIn("text/html", policy(kind="text/html").why)

    def test_unseen(self) -> None:
        """What could not be fetched is not judged."""
        found = judge_policy(RecordCheck("unseen", "", place="https://x/"), WebFile(error="no answer within 5 s"))
        self.assertEqual(found.result, "unseen")
        self.assertIn("no answer within 5 s", found.why)

    @given(st.binary(max_size=200), st.text(max_size=30))
    def test_anything(self, body: bytes, kind: str) -> None:
        """Whatever comes has an outcome and a reason."""
        for found in (policy(body), policy(POLICY + body), picture(body), picture(SVG + body), picture(kind=kind)):
            self.assertIn(found.result, ("pass", "fail"))
            self.assertTrue(found.why)


class PictureTests(SynchronousTestCase):
    """SVG Tiny Portable/Secure."""

    def test_good(self) -> None:
        """A mark as the draft wants it."""
        self.assertEqual(picture().result, "pass")
        self.assertIn("not checked", picture(kind="image/svg+xml; charset=utf-8").why)

    def test_bad(self) -> None:
        """Each thing that is wrong is named."""
        for body, word in (
            (SVG.replace(b"tiny-ps", b"full"), "baseProfile"), (SVG.replace(b'"1.2"', b'"1.1"'), "version"),
            (SVG.replace(b"<title>Shop</title>", b""), "title"), (SVG.replace(b"<rect", b"<script/><rect"), "script"),
            (SVG.replace(b"<rect", b'<use xlink:href="https://x.example/a"/><rect'), "another place"),
            (SVG.replace(b"<rect", b'<rect onclick="x()"'), "onclick"), (SVG.replace(b"<svg", b'<svg x="1"'), "x or y"),
            (b"<html><svg></svg></html>", "begins with <html>"), (b"", "no <svg>"), (SVG + b" " * 33_000, "32 KiB"),
        ):
            found = picture(body)
            self.assertEqual(found.result, "fail", body)
            self.assertIn(word, found.why)
        self.assertIn("image/png", picture(kind="image/png").why)
        self.assertIn("410", picture(status=410).why)
        self.assertEqual(judge_picture(RecordCheck("unseen", ""), WebFile(error="away")).result, "unseen")
