"""Starts that cannot be: one clear line, a status that is not 0, and nothing left behind."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

from simmail.database.private.program import find
from tests.journeys.running import JourneyCase, command, environment, redis_pid, until
from tests.stopwatch import Stopwatch


class BadStartTests(JourneyCase):
    """What is wrong is told before anything is half started."""

    def refused(self, *arguments: str, config: str = "", state: Path | None = None, lines: int = 1) -> str:
        """The one line that a start ends with; C{lines}: with those of what it waited for."""
        folder = self.folder()
        if "--config" not in arguments:
            if "listen:" not in config:
                config += "listen: {smtp: 0, smtps: 0, submission: 0, imap: 0, imaps: 0, http: 0}\n"
            (folder / "config.yaml").write_text(config, encoding="utf-8")
            arguments += ("--config", str(folder / "config.yaml"))
        chosen = folder / "state" if state is None else state
        ran = command("run", "--state", str(chosen), *arguments)
        self.assertEqual(ran.returncode, 1, ran)
        self.assertEqual(ran.stdout, "")
        self.assertEqual(ran.stderr.count("\n"), lines, ran.stderr)
        self.assertTrue(ran.stderr.startswith("simmail: "), ran.stderr)
        if state is None:
            self.assertIsNone(redis_pid(chosen))
            self.assertFalse((chosen / "endpoints.json").exists())
        return ran.stderr

    def test_busy_port(self) -> None:
        """A busy port is named, with what would help; the other ports are free again."""
        with socket.socket() as busy:
            busy.bind(("127.0.0.1", 0))
            busy.listen()
            port = busy.getsockname()[1]
            config = f"listen: {{smtp: 0, smtps: 0, submission: 0, imap: {port}, imaps: 0, http: 0}}\n"
            text = self.refused(config=config)
        self.assertIn(f"IMAP cannot listen on 127.0.0.1:{port}", text)
        self.assertIn("--port-base", text)

    def test_port_base(self) -> None:
        """--port-base moves the default ports, and only those."""
        with socket.socket() as busy:
            busy.bind(("127.0.0.1", 0))
            busy.listen()
            port = busy.getsockname()[1]
            # All the others were chosen, and are not moved past the last port.
            text = self.refused("--port-base", str(port - 2525), config=(
                "listen: {smtps: 0, submission: 0, imap: 0, imaps: 0, http: 0}\n"))
        self.assertIn(f"SMTP cannot listen on 127.0.0.1:{port}", text)

    def test_bad_configuration(self) -> None:
        """What is wrong in the configuration is named by its path."""
        for config, says in (
            ("listen: {http: web}\n", "listen.http"),
            ("smpt: {}\n", "smpt"),
            ("a: [\n", "config.yaml"),
            ("http: {timeout: soon}\n", "http.timeout"),
            ("redis: {url: 'mysql://localhost'}\n", "redis.url"),
            ("redis: {server: /nowhere/redis-server}\n", "redis.server"),
            ("tls: {certificate: /nowhere/cert.pem, key: /nowhere/key.pem}\n", "tls"),
            ("listen: {smtp: null, smtps: null, submission: null, imap: null, imaps: null, http: null}\n", "listen"),
            # Nobody has to be asked what they are; a resolver may not answer.
            ("listen: {host: nowhere..test}\n", "nowhere..test"), ("listen: {host: 192.0.2.1}\n", "192.0.2.1"),
        ):
            with self.subTest(config):
                self.assertIn(says, self.refused(config=config))

    def test_missing_configuration(self) -> None:
        """A configuration that is not there is named."""
        self.assertIn("/nowhere/simmail.yaml", self.refused("--config", "/nowhere/simmail.yaml"))

    def test_no_redis(self) -> None:
        """A Redis that does not answer is told, not waited for without end."""
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            url = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
            text = self.refused(config=f"redis: {{url: '{url}'}}\n", lines=2)
        waits, ends = text.splitlines()
        self.assertIn(f"waiting for Redis: no Redis at {url}: ", waits)
        self.assertIn(f"no Redis at {url}", ends)

    def test_wrong_redis_is_told_soon(self) -> None:
        """Whoever mistyped address or password knows within two seconds."""
        folder = self.folder()
        redis = subprocess.Popen(
            [find(), "--port", "0", "--unixsocket", str(folder / "r.sock"), "--dir", str(folder), "--save", "",
             "--requirepass", "right"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(redis.wait)
        self.addCleanup(redis.kill)
        until((folder / "r.sock").exists)
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            for url, says in ((f"redis://127.0.0.1:{silent.getsockname()[1]}/0", "waiting for Redis: no Redis at"),
                              (f"unix://:wrong@{folder / 'r.sock'}", "does not let simmail in")):
                service = self.service({"redis": {"url": url}})
                watch = Stopwatch()
                service.begin()
                until(lambda says=says, service=service: says in service.err.read_text())  # type: ignore[misc]
                # 2 s is the promise on a machine that does nothing else.
                self.assertLess(watch.seconds(), 4.0)
                self.assertNotIn("wrong", service.err.read_text())
                assert service.process is not None
                service.process.kill()
                service.process.wait()

    def test_banner_of_twistd(self) -> None:
        """Under twistd what a start tells is in its log, and secrets are not."""
        service = self.service()
        with open(service.log, "wb") as log:
            service.process = subprocess.Popen(
                [sys.executable, "-c", "from twisted.scripts.twistd import run; run()", "-n", "--pidfile=", "simmail",
                 "--state", str(service.state), "--config", str(service._config)],
                env=environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        service.wait_ready()
        until(lambda: "API key in" in service.logged())
        log_text = service.logged()
        self.assertIn(f"HTTP 127.0.0.1:{service.port('http')}", log_text)
        self.assertIn(str(service.state / "first-login.json"), log_text)
        for secret in (service.key, service.password):
            self.assertNotIn(secret, log_text)

    def test_state_in_use(self) -> None:
        """Two daemons never share a state folder, and the first one does not mind the second."""
        service = self.service()
        service.start()
        text = self.refused(state=service.state)
        self.assertIn(f"another simmail is running on {service.state}", text)
        self.assertEqual(service.get("/readyz").status, 200)
        self.assertTrue((service.state / "endpoints.json").exists())

    def test_state_cannot_be(self) -> None:
        """A state folder that cannot be made is told."""
        path = self.folder() / "file"
        path.write_text("")
        self.assertIn("cannot be used", self.refused(state=path / "state"))

    def test_twistd(self) -> None:
        """twistd simmail refuses as the command does."""
        folder = self.folder()
        ran = subprocess.run(
            [sys.executable, "-m", "twisted", "--help"], env=environment(), capture_output=True, text=True)
        self.assertIn("simmail", ran.stdout)
        ran = subprocess.run(
            [sys.executable, "-c", "from twisted.scripts.twistd import run; run()", "-n", "--pidfile=", "simmail",
             "--state", str(folder), "--config", "/nowhere.yaml"],
            env=environment(), capture_output=True, text=True, cwd=folder)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("simmail: config: /nowhere.yaml", ran.stderr)
