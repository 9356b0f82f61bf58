"""From nothing to a persona's answer in a mail client: what a newcomer does first."""

from __future__ import annotations

import email
import email.policy
import json
import re
import shutil
import signal
import stat
import subprocess
import time

from twisted.trial.unittest import SkipTest

from simmail.daemon.bootstrap import PERSON
from simmail.database.private.program import find
from tests.journeys.running import DEMO, LOGIN, JourneyCase, Service, command, ended, redis_pid, until
from tests.stopwatch import Stopwatch


class FirstStartTests(JourneyCase):
    """The first start and the second."""

    def printed(self, service: Service) -> str:
        """What it has printed."""
        return service.out.read_text(encoding="utf-8")

    def test_three_lines(self) -> None:
        """The three printed lines work as printed, and the answer takes up what the mail asked; files and the log."""
        service = self.service(DEMO)
        service.start()
        text = self.printed(service)
        for name, title in (("smtp", "SMTP"), ("submission", "SUBMISSION"), ("smtps", "SMTPS"), ("imap", "IMAP"),
                            ("imaps", "IMAPS"), ("http", "HTTP")):
            self.assertIn(f"\n{title} 127.0.0.1:{service.port(name)}\n", "\n" + text)
        self.assertIn(service.key, text)
        self.assertIn(service.password, text)
        self.assertIn("maria@acme.test", text)
        self.check_files(service)

        lines = text.rstrip().split("\n")[-3:]
        answers = [self.run_line(line) for line in lines]
        self.assertEqual(json.loads(answers[1])["stopped_by"], "to")
        shown = email.message_from_string(answers[2], policy=email.policy.default)
        self.check_answer(shown)

        with service.imap() as session:
            _, [found] = session.search(None, "FROM", "maria@acme.test")
            self.assertEqual(found, b"1")
            _, parts = session.fetch("1", "(BODY[])")
        read = email.message_from_bytes(parts[0][1], policy=email.policy.default)
        self.check_answer(read)
        self.assertEqual(read["Message-ID"], shown["Message-ID"])
        self.check_log(service)

    def run_line(self, line: str) -> str:
        """Paste a line into a shell."""
        if shutil.which("curl") is None:
            raise SkipTest("curl is not installed")
        ran = ended(["sh", "-c", line])
        self.assertEqual((ran.returncode, ran.stderr), (0, ""), line)
        return ran.stdout

    def check_answer(self, answer: email.message.EmailMessage) -> None:
        """Maria answers that mail, in its thread."""
        self.assertEqual(answer["From"].addresses[0].addr_spec, "maria@acme.test")
        self.assertEqual(answer["Subject"], "Re: Lunch on Friday?")
        self.assertEqual(answer["In-Reply-To"], answer["References"])
        body = answer.get_body(("plain",))
        assert body is not None
        new = body.get_content().partition("\nOn ")[0]
        self.assertRegex(new, r"(?i)friday|12:30")

    def check_files(self, service: Service) -> None:
        """Secrets are readable by their owner only; where to connect is known to all programs."""
        for name in ("admin.key", "first-login.json", "key.pem", "daemon.lock"):
            self.assertEqual(stat.S_IMODE((service.state / name).stat().st_mode), 0o600, name)
        self.assertEqual(stat.S_IMODE(service.state.stat().st_mode), 0o700)
        self.assertRegex(service.key, r"\Asm_[0-9a-f]+_[A-Za-z0-9-]+\Z")
        self.assertEqual(list(json.loads((service.state / "first-login.json").read_text())),
                         [LOGIN, PERSON])
        me = service.good("GET", "/api/me")
        self.assertEqual((me["kind"], me["administrator"], me["key"]["universe"], me["key"]["role"]),
                         ("key", True, "main", "admin"))
        self.assertEqual([one["name"] for one in service.good("GET", "/api/personas")], ["Maria Rossi"])

    def test_second_start(self) -> None:
        """A second start is quick, keeps everything, and shows no secrets again."""
        service = self.service(DEMO)
        service.start()
        key, password = service.key, service.password
        self.assertEqual(service.stop(), 0)
        self.assertFalse((service.state / "endpoints.json").exists())
        service.out.write_text("")
        watch = Stopwatch()
        service.start()
        # 2 s is the promise on a machine that does nothing else.
        self.assertLess(watch.seconds(), 4.0)
        self.assertEqual((service.key, service.password), (key, password))
        text = self.printed(service)
        self.assertNotIn(key, text)
        self.assertNotIn(password, text)
        self.assertIn(str(service.state / "admin.key"), text)
        self.assertEqual(service.good("GET", "/api/me")["key"]["universe"], "main")

    def test_stops(self) -> None:
        """Ctrl-C and SIGTERM end it with status 0, at any moment of its start too, and nothing is left running."""
        service = self.service(DEMO)
        service.start()
        self.assertEqual(service.stop(signal.SIGINT), 0)
        for n, pause in enumerate((0.0, 0.0, 0.0, 0.003, 0.01, 0.03, 0.1), 2):
            service.begin()
            until(lambda n=n: service.logged().count("starting up") == n, every=0.0)
            time.sleep(pause)
            self.assertEqual(service.stop(), 0)
            self.assertIsNone(redis_pid(service.state))
        # What it had begun does not stand in the way.
        service.start()
        self.assertEqual(service.stop(), 0)

    def test_lost_key(self) -> None:
        """A key that is gone, or nobody's: it starts, says so, makes none unasked, and one when it is asked to."""
        service = self.service()
        service.start()
        old = service.key
        (service.state / "admin.key").write_text("sm_0000000000_nobody\n")
        (service.state / "first-login.json").unlink()
        for _ in range(2):
            service.stop()
            service.start()
            self.assertIn("reset-first", self.printed(service).rstrip().split("\n")[-1])
            self.assertEqual(service.get("/api/me").status, 401)
            self.assertEqual(len(service.good("GET", "/api/admin/keys", key=old)), 1)
        made = command("admin", "keys", "reset-first", "--state", str(service.state))
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        service.key = made.stdout.strip()
        self.assertEqual((service.state / "admin.key").read_text().strip(), service.key)
        self.assertTrue(service.good("GET", "/api/me")["administrator"])
        self.assertEqual(service.get("/api/me", key=old).status, 401)
        self.assertEqual(len(service.good("GET", "/api/admin/keys")), 1)
        # Asked for while it does not run.
        service.stop()
        later = command("admin", "keys", "reset-first", "--state", str(service.state))
        self.assertEqual((later.returncode, later.stderr), (0, ""))
        self.assertIn("next start", later.stdout)
        service.start()
        self.assertEqual(service.get("/api/me").status, 200)
        self.assertEqual(len(service.good("GET", "/api/admin/keys")), 1)

    def test_lost_folder(self) -> None:
        """A state folder that is new on a Redis that is in use: it starts, and mints nothing, however often."""
        folder = self.folder()
        redis = subprocess.Popen(
            [find(), "--port", "0", "--unixsocket", str(folder / "redis.sock"), "--dir", str(folder), "--save", ""],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(redis.wait)
        self.addCleanup(redis.kill)
        until((folder / "redis.sock").exists)
        config = {**DEMO, "redis": {"url": f"unix://{folder / 'redis.sock'}"}}
        first = self.service(config)
        first.start()
        key = first.key
        first.stop()
        second = self.service(config)
        for _ in range(2):
            second.begin()
            until(lambda: "reset-first" in self.printed(second))
            until(lambda: (second.state / "endpoints.json").exists())
            self.assertEqual(second.stop(), 0)
            self.assertFalse((second.state / "admin.key").exists())
        first.start()
        self.assertEqual(len(first.good("GET", "/api/admin/keys", key=key)), 1)

    def check_log(self, service: Service) -> None:
        """The mail log tells of a message in mail's own words."""
        until(lambda: "answered" in service.logged())
        log = [line for line in service.logged().split("\n") if " info simmail.mail: " in line]
        for word in ("accepted", "filed", "planned", "answered"):
            self.assertTrue(any(re.search(rf"\b{word}\b", line) for line in log), word)
        self.assertRegex(service.get("/metrics").body.decode(), r'simmail_mail_total\{what="answered"\} [1-9]')
