"""Programs that people send mail with, and faults that they meet, against a running daemon."""

from __future__ import annotations

import json
import os
import shutil
import smtplib
import ssl
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SkipTest

from tests.journeys.running import LOGIN, SOON, JourneyCase, Service, message, until

#: Where Debian puts modules; a node from elsewhere does not look there by itself.
_NODE_MODULES = Path("/usr/share/nodejs")

_NODEMAILER = """
const mailer = require('nodemailer'), [port, secure, user, pass, ca, subject] = JSON.parse(process.argv[1]);
const options = {host: 'localhost', port, secure, tls: {ca}, requireTLS: !secure && !!user, ignoreTLS: !user};
if (user) options.auth = {user, pass};
mailer.createTransport(options).sendMail(
    {from: user || 'x@sim.test', to: 'app@sim.test', subject, text: '.a dot\\n\\u00e4\\n'})
    .then(sent => process.exit(sent.accepted.length === 1 ? 0 : 1), error => { console.error(error); process.exit(1) });
"""


class SmtpClientTests(JourneyCase):
    """Each sends in clear text, after STARTTLS and over SMTPS."""

    def started(self) -> Service:
        """A running service, its certificate in a file."""
        service = self.service()
        service.start()
        self.ca = service.state / "certificate.pem"
        self.trust = ssl.create_default_context(cafile=str(self.ca))
        return service

    def run_program(self, program: str, *arguments: str, text: bytes = b"", status: int = 0) -> str:
        """Run it to its end; what it printed.  Skips where it is not installed."""
        path = shutil.which(program)
        if path is None:
            raise SkipTest(f"{program} is not installed")
        ended = subprocess.run([path, *arguments], input=text, capture_output=True, timeout=SOON)
        said = (ended.stdout + ended.stderr).decode("utf-8", "replace")
        self.assertEqual(ended.returncode, status, said)
        return said

    def check(self, service: Service, *protocols: str) -> None:
        """So many messages are in the INBOX, each taken by its protocol, whole."""
        with service.imap() as session:
            _, parts = session.fetch("1:*", "(BODY.PEEK[])")
        found = [part[1] for part in parts if isinstance(part, tuple)]
        self.assertEqual(len(found), len(protocols))
        for octets, protocol in zip(found, protocols):
            self.assertIn(f" with {protocol} id ".encode(), octets)
            self.assertIn(b"\n.a dot", octets)

    def test_smtplib(self) -> None:
        """smtplib."""
        service = self.started()
        octets = message(LOGIN, LOGIN, "smtplib", ".a dot")
        with service.smtp() as session:
            session.sendmail(LOGIN, [LOGIN], octets)
        with service.smtp() as session:
            session.starttls(context=self.trust)
            session.login(LOGIN, service.password)
            session.sendmail(LOGIN, [LOGIN], octets)
        with smtplib.SMTP_SSL("localhost", service.port("smtps"), timeout=SOON, context=self.trust) as session:
            session.login(LOGIN, service.password)
            session.sendmail(LOGIN, [LOGIN], octets)
        self.check(service, "ESMTP", "ESMTPSA", "ESMTPSA")

    def test_swaks(self) -> None:
        """swaks."""
        service = self.started()
        common = ("--server", "localhost", "--from", LOGIN, "--to", LOGIN, "--body", ".a dot")
        signed = ("--auth", "PLAIN", "--auth-user", LOGIN, "--auth-password", service.password)
        smtp, smtps = (("--port", str(service.port(one))) for one in ("smtp", "smtps"))
        self.run_program("swaks", *common, *smtp, "--pipeline")
        self.run_program("swaks", *common, *smtp, "-tls", *signed)
        self.run_program("swaks", *common, *smtps, "-tlsc", *signed)
        self.check(service, "ESMTP", "ESMTPSA", "ESMTPSA")

    def test_curl(self) -> None:
        """curl."""
        service = self.started()
        mail = self.folder() / "mail"
        mail.write_bytes(message(LOGIN, LOGIN, "curl", ".a dot"))
        common = ("-sS", "--cacert", str(self.ca), "--mail-from", LOGIN, "--mail-rcpt", LOGIN, "-T", str(mail))
        signed = ("--user", f"{LOGIN}:{service.password}")
        smtp, smtps = (f"://localhost:{service.port(one)}" for one in ("smtp", "smtps"))
        self.run_program("curl", *common, f"smtp{smtp}")
        self.run_program("curl", *common, "--ssl-reqd", *signed, f"smtp{smtp}")
        self.run_program("curl", *common, *signed, f"smtps{smtps}")
        self.check(service, "ESMTP", "ESMTPSA", "ESMTPSA")

    def test_msmtp(self) -> None:
        """msmtp."""
        service = self.started()
        octets = message(LOGIN, LOGIN, "msmtp", ".a dot").replace(b"\r\n", b"\n")
        common = ("--file=/dev/null", "--host=localhost", f"--from={LOGIN}")
        signed = ("--auth=plain", f"--user={LOGIN}", f"--passwordeval=echo {service.password}", "--tls=on",
                  f"--tls-trust-file={self.ca}")
        smtp, smtps = (f"--port={service.port(one)}" for one in ("smtp", "smtps"))
        for arguments in ((smtp,), (smtp, *signed, "--tls-starttls=on"), (smtps, *signed, "--tls-starttls=off")):
            self.run_program("msmtp", *common, *arguments, "--", LOGIN, text=octets)
        self.check(service, "ESMTP", "ESMTPSA", "ESMTPSA")

    def test_nodemailer(self) -> None:
        """nodemailer."""
        modules = self.nodemailer()
        service = self.started()
        ca = self.ca.read_text(encoding="ascii")
        for port, secure, user in (("smtp", False, ""), ("smtp", False, LOGIN), ("smtps", True, LOGIN)):
            what = json.dumps([service.port(port), secure, user, service.password, ca, "nodemailer"])
            ended = subprocess.run(
                ["node", "-e", _NODEMAILER, what], env={**os.environ, "NODE_PATH": str(modules)}, capture_output=True,
                timeout=SOON)
            self.assertEqual(ended.returncode, 0, ended.stderr.decode())
        with service.imap() as session:
            _, parts = session.fetch("1:*", "(BODY.PEEK[HEADER])")
        found = [part[1] for part in parts if isinstance(part, tuple)]
        self.assertEqual(len(found), 3)
        for octets, protocol in zip(found, (b"ESMTP", b"ESMTPSA", b"ESMTPSA")):
            self.assertIn(b" with " + protocol + b" id ", octets)

    def nodemailer(self) -> Path:
        """
        Where nodemailer is: the Debian package, else what npm installs.

        @raise SkipTest: there is no node, or no registry answers.
        """
        if shutil.which("node") is None:
            raise SkipTest("node is not installed")
        if (_NODE_MODULES / "nodemailer").is_dir():
            return _NODE_MODULES
        if shutil.which("npm") is None:
            raise SkipTest("neither nodemailer (Debian package node-nodemailer) nor npm is installed")
        folder = Path(tempfile.mkdtemp(prefix="simmail-node-"))
        self.addCleanup(shutil.rmtree, folder, True)
        try:
            ended = subprocess.run(
                ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder),
                 "nodemailer@6"],
                capture_output=True, timeout=60, cwd=folder, env={**os.environ, "npm_config_fetch_retries": "0"})
            problem = "" if ended.returncode == 0 else ended.stderr.decode("utf-8", "replace")[-200:]
        except subprocess.TimeoutExpired:
            problem = "npm did not end"
        if problem:
            raise SkipTest(f"nodemailer could not be installed: {problem}")
        return folder / "node_modules"


