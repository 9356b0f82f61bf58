"""
Dialogs that no client would hold.
"""

from __future__ import annotations

import gc
import tracemalloc
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twisted.logger import globalLogPublisher
from twisted.trial.unittest import SynchronousTestCase

from tests.smtp.door import Door

_ADDRESS = st.one_of(
    st.sampled_from([
        b"<a@b.test>", b"<>", b"a@b.test", b"<a@b.test", b"<@r:a@b.test>", b'<"a b"@b.test>', b"<\xff@b.test>",
        b"<a@[::1]>", b"<" + b"a" * 300 + b"@b.test>", "<ü@b.test>".encode(), b"<postmaster>"]),
    st.binary(max_size=40))
_PARAMETER = st.one_of(
    st.sampled_from([
        b"", b" SIZE=10", b" SIZE=99999999999", b" BODY=8BITMIME", b" SMTPUTF8", b" RET=HDRS", b" ENVID=x",
        b" NOTIFY=NEVER", b" ORCPT=rfc822;a", b" X=", b" ="]),
    st.binary(max_size=20).map(lambda octets: b" " + octets))
_LINE = st.one_of(
    st.builds(lambda a, p: b"MAIL FROM:" + a + p + b"\r\n", _ADDRESS, _PARAMETER),
    st.builds(lambda a, p: b"RCPT TO:" + a + p + b"\r\n", _ADDRESS, _PARAMETER),
    st.sampled_from([
        b"EHLO x\r\n", b"HELO y\r\n", b"EHLO\r\n", b"DATA\r\n", b"RSET\r\n", b"NOOP\r\n", b"VRFY a\r\n", b"HELP\r\n",
        b"STARTTLS\r\n", b"AUTH PLAIN\r\n", b"AUTH LOGIN\r\n", b"AUTH PLAIN =\r\n", b"*\r\n", b"=\r\n",
        b"AGFwcEBzaW0udGVzdABzZWNyZXQ=\r\n", b"BDAT 5\r\nhello", b"BDAT 3 LAST\r\nabc", b"BDAT 0 LAST\r\n",
        b"BDAT 1000000\r\n", b"BDAT x\r\n", b".\r\n", b"\r\n", b"\n", b"\r", b"\0", b".\n", b"\r\n.\r\n",
        b"Subject: x\r\n", b"GET / HTTP/1.1\r\n", b"x" * 9000, b"\x16\x03\x01"]),
    st.binary(max_size=60),
    st.binary(max_size=60).map(lambda octets: octets + b"\r\n"),
)


class MalformedTests(SynchronousTestCase):
    """Whatever is sent (promises, R8)."""

    @settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(_LINE, max_size=25), st.integers(1, 64))
    def test_anything(self, lines: list[bytes], step: int) -> None:
        """No error is logged, every reply is one, and the server still takes mail from others."""
        logged: list[Any] = []

        def observe(event: Any) -> None:
            if "log_failure" in event:
                logged.append(event)

        globalLogPublisher.addObserver(observe)
        try:
            door = _door()
            wire = door.connect()
            octets = b"EHLO x\r\n" + b"".join(lines)
            for at in range(0, len(octets), step):
                wire.send(octets[at:at + step])
            door.pass_time(30)
            said = wire.taken()
            wire.end()
            self.assertEqual(logged, [])
            for line in said.removesuffix(b"\r\n").split(b"\r\n"):
                self.assertRegex(line, rb"\A[2345][0-9][0-9][ -][ -~]*\Z")
            self.assertIn("250 2.0.0 OK: accepted", door.transaction().ask("."))
        finally:
            globalLogPublisher.removeObserver(observe)

    def test_memory(self) -> None:
        """A thousand bad sessions leave nothing behind."""
        door = _door()

        def many(count: int) -> None:
            for n in range(count):
                wire = door.connect()
                wire.send(b"EHLO x\r\nMAIL FROM:<\xff>\r\nAUTH PLAIN\r\nxx\r\n" + b"RCPT TO:<a" * (n % 9) + b"\n")
                wire.end()

        many(50)
        gc.collect()
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            many(1000)
            gc.collect()
            grown = tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()
        self.assertLess(grown, 100_000)


def _door() -> Door:
    return Door({"smtp": {"login_attempts": 100}})
