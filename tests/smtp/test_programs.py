"""
Programs that people send mail with, over plain connections, STARTTLS and SMTPS.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Any

from tests.smtp.test_sockets import Listening

MESSAGE = b"From: app@sim.test\nTo: maria@acme.test\nSubject: Hello\n\n.a dot\n\xc3\xa4\n"


class ProgramTests(Listening):
    """Each sends one message three ways; it arrives as it was written."""

    async def run_program(self, program: str, *arguments: str, text: bytes = b"") -> None:
        """Run it to its end; skips where it is not installed."""
        path = shutil.which(program)
        if path is None:
            self.skipTest(f"{program} is not installed")

        def run() -> Any:
            return subprocess.run([path, *arguments], input=text, capture_output=True, timeout=15,
                                  env={**os.environ, "HOME": str(self.folder)})

        ended = await self.held(run)
        self.assertEqual(ended.returncode, 0, (ended.stdout + ended.stderr).decode())

    def check(self, *protocols: str) -> None:
        """So many messages are there, each taken by its protocol."""
        found = self.door.mail("maria@acme.test")
        self.assertEqual(len(found), len(protocols))
        for octets, protocol in zip(found, protocols):
            self.assertIn(f" with {protocol} id ".encode(), octets)
            self.assertIn(b"\r\n\r\n.a dot\r\n\xc3\xa4\r\n", octets)

    async def test_curl(self) -> None:
        """curl, with --ssl-reqd for STARTTLS and smtps:// for SMTPS."""
        (self.folder / "message").write_bytes(MESSAGE.replace(b"\n", b"\r\n"))
        plain, tls = (f"localhost:{self.ports[one]}/client.test" for one in ("smtp", "smtps"))
        login = ("--user", "app@sim.test:secret")
        for arguments in ((f"smtp://{plain}",), (f"smtp://{plain}", "--ssl-reqd", *login), (f"smtps://{tls}", *login)):
            await self.run_program(
                "curl", "-sS", "--cacert", str(self.folder / "c.pem"), "--mail-from", "app@sim.test", "--mail-rcpt",
                "maria@acme.test", "-T", str(self.folder / "message"), *arguments)
        self.check("ESMTP", "ESMTPSA", "ESMTPSA")

    async def test_msmtp(self) -> None:
        """msmtp, as sendmail."""
        common = ("--file=/dev/null", "--host=localhost", "--from=app@sim.test", "--domain=client.test")
        signed = ("--auth=plain", "--user=app@sim.test", "--passwordeval=echo secret", "--tls=on",
                  f"--tls-trust-file={self.folder / 'c.pem'}")
        plain, tls = (f"--port={self.ports[one]}" for one in ("smtp", "smtps"))
        for arguments in ((plain,), (plain, *signed, "--tls-starttls=on"), (tls, *signed, "--tls-starttls=off")):
            await self.run_program("msmtp", *common, *arguments, "--", "maria@acme.test", text=MESSAGE)
        self.check("ESMTP", "ESMTPSA", "ESMTPSA")

    async def test_swaks(self) -> None:
        """swaks, with pipelining too."""
        common = ("--server", "localhost", "--helo", "client.test", "--from", "app@sim.test", "--to", "maria@acme.test",
                  "--data", "-")
        signed = ("--auth-user", "app@sim.test", "--auth-password", "secret")
        plain, tls = (("--port", str(self.ports[one])) for one in ("smtp", "smtps"))
        for arguments in ((*plain, "--pipeline"), (*plain, "-tls", "--auth", "LOGIN", *signed),
                          (*tls, "-tlsc", "--auth", "PLAIN", *signed)):
            await self.run_program("swaks", *common, *arguments, text=MESSAGE)
        self.check("ESMTP", "ESMTPSA", "ESMTPSA")