class FaultTests(JourneyCase):
    """Rules set over HTTP, met over SMTP and IMAP, seen over HTTP."""

    def put(self, service: Service, *rules: dict[str, Any]) -> None:
        """Replace the rules."""
        service.good("PUT", "/api/faults", list(rules))

    def test_faults(self) -> None:
        """Refused twice, then taken; greylisted until the simulated clock has gone on; seen as hits and events."""
        service = self.service()
        service.start()
        octets = message(LOGIN, "maria@acme.test", "Faults", "Hello")
        self.put(service, {"name": "busy", "kind": "defer", "stage": "rcpt", "match": "@acme.test", "first": 2,
                           "code": 452, "enhanced": "4.2.2", "message": "Over quota"})
        for n in range(3):
            with service.smtp() as session:
                if n < 2:
                    error = self.assertRaises(
                        smtplib.SMTPRecipientsRefused, session.sendmail, LOGIN, ["maria@acme.test"], octets)
                    self.assertEqual(error.recipients, {"maria@acme.test": (452, b"4.2.2 Over quota")})
                else:
                    session.sendmail(LOGIN, ["maria@acme.test"], octets)
        (rule,) = service.good("GET", "/api/faults")
        self.assertEqual(rule["hits"], 2)
        until(lambda: len(service.events("fault.hit")) == 2)
        self.assertEqual(service.events("fault.hit")[0]["data"], {
            "rule": "busy", "kind": "defer", "stage": "rcpt", "address": "maria@acme.test", "code": 452,
            "from": LOGIN})
        self.put(service)
        service.good("POST", "/api/faults/scenarios/postgrey", {"match": "@acme.test"})
        for wait in ("", "1m", "10m"):
            if wait:
                service.good("POST", "/api/clock/advance", {"by": wait})
            with service.smtp() as session:
                session.helo()
                session.mail(LOGIN)
                code, text = session.rcpt("maria@acme.test")
            self.assertEqual(code, 250 if wait == "10m" else 450, text)
        # Not in the way of the API.
        self.put(service, {"name": "wall", "kind": "reject", "stage": "mail"})
        service.good("POST", "/api/send", {"from": LOGIN, "to": ["maria@acme.test"], "subject": "API", "text": "Hi"})

    def test_reading(self) -> None:
        """IMAP meets them too."""
        service = self.service()
        service.start()
        self.put(service,
                 {"name": "closed", "kind": "reject", "stage": "imap_select", "message": "Not now", "times": 1},
                 {"name": "gone", "kind": "drop", "stage": "imap_idle"})
        with service.imap(None) as session:
            self.assertEqual(session.select("INBOX"), ("NO", [b"Not now"]))
            self.assertEqual(session.select("INBOX")[0], "OK")
        hits = until(lambda: [one for one in service.events("fault.hit") if one["data"]["stage"] == "imap_select"])
        self.assertEqual(hits[0]["data"]["address"], LOGIN)

    def test_scenarios(self) -> None:
        """Each of the library can be added; at least twenty."""
        service = self.service()
        service.start()
        library = service.good("GET", "/api/faults/scenarios")
        self.assertGreaterEqual(len(library), 20)
        for one in library:
            rules = service.good("POST", f"/api/faults/scenarios/{one['id']}", {"match": "@nobody.test"})
            self.assertEqual((rules[-1]["scenario"], rules[-1]["enabled"]), (one["id"], True))
        self.assertEqual(service.call("POST", "/api/faults/scenarios/none", {}).status, 404)
