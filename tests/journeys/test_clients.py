"""Standard clients, in clear text and over TLS with the certificate the API hands out."""

from __future__ import annotations

import email
import imaplib
import json
import shutil
import signal
import smtplib
import ssl
import subprocess
import threading
import time

from imapclient import IMAPClient
from twisted.trial.unittest import SkipTest

from simmail.daemon.tls import make_certificate
from tests.journeys.attacks import guess_at_once
from tests.journeys.running import CONFIG, LOGIN, SOON, JourneyCase, Service, message, until


class ClientTests(JourneyCase):
    """Each client signs in, sends and reads."""

    def started(self) -> Service:
        """A running service."""
        service = self.service()
        service.start()
        return service

    def context(self, service: Service) -> ssl.SSLContext:
        """What trusts the service's certificate and no other."""
        answer = service.get("/api/connection/cert")
        self.assertEqual(answer.headers["Content-Type"], "application/x-pem-file")
        return ssl.create_default_context(cadata=answer.body.decode("ascii"))

    def test_tls(self) -> None:
        """SMTPS, IMAPS and STARTTLS on every port show the certificate of the API, good for the host's name."""
        service = self.started()
        context = self.context(service)
        octets = message(LOGIN, LOGIN, "Over TLS", "Hello")
        with smtplib.SMTP_SSL("127.0.0.1", service.port("smtps"), timeout=SOON, context=context) as session:
            session.login(LOGIN, service.password)
            session.sendmail(LOGIN, [LOGIN], octets)
        for name in ("smtp", "submission"):
            with smtplib.SMTP("127.0.0.1", service.port(name), timeout=SOON) as session:
                session.starttls(context=context)
                session.login(LOGIN, service.password)
                session.sendmail(LOGIN, [LOGIN], octets)
        with imaplib.IMAP4_SSL("localhost", service.port("imaps"), ssl_context=context, timeout=SOON) as imaps:
            imaps.login(LOGIN, service.password)
            self.assertEqual(imaps.select("INBOX"), ("OK", [b"3"]))
            der = imaps.socket().getpeercert(True)  # type: ignore[attr-defined]
        with imaplib.IMAP4("127.0.0.1", service.port("imap"), timeout=SOON) as imap:
            imap.starttls(context)
            imap.login(LOGIN, service.password)
            self.assertEqual(imap.select("INBOX"), ("OK", [b"3"]))
        said = service.good("GET", "/api/connection")
        self.assertEqual(ssl.PEM_cert_to_DER_cert(service.get("/api/connection/cert").body.decode("ascii")), der)
        self.assertEqual(
            {one["name"]: (one["address"], one["port"], one["security"]) for one in said["services"]},
            {title: ("127.0.0.1", service.port(title.lower()), security) for title, security in (
                ("SMTP", "starttls"), ("SUBMISSION", "starttls"), ("SMTPS", "tls"), ("IMAP", "starttls"),
                ("IMAPS", "tls"))})

    def test_new_certificate(self) -> None:
        """SIGHUP takes a new certificate for new connections, and a bad one changes nothing."""
        service = self.started()
        assert service.process is not None
        files = service.state / "certificate.pem", service.state / "key.pem"
        make_certificate(str(files[0]), str(files[1]), ("127.0.0.1",))
        new = files[0].read_bytes()
        context = ssl.create_default_context(cadata=new.decode("ascii"))
        service.process.send_signal(signal.SIGHUP)
        until(lambda: "certificate read again" in service.logged())
        with smtplib.SMTP_SSL("127.0.0.1", service.port("smtps"), timeout=SOON, context=context) as session:
            session.noop()
        self.assertEqual(service.get("/api/connection/cert").body, new)
        files[0].write_text("no certificate")
        service.process.send_signal(signal.SIGHUP)
        until(lambda: "the certificate was not read again" in service.logged())
        with smtplib.SMTP_SSL("127.0.0.1", service.port("smtps"), timeout=SOON, context=context) as session:
            session.noop()

    def test_imaplib(self) -> None:
        """imaplib reads, flags, copies, appends, searches and expunges."""
        service = self.started()
        with service.smtp() as session:
            for n in range(3):
                session.sendmail(LOGIN, [LOGIN], message(LOGIN, LOGIN, f"Number {n}", f"Text {n}"))
        with service.imap() as imap:
            self.assertEqual(imap.search(None, "SUBJECT", '"Number 1"'), ("OK", [b"2"]))
            _, found = imap.fetch("2", "(BODY.PEEK[HEADER.FIELDS (SUBJECT)] BODY.PEEK[TEXT]<0.4>)")
            self.assertEqual([part[1] for part in found if isinstance(part, tuple)],
                             [b"Subject: Number 1\r\n\r\n", b"Text"])
            imap.store("2", "+FLAGS", "(\\Seen \\Flagged $Work)")
            self.assertEqual(imap.search(None, "FLAGGED", "KEYWORD", "$Work"), ("OK", [b"2"]))
            self.assertEqual(imap.copy("2", "Archive")[0], "OK")
            self.assertEqual(imap.append("Drafts", "\\Draft", "", b"Subject: draft\r\n\r\nLater\r\n")[0], "OK")
            imap.store("2", "+FLAGS", "\\Deleted")
            self.assertEqual(imap.expunge(), ("OK", [b"2"]))
            self.assertEqual(imap.select("Archive"), ("OK", [b"1"]))
            _, [flags] = imap.fetch("1", "(FLAGS)")
            assert isinstance(flags, bytes)
            for flag in (b"\\Flagged", b"\\Seen", b"$Work"):
                self.assertIn(flag, flags)

    def test_imapclient(self) -> None:
        """imapclient lists folders with their special use, fetches, and is pushed a persona's answer in IDLE."""
        service = self.started()
        client = IMAPClient("127.0.0.1", service.port("imap"), ssl=False, timeout=SOON)
        client.login(LOGIN, service.password)
        folders = {name: flags for flags, _, name in client.list_folders()}
        self.assertEqual(set(folders), {"INBOX", "Sent", "Drafts", "Archive", "Trash", "Junk"})
        self.assertIn(b"\\Sent", folders["Sent"])
        self.assertEqual(client.select_folder("INBOX")[b"EXISTS"], 0)
        with service.smtp() as session:
            session.sendmail(LOGIN, ["maria@acme.test"], message(
                LOGIN, "maria@acme.test", "Offer", "Could you send me the price list by Friday?"))
        client.idle()
        begin = time.monotonic()
        thread = threading.Thread(target=service.good, args=("POST", "/api/clock/advance", {"by": "2d"}))
        thread.start()
        pushed: list[tuple[object, ...]] = []
        while (1, b"EXISTS") not in pushed:
            self.assertLess(time.monotonic() - begin, SOON)
            pushed += client.idle_check(1)
        client.idle_done()
        thread.join()
        fetched = client.fetch([1], ["ENVELOPE", "BODYSTRUCTURE", "FLAGS", "RFC822.SIZE", "BODY.PEEK[]"])[1]
        self.assertEqual(fetched[b"ENVELOPE"].subject, b"Re: Offer")
        self.assertEqual(fetched[b"RFC822.SIZE"], len(fetched[b"BODY[]"]))
        self.assertEqual(email.message_from_bytes(fetched[b"BODY[]"])["X-Service-Simulated"], "yes")
        # What she promised may have come as well.
        self.assertEqual(client.search(["FROM", "maria@acme.test"]), client.search())
        self.assertEqual(client.search(["FROM", "nobody@acme.test"]), [])
        client.logout()

    def test_curl(self) -> None:
        """curl sends and reads, in clear text and over TLS."""
        if shutil.which("curl") is None:
            raise SkipTest("curl is not installed")
        service = self.started()
        pem = self.folder() / "cert.pem"
        pem.write_bytes(service.get("/api/connection/cert").body)
        user = ["-sS", "--max-time", "20", "-u", f"{LOGIN}:{service.password}"]
        for n, url in enumerate((
            f"smtp://127.0.0.1:{service.port('smtp')}", f"smtps://127.0.0.1:{service.port('smtps')}",
            f"smtp://127.0.0.1:{service.port('submission')}",
        )):
            more = ["--ssl-reqd", "--cacert", str(pem)] if n else []
            subprocess.run(["curl", *user, *more, url, "--mail-from", LOGIN, "--mail-rcpt", LOGIN, "-T", "-"],
                           input=message(LOGIN, LOGIN, f"Mail {n}", "From curl"), check=True, timeout=SOON)
        for url in (f"imap://127.0.0.1:{service.port('imap')}", f"imaps://127.0.0.1:{service.port('imaps')}"):
            ran = subprocess.run(["curl", *user, "--cacert", str(pem), f"{url}/INBOX;MAILINDEX=2"],
                                 capture_output=True, check=True, timeout=SOON)
            self.assertIn(b"Subject: Mail 1\r\n", ran.stdout)
        ran = subprocess.run(["curl", *user, f"imap://127.0.0.1:{service.port('imap')}/INBOX?SUBJECT%20%22Mail%202%22"],
                             capture_output=True, check=True, timeout=SOON)
        self.assertEqual(ran.stdout.strip(), b"* SEARCH 3")

    def test_wrong_password(self) -> None:
        """A wrong password is refused by every door, and recorded."""
        service = self.started()
        with service.smtp() as session:
            error = self.assertRaises(smtplib.SMTPAuthenticationError, session.login, LOGIN, "wrong")
            self.assertEqual(error.smtp_code, 535)
        with imaplib.IMAP4("127.0.0.1", service.port("imap"), timeout=SOON) as imap:
            self.assertRaises(imaplib.IMAP4.error, imap.login, LOGIN, "wrong")
        self.assertEqual(service.get("/api/me", key="sm_0000000000_wrong").status, 401)
        # smtplib tries each mechanism.
        until(lambda: {event["data"]["proto"] for event in service.events("auth.failed")} == {"smtp", "imap"})

    def test_right_password_here(self) -> None:
        """From this machine the right password gets in after many wrong ones, by each door, and at once."""
        service = self.started()
        person = json.loads((service.state / "first-login.json").read_text(encoding="utf-8"))["admin@sim.test"]
        self.assertLessEqual(guess_at_once(service, "imap", source="127.0.0.1"), 10)
        for n in range(12):
            tried = service.call("POST", f"/api/accounts/{LOGIN}/test", {"password": f"wrong{n}"}).status
            signed = service.call("POST", "/api/session", {"email": "admin@sim.test", "password": f"wrong{n}"}).status
            self.assertEqual((tried, signed), (429, 401 if n < 10 else 429))
        begin = time.monotonic()
        with service.smtp() as session:
            session.ehlo()
            session.login(LOGIN, service.password)
        with service.imap():
            pass
        tried = service.good("POST", f"/api/accounts/{LOGIN}/test", {"password": service.password})
        self.assertTrue(tried["imap"]["ok"])
        service.good("POST", "/api/session", {"email": "admin@sim.test", "password": person})
        self.assertLess(time.monotonic() - begin, 5)

    def test_open_to_the_world(self) -> None:
        """Where others can connect mail is taken from who has signed in, and a password over TLS only."""
        service = self.service({"listen": {**CONFIG["listen"], "host": "0.0.0.0"}})
        service.start()
        self.assertTrue(service.good("GET", "/api/connection")["smtp_auth_required"])
        context = ssl.create_default_context(cafile=str(service.state / "certificate.pem"))
        with service.smtp() as session:
            self.assertEqual(session.docmd("EHLO x")[0], 250)
            self.assertEqual(session.docmd("MAIL FROM:<a@b.test>"), (530, b"5.7.0 Authentication required"))
            self.assertEqual(session.docmd("AUTH PLAIN AGEAYg==")[0], 538)
            session._host = "localhost"
            session.starttls(context=context)
            session.login(LOGIN, service.password)
            session.sendmail(LOGIN, "maria@acme.test", message(LOGIN, "maria@acme.test", "In", "Hello"))
        text = service.out.read_text(encoding="utf-8")
        line = next(line for line in text.split("\n") if line.startswith("printf"))
        if shutil.which("curl"):
            subprocess.run(["sh", "-c", line], check=True, timeout=SOON)
            self.assertEqual([event["data"]["subject"] for event in service.events("mail.delivered")],
                             ["In", "Lunch on Friday?"])
