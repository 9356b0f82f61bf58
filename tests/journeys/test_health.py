"""What those who run the service see: health, figures, its log."""

from __future__ import annotations

import json
import re
import smtplib
import urllib.request
from pathlib import Path

from tests.journeys.running import LOGIN, ROOT, JourneyCase, command, message, until


class HealthTests(JourneyCase):
    """No key is needed, and nothing of any mail is told."""

    def test_health(self) -> None:
        """livez, readyz and metrics answer without a key."""
        service = self.service()
        service.start()
        base = f"http://127.0.0.1:{service.port('http')}"
        with urllib.request.urlopen(base + "/livez") as answer:
            self.assertEqual(answer.status, 200)
        self.assertEqual(service.get("/readyz", key="").json(), {
            "status": "ready", "checks": {"redis": "ok", "store": "ok", "listeners": "ok"}, "warnings": []})
        # A look at the sender's site would be a job of its own.
        service.good("PATCH", "/api/links", {"sender_check": 0})
        with service.smtp() as session, service.imap():
            session.sendmail(LOGIN, ["maria@acme.test"], message(
                LOGIN, "maria@acme.test", "Secret subject", "Could we meet on Monday at 10:00?"))
            until(lambda: 'what="planned"' in service.get("/metrics", key="").body.decode())
            text = service.get("/metrics", key="").body.decode()
        self.assertNotIn("Secret", text)
        figures = dict(re.findall(r"^([a-z_]+(?:\{[^}]*\})?) ([0-9.e+-]+)$", text, re.MULTILINE))
        self.assertEqual(figures['simmail_mail_total{what="accepted"}'], "1")
        self.assertEqual(figures['simmail_mail_total{what="planned"}'], "1")
        self.assertEqual(figures['simmail_mail_undecided{universe="main"}'], "0")
        self.assertEqual(figures['simmail_sessions{listener="smtp"}'], "1")
        self.assertEqual(figures['simmail_sessions{listener="imap"}'], "1")
        self.assertEqual(figures["simmail_redis_available"], "1")
        self.assertEqual(figures["simmail_pending_jobs"], "1")
        self.assertEqual(figures["simmail_delivery_seconds_count"], "1")
        self.assertGreater(int(figures['simmail_redis_round_trip_seconds_count{connection="writes"}']), 0)
        served = set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE))
        for file, least in (("etc/operation/grafana.json", 25), ("simmail/docs/configuration.rst", 15)):
            named = set(re.findall(
                r"\b(simmail_[a-z_]+?|process_\w+?)(?:_bucket)?\b", (ROOT / file).read_text(encoding="utf-8")))
            self.assertGreater(len(named), least)
            # With a store of objects; tests.journeys.test_replicated has one.
            self.assertEqual(named - served - {"simmail_objects_round_trip_seconds", "simmail_replication_waiting"},
                             set(), file)
        for line in text.splitlines():
            self.assertRegex(line, r"\A(# (TYPE|HELP) [a-z_]+ .+|[a-z_]+(\{[^}]*\})? -?[0-9.e+-]+)\Z")

    def test_log(self) -> None:
        """Neither key nor password is ever in the log; what is refused is told in mail's words."""
        service = self.service()
        service.start()
        service.get(f"/api/me?token={service.key}", key="")
        with service.smtp() as session:
            session.login(LOGIN, service.password)
            error = self.assertRaises(smtplib.SMTPDataError, session.sendmail, LOGIN, ["maria@acme.test"], message(
                LOGIN, "maria@acme.test", "Bare", "one\rtwo"))
            self.assertEqual((error.smtp_code, error.smtp_error[:6]), (550, b"5.6.11"))
        with service.imap():
            pass
        # Lines are written together, in their order.
        until(lambda: all(one in service.logged() for one in ("/api/me", "refused a message")))
        log = service.logged()
        for secret in (service.key, service.key.rpartition("_")[2], service.password):
            self.assertNotIn(secret, log)
        self.assertRegex(log, r" info simmail.mail: refused a message from app@sim.test for 1: 550 5\.6\.11 ")

    def test_ready(self) -> None:
        """ready tells whether the service serves, and waits when told to; programs read one line and the whole log."""
        service = self.service({"log": {"format": "json"}}, ("--ready-line", "--log", "-"))
        self.assertEqual(command("ready", "--state", str(service.state)).returncode, 1)
        service.begin()
        self.assertEqual(command("ready", "--state", str(service.state), "--wait", "20").returncode, 0)
        service.wait_ready()
        self.assertEqual(service.stop(), 0)
        printed = service.out.read_text(encoding="utf-8")
        told = [json.loads(line) for line in printed.splitlines()]
        # The line for whoever started it, and that of the log.
        facts, again = (one["ready"] for one in told if "ready" in one)
        self.assertEqual((facts, facts["listeners"]), (again, service.endpoints))
        self.assertEqual(Path(facts["key_file"]).read_text().strip(), service.key)
        self.assertNotIn(service.key, printed)
        self.assertEqual({one["level"] for one in told if "level" in one}, {"info"})
        ran = command("ready", "--state", str(service.state))
        self.assertEqual(ran.returncode, 1)
        self.assertIn("not ready", ran.stderr)
